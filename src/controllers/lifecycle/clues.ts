import { isCloudDeletion } from '../../domain/nodes/deleters.ts';
import { isTerminated } from '../../domain/nodes/fleet.ts';
import { shown } from '../../domain/words.ts';
import type { Instance } from '../../evidence/aws/instance.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { KubeNode, KubeTaint } from '../../evidence/kinds.ts';
import type { KubeEvent } from '../../evidence/kube/event.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { isoMs } from '../../evidence/time.ts';
import { proofOf } from './context.ts';
import type { LifecycleFacts } from './facts.ts';
import type { Clue, ClueKind } from './memory.ts';

/** A clue and whom it is of. */
export interface Addressed {
  readonly clue: Clue;
  readonly uid: string | null;
  /** Name of a Node; counts where no UID is told. */
  readonly node: string | null;
  readonly instanceId: string | null;
  readonly claim: string | null;
  /** Managed node group. */
  readonly group: string | null;
}

const OF_NOBODY = { uid: null, node: null, instanceId: null, claim: null, group: null } as const;

type ClueParts = readonly [kind: ClueKind, detail: string];

/** Reasons of Events by which others than the cloud controller say what they do to a node. */
const REASONS: Readonly<Record<string, ClueKind>> = {
  // Karpenter's controller of interruptions.
  SpotInterrupted: 'spot',
  SpotRebalanceRecommendation: 'rebalance',
  // The Node Termination Handler.
  SpotInterruption: 'spot',
  RebalanceRecommendation: 'rebalance',
  ScheduledEvent: 'maintenance',
};

/** True for an Event that may tell why a Node goes; most are of Pods and tell nothing of it. */
export function isClue(event: KubeEvent): boolean {
  return partsOfEvent(event) !== null;
}

function partsOfEvent(value: KubeEvent): ClueParts | null {
  if (isCloudDeletion(value)) return ['cloud-deletion', value.about.apiVersion];
  const kind = REASONS[value.reason];
  if (kind !== undefined) return [kind, kind === 'maintenance' ? value.reason : ''];
  const disruption = /^Disrupting (?:Node|NodeClaim|Machine): ([\w ]{1,60}?)(?:\/|$)/.exec(
    value.message,
  )?.[1];
  if (disruption !== undefined) return ['disruption', disruption];
  if (value.reason === 'ScaleDown' && value.about.kind === 'Node') return ['autoscaler', ''];
  return null;
}

function ofEvent(event: Seen<KubeEvent>): readonly Addressed[] {
  const parts = partsOfEvent(event.value);
  const { about, reason, message, lastMs, component } = event.value;
  if (parts === null) return [];
  const isNode = about.kind === 'Node' || about.kind === '';
  const uid = about.uid === about.name ? null : about.uid;
  const excerpt = `${reason} ${about.kind.toLowerCase()}/${about.name} ${message} (${component})`;
  const clue = clueOf(parts, uid !== null, proofOf(event, excerpt, lastMs));
  return isNode
    ? [{ ...OF_NOBODY, clue, uid, node: about.name }]
    : [{ ...OF_NOBODY, clue, claim: about.name }];
}

function clueOf([kind, detail]: ClueParts, isById: boolean, proof: Clue['proof']): Clue {
  return { kind, detail: shown(detail), isById, proof };
}

/** Taints that tell what somebody means to do with a node. */
const TAINTS: Readonly<Record<string, ClueKind>> = {
  ToBeDeletedByClusterAutoscaler: 'autoscaler',
  'aws-node-termination-handler/spot-itn': 'spot',
  'aws-node-termination-handler/rebalance-recommendation': 'rebalance',
  'aws-node-termination-handler/scheduled-maintenance': 'maintenance',
};

function ofTaint(node: Seen<KubeNode>, taint: KubeTaint, nowMs: number): readonly Addressed[] {
  const kind = TAINTS[taint.key];
  if (kind === undefined) return [];
  const proof = proofOf(node, `Node ${node.value.name} taint ${taint.key}=${taint.value}`, nowMs);
  const clue = clueOf([kind, kind === 'maintenance' ? 'ScheduledEvent' : ''], true, proof);
  return [{ ...OF_NOBODY, clue, uid: node.value.uid }];
}

function ofCordon(node: Seen<KubeNode>): readonly Addressed[] {
  const writer = node.value.cordonWriters.at(-1);
  if (node.value.unschedulable !== true || writer === undefined) return [];
  const excerpt = `Node ${node.value.name} spec.unschedulable last written by ${writer.manager}`;
  const proof = proofOf(node, excerpt, writer.atMs);
  const clue = clueOf(['cordoned-by', writer.manager], true, proof);
  return [{ ...OF_NOBODY, clue, uid: node.value.uid }];
}

function ofInstance(fact: Seen<Instance>, nowMs: number): readonly Addressed[] {
  const { InstanceId: id, State: state, StateReason: reason } = fact.value;
  const name = state?.Name ?? '';
  if (id === undefined || (name !== 'running' && !isTerminated(fact.value))) return [];
  const isRunning = name === 'running';
  const why = isRunning
    ? ''
    : ` ${reason?.Message ?? ''} ${fact.value.StateTransitionReason ?? ''}`;
  const parts: ClueParts = isRunning
    ? ['instance-running', '']
    : ['instance-ended', reason?.Code ?? ''];
  const clue = clueOf(parts, true, proofOf(fact, `${id} ${name}${why}`, nowMs));
  return [{ ...OF_NOBODY, clue, instanceId: id }];
}

/** Words of Auto Scaling by which it explains why it terminates an instance. */
const ACTIVITY_CAUSES: readonly (readonly [RegExp, ClueKind])[] = [
  [
    /spot (?:instance )?interruption|taken out of service in response to an? (?:EC2 )?spot/i,
    'spot',
  ],
  [/rebalance recommendation/i, 'rebalance'],
  [/instance refresh/i, 'node-group'],
  [/scheduled (?:for )?(?:retirement|maintenance)/i, 'maintenance'],
];

function ofActivities({ activities }: LifecycleFacts): readonly Addressed[] {
  return activities.items.flatMap((activity) => {
    const { Description: description, Cause: cause, StartTime: start } = activity.value;
    const said = description ?? '';
    const id = instanceIdIn(said);
    const kind = ACTIVITY_CAUSES.find(([words]) => words.test(cause ?? ''))?.[1];
    if (id === null || kind === undefined || !said.startsWith('Terminating')) return [];
    const detail =
      kind === 'node-group' ? 'instance refresh' : kind === 'maintenance' ? 'activity' : '';
    const clue = clueOf(
      [kind, detail],
      true,
      proofOf(activity, `${said}: ${cause ?? ''}`, isoMs(start)),
    );
    return [{ ...OF_NOBODY, clue, instanceId: id }];
  });
}

function ofStatuses({ statuses, nowMs }: LifecycleFacts): readonly Addressed[] {
  return statuses.items.flatMap((status) => {
    const id = status.value.InstanceId ?? null;
    return (status.value.Events ?? []).flatMap((event) => {
      const code = event.Code ?? '';
      const isOver = (event.Description ?? '').startsWith('[');
      if (id === null || code === '' || isOver) return [];
      const excerpt = `${id} ${code} not before ${event.NotBefore ?? 'an unknown time'}: ${event.Description ?? ''}`;
      const clue = clueOf(
        ['maintenance', code],
        true,
        proofOf(status, excerpt, isoMs(event.NotBefore) ?? nowMs),
      );
      return [{ ...OF_NOBODY, clue, instanceId: id }];
    });
  });
}

/** News by which EC2 says why it ends a machine; when maintenance begins, its status tells. */
const NEWS = ['spot', 'rebalance'] as const;

function ofNews({ news = [] }: LifecycleFacts): readonly Addressed[] {
  return news.flatMap((one) => {
    const { kind: told, instanceIds, text, atMs } = one.value;
    const kind = NEWS.find((known) => known === told);
    if (kind === undefined) return [];
    const clue = clueOf([kind, ''], true, proofOf(one, text, atMs));
    return instanceIds.map((instanceId) => ({ ...OF_NOBODY, clue, instanceId }));
  });
}

/** Calls of EC2 and Auto Scaling that end instances. */
const ENDING_CALLS = new Set(['TerminateInstances', 'TerminateInstanceInAutoScalingGroup']);

function ofTrail({ trail }: LifecycleFacts): readonly Addressed[] {
  return trail.items.flatMap((event) => {
    const { EventName: call, Username: user, EventTime: at, Resources: resources } = event.value;
    const name = call ?? '';
    const isInterruption = name === 'BidEvictedEvent';
    if (!ENDING_CALLS.has(name) && !isInterruption) return [];
    const parts: ClueParts = isInterruption ? ['spot', ''] : ['terminated-by', user ?? ''];
    const proof = proofOf(event, `${name} by ${user ?? 'an unknown user'}`, isoMs(at));
    const ids = (resources ?? []).flatMap((one) => instanceIdIn(one.ResourceName ?? '') ?? []);
    return [...new Set(ids)].map((id) => ({
      ...OF_NOBODY,
      clue: clueOf(parts, true, proof),
      instanceId: id,
    }));
  });
}

function ofAudits({ audits }: LifecycleFacts): readonly Addressed[] {
  return audits.items.map((record) => {
    const { node, uid, user, agent, atMs } = record.value;
    const proof = proofOf(record, `${user} (${agent}): delete node ${node}`, atMs);
    const clue = clueOf(['audit-delete', user], uid !== null, proof);
    return { ...OF_NOBODY, clue, uid, node };
  });
}

/** An update replaces every node of its group; it tells so much, and no more. */
function ofUpdates({ updates, nowMs }: LifecycleFacts): readonly Addressed[] {
  return updates.items.flatMap((update) => {
    const { nodegroupName: group, update: told } = update.value;
    const status = told?.status ?? '';
    if (!group || told?.type !== 'VersionUpdate' || status !== 'InProgress') return [];
    const excerpt = `update ${told.id ?? ''} of node group ${group} since ${told.createdAt ?? ''}: ${status}`;
    const clue = clueOf(['node-group', 'version update'], true, proofOf(update, excerpt, nowMs));
    return [{ ...OF_NOBODY, clue, group }];
  });
}

function ofClaims({ claims }: LifecycleFacts): readonly Addressed[] {
  return claims.items.flatMap((claim) => {
    const askedMs = isoMs(claim.value.metadata?.deletionTimestamp);
    const reasons = (claim.value.status?.conditions ?? []).filter(
      ({ type, status }) => type === 'DisruptionReason' && status === 'True',
    );
    const disrupted = reasons.map(({ reason }) => ['disruption', reason ?? ''] as const);
    const deleted = askedMs === null ? [] : [['claim-deleted', ''] as const];
    return [...disrupted, ...deleted].map((parts) => {
      const excerpt = `NodeClaim ${claim.value.name} ${parts[0] === 'disruption' ? `condition DisruptionReason ${parts[1]}` : 'has a metadata.deletionTimestamp'}`;
      const clue = clueOf(parts, true, proofOf(claim, excerpt, askedMs));
      return { ...OF_NOBODY, clue, claim: claim.value.name };
    });
  });
}

/** Everything in a look that may tell why a Node goes. */
export function cluesIn(facts: LifecycleFacts): readonly Addressed[] {
  const { nowMs } = facts;
  return [
    ...facts.events.items.flatMap(ofEvent),
    ...facts.nodes.items.flatMap((node) => [
      ...(node.value.taints ?? []).flatMap((taint) => ofTaint(node, taint, nowMs)),
      ...ofCordon(node),
    ]),
    ...facts.instances.items.flatMap((instance) => ofInstance(instance, nowMs)),
    ...ofActivities(facts),
    ...ofStatuses(facts),
    ...ofNews(facts),
    ...ofTrail(facts),
    ...ofAudits(facts),
    ...ofUpdates(facts),
    ...ofClaims(facts),
  ];
}
