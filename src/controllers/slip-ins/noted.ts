import { isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import type { Action } from '../../ports/action.ts';
import { EVICTIONS_MAX, NODE_GATES } from '../gate/policies/node-gate.ts';
import { RECORD_PREFIX, timeText } from '../gate/record.ts';

/** An eviction as its NodeGate notes it, so that whoever leads next counts it too. */
export interface NotedEviction {
  /** UID of the Pod. */
  readonly pod: string;
  readonly workload: string;
  /** Wall clock of who evicted it, ms. */
  readonly atMs: number;
}

/** The annotation of a NodeGate that keeps the evictions of its last hour. */
export const EVICTIONS_KEY = `${RECORD_PREFIX}evictions`;

const TEXT_MAX = 256 * 1024;
const ID = /^[\w.-]{1,64}$/;

function readOne(entry: Json): NotedEviction | null {
  const [pod, workload] = ['pod', 'workload'].map((key) => textAt(entry, key) ?? '');
  const atMs = isoMs(textAt(entry, 'at'));
  if (pod === undefined || workload === undefined || atMs === null) return null;
  return ID.test(pod) && ID.test(workload) ? { pod, workload, atMs } : null;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** What a NodeGate notes; null where it cannot be read, so that nobody knows what was evicted. */
export function readNoted(gate: JsonObject): readonly NotedEviction[] | null {
  const { metadata } = gate;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = isObject(annotations) ? annotations[EVICTIONS_KEY] : undefined;
  if (text === undefined) return [];
  if (typeof text !== 'string' || text.length > TEXT_MAX) return null;
  const list = parsed(text);
  if (!Array.isArray(list) || list.length > EVICTIONS_MAX) return null;
  const read = (list as readonly Json[]).map(readOne);
  return read.includes(null) ? null : read.filter((one) => one !== null);
}

/** How a person gets rid of a note that cannot be read. */
export function unreadableText(gate: string): string {
  return `what NodeGate ${gate} evicted before cannot be read, so nothing is; begin again: kubectl annotate nodegate ${gate} ${EVICTIONS_KEY}-`;
}

/** Notes evictions on a NodeGate as it was read; a conflict where another noted one meanwhile. */
export function noteAction(gate: JsonObject, all: readonly NotedEviction[], text: string): Action {
  const [name, uid, resourceVersion] = ['name', 'uid', 'resourceVersion'].map(
    (key) => textAt(gate, `metadata.${key}`) ?? '',
  ) as [string, string, string];
  const noted = all.map(({ pod, workload, atMs }) => ({ at: timeText(atMs), workload, pod }));
  const annotations = { [EVICTIONS_KEY]: JSON.stringify(noted) };
  const patch = { type: 'merge', change: { metadata: { annotations } } } as const;
  return {
    id: `slip-ins/${name}/${resourceVersion}`,
    object: { resource: NODE_GATES, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'patch', patch, requires: 'same-version' },
    why: { kind: 'rule', name, text },
    askedBy: 'slip-ins',
    undo: null,
  };
}
