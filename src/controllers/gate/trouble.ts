import type { Look, LookedPolicy } from './look.ts';
import { keyOfPolicy } from './record.ts';

/** What of a node's gates a person has to know; the reason of its condition and Event. */
export type TroubleReason =
  | 'GatePolicyRefused'
  | 'GateExpired'
  | 'GateShutAgain'
  | 'GateProofSuspected'
  | 'GateProofUnknown'
  | 'GateHeld';

export interface Trouble {
  readonly reason: TroubleReason;
  readonly text: string;
}

export interface Troubles {
  /** The worst first. */
  readonly found: readonly Trouble[];
  /** When time alone makes more of them, ms from now; null for never. */
  readonly againMs: number | null;
  /** True while one of the gates is shut. */
  readonly isShut: boolean;
}

/** A node that joins is shut for a while, and that is no trouble. */
const HELD_MS = 60_000;
/** What cannot be read at first is often there a moment later. */
const UNKNOWN_MS = 10_000;

const WORST_FIRST: readonly TroubleReason[] = [
  'GatePolicyRefused',
  'GateExpired',
  'GateShutAgain',
  'GateProofSuspected',
  'GateProofUnknown',
  'GateHeld',
];

interface Level {
  readonly reason: TroubleReason;
  readonly afterMs: number;
}

/** What becomes trouble while a node is shut, and after how long. */
function levelsWhileShut({ policy, view }: LookedPolicy): readonly Level[] {
  if (view.verdict === 'proven') return [];
  const isUnknown = view.verdict === 'unknown';
  const held: Level = isUnknown
    ? { reason: 'GateProofUnknown', afterMs: UNKNOWN_MS }
    : { reason: 'GateHeld', afterMs: HELD_MS };
  const { expiryMs } = policy;
  return expiryMs === null ? [held] : [{ reason: 'GateExpired', afterMs: expiryMs }, held];
}

/** A list that cannot be read concerns every node; health and metrics tell of it once. */
function isOfNode({ judgement }: LookedPolicy): boolean {
  return judgement.sayings.some(({ saying }) => saying.state === 'unknown' && !saying.isUnread);
}

function atOnce(looked: LookedPolicy): TroubleReason | null {
  const { view, decision } = looked;
  if (view.verdict === 'refused') return 'GatePolicyRefused';
  if (view.isShutAgain && view.verdict !== 'proven') return 'GateShutAgain';
  if (decision.reason === 'ProofSuspected') return 'GateProofSuspected';
  const isUnknown = view.verdict === 'unknown' && isOfNode(looked);
  return view.opened === 'now' && !view.isDone && isUnknown ? 'GateProofUnknown' : null;
}

function textOf({ policy, why }: LookedPolicy): string {
  return `${policy.source.kind} ${policy.source.name}: ${why}`;
}

function troublesOf(looked: LookedPolicy, shutMs: number | null): Omit<Troubles, 'isShut'> {
  const now = atOnce(looked);
  if (now !== null) return { found: [{ reason: now, text: textOf(looked) }], againMs: null };
  if (shutMs === null) return { found: [], againMs: null };
  const levels = levelsWhileShut(looked);
  const reached = levels.find(({ afterMs }) => shutMs >= afterMs);
  let restMs = Infinity;
  for (const { afterMs } of levels)
    if (afterMs > shutMs) restMs = Math.min(restMs, afterMs - shutMs);
  return {
    found: reached === undefined ? [] : [{ reason: reached.reason, text: textOf(looked) }],
    againMs: restMs === Infinity ? null : restMs,
  };
}

/**
 * What is wrong with the gates of a node.
 *
 * @param nowMs by the monotonic clock
 */
export function troublesAt({ memory, decided }: Look, nowMs: number): Troubles {
  const found: Trouble[] = [];
  let [soonestMs, isShut] = [Infinity, false];
  for (const looked of decided) {
    if (looked.policy.isDryRun) continue;
    const sinceMs = memory.shutSince.get(keyOfPolicy(looked.policy));
    const one = troublesOf(looked, sinceMs === undefined ? null : nowMs - sinceMs);
    found.push(...one.found);
    soonestMs = Math.min(soonestMs, one.againMs ?? Infinity);
    isShut ||= looked.view.isShut || looked.view.isShutAgain;
  }
  found.sort((a, b) => WORST_FIRST.indexOf(a.reason) - WORST_FIRST.indexOf(b.reason));
  return { found, againMs: soonestMs === Infinity ? null : soonestMs, isShut };
}
