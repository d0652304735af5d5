import { at, isObject, type JsonObject, textAt } from '../../evidence/json.ts';

/** `before`: COMMAND is to run; `running`: it runs, or ran when this was noted; `watching`: it is done. */
export type JoinPhase = 'before' | 'running' | 'watching';

/** What is known of one join. The first part is kept on the disk. */
export interface JoinState {
  readonly phase: JoinPhase;
  /** The instance that it is for; null where none is known. */
  readonly instanceId: string | null;
  /** How often COMMAND was started. */
  readonly tries: number;
  /** How often the kubelet was restarted since COMMAND ran last. */
  readonly restarts: number;
  /** How often our Node was there and gone. */
  readonly deletions: number;
  /** The longest that a Node of ours lived before it was deleted, ms. */
  readonly longestLifeMs: number;
  /** UID of our Node that was seen last; null before the first, and once it is gone. */
  readonly uid: string | null;
  /** How COMMAND ended last; null before, and where nobody saw it end. */
  readonly exitCode: number | null;
  readonly memory: JoinMemory;
}

/** By the monotonic clock of one run of the supervisor, ms; a start again looks afresh. */
export interface JoinMemory {
  readonly startedMs: number;
  /** Since when the phase, or the last thing done in it, is waited for. */
  readonly sinceMs: number;
  readonly nodeSinceMs: number | null;
  /** Since when the Node is all that it has to be; null while it is not. */
  readonly keptSinceMs: number | null;
  /** Since when the API server refuses the credentials, or the Node belongs to another machine. */
  readonly refusedSinceMs: number | null;
  /** Nothing is tried again before. */
  readonly quietUntilMs: number;
}

export function newJoin(instanceId: string | null, nowMs: number): JoinState {
  return {
    phase: 'before',
    instanceId,
    tries: 0,
    restarts: 0,
    deletions: 0,
    longestLifeMs: 0,
    uid: null,
    exitCode: null,
    memory: memoryFrom(nowMs),
  };
}

function memoryFrom(nowMs: number): JoinMemory {
  return {
    startedMs: nowMs,
    sinceMs: nowMs,
    nodeSinceMs: null,
    keptSinceMs: null,
    refusedSinceMs: null,
    quietUntilMs: nowMs,
  };
}

const KIND = 'JoinState';
const PHASES: readonly JoinPhase[] = ['before', 'running', 'watching'];

/** As it is kept on the disk. */
export function joinStateText(state: JoinState): string {
  const { memory: _, ...kept } = state;
  return `${JSON.stringify({ apiVersion: 'rollcall.dev/v1alpha1', kind: KIND, ...kept })}\n`;
}

/** What `joinStateText` wrote; null for anything else, and for a state of another instance. */
export function joinStateOf(
  text: string,
  instanceId: string | null,
  nowMs: number,
): JoinState | null {
  const value = parsed(text);
  if (value === null || textAt(value, 'kind') !== KIND) return null;
  const phase = PHASES.find((one) => one === textAt(value, 'phase'));
  if (phase === undefined || textAt(value, 'instanceId') !== instanceId) return null;
  const [tries, restarts, deletions, longestLifeMs] = [
    countAt(value, 'tries'),
    countAt(value, 'restarts'),
    countAt(value, 'deletions'),
    countAt(value, 'longestLifeMs'),
  ];
  const exitCode = at(value, 'exitCode');
  return {
    phase,
    instanceId,
    tries,
    restarts,
    deletions,
    longestLifeMs,
    uid: textAt(value, 'uid'),
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    memory: memoryFrom(nowMs),
  };
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function countAt(value: JsonObject, path: string): number {
  const count = at(value, path);
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : 0;
}
