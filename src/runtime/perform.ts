import { isObject, type JsonObject, textAt } from '../evidence/json.ts';
import type { Action, ActionOutcome, ActionWrite } from '../ports/action.ts';
import { type ActionEnd, endedRecord, intendedRecord } from '../ports/action-record.ts';
import type { Clock } from '../ports/clock.ts';
import type { KubeApi } from '../ports/kube-api.ts';
import type {
  KubeDeleteOptions,
  KubePatch,
  KubePreconditions,
  KubeWrites,
} from '../ports/kube-writes.ts';
import { PortError, type PortFailure } from '../ports/port-error.ts';
import type { RecordedEvent, Recorder } from '../ports/recorder.ts';
import { effectOf, isGuardedByVersion } from './took-effect.ts';

export interface PerformTools {
  /** Reads live, to see what became of a write without an answer. */
  readonly api: Pick<KubeApi, 'get'>;
  readonly writes: KubeWrites;
  /** null where nothing is recorded. */
  readonly recorder: Pick<Recorder, 'append'> | null;
  readonly clock: Clock;
  /** The cluster's name in the flight recorder. */
  readonly cluster: string;
}

export interface PerformOptions {
  /** True to have the server check the write and store nothing. */
  readonly isDryRun: boolean;
  /** Stops before the write is sent, and the reading after it; never the write itself. */
  readonly signal?: AbortSignal;
  /** Asked right before the write is sent; false leaves it unsent, as another may lead by now. */
  readonly isAllowed?: () => boolean;
}

export interface Performed {
  readonly outcome: ActionOutcome;
  /** One sentence, with what to do where there is something. */
  readonly why: string;
  /** The object or `Status` as the server last answered it; null when it answered none. */
  readonly object: JsonObject | null;
  /** Why it was not done, in the words of the port; null when it was. */
  readonly failure: PortFailure | null;
  /** How long the server asked to wait, ms. */
  readonly retryAfterMs: number | null;
  /** Why the outcome is missing in the flight recorder; null when it is there. */
  readonly unrecorded: PortError | null;
}

type End = Omit<Performed, 'unrecorded'>;

/**
 * Performs an action once: records the intention, sends the write with what it needs to hold, and
 * records the outcome. A write without an answer is never sent again; the object is read until it
 * shows what became of it. What cannot be recorded beforehand is not sent.
 *
 * @throws RangeError for an action that contradicts itself, and the signal's reason when it is
 *   aborted from the start
 */
export async function perform(
  action: Action,
  tools: PerformTools,
  options: PerformOptions,
): Promise<Performed> {
  assertWhole(action);
  options.signal?.throwIfAborted();
  const unready = await recorded(tools, () => intendedRecord(action, momentOf(tools, options)));
  if (unready !== null) return { ...unsent(action, unready), unrecorded: unready };
  // Every intention gets its outcome, so that one without means a crash.
  const why = whyUnsent(options);
  const end = why === null ? await sent(action, tools, options) : stopped(action, why);
  const record: ActionEnd = { outcome: end.outcome, why: end.why, object: end.object };
  const ended = (): RecordedEvent => endedRecord(action, momentOf(tools, options), record);
  return { ...end, unrecorded: await recorded(tools, ended) };
}

function momentOf(
  { cluster, clock }: PerformTools,
  { isDryRun }: PerformOptions,
): Parameters<typeof intendedRecord>[1] {
  return { cluster, atMs: clock.nowMs(), isDryRun };
}

/** @throws RangeError */
function assertWhole({ object, write }: Action): void {
  const isAbsent = object.seen === null;
  if (isAbsent !== (write.verb === 'create') && !(isAbsent && isApply(write)))
    throw new RangeError(`a ${write.verb} of an object that was ${isAbsent ? 'absent' : 'seen'}`);
  const content = contentOf(write);
  if (content === null) return;
  const name = textAt(content, 'metadata.name');
  const namespace = textAt(content, 'metadata.namespace');
  if (name !== object.name || namespace !== object.namespace)
    throw new RangeError(`a ${write.verb} of ${object.name} that contains another object`);
}

function isApply(write: ActionWrite): boolean {
  return write.verb === 'patch' && write.patch.type === 'apply';
}

function contentOf(write: ActionWrite): JsonObject | null {
  if (write.verb === 'create' || write.verb === 'update') return write.object;
  return write.verb === 'patch' && write.patch.type === 'apply' ? write.patch.object : null;
}

async function recorded(
  { recorder }: PerformTools,
  event: () => RecordedEvent,
): Promise<PortError | null> {
  if (recorder === null) return null;
  try {
    await recorder.append([event()]);
    return null;
  } catch (error) {
    if (error instanceof PortError) return error;
    throw error;
  }
}

function unsent(action: Action, { failure, message, retryAfterMs }: PortError): End {
  const why = `The ${wordsOf(action)} was not sent, as it cannot be recorded: ${message}`;
  return { outcome: 'refused', why, object: null, failure, retryAfterMs };
}

/** null when it may be sent. */
function whyUnsent({ signal, isAllowed }: PerformOptions): string | null {
  if (isAborted(signal)) return 'the program stops';
  return isAllowed?.() === false ? 'another replica may lead by now' : null;
}

function stopped(action: Action, because: string): End {
  const why = `The ${wordsOf(action)} was not sent, as ${because}.`;
  return { outcome: 'refused', why, object: null, failure: 'unavailable', retryAfterMs: null };
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** `delete of Pod team/p` */
function wordsOf({ object, write }: Action): string {
  return `${write.verb} of ${nameOf(object)}`;
}

function nameOf({ resource, namespace, name }: Action['object']): string {
  return `${resource.kind} ${namespace === null ? name : `${namespace}/${name}`}`;
}

async function sent(action: Action, tools: PerformTools, options: PerformOptions): Promise<End> {
  try {
    const object = await send(action, tools.writes, options.isDryRun);
    const words = wordsOf(action);
    const why = options.isDryRun
      ? `The server accepts the ${words}; nothing was changed.`
      : `The ${words} took effect.`;
    return { outcome: 'done', why, object, failure: null, retryAfterMs: null };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'unclear') return await resolved(action, tools, error, options.signal);
    return failed(error);
  }
}

const OUTCOMES: Partial<Readonly<Record<PortFailure, ActionOutcome>>> = {
  conflict: 'conflict',
  'already-exists': 'conflict',
  // Somebody else took it away: to call that done would name the wrong one.
  'not-found': 'conflict',
  budget: 'forbidden-by-budget',
};

function failed({ failure, message, retryAfterMs }: PortError): End {
  const outcome = OUTCOMES[failure] ?? 'refused';
  return { outcome, why: message, object: null, failure, retryAfterMs };
}

/** @throws PortError */
async function send(action: Action, writes: KubeWrites, isDryRun: boolean): Promise<JsonObject> {
  const { object, write: asked } = action;
  const { resource, namespace, name } = object;
  const place = { namespace, name };
  const part = 'subresource' in asked ? { subresource: asked.subresource } : {};
  switch (asked.verb) {
    case 'create':
      return await writes.create(resource, asked.object, { isDryRun });
    case 'update':
      return await writes.update(resource, withSeen(asked.object, seenOf(action)), {
        isDryRun,
        ...part,
      });
    case 'patch':
      return await writes.patch(resource, place, guarded(action, asked.patch), {
        isDryRun,
        ...part,
      });
    case 'delete':
      return await writes.delete(resource, place, { isDryRun, ...removalOf(action, asked) });
    default:
      return await writes.evict(place, { isDryRun, ...removalOf(action, asked) });
  }
}

/** What must still hold of the object: that it is the same, and where asked its version. */
function seenOf({ object, write: asked }: Action): KubePreconditions {
  if (object.seen === null) return {};
  const { uid, resourceVersion } = object.seen;
  return isGuardedByVersion(asked) ? { uid, resourceVersion } : { uid };
}

function withSeen(object: JsonObject, seen: KubePreconditions): JsonObject {
  const { metadata } = object;
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), ...seen } };
}

function guarded(action: Action, patch: KubePatch): KubePatch {
  const seen = seenOf(action);
  switch (patch.type) {
    case 'json':
      return { ...patch, operations: [...operationsOf(seen), ...patch.operations] };
    case 'apply':
      return { ...patch, object: withSeen(patch.object, seen) };
    default:
      return { ...patch, change: withSeen(patch.change, seen) };
  }
}

/** The server tells by a conflict of its own when a version is another. */
function operationsOf({ uid = '', resourceVersion }: KubePreconditions): readonly JsonObject[] {
  const same = { op: 'test', path: '/metadata/uid', value: uid };
  if (resourceVersion === undefined) return [same];
  return [same, { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }];
}

type Removal = Extract<ActionWrite, { verb: 'delete' | 'evict' }>;

function removalOf(action: Action, asked: Removal): KubeDeleteOptions {
  const { gracePeriodSeconds } = asked;
  const propagation = asked.verb === 'delete' ? asked.propagation : undefined;
  return {
    preconditions: seenOf(action),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagation }),
  };
}

/** When the object is read: a server may finish what it was sent a little later. */
const READ_DELAYS_MS = [0, 1000, 2000, 4000];

async function resolved(
  action: Action,
  tools: PerformTools,
  lost: PortError,
  signal: AbortSignal | undefined,
): Promise<End> {
  for (const delayMs of READ_DELAYS_MS) {
    if (!(await hasPassed(tools.clock, delayMs, signal))) break;
    const object = await readOf(action, tools.api, signal);
    if (object === undefined) continue;
    const effect = effectOf(action, object);
    if (effect === 'took-effect') return shown(action, object);
    if (effect === 'overtaken') return overtaken(action, object);
  }
  return unclear(action, lost);
}

/** False when waiting was aborted. */
async function hasPassed(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (isAborted(signal)) return false;
  if (delayMs === 0) return true;
  try {
    await clock.sleep(delayMs, signal);
    return true;
  } catch (error) {
    if (isAborted(signal)) return false;
    throw error;
  }
}

/** null when it is not there, undefined when that could not be read. */
async function readOf(
  { object: { resource, namespace, name } }: Action,
  api: PerformTools['api'],
  signal: AbortSignal | undefined,
): Promise<JsonObject | null | undefined> {
  try {
    return await api.get(resource, { namespace, name }, signal);
  } catch (error) {
    if (isAborted(signal)) return undefined;
    if (!(error instanceof PortError)) throw error;
    return error.failure === 'not-found' ? null : undefined;
  }
}

function shown(action: Action, object: JsonObject | null): End {
  const why = `The ${wordsOf(action)} took effect, as reading it shows; its answer was lost.`;
  return { outcome: 'done', why, object, failure: null, retryAfterMs: null };
}

function overtaken(action: Action, object: JsonObject | null): End {
  const why = `The ${wordsOf(action)} got no answer, and the object is not what was seen any more; read it again`;
  return { outcome: 'conflict', why, object, failure: 'conflict', retryAfterMs: null };
}

function unclear(action: Action, { message }: PortError): End {
  const why = `The ${wordsOf(action)} got no answer, and reading the object does not show it. ${message}`;
  return { outcome: 'unclear', why, object: null, failure: 'unclear', retryAfterMs: null };
}
