import type { GroupSetting, WorldSetting } from '../stories/scenario.ts';
import type { Town } from '../town/town.ts';
import type { Truths } from './truths.ts';

interface Condition {
  /** False where the whole cluster has not what it takes. */
  readonly holds: (setting: WorldSetting) => boolean;
  /** Groups whose machines it concerns; all without. */
  readonly of?: (group: GroupSetting) => boolean;
  readonly causes: readonly string[];
}

/** What is wrong with a world as it was set up, before any fault. */
const CONDITIONS: readonly Condition[] = [
  {
    holds: ({ cluster }) => cluster.kind === 'eks' && !cluster.isNodeRoleMapped,
    causes: ['node-role-not-in-aws-auth', 'aws-auth-missing'],
  },
  {
    holds: ({ cluster }) => cluster.cloudController === 'none',
    causes: ['no-cloud-controller-manager'],
  },
  {
    // Ubuntu names itself without the domain by which EC2 knows its private DNS name.
    holds: ({ cluster }) => cluster.kind === 'kubeadm' && cluster.cloudController !== 'none',
    of: ({ hasProviderId, image }) => !hasProviderId && image === 'ubuntu',
    causes: [
      'hostname-without-domain',
      'ccm-cannot-initialize-node',
      'provider-id-missing-or-malformed',
      'node-deleted-as-not-in-cloud',
      'no-reregistration-after-deletion',
    ],
  },
  {
    holds: ({ cluster }) => cluster.podNetwork === 'vpc-cni' && cluster.cniVersion === 'v1.5.7',
    causes: ['instance-type-unknown-to-cni', 'wrong-eni-limit-in-cni'],
  },
  {
    // kubeadm leaves the kubelet its own 110 pods, and no type here has addresses for as many.
    holds: ({ cluster }) => cluster.kind === 'kubeadm' && cluster.podNetwork === 'vpc-cni',
    causes: ['max-pods-above-address-capacity'],
  },
  {
    // The server's address is a service's, which the agent reaches late or never.
    holds: ({ cluster }) => cluster.podIdentity === 'kiam',
    causes: [
      'kiam-agent-undoes-redirect',
      'shallow-kiam-readiness',
      'pod-started-before-kiam-redirect',
      'gate-daemonset-pod-not-ready',
      'gate-opened-too-early',
    ],
  },
  {
    // The gate of nidhogg waits on every machine, the agent runs on workers only.
    holds: ({ cluster }) => cluster.gate === 'nidhogg',
    of: ({ name }) => name !== 'workers',
    causes: ['gate-daemonset-pod-absent'],
  },
];

/** What is true once the webhook has let a pod through without its role. */
const LEFT_ALONE: Readonly<Record<string, string>> = {
  irsa: 'irsa-webhook-did-not-mutate',
  'pod-identity': 'pod-identity-association-too-new',
};

/** Pods that were let through stay as they are, so that it is written down once. */
function addWhenLeftAlone({ webhook, setting, kernel }: Town, truths: Truths): void {
  const cause = LEFT_ALONE[setting.cluster.podIdentity];
  let isKnown = false;
  webhook?.onLeftAlone(() => {
    if (!isKnown && cause !== undefined)
      truths.add({ causes: [cause], machines: null, of: 'course', fromMs: kernel.nowMs() });
    isKnown = true;
  });
}

/** Writes down what is true of the machines of a town from its beginning. */
export function addSettingTruths(town: Town, truths: Truths): void {
  const { setting } = town;
  addWhenLeftAlone(town, truths);
  for (const { holds, of, causes } of CONDITIONS) {
    if (!holds(setting)) continue;
    const groups = new Set(setting.groups.filter(of ?? (() => true)).map(({ name }) => name));
    const machines = town
      .names()
      .filter((name) => groups.has(name.slice(0, name.lastIndexOf('-'))))
      .flatMap((name) => town.instanceOf(name) ?? []);
    if (machines.length > 0)
      truths.add({
        causes,
        machines: of === undefined ? null : machines,
        of: 'setting',
        fromMs: setting.startMs,
      });
  }
}
