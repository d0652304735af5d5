import { isListed } from '../../evidence/fact-values.ts';
import type { Observations } from '../../evidence/observations.ts';
import { isAtLeast } from '../version.ts';
import { isEksCluster } from './image-family.ts';
import type { CloudProvider } from './input.ts';
import { namingValues, nodesOf } from './machines.ts';
import type { Pod, Container } from '../../evidence/kube/pod.ts';
import type { DaemonSet, Deployment } from '../../evidence/kube/workloads.ts';

function containersOf({ spec }: Pod | DaemonSet | Deployment): readonly Container[] {
  const own = spec && 'template' in spec ? spec.template?.spec : spec;
  return own && 'containers' in own ? (own.containers ?? []) : [];
}

const CONTROLLER = /aws-cloud-controller-manager|cloud-controller-manager-aws/;

function controllerVersion(containers: readonly Container[]): string | null | undefined {
  const image = containers
    .map((one) => one.image ?? '')
    .find((text) => CONTROLLER.test(text) || /\/cloud-controller-manager:/.test(text));
  return image === undefined ? undefined : (/:([\w.-]{1,128})(?:@|$)/.exec(image)?.[1] ?? null);
}

function flagsOf(containers: readonly Container[], program: string): readonly string[] {
  return containers
    .filter((one) => one.name === program)
    .flatMap((one) => [...(one.command ?? []), ...(one.args ?? [])].map(String));
}

/** The control plane of EKS is not to be seen; since 1.27 no kubelet knows the in-process provider. */
function eksProvider(observations: Observations): CloudProvider | null {
  const versions = nodesOf(observations).map(({ kubeletVersion }) => kubeletVersion);
  const isNew = versions.some((version) => isAtLeast(version, '1.27.0') === true);
  return isNew ? { kind: 'external', controllerVersion: null } : null;
}

/** Who decides about the cloud side of Nodes; null when that was not to be seen. */
export function cloudProviderOf(observations: Observations): CloudProvider | null {
  const programs = (['kube/DaemonSet', 'kube/Deployment', 'kube/Pod'] as const).flatMap((kind) =>
    namingValues(observations, kind).flatMap(containersOf),
  );
  const version = controllerVersion(programs);
  if (version !== undefined) return { kind: 'external', controllerVersion: version };
  if (isEksCluster(observations)) return eksProvider(observations);
  const flags = flagsOf(programs, 'kube-controller-manager');
  if (flags.includes('--cloud-provider=aws')) return { kind: 'in-tree' };
  const isSeen = flags.length > 0 && isListed(observations, 'kube/Pod');
  return isSeen && !flags.includes('--cloud-provider=external') ? { kind: 'none' } : null;
}
