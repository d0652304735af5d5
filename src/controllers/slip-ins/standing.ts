import type { Look, LookedPolicy } from '../gate/look.ts';
import type { NodeFacts } from '../gate/node-facts.ts';
import type { GatePolicy } from '../gate/policy.ts';
import { isOfThisBoot, keyOfPolicy, recordKey, recordOf } from '../gate/record.ts';

/** What is remembered of a Node besides what its gates remember. */
export interface NodePast {
  readonly uid: string;
  /** Gates that selected the Node when this process saw it appear. */
  readonly bornUnder: ReadonlySet<string>;
  /** Gates that this process has seen open. */
  readonly seenOpen: ReadonlySet<string>;
  /** UIDs of the Pods that were there when a proof was seen lost, by gate. */
  readonly beforeLoss: ReadonlyMap<string, ReadonlySet<string>>;
}

/** One gate on one node, as far as it tells whether a Pod came too early. */
export interface GateStanding {
  readonly policy: GatePolicy;
  readonly node: NodeFacts;
  /** True where it is known that the gate has never opened this Node. */
  readonly isNeverOpened: boolean;
  /** True where this process saw the Node appear, and the gate select it from the beginning. */
  readonly isSeenFromBirth: boolean;
  /** While it is shut again: the Pods that were there before. null where that is not known. */
  readonly beforeLoss: ReadonlySet<string> | null;
  /** When it opened the Node in this boot, by the clock of whoever wrote it, ms. */
  readonly openedMs: number | null;
  /** Since when all its proofs hold, by the node's clock, ms; null where one does not. */
  readonly provenMs: number | null;
  /** Likewise of the conditions that the agent writes; null where it asks for none. */
  readonly agentMs: number | null;
}

const OF_AGENT = 'rollcall.dev/';

/** The latest time; null where one of them is not proven, or none says since when. */
function latest(sayings: LookedPolicy['judgement']['sayings']): number | null {
  const times = sayings.map(({ saying }) => (saying.state === 'proven' ? saying.sinceMs : NaN));
  const known = times.filter((ms) => ms !== null);
  const last = Math.max(...known);
  return known.length === 0 || Number.isNaN(last) ? null : last;
}

function isOfAgent({ proof }: LookedPolicy['judgement']['sayings'][number]): boolean {
  return proof.kind === 'condition' && proof.type.startsWith(OF_AGENT);
}

function isNeverOpened({ policy, view }: LookedPolicy, look: Look, past: NodePast): boolean {
  if (view.opened !== 'never' || view.isDone || view.isInService) return false;
  if (past.seenOpen.has(keyOfPolicy(policy))) return false;
  // What keeps no record on the Node is known only of Nodes that appeared before our eyes.
  return recordKey(policy) !== null || !look.memory.wasAtStart;
}

function openedMs({ policy }: LookedPolicy, { node }: Look): number | null {
  const record = recordOf(policy, node);
  return record !== null && isOfThisBoot(record, node) ? record.atMs : null;
}

function standingOf(looked: LookedPolicy, look: Look, past: NodePast): GateStanding {
  const { policy, view, judgement } = looked;
  const key = keyOfPolicy(policy);
  const isOpen = !view.isShut && !view.isShutAgain;
  return {
    policy,
    node: look.node,
    isNeverOpened: isNeverOpened(looked, look, past),
    isSeenFromBirth: past.bornUnder.has(key),
    beforeLoss: view.isShutAgain ? (past.beforeLoss.get(key) ?? null) : null,
    openedMs: isOpen ? openedMs(looked, look) : null,
    provenMs: latest(judgement.sayings),
    agentMs: latest(judgement.sayings.filter(isOfAgent)),
  };
}

/** True for a gate that keeps Pods away, and of which slip-ins are looked for. */
export function isLookedAfter({ taint, slipIns, isDryRun, refusedWhy }: GatePolicy): boolean {
  const isHard = taint.effect !== 'PreferNoSchedule';
  return isHard && !isDryRun && refusedWhy === null && slipIns?.mode !== 'ignore';
}

/** Of each gate that looks after slip-ins. */
export function standingsOf(look: Look, past: NodePast): readonly GateStanding[] {
  return look.decided
    .filter(({ policy }) => isLookedAfter(policy))
    .map((looked) => standingOf(looked, look, past));
}

/** What is known of a Node of which nothing was seen before. */
export function withoutPast({ uid }: NodeFacts): NodePast {
  return { uid, bornUnder: new Set(), seenOpen: new Set(), beforeLoss: new Map() };
}
