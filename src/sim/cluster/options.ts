import type { TrueInstance } from '../aws/contract.ts';
import type { MachineTraits, HypervisorOptions } from '../machines/contract.ts';
import { NIDHOGG_DEFAULTS } from '../platform/gates/nidhogg-rules.ts';
import type { Gate, PlatformOptions } from '../platform/platform.ts';
import type { ClusterSetting, GroupSetting, WorldSetting } from '../stories/scenario.ts';
import { minorOf } from './infrastructure.ts';

const SERVICE_ADDRESS: Readonly<Record<ClusterSetting['kind'], string>> = {
  kubeadm: '10.96.0.1',
  eks: '172.20.0.1',
};
/** How far the times of one machine are from those of another, as the deviation of a logarithm. */
const SCATTER = 0.15;

/** How the platform of such a cluster is set up. */
export function platformOptions(cluster: ClusterSetting): PlatformOptions {
  return {
    clusterName: cluster.name,
    kind: cluster.kind,
    minor: Number(minorOf(cluster.version).split('.')[1]),
    cloudController: cluster.cloudController,
    gate: gateOf(cluster),
  };
}

const IDENTITY_CONDITION = 'PodIdentityReady';
/** The taint is the one that kubelets register with: see the user data. */
const IDENTITY_RULE = {
  name: 'pod-identity',
  condition: IDENTITY_CONDITION,
  taintKey: 'readiness.k8s.io/pod-identity',
  taintValue: 'pending',
  mode: 'bootstrap-only',
} as const;
const REPORT_INTERVAL_MS = 5000;

/** Reports the condition from the readiness of a DaemonSet's pod, as node-problem-detector would. */
function reporterOf(daemonSet: string) {
  return {
    condition: IDENTITY_CONDITION,
    namespace: 'kube-system',
    daemonSet,
    intervalMs: REPORT_INTERVAL_MS,
  };
}

function gateOf({ gate, podIdentity }: ClusterSetting): Gate | null {
  if (gate === 'none') return null;
  const name = podIdentity === 'kube2iam' ? 'kube2iam' : 'kiam-agent';
  if (gate === 'node-readiness-controller')
    return { kind: gate, rules: [IDENTITY_RULE], reporters: [reporterOf(name)] };
  const daemonSets = [{ namespace: 'kube-system', name }];
  return { kind: 'nidhogg', config: { ...NIDHOGG_DEFAULTS, fork: 'uswitch', daemonSets } };
}

/** EKS builds its API servers, and the kubelets of its images, under versions of its own. */
export function gitVersionOf({ kind, version }: ClusterSetting): string {
  return kind === 'eks' ? `v${version}-eks-3abd1f4` : `v${version}`;
}

/** What the machines of each group have of their own. */
function traitsOf(groups: readonly GroupSetting[], instance: TrueInstance): MachineTraits {
  const name = (instance.tags['Name'] ?? '').replace(/-\d+$/, '');
  const group = groups.find((one) => one.name === name);
  if (group === undefined) return {};
  const { image, bootMs } = group;
  const known = image === 'bottlerocket' ? {} : { image };
  return { ...known, bootTime: { medianMs: bootMs, sigma: SCATTER } };
}

/** How the machines of such a world behave. */
export function hypervisorOptions(
  { cluster, groups }: WorldSetting,
  endpoint: string,
): HypervisorOptions {
  return {
    clusterName: cluster.name,
    endpoint,
    serviceAddress: SERVICE_ADDRESS[cluster.kind],
    kubernetesVersion: gitVersionOf(cluster),
    servesJournals: cluster.servesJournals === true,
    podNetwork: cluster.podNetwork === 'ready-made' ? 'ready-made' : 'daemonset',
    calicoRouteTime: { medianMs: cluster.podNetworkWarmUpMs, sigma: SCATTER / 2 },
    traits: (instance) => traitsOf(groups, instance),
  };
}
