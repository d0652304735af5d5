import type { ProbeResult } from '../../ports/node-probe.ts';
import type { ConditionStatus, NodeCondition } from './conditions.ts';

/** What is known of one probe. */
export interface ProbeMemory {
  readonly type: string;
  readonly says: 'proof' | 'notice';
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** Looks in a row that said yes. */
  readonly successes: number;
  /** When a look last said yes or no, by the monotonic clock, ms; null before the first. */
  readonly answeredMs: number | null;
}

export interface ProbeRules {
  /** Looks in a row that make a proof `True`. */
  readonly successesForTrue: number;
  /** An answer older than this proves nothing any more, ms. */
  readonly freshnessMs: number;
  /** A condition that does not change is written again after this, ms. */
  readonly heartbeatMs: number;
}

/** The same moment by both clocks, ms. */
export interface AgentMoment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

const NOT_LOOKED = 'NotLookedYet';
const PROVING = 'Proving';

/** Before the first look. */
export function unproven(type: string, says: ProbeMemory['says']): ProbeMemory {
  const message = 'The agent has not looked yet.';
  const status = 'Unknown';
  return { type, says, status, reason: NOT_LOOKED, message, successes: 0, answeredMs: null };
}

/**
 * What the Node's condition still proves to an agent that starts: nothing from before the boot and
 * nothing stale. Its last answer is as old as its heartbeat.
 *
 * @param bootedMs when the machine booted, by the wall clock
 */
export function adopted(
  memory: ProbeMemory,
  condition: NodeCondition | undefined,
  now: AgentMoment & { readonly bootedMs: number; readonly rules: ProbeRules },
): ProbeMemory {
  // What this agent has seen fail itself is newer.
  if (memory.status !== 'Unknown' || condition === undefined) return memory;
  const { status, reason, message, heartbeatMs } = condition;
  const ageMs = now.wallMs - heartbeatMs;
  const isFresh = ageMs >= 0 && ageMs < now.rules.freshnessMs && heartbeatMs > now.bootedMs;
  if (status === 'Unknown' || !isFresh) return memory;
  const { successes, answeredMs } = memory;
  return {
    ...memory,
    status,
    reason,
    message,
    successes: status === 'True' ? now.rules.successesForTrue : successes,
    answeredMs: Math.max(answeredMs ?? -Infinity, now.monotonicMs - ageMs),
  };
}

/** The memory after one look: one no makes a proof `False`, only several yes make it `True`. */
export function looked(
  memory: ProbeMemory,
  { answer, reason, message }: ProbeResult,
  { monotonicMs, rules }: { readonly monotonicMs: number; readonly rules: ProbeRules },
): ProbeMemory {
  if (answer === 'unknown') return unanswered(memory, { reason, message });
  const answered = { ...memory, answeredMs: monotonicMs, reason, message };
  if (answer === 'no') return { ...answered, status: 'False', successes: 0 };
  const successes = memory.successes + 1;
  if (memory.says === 'notice' || successes >= rules.successesForTrue)
    return { ...answered, status: 'True', successes };
  const counted = `${successes} of ${rules.successesForTrue} looks in a row. ${message}`;
  return { ...answered, successes, reason: PROVING, message: counted };
}

/** What was shown stays until it is too old; a row of looks that is not complete begins again. */
function unanswered(
  memory: ProbeMemory,
  { reason, message }: Pick<ProbeResult, 'reason' | 'message'>,
): ProbeMemory {
  if (memory.status === 'True') return memory;
  const successes = 0;
  return memory.status === 'Unknown'
    ? { ...memory, reason, message, successes }
    : { ...memory, successes };
}

/** `Unknown` once nothing was shown for too long. */
function aged(memory: ProbeMemory, monotonicMs: number, { freshnessMs }: ProbeRules): ProbeMemory {
  const { answeredMs, status, reason } = memory;
  if (answeredMs === null || status === 'Unknown') return memory;
  const ageMs = monotonicMs - answeredMs;
  if (ageMs < freshnessMs) return memory;
  const message = `No look has shown anything for ${Math.round(ageMs / 1000)} s; before that: ${reason}.`;
  return { ...memory, status: 'Unknown', reason: 'NoFreshAnswer', message, successes: 0 };
}

export interface AgentInput extends AgentMoment {
  readonly probes: readonly ProbeMemory[];
  /** By type, as they were last written; a type that is not there was never written. */
  readonly written: ReadonlyMap<string, NodeCondition>;
  readonly rules: ProbeRules;
}

/** The conditions of one patch: those that changed, and all of them once one needs its heartbeat. */
export function decide(input: AgentInput): readonly NodeCondition[] {
  const { written, wallMs, rules } = input;
  const next = input.probes
    .map((probe) => aged(probe, input.monotonicMs, rules))
    .filter(({ type, reason }) => written.has(type) || reason !== NOT_LOOKED)
    .map((probe) => conditionOf(probe, written.get(probe.type), wallMs));
  const needsHeartbeat = next.some(({ type }) => {
    const ageMs = wallMs - (written.get(type)?.heartbeatMs ?? wallMs);
    return ageMs >= rules.heartbeatMs || ageMs < 0;
  });
  return needsHeartbeat ? next : next.filter((one) => hasChanged(one, written.get(one.type)));
}

function conditionOf(
  { type, status, reason, message }: ProbeMemory,
  before: NodeCondition | undefined,
  wallMs: number,
): NodeCondition {
  const transitionMs = before?.status === status ? before.transitionMs : wallMs;
  return { type, status, reason, message, heartbeatMs: wallMs, transitionMs };
}

/** Timing differs with each look, and a row of looks ends soon: neither is a reason to write. */
function hasChanged(next: NodeCondition, before: NodeCondition | undefined): boolean {
  if (before === undefined || before.status !== next.status) return true;
  return before.reason !== next.reason && next.reason !== PROVING;
}
