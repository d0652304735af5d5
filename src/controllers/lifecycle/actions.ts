import type { Json, JsonObject } from '../../evidence/json.ts';
import type { Happening, HappeningKind, Proof } from './happening.ts';
import { deletionWords, isoOf, sentenceOf } from './words.ts';

/** An Event of Kubernetes, before it is written. */
export interface EventAction {
  readonly type: 'Normal' | 'Warning';
  /** PascalCase. */
  readonly reason: string;
  readonly message: string;
  readonly regarding: { readonly kind: 'Node'; readonly name: string; readonly uid: string | null };
}

/** A count to add one to; its labels never name a node, so that there are only so many series. */
export interface MetricAction {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What is to be told of one happening, and to whom; nothing is sent here. */
export interface LifecycleActions {
  /** null for a machine that never had a Node, as an Event is about an object. */
  readonly event: EventAction | null;
  readonly metric: MetricAction;
  /** The body of the request to a webhook. */
  readonly webhook: JsonObject;
}

const REASONS: Readonly<Record<HappeningKind, string>> = {
  registered: 'NodeRegistered',
  initialized: 'NodeInitialized',
  ready: 'NodeBecameReady',
  'not-ready': 'NodeBecameNotReady',
  cordoned: 'NodeCordoned',
  uncordoned: 'NodeUncordoned',
  'deletion-asked': 'NodeDeletionAsked',
  deleted: 'NodeDeleted',
  're-created': 'NodeRecreated',
  'name-reused': 'NodeNameReused',
  'machine-without-node': 'MachineWithoutNode',
  'node-without-machine': 'NodeWithoutMachine',
  'lease-without-node': 'LeaseWithoutNode',
  'two-nodes-for-one-machine': 'TwoNodesForOneMachine',
  'instance-ended': 'InstanceEnded',
};

const WARNINGS: ReadonlySet<HappeningKind> = new Set([
  'not-ready',
  'name-reused',
  'machine-without-node',
  'node-without-machine',
  'lease-without-node',
  'two-nodes-for-one-machine',
]);

/** Deletions that are somebody's plan; any other is a warning. */
const PLANNED: ReadonlySet<string> = new Set([
  'karpenter',
  'cluster-autoscaler',
  'node-group-update',
  'rebalance',
]);

function isWarning({ kind, attribution }: Happening): boolean {
  if (kind !== 'deleted' || attribution === null) return WARNINGS.has(kind);
  const { deleter } = attribution;
  return !PLANNED.has(deleter.kind) && deleter.reason !== 'instance-terminated';
}

/** NoteLengthLimit of events.k8s.io; the API server refuses an Event with a longer one. */
const MESSAGE_BYTES_MAX = 1024;

/** So much of a text as is sure to be short enough: a character has up to three bytes here. */
function shortened(message: string): string {
  const bytes = new TextEncoder().encode(message).length;
  if (bytes <= MESSAGE_BYTES_MAX) return message;
  return `${message.slice(0, Math.floor(MESSAGE_BYTES_MAX / 3) - 1)}…`;
}

function eventOf(happening: Happening): EventAction | null {
  const { kind, node, uid } = happening;
  if (node === null) return null;
  return {
    type: isWarning(happening) ? 'Warning' : 'Normal',
    reason: REASONS[kind],
    message: shortened(sentenceOf(happening)),
    regarding: { kind: 'Node', name: node, uid },
  };
}

/** Reasons that are a closed set; what Karpenter or EC2 calls its own is not a label. */
function metricOf({ kind, attribution, noticed }: Happening): MetricAction {
  if (attribution === null)
    return {
      name: 'rollcall_lifecycle_happenings_total',
      labels: { happening: kind, noticed: noticed.how },
    };
  const { deleter, hand, confidence } = attribution;
  return {
    name: 'rollcall_node_deletions_total',
    labels: {
      deleter: deleter.kind,
      reason: deleter.kind === 'cloud-node-lifecycle' ? (deleter.reason ?? '') : '',
      hand: hand ?? 'unknown',
      confidence,
      noticed: noticed.how,
    },
  };
}

function proofJson({ source, locator, excerpt, atMs }: Proof): Json {
  return { source, locator, excerpt, time: atMs === null ? null : isoOf(atMs) };
}

function attributionJson({ attribution }: Happening): Json {
  if (attribution === null) return null;
  const { deleter, hand, confidence, proof, wouldTell } = attribution;
  return {
    deleter: { ...deleter },
    hand,
    confidence,
    words: deletionWords(attribution),
    evidence: proof.map(proofJson),
    wouldTell: wouldTell.map((one) => ({ ...one })),
  };
}

function webhookOf(happening: Happening): JsonObject {
  const { kind, time, noticed, node, uid, instanceId, detail, machine, proof } = happening;
  const { atMs, from, notBeforeMs } = time;
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'LifecycleHappening',
    happening: kind,
    message: sentenceOf(happening),
    time: {
      at: isoOf(atMs),
      from,
      notBefore: notBeforeMs === null ? null : isoOf(notBeforeMs),
    },
    noticed: {
      how: noticed.how,
      gapFrom: noticed.gapFromMs === null ? null : isoOf(noticed.gapFromMs),
    },
    node,
    uid,
    instanceId,
    detail,
    machine,
    attribution: attributionJson(happening),
    evidence: proof.map(proofJson),
  };
}

/** What is to be told of a happening: an Event, a count, and a webhook's body. */
export function actionsOf(happening: Happening): LifecycleActions {
  return {
    event: eventOf(happening),
    metric: metricOf(happening),
    webhook: webhookOf(happening),
  };
}
