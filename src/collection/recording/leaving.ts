import { factValues } from '../../evidence/fact-values.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import type { Observations } from '../../evidence/observations.ts';

/** A machine that is about to go, and by what that is known. */
export interface LeavingMachine {
  readonly instanceId: string | null;
  readonly node: string | null;
  /** One sentence without a full stop. */
  readonly why: string;
}

/** A kubelet that is silent for less may be back. */
const NOT_READY_MS = 60_000;

/** Taints by which a program says that it takes the machine away. */
const TAINTS: Readonly<Record<string, string>> = {
  ToBeDeletedByClusterAutoscaler: 'the Cluster Autoscaler scales it down',
  'karpenter.sh/disrupted': 'Karpenter disrupts it',
  'karpenter.sh/disruption': 'Karpenter disrupts it',
  'aws-node-termination-handler/spot-itn': 'EC2 takes its Spot Instance back',
  'aws-node-termination-handler/asg-lifecycle-termination': 'its Auto Scaling group ends it',
  'aws-node-termination-handler/scheduled-maintenance': 'its instance has scheduled maintenance',
  'node.cloudprovider.kubernetes.io/shutdown': 'its instance is shut down',
};

const INTERRUPTED = /^(?:marked-for-(?:termination|stop)|instance-terminat)/;
const ENDING = /^(?:shutting-down|stopping)$/;

/** Machines that are about to go, each once, by the first sign of it. */
export function leavingMachines(
  observations: Observations,
  nowMs: number,
): readonly LeavingMachine[] {
  const nodes = factValues(observations, 'kube/Node');
  const nodeOf = new Map(nodes.map((node) => [instanceIdIn(node.providerId ?? ''), node.name]));
  const ofInstance = (id: string | null, why: string): LeavingMachine => ({
    instanceId: id,
    node: id === null ? null : (nodeOf.get(id) ?? null),
    why,
  });
  const all = [
    ...nodes.flatMap((node) => ofNode(node, nowMs)),
    ...instancesLeaving(observations).map(([id, why]) => ofInstance(id, why)),
  ];
  const known = new Set<string>();
  return all.filter(({ instanceId, node }) => {
    const key = instanceId ?? node ?? '';
    const isNew = key !== '' && !known.has(key);
    known.add(key);
    return isNew;
  });
}

function ofNode(node: KubeNode, nowMs: number): readonly LeavingMachine[] {
  const why = whyNodeLeaves(node, nowMs);
  const instanceId = instanceIdIn(node.providerId ?? '');
  return why === null ? [] : [{ instanceId, node: node.name, why }];
}

function whyNodeLeaves(node: KubeNode, nowMs: number): string | null {
  if (node.deletionAskedMs !== null) return 'its Node is being deleted';
  const taint = node.taints?.find(({ key }) => Object.hasOwn(TAINTS, key));
  if (taint !== undefined) return TAINTS[taint.key] ?? null;
  const ready = node.conditions.find(({ type }) => type === 'Ready');
  const sinceMs = ready === undefined || ready.status === 'True' ? null : ready.changedMs;
  const isLong = sinceMs !== null && nowMs - sinceMs > NOT_READY_MS;
  return isLong ? 'its Node is not ready for more than a minute' : null;
}

function instancesLeaving(observations: Observations): readonly (readonly [string, string])[] {
  const claims = factValues(observations, 'kube/NodeClaim')
    .filter(({ metadata }) => (metadata?.deletionTimestamp ?? null) !== null)
    .flatMap(({ status }) => instanceIdIn(status?.providerID ?? '') ?? [])
    .map((id) => [id, 'its NodeClaim is being deleted'] as const);
  const hooked = factValues(observations, 'aws/auto-scaling-group')
    .flatMap(({ Instances }) => Instances ?? [])
    .filter(({ LifecycleState }) => (LifecycleState ?? '').startsWith('Terminating'))
    .flatMap(({ InstanceId, LifecycleState }) =>
      typeof InstanceId === 'string'
        ? [[InstanceId, `its Auto Scaling group ends it (${LifecycleState ?? ''})`] as const]
        : [],
    );
  const interrupted = factValues(observations, 'aws/spot-request')
    .filter(({ Status }) => INTERRUPTED.test(Status?.Code ?? ''))
    .flatMap(({ InstanceId }) =>
      typeof InstanceId === 'string'
        ? [[InstanceId, 'EC2 takes its Spot Instance back'] as const]
        : [],
    );
  const ending = factValues(observations, 'aws/instance')
    .filter(({ State }) => ENDING.test(State?.Name ?? ''))
    .flatMap(({ InstanceId, State }) =>
      typeof InstanceId === 'string'
        ? [[InstanceId, `its instance is ${State?.Name ?? ''}`] as const]
        : [],
    );
  return [...claims, ...hooked, ...interrupted, ...ending];
}
