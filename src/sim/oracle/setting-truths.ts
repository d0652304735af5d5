import type { Effect } from '../faults/contract.ts';
import type { GroupSetting, WorldSetting } from '../stories/scenario.ts';
import type { SimulatedCluster } from '../cluster/simulated-cluster.ts';
import type { Truths } from './truths.ts';

interface Condition {
  /** False where the whole cluster has not what it takes. */
  readonly holds: (setting: WorldSetting) => boolean;
  /** Groups whose machines are so; without, it is true of those on which it shows. */
  readonly of?: (group: GroupSetting) => boolean;
  readonly causes: readonly string[];
  readonly shows: readonly Effect[];
}

/** What is wrong with a world as it was set up, before any fault. */
const CONDITIONS: readonly Condition[] = [
  {
    holds: ({ cluster }) => cluster.kind === 'eks' && !cluster.isNodeRoleMapped,
    causes: ['aws-auth-missing'],
    shows: ['no-node'],
  },
  {
    holds: ({ cluster }) => cluster.cloudController === 'none',
    causes: ['no-cloud-controller-manager'],
    shows: ['uninitialized'],
  },
  {
    // Ubuntu names itself without the domain by which EC2 knows its private DNS name.
    holds: ({ cluster }) => cluster.kind === 'kubeadm' && cluster.cloudController !== 'none',
    of: ({ hasProviderId, image }) => !hasProviderId && image === 'ubuntu',
    causes: ['hostname-without-domain'],
    shows: ['deleted', 'uninitialized'],
  },
  {
    holds: ({ cluster }) => cluster.podNetwork === 'vpc-cni' && cluster.cniVersion === 'v1.5.7',
    causes: ['instance-type-unknown-to-cni'],
    shows: ['addressless', 'not-ready'],
  },
  {
    // kubeadm leaves the kubelet its own 110 pods, and no type here has addresses for as many.
    holds: ({ cluster }) => cluster.kind === 'kubeadm' && cluster.podNetwork === 'vpc-cni',
    causes: ['max-pods-above-address-capacity'],
    shows: ['stuck'],
  },
  {
    // The server's address is a service's, which the agent reaches late or never.
    holds: ({ cluster }) => cluster.podIdentity === 'kiam',
    causes: ['gate-daemonset-pod-not-ready'],
    shows: ['tainted'],
  },
  {
    // The gate of nidhogg waits on every machine, the agent runs on workers only.
    holds: ({ cluster }) => cluster.gate === 'nidhogg',
    of: ({ name }) => name !== 'workers',
    causes: ['gate-daemonset-pod-absent'],
    shows: ['tainted'],
  },
];

/** What is true once the webhook has let a pod through without its role. */
const LEFT_ALONE: Readonly<Record<string, string>> = {
  irsa: 'irsa-webhook-did-not-mutate',
  'pod-identity': 'pod-identity-association-too-new',
};

/** Pods that were let through stay as they are, so that it is written down once. */
function addWhenLeftAlone({ webhook, setting, kernel }: SimulatedCluster, truths: Truths): void {
  const cause = LEFT_ALONE[setting.cluster.podIdentity];
  let isKnown = false;
  webhook?.onLeftAlone(() => {
    if (!isKnown && cause !== undefined)
      truths.add({
        causes: [cause],
        machines: null,
        shows: [],
        of: 'course',
        fromMs: kernel.nowMs(),
        untilMs: null,
      });
    isKnown = true;
  });
}

/** Writes down what is true of the machines of a simulated cluster from its beginning. */
export function addSettingTruths(simulated: SimulatedCluster, truths: Truths): void {
  const { setting } = simulated;
  addWhenLeftAlone(simulated, truths);
  for (const { holds, of, causes, shows } of CONDITIONS) {
    if (!holds(setting)) continue;
    const groups = new Set(setting.groups.filter(of ?? (() => true)).map(({ name }) => name));
    const machines = simulated
      .names()
      .filter((name) => groups.has(name.slice(0, name.lastIndexOf('-'))))
      .flatMap((name) => simulated.instanceOf(name) ?? []);
    if (machines.length > 0)
      truths.add({
        causes,
        machines: of === undefined ? null : machines,
        shows,
        of: 'setting',
        fromMs: -Infinity,
        untilMs: null,
      });
  }
}
