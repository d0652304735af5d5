import type { WhyUnknown } from '../../evidence/fact.ts';
import { type LifecycleFacts, LISTS, type ListName, unreadOf } from './facts.ts';
import type { Noticed } from './happening.ts';
import type { LifecycleMemory, ReadMemory } from './memory.ts';

/** A time in which nobody knows what happened to the objects of a list. */
export interface Gap {
  readonly list: ListName;
  /** When the list was read last, ms since the epoch; null when it never was. */
  readonly fromMs: number | null;
  /** null while it lasts. */
  readonly untilMs: number | null;
  readonly why: WhyUnknown;
  /** Nodes of which it is unknown whether they are gone. */
  readonly nodesInDoubt: number;
}

const NOT_WATCHED: WhyUnknown = {
  reason: 'not-collected',
  detail: 'nobody watched, because the program started or its watch was lost',
  collect: null,
};

const NOT_READ: WhyUnknown = {
  reason: 'not-collected',
  detail: 'the list could not be read for a while',
  collect: null,
};

/** How what the Nodes show now was noticed. */
export function noticedNow(memory: LifecycleMemory, facts: LifecycleFacts): Noticed {
  const read = memory.reads.get('nodes');
  const isLive =
    facts.isUnbroken &&
    read?.readMs !== undefined &&
    read.readMs !== null &&
    read.readMs === memory.lookedMs;
  return isLive
    ? { how: 'live', gapFromMs: null }
    : { how: 'after-gap', gapFromMs: read?.readMs ?? null };
}

function readNow(
  before: ReadMemory | undefined,
  list: ListName,
  facts: LifecycleFacts,
): ReadMemory {
  const isRead = unreadOf(facts, list) === null;
  return {
    list,
    readMs: isRead ? facts.nowMs : (before?.readMs ?? null),
    unreadSinceMs: isRead ? null : (before?.unreadSinceMs ?? facts.nowMs),
  };
}

function inDoubt(memory: LifecycleMemory, facts: LifecycleFacts): number {
  const seen = new Set(facts.nodes.items.map(({ value }) => value.uid));
  return [...memory.nodes.keys()].filter((uid) => !seen.has(uid)).length;
}

/** The gap that begins or ends with this look; null where neither is so. */
function gapOf(list: ListName, memory: LifecycleMemory, facts: LifecycleFacts): Gap | null {
  const before = memory.reads.get(list);
  const fromMs = before?.readMs ?? null;
  const why = unreadOf(facts, list);
  const wasUnread = (before?.unreadSinceMs ?? null) !== null;
  if (why !== null) {
    if (wasUnread) return null;
    const nodesInDoubt = list === 'nodes' ? inDoubt(memory, facts) : 0;
    return { list, fromMs, untilMs: null, why, nodesInDoubt };
  }
  const isEnded = wasUnread || (!facts.isUnbroken && list === 'nodes');
  if (!isEnded || memory.lookedMs === facts.nowMs) return null;
  return {
    list,
    fromMs,
    untilMs: facts.nowMs,
    why: wasUnread ? NOT_READ : NOT_WATCHED,
    nodesInDoubt: 0,
  };
}

/** How each list is read now, and the gaps that begin or end with it. */
export function readsOf(
  memory: LifecycleMemory,
  facts: LifecycleFacts,
): { readonly reads: LifecycleMemory['reads']; readonly gaps: readonly Gap[] } {
  const reads = LISTS.map((list) => readNow(memory.reads.get(list), list, facts));
  const gaps = LISTS.map((list) => gapOf(list, memory, facts)).filter((gap) => gap !== null);
  return { reads: new Map(reads.map((read) => [read.list, read])), gaps };
}
