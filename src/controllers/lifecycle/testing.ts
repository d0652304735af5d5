/** Looks as tests of this folder need them: lists are complete and empty unless given. */
import { seen, type Seen } from '../../evidence/fact.ts';
import { NOW_MS } from '../../evidence/testing.ts';
import { cluesIn } from './clues.ts';
import { complete, type LifecycleFacts, LISTS } from './facts.ts';
import type { NodeMemory } from './memory.ts';

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
