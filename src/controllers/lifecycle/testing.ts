/** Looks as tests of this folder need them: lists are complete and empty unless given. */
import { seen, type Seen } from '../../evidence/fact.ts';
import { NOW_MS } from '../../evidence/testing.ts';
import { attribute, type Judging } from './attribute.ts';
import { cluesIn } from './clues.ts';
import { complete, type LifecycleFacts, LISTS } from './facts.ts';
import type { Attribution } from './happening.ts';
import type { Clue, ClueKind, NodeMemory } from './memory.ts';

/** A fact with the source and place that a proof of it shows. */
export function listed<T>(value: T): Seen<T> {
  return seen(value, 'list', 'item');
}

/** A look at `NOW_MS` in which only these lists have items. */
export function lookOf(lists: Partial<LifecycleFacts> = {}): LifecycleFacts {
  const empty = Object.fromEntries(LISTS.map((list) => [list, complete([])]));
  return { nowMs: NOW_MS, isUnbroken: true, ...empty, ...lists } as LifecycleFacts;
}

/** What is remembered of the Node `n1`, a minute old and last seen at `NOW_MS`. */
export function rememberedNode(change: Partial<NodeMemory> = {}): NodeMemory {
  return {
    uid: 'uid-1',
    name: 'n1',
    instanceId: null,
    hasProviderId: false,
    claim: null,
    group: null,
    machineId: null,
    formerInstance: null,
    createdMs: NOW_MS - 60_000,
    firstSeenMs: NOW_MS - 60_000,
    lastSeenMs: NOW_MS,
    isReady: true,
    isInitialized: true,
    isCordoned: false,
    deletionAskedMs: null,
    clues: [],
    ...change,
  };
}

/** Whom each clue is of, what it is, and when; one line for each. */
export function cluesTold(lists: Partial<LifecycleFacts>): readonly string[] {
  return cluesIn(lookOf(lists)).map(({ clue, ...whom }) => {
    const of = Object.entries(whom).flatMap(([key, value]) =>
      value === null ? [] : [`${key} ${value}`],
    );
    const { kind, detail, isById, proof } = clue;
    const agoMs = proof.atMs === null ? null : NOW_MS - proof.atMs;
    return `${of.join(', ')}: ${kind} "${detail}" ${isById ? 'by id' : 'by name'} ${agoMs}`;
  });
}

/** The lines that show the clues. */
export function excerptsOf(lists: Partial<LifecycleFacts>): readonly string[] {
  return cluesIn(lookOf(lists)).map(({ clue }) => clue.proof.excerpt);
}

/** A clue of so many ms before the Node was missed; null without a time. */
export function clueBefore(
  kind: ClueKind,
  detail = '',
  beforeMs: number | null = 1000,
  isById = true,
): Clue {
  const atMs = beforeMs === null ? null : NOW_MS - beforeMs;
  return { kind, detail, isById, proof: { source: 's', locator: 'l', excerpt: kind, atMs } };
}

/** What a deletion is judged by. */
export interface Case {
  readonly clues?: readonly Clue[];
  readonly node?: Partial<NodeMemory>;
  readonly judging?: Partial<Omit<Judging, 'gone'>>;
}

/** Who deleted the Node, last seen ten seconds before it was missed at `NOW_MS`. */
export function judged({ clues = [], node = {}, judging = {} }: Case): Attribution {
  const seenMs = NOW_MS - 10_000;
  const known = rememberedNode({ lastSeenMs: seenMs, createdMs: NOW_MS - 172_800_000, ...node });
  const gone = { node: { ...known, clues }, missedMs: NOW_MS, gapFromMs: null, isAfterGap: false };
  const reach = { areEventsRead: true, unread: [] };
  return attribute({
    gone,
    release: null,
    isUnlisted: false,
    isClaimGone: false,
    reach,
    ...judging,
  });
}

/** Deleter with what is known of it, hand, confidence and by which clues. */
export function told(one: Case): string {
  const { deleter, hand, confidence, proof } = judged(one);
  const { kind, reason, behavior, user } = deleter;
  const of = [reason, behavior, user].filter((part) => part !== null).join(', ');
  const by = proof.map(({ excerpt }) => excerpt).join(' + ');
  return `${kind}${of === '' ? '' : ` (${of})`}, hand ${hand}, ${confidence}, by ${by || 'nothing'}`;
}

/** As `told`, by clues alone. */
export function toldBy(...clues: readonly Clue[]): string {
  return told({ clues });
}
