import type { GoneOwners } from './adoption.ts';
import type { Judgement } from './judge.ts';
import type { NodeFacts } from './node-facts.ts';

/** How the proofs of one policy held on one node; times by the monotonic clock, ms. */
export interface Held {
  /** What each proof said that holds, null for one that did not hold. */
  readonly holds: readonly (string | null)[];
  readonly provenSinceMs: number | null;
  readonly lostSinceMs: number | null;
  /** How often it was lost lately. */
  readonly losses: number;
  readonly lastLossMs: number;
}

/** What was proven in a boot that is over: a status that says the same is left from it. */
export interface FormerBoot {
  readonly bootId: string;
  /** As a proof that holds says it. */
  readonly holds: ReadonlySet<string>;
}

/** What is remembered of one Node in one boot. */
export interface NodeMemory {
  readonly uid: string;
  readonly bootId: string | null;
  /** True for a Node that was there when this process began: what happened before is not known. */
  readonly wasAtStart: boolean;
  /** By the node's clock: what happened no later was before this boot; null for unknown. */
  readonly bootFloorMs: number | null;
  /** Of this Node or another of its name; null for none that is known. */
  readonly former: FormerBoot | null;
  /** The kubelet's newest heartbeat, by the node's clock. */
  readonly heartbeatMs: number | null;
  /** By policy. */
  readonly held: ReadonlyMap<string, Held>;
  /** Policies whose startup taint was seen on this Node. */
  readonly seenShut: ReadonlySet<string>;
  /** Since when each policy's startup taint has been on this Node, by the monotonic clock. */
  readonly shutSince: ReadonlyMap<string, number>;
  /** Policies that opened this Node in this boot, as far as this process saw it. */
  readonly opened: ReadonlySet<string>;
  readonly goneOwners: GoneOwners;
}

const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

function heartbeatOf({ conditions }: NodeFacts): number | null {
  let newestMs = -Infinity;
  for (const type of KUBELET_CONDITIONS)
    newestMs = Math.max(newestMs, conditions.get(type)?.heartbeatMs ?? -Infinity);
  return newestMs === -Infinity ? null : newestMs;
}

const NOBODY: ReadonlySet<string> = new Set();
const NOTHING = {
  held: new Map<string, Held>(),
  seenShut: NOBODY,
  shutSince: new Map<string, number>(),
  opened: NOBODY,
  goneOwners: new Map<string, number>(),
};

/** So many are kept over boots in which nothing was proven. */
const FORMER_HOLDS_MAX = 64;

function formerOf({ bootId, held, former }: NodeMemory): FormerBoot | null {
  if (bootId === null) return former;
  const holds = [...held.values()].flatMap((one) => one.holds).filter((hold) => hold !== null);
  const all = new Set([...(former?.holds ?? []), ...holds]);
  return { bootId, holds: new Set([...all].slice(-FORMER_HOLDS_MAX)) };
}

/** What proofs said before the machine booted; nothing while the boot is the same. */
export function holdsBefore({ bootId, former }: NodeMemory): ReadonlySet<string> {
  return former === null || former.bootId === bootId ? NOBODY : former.holds;
}

function isOtherBoot(before: NodeMemory, { bootId }: NodeFacts): boolean {
  return before.bootId !== null && bootId !== null && before.bootId !== bootId;
}

/** Takes a Node as it is now: another UID is another Node, another boot starts from nothing. */
export function rememberNode(
  before: NodeMemory | undefined,
  node: NodeFacts,
  isAtStart: boolean,
): NodeMemory {
  const { uid, bootId } = node;
  const heartbeatMs = heartbeatOf(node);
  if (before === undefined || before.uid !== uid)
    return { ...afresh(before, node, heartbeatMs), bootFloorMs: null, wasAtStart: isAtStart };
  const { wasAtStart } = before;
  if (isOtherBoot(before, node))
    return { ...afresh(before, node, heartbeatMs), bootFloorMs: before.heartbeatMs, wasAtStart };
  const isSame = before.bootId === bootId && before.heartbeatMs === heartbeatMs;
  return isSame ? before : { ...before, bootId: bootId ?? before.bootId, heartbeatMs };
}

/** What is known of another Node, or of another boot of the same. */
function afresh(
  before: NodeMemory | undefined,
  { uid, bootId }: NodeFacts,
  heartbeatMs: number | null,
): Omit<NodeMemory, 'bootFloorMs' | 'wasAtStart'> {
  const former = before === undefined ? null : formerOf(before);
  return { uid, bootId, former, heartbeatMs, ...NOTHING };
}

/** A loss counts for so long. */
const LOSS_MS = 10 * 60_000;

function holdsOf({ sayings }: Judgement): readonly (string | null)[] {
  return sayings.map(({ saying }) => (saying.state === 'proven' ? saying.hold : null));
}

/** True when what proves it now has proved it all the time since the last look. */
function isUninterrupted(
  before: readonly (string | null)[],
  now: readonly (string | null)[],
  isAny: boolean,
): boolean {
  if (before.length !== now.length) return false;
  const isSame = (hold: string | null, index: number): boolean =>
    hold !== null && hold === before[index];
  return isAny ? now.some(isSame) : now.every(isSame);
}

function isAlike(before: Held['holds'], now: Held['holds']): boolean {
  return before.length === now.length && before.every((hold, index) => hold === now[index]);
}

function afterProof(
  before: Held | undefined,
  judgement: Judgement,
  nowMs: number,
  isAny: boolean,
): Held {
  const holds = holdsOf(judgement);
  const [losses, lastLossMs] = [before?.losses ?? 0, before?.lastLossMs ?? 0];
  const isSame = before !== undefined && isUninterrupted(before.holds, holds, isAny);
  if (isSame && before.provenSinceMs !== null && isAlike(before.holds, holds)) return before;
  const sinceMs = isSame ? before.provenSinceMs : null;
  return { holds, provenSinceMs: sinceMs ?? nowMs, lostSinceMs: null, losses, lastLossMs };
}

function isSameLoss(before: Held, next: Held): boolean {
  const isSame =
    before.provenSinceMs === null &&
    before.lostSinceMs === next.lostSinceMs &&
    before.losses === next.losses &&
    before.lastLossMs === next.lastLossMs;
  return isSame && isAlike(before.holds, next.holds);
}

function afterLoss(before: Held | undefined, judgement: Judgement, nowMs: number): Held {
  const isLoss = before !== undefined && before.provenSinceMs !== null;
  const isRecent = before !== undefined && nowMs - before.lastLossMs < LOSS_MS;
  const losses = (isRecent ? before.losses : 0) + (isLoss ? 1 : 0);
  const next: Held = {
    holds: holdsOf(judgement),
    provenSinceMs: null,
    lostSinceMs: judgement.verdict === 'unproven' ? (before?.lostSinceMs ?? nowMs) : null,
    losses,
    lastLossMs: isLoss ? nowMs : (before?.lastLossMs ?? 0),
  };
  return before !== undefined && isSameLoss(before, next) ? before : next;
}

/**
 * How proofs hold after one more look.
 *
 * @param nowMs by the monotonic clock
 * @param isAny true where one proof is enough
 */
export function nextHeld(
  before: Held | undefined,
  judgement: Judgement,
  nowMs: number,
  isAny: boolean,
): Held {
  if (judgement.verdict === 'proven') return afterProof(before, judgement, nowMs, isAny);
  return afterLoss(before, judgement, nowMs);
}

const DOUBLINGS_MAX = 5;
const DWELL_MS_MAX = 10 * 60_000;

/** The dwell of a node that lost its proofs more than once lately is longer: it doubles each time. */
export function dwellAfter({ losses }: Held, dwellMs: number): number {
  const doublings = Math.min(DOUBLINGS_MAX, Math.max(0, losses - 1));
  return Math.max(dwellMs, Math.min(DWELL_MS_MAX, dwellMs * 2 ** doublings));
}
