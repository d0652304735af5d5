import type { ControlPlaneGiven, Filled, KubeadmGiven } from '../../evidence/kubeadm.ts';
import type { Planned } from '../../evidence/planned.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { CONTROL_PLANES, DAEMON_SETS, DEPLOYMENTS, KUBEADM } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** What kubeadm is given on the machines of a group, beside what it is given for their cluster. */
export interface PlannedKubeadm {
  readonly fact: Planned<'kube/kubeadm'>;
  readonly own: KubeadmGiven;
  /** Of the same documents, or of the only others that have some; null without them. */
  readonly controlPlane: ControlPlaneGiven | null;
  /** What shows the control plane, by default the fact itself. */
  readonly shownBy: Planned<'kube/kubeadm'>;
  /** The minor release of Kubernetes, null where nothing tells it. */
  readonly minor: number | null;
}

/** What kubeadm is given on the machines of a group; null where nothing shows that it joins them. */
export function kubeadmOf(plan: PlanFacts, group: PlannedGroup): PlannedKubeadm | null {
  const fact =
    group.fact.kind === 'kube/kubeadm'
      ? group.fact
      : lookedUp(plan, KUBEADM, group.template?.value.LaunchTemplateId)[0];
  if (fact === undefined) return null;
  const [only, ...others] = lookedUp(plan, CONTROL_PLANES, 'any');
  const own = fact.value.controlPlane;
  const shownBy = own !== null || only === undefined || others.length > 0 ? fact : only;
  const { controlPlane } = shownBy.value;
  const minor = /^v?(?:stable-)?1\.(\d{1,3})/.exec(controlPlane?.version ?? '')?.[1];
  return {
    fact,
    own: fact.value,
    controlPlane,
    shownBy,
    minor: minor === undefined ? null : Number(minor),
  };
}

/** The range that kubeadm gives Services where a file gives none. */
const SERVICES = '10.96.0.0/12';

/** The range of Services; undefined where it is filled in later. */
export function serviceSubnetOf({ serviceSubnet }: ControlPlaneGiven): string | undefined {
  return serviceSubnet === null ? SERVICES : serviceSubnet;
}

/** An argument of the kubelet: null where no document sets it, undefined where one is filled in later. */
export function kubeletFlag({ registrations }: KubeadmGiven, name: string): Filled<string> {
  const first = registrations.find(({ flags }) => Object.hasOwn(flags, name));
  return first === undefined ? null : first.flags[name];
}

/** The workload of the AWS cloud controller manager that is given beside; null without one. */
export function cloudControllerOf(
  plan: PlanFacts,
): Planned<'kube/DaemonSet'> | Planned<'kube/Deployment'> | null {
  const name = 'aws-cloud-controller-manager';
  return lookedUp(plan, DAEMON_SETS, name)[0] ?? lookedUp(plan, DEPLOYMENTS, name)[0] ?? null;
}
