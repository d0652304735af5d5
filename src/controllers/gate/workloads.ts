import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  textsAt,
  at,
} from '../../evidence/json.ts';
import { shownBeginning } from '../../evidence/redact.ts';
import { isoMs } from '../../evidence/time.ts';

/** `Gt`, `Lt` and unknown operators are kept as they are, and met by nothing. */
export interface AffinityRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
  /** `labels`, or `fields`, of which there is only `metadata.name`. */
  readonly of: 'labels' | 'fields';
}

export interface SeenToleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

/** What the gate needs to know of a DaemonSet. */
export interface DaemonSetFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** How its Pods are selected: text for the API, null when it selects nothing. */
  readonly podSelector: string | null;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** One term must be met, all requirements of it; null for no affinity. */
  readonly affinity: readonly (readonly AffinityRequirement[])[] | null;
  readonly tolerations: readonly SeenToleration[];
}

/** What the gate needs to know of a Pod of a DaemonSet. */
export interface DaemonPodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** UID of its controller. */
  readonly ownerUid: string;
  readonly nodeName: string;
  readonly phase: string;
  readonly isLeaving: boolean;
  readonly isReady: boolean;
  /** Since when it is ready or not, by the kubelet's clock, ms; null when it does not say. */
  readonly readySinceMs: number | null;
  /** The oldest start of its running containers, by the kubelet's clock, ms. */
  readonly startedMs: number | null;
  readonly restarts: number;
  /** Why it is not ready, in the kubelet's or the scheduler's words. */
  readonly trouble: string;
}

/** Drivers of a CSINode with the ID that each gave its node. */
export interface CsiNodeFacts {
  readonly name: string;
  readonly uid: string;
  readonly nodeUid: string | null;
  readonly drivers: ReadonlyMap<string, string>;
}

const TROUBLE_CHARS_MAX = 256;

function text(value: Json | undefined, path: string): string {
  return textAt(value, path) ?? '';
}

function texts(entry: Json, path: string): readonly string[] {
  return listAt(entry, path).filter((value) => typeof value === 'string');
}

function requirementText(entry: Json): string | null {
  const [key, values] = [text(entry, 'key'), texts(entry, 'values').join(',')];
  switch (text(entry, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return null;
  }
}

/** A label selector as text; null for one that selects by nothing, or cannot be read. */
export function selectorText(selector: Json | undefined): string | null {
  const labels = Object.entries(textsAt(selector, 'matchLabels')).map(
    ([key, value]) => `${key}=${value}`,
  );
  const expressions = listAt(selector, 'matchExpressions').map(requirementText);
  const parts = [...labels, ...expressions];
  return parts.length === 0 || parts.includes(null) ? null : parts.join(',');
}

function requirementsOf(
  term: Json,
  path: string,
  of: AffinityRequirement['of'],
): AffinityRequirement[] {
  return listAt(term, path).map((entry) => ({
    key: text(entry, 'key'),
    operator: text(entry, 'operator'),
    values: texts(entry, 'values'),
    of,
  }));
}

const AFFINITY =
  'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';

function affinityOf(set: JsonObject): DaemonSetFacts['affinity'] {
  if (!isObject(at(set, AFFINITY))) return null;
  return listAt(set, `${AFFINITY}.nodeSelectorTerms`).map((term) => [
    ...requirementsOf(term, 'matchExpressions', 'labels'),
    ...requirementsOf(term, 'matchFields', 'fields'),
  ]);
}

/** One of `spec.tolerations`. */
export function tolerationOf(entry: Json): SeenToleration {
  const operator = text(entry, 'operator') || 'Equal';
  return {
    key: text(entry, 'key'),
    operator,
    value: text(entry, 'value'),
    effect: text(entry, 'effect'),
  };
}

/** Reads a DaemonSet; null for an object without a name or UID. */
export function readDaemonSet(set: JsonObject): DaemonSetFacts | null {
  const [namespace, name, uid] = ['namespace', 'name', 'uid'].map((key) =>
    text(set, `metadata.${key}`),
  );
  if (!namespace || !name || !uid) return null;
  return {
    namespace,
    name,
    uid,
    podSelector: selectorText(at(set, 'spec.selector')),
    nodeSelector: textsAt(set, 'spec.template.spec.nodeSelector'),
    affinity: affinityOf(set),
    tolerations: listAt(set, 'spec.template.spec.tolerations').map(tolerationOf),
  };
}

function controllerUid(pod: JsonObject): string | null {
  const owner = listAt(pod, 'metadata.ownerReferences').find(
    (entry) => at(entry, 'controller') === true && text(entry, 'kind') === 'DaemonSet',
  );
  return textAt(owner, 'uid');
}

/** A condition of a Pod by its type. */
export function conditionOf(pod: JsonObject, type: string): Json | undefined {
  return listAt(pod, 'status.conditions').find((entry) => text(entry, 'type') === type);
}

/** The oldest start of the running containers of a Pod, by the kubelet's clock, ms. */
export function startOf(pod: JsonObject): number | null {
  const starts = listAt(pod, 'status.containerStatuses')
    .map((entry) => isoMs(textAt(entry, 'state.running.startedAt')))
    .filter((ms) => ms !== null);
  return starts.length === 0 ? null : Math.min(...starts);
}

function restartsOf(pod: JsonObject): number {
  return listAt(pod, 'status.containerStatuses')
    .map((entry) => Number(textAt(entry, 'restartCount') ?? 0))
    .reduce((sum, count) => sum + count, 0);
}

/** The first thing that a person would look at: a waiting container, else the Ready condition. */
function troubleOf(pod: JsonObject): string {
  for (const entry of listAt(pod, 'status.containerStatuses')) {
    const reason = textAt(entry, 'state.waiting.reason');
    if (reason !== null) return `container ${text(entry, 'name')} waits: ${reason}`;
  }
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (text(scheduled, 'status') === 'False') return text(scheduled, 'message');
  return text(conditionOf(pod, 'Ready'), 'message');
}

/** Reads a Pod of a DaemonSet that is bound to a node; null for any other. */
export function readDaemonPod(pod: JsonObject): DaemonPodFacts | null {
  const ownerUid = controllerUid(pod);
  const [nodeName, uid] = [text(pod, 'spec.nodeName'), text(pod, 'metadata.uid')];
  if (ownerUid === null || nodeName === '' || uid === '') return null;
  const ready = conditionOf(pod, 'Ready');
  const isReady = text(ready, 'status') === 'True';
  return {
    namespace: text(pod, 'metadata.namespace'),
    name: text(pod, 'metadata.name'),
    uid,
    ownerUid,
    nodeName,
    phase: text(pod, 'status.phase'),
    isLeaving: textAt(pod, 'metadata.deletionTimestamp') !== null,
    isReady,
    readySinceMs: isoMs(textAt(ready, 'lastTransitionTime')),
    startedMs: startOf(pod),
    restarts: restartsOf(pod),
    trouble: isReady ? '' : shownBeginning(troubleOf(pod), TROUBLE_CHARS_MAX),
  };
}

/** Reads a CSINode; null for an object without a name or UID. */
export function readCsiNode(csiNode: JsonObject): CsiNodeFacts | null {
  const [name, uid] = [text(csiNode, 'metadata.name'), text(csiNode, 'metadata.uid')];
  if (name === '' || uid === '') return null;
  const owner = listAt(csiNode, 'metadata.ownerReferences').find(
    (entry) => text(entry, 'kind') === 'Node',
  );
  const drivers = listAt(csiNode, 'spec.drivers').map(
    (entry) => [text(entry, 'name'), text(entry, 'nodeID')] as const,
  );
  return { name, uid, nodeUid: textAt(owner, 'uid'), drivers: new Map(drivers) };
}
