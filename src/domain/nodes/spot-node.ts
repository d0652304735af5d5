import { at, type JsonObject, listAt, textAt, textsAt } from '../../evidence/json.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { isoMs } from '../../evidence/time.ts';
import { type InterruptionNotice, NOTICE_CONDITION, noticeKindOf } from '../instances/notice.ts';

/** What EC2 announced to the machine of a Node, as the Node shows it. */
export interface SpotNotice {
  readonly kind: InterruptionNotice['kind'];
  /** Since when it is shown, ms; null where that is not known. */
  readonly sinceMs: number | null;
  /** Who shows it: a condition or a taint. */
  readonly shownBy: string;
}

/** What a Spot watch asks of a Node. */
export interface SpotNode {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** null before the cloud controller wrote the providerID. */
  readonly instanceId: string | null;
  /** Empty where no label tells. */
  readonly type: string;
  readonly zone: string;
  /** What a label says; null where none does. */
  readonly isSpot: boolean | null;
  readonly isCordoned: boolean;
  /** Who takes it away already, as a sentence; null for nobody. */
  readonly leaving: string | null;
  readonly notice: SpotNotice | null;
}

const TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
/** Labels of Karpenter, of managed node groups, and the usual one of self-managed nodes. */
const CAPACITY = [
  'karpenter.sh/capacity-type',
  'eks.amazonaws.com/capacityType',
  'node.kubernetes.io/lifecycle',
];
/** Taints by which aws-node-termination-handler shows what it heard (its source, pkg/node). */
const HANDLER = 'aws-node-termination-handler/';
const HANDLER_NOTICES: Readonly<Record<string, SpotNotice['kind']>> = {
  [`${HANDLER}spot-itn`]: 'spot',
  [`${HANDLER}rebalance-recommendation`]: 'rebalance',
  [`${HANDLER}scheduled-maintenance`]: 'scheduled',
};
const DISRUPTED = ['karpenter.sh/disrupted', 'karpenter.sh/disruption'];

function isSpotBy(labels: Readonly<Record<string, string>>): boolean | null {
  const told = CAPACITY.flatMap((key) => labels[key] ?? []);
  return told.length === 0 ? null : told.some((value) => value.toLowerCase() === 'spot');
}

function noticeOf(node: JsonObject, taints: readonly string[]): SpotNotice | null {
  const condition = listAt(node, 'status.conditions').find(
    (one) => textAt(one, 'type') === NOTICE_CONDITION && textAt(one, 'status') === 'True',
  );
  const kind = noticeKindOf(textAt(condition, 'reason') ?? '');
  const sinceMs = isoMs(textAt(condition, 'lastTransitionTime'));
  if (kind !== null) return { kind, sinceMs, shownBy: `condition ${NOTICE_CONDITION}` };
  for (const [key, told] of Object.entries(HANDLER_NOTICES))
    if (taints.includes(key)) return { kind: told, sinceMs: null, shownBy: `taint ${key}` };
  return null;
}

function leavingOf(node: JsonObject, taints: readonly string[]): string | null {
  if (textAt(node, 'metadata.deletionTimestamp') !== null) return 'the Node is being deleted';
  if (DISRUPTED.some((key) => taints.includes(key))) return 'Karpenter replaces it already';
  return taints.some((key) => key.startsWith(HANDLER))
    ? 'aws-node-termination-handler drains it already'
    : null;
}

/** Reads a Node; null for an object without a name, UID or version. */
export function readSpotNode(node: JsonObject): SpotNode | null {
  const [name, uid, resourceVersion] = ['name', 'uid', 'resourceVersion'].map((field) =>
    textAt(node, `metadata.${field}`),
  );
  if (!name || !uid || !resourceVersion) return null;
  const labels = textsAt(node, 'metadata.labels');
  const taints = listAt(node, 'spec.taints').map((taint) => textAt(taint, 'key') ?? '');
  return {
    name,
    uid,
    resourceVersion,
    instanceId: instanceIdIn(textAt(node, 'spec.providerID') ?? ''),
    type: labels[TYPE] ?? '',
    zone: labels[ZONE] ?? '',
    isSpot: isSpotBy(labels),
    isCordoned: at(node, 'spec.unschedulable') === true,
    leaving: leavingOf(node, taints),
    notice: noticeOf(node, taints),
  };
}
