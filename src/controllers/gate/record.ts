import { NOT_ENFORCED_SUFFIX, readNotEnforced } from '../../domain/nodes/not-enforced.ts';
import { isoMs, isoTime } from '../../evidence/time.ts';
import type { GateView } from './decide.ts';
import { isRestarted, KUBELET_SUFFIX, kubeletRunOf } from './kubelet-run.ts';
import type { NodeFacts } from './node-facts.ts';
import type { GatePolicy } from './policy.ts';
import type { NodeMemory } from './memory.ts';

/** What stands on a Node after a gate has opened it, so that a later process knows. */
export interface OpeningRecord {
  readonly nodeUid: string;
  readonly bootId: string;
  readonly atMs: number;
}

/** Keys of annotations that keep what a gate opened. */
export const RECORD_PREFIX = 'gate.rollcall.dev/';

const UNKNOWN_BOOT = '-';
const RECORD = /^(?<uid>\S+) boot=(?<boot>\S+) at=(?<at>\S+)$/;

interface PolicyKeys {
  readonly policy: string;
  readonly version: string;
  readonly record: string;
  readonly notEnforced: string;
}

/** The same words for each look: a text that is put together anew is hashed anew wherever it is a key. */
const KEYS = new WeakMap<GatePolicy['source'], PolicyKeys>();

function keysOf(source: GatePolicy['source']): PolicyKeys {
  const known = KEYS.get(source);
  if (known !== undefined) return known;
  const policy = `${source.kind}/${source.uid ?? source.name}`;
  const record = `${RECORD_PREFIX}${source.uid ?? ''}`;
  const keys = {
    policy,
    version: `${policy}@${source.generation}`,
    record,
    notEnforced: `${record}${NOT_ENFORCED_SUFFIX}`,
  };
  KEYS.set(source, keys);
  return keys;
}

/** One for each policy in any version of it. */
export function keyOfPolicy({ source }: Pick<GatePolicy, 'source'>): string {
  return keysOf(source).policy;
}

/** Another version of a policy asks for other proofs: they begin to hold from then on. */
export function keyOfVersion({ source }: Pick<GatePolicy, 'source'>): string {
  return keysOf(source).version;
}

/** The annotation of the record; null for a policy that keeps none of its own. */
export function recordKey({ isBoundToBoot, source }: GatePolicy): string | null {
  return isBoundToBoot && source.uid !== null ? keysOf(source).record : null;
}

export function timeText(ms: number): string {
  const whole = Math.floor(ms / 1000) * 1000;
  return isoTime({ ms: whole, yearless: false, clock: 'utc' })?.replace('.000Z', 'Z') ?? '';
}

/** The text of a record of an opening now. */
export function recordText({ uid, bootId }: NodeFacts, nowMs: number): string {
  return `${uid} boot=${bootId ?? UNKNOWN_BOOT} at=${timeText(nowMs)}`;
}

function readRecord(text: string | undefined): OpeningRecord | null {
  const { uid, boot, at } = RECORD.exec(text ?? '')?.groups ?? {};
  const atMs = isoMs(at);
  if (uid === undefined || boot === undefined || atMs === null) return null;
  return { nodeUid: uid, bootId: boot, atMs };
}

/** The record that a policy left on this very Node; null for none. */
export function recordOf(policy: GatePolicy, node: NodeFacts): OpeningRecord | null {
  const key = recordKey(policy);
  const found = key === null ? null : readRecord(node.annotations[key]);
  return found?.nodeUid === node.uid ? found : null;
}

/** The annotation for a Node that never had the taint; null for a policy that keeps no record. */
export function notEnforcedKey(policy: GatePolicy): string | null {
  return recordKey(policy) === null ? null : keysOf(policy.source).notEnforced;
}

/** The annotation of the kubelet's run that is to be written with an opening; null for none. */
export function kubeletNote(policy: GatePolicy, node: NodeFacts): readonly [string, string] | null {
  const key = recordKey(policy);
  const run = kubeletRunOf(policy, node);
  if (key === null || run === null) return null;
  const noted = `${key}${KUBELET_SUFFIX}`;
  return node.annotations[noted] === run ? null : [noted, run];
}

function isOfThisRun(policy: GatePolicy, node: NodeFacts): boolean {
  const noted = node.annotations[`${recordKey(policy) ?? ''}${KUBELET_SUFFIX}`];
  return !isRestarted(noted, kubeletRunOf(policy, node));
}

/** When a policy found this very Node without ever having its taint, ms; null for never. */
export function notEnforcedMs(policy: GatePolicy, node: NodeFacts): number | null {
  const key = notEnforcedKey(policy);
  const text = key === null ? undefined : node.annotations[key];
  const found = text === undefined ? null : readNotEnforced(text);
  return found?.nodeUid === node.uid ? found.atMs : null;
}

/** True while a mark of an opening is still to be written, and no other says that it was opened. */
export function awaitsMarks(policy: GatePolicy, node: NodeFacts): boolean {
  const isMissing = ({ key }: { readonly key: string }): boolean =>
    !Object.hasOwn(node.annotations, key);
  return !isMarked(policy, node) && policy.openingMarks.some(isMissing);
}

function isMarked(
  { completedBy, openingMarks, mode }: GatePolicy,
  { annotations }: NodeFacts,
): boolean {
  const keys = mode === 'bootstrap-only' ? completedBy : openingMarks.map(({ key }) => key);
  return keys.some((key) => Object.hasOwn(annotations, key));
}

/** True unless the record is known to be of another boot. */
export function isOfThisBoot(record: OpeningRecord, { bootId }: NodeFacts): boolean {
  return bootId === null || record.bootId === UNKNOWN_BOOT || record.bootId === bootId;
}

/** Whether a policy has opened a node. */
export function openedBy(
  policy: GatePolicy,
  node: NodeFacts,
  memory: NodeMemory,
): GateView['opened'] {
  const record = recordOf(policy, node);
  if (record !== null && !isOfThisBoot(record, node)) return 'before';
  if (record !== null) return isOfThisRun(policy, node) ? 'now' : 'before-restart';
  return isMarked(policy, node) || memory.opened.has(keyOfPolicy(policy)) ? 'now' : 'never';
}
