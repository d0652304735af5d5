import type { Addressed } from './clues.ts';
import type { Clue, GoneNode, NodeMemory } from './memory.ts';

/** Kinds and details are few; what is beyond is older and tells the same again. */
export const CLUES_MAX = 12;

/** Stamps of the API server have whole seconds, and its clock is not that of the one who looks. */
const CLOCKS_MS = 5000;

/** A list from a cache that lags behind shows a Node for so much longer than it is there. */
const LAG_MAX_MS = 60_000;

/** Clues by whom they are of, for as many Nodes as there are. */
export interface ClueIndex {
  readonly of: (node: NodeMemory) => readonly Addressed[];
  /** Those that speak of a Node by UID. */
  readonly byUid: ReadonlyMap<string, readonly Addressed[]>;
}

type Key = (addressed: Addressed) => string | null;

function indexed(all: readonly Addressed[], key: Key): ReadonlyMap<string, readonly Addressed[]> {
  const map = Map.groupBy(all, key);
  const named = [...map].flatMap(([name, own]) => (name === null ? [] : [[name, own] as const]));
  return new Map(named);
}

export function indexClues(all: readonly Addressed[]): ClueIndex {
  const byUid = indexed(all, ({ uid }) => uid);
  const byName = indexed(all, ({ uid, node }) => (uid === null ? node : null));
  const byInstance = indexed(all, ({ instanceId }) => instanceId);
  const byClaim = indexed(all, ({ claim }) => claim);
  const byGroup = indexed(all, ({ group }) => group);
  const under = (
    map: ReadonlyMap<string, readonly Addressed[]>,
    key: string | null,
  ): readonly Addressed[] => (key === null ? [] : (map.get(key) ?? []));
  return {
    byUid,
    of: ({ uid, name, instanceId, claim, group }) => [
      ...under(byUid, uid),
      ...under(byName, name),
      ...under(byInstance, instanceId),
      ...under(byClaim, claim),
      ...under(byGroup, group),
    ],
  };
}

/**
 * True for a clue of the time in which the deletion of a Node was asked for. One by name alone may
 * be of the Node that had the name before, and so it must not be older than this one.
 */
export function isOfDeletion({ isById, proof }: Clue, { node, missedMs }: GoneNode): boolean {
  const { atMs } = proof;
  const askedMs = Math.min(node.deletionAskedMs ?? node.lastSeenMs, node.lastSeenMs);
  const bornMs = isById ? 0 : (node.createdMs ?? askedMs - CLOCKS_MS);
  const fromMs = Math.max(askedMs - LAG_MAX_MS, bornMs);
  const untilMs = missedMs + (isById ? LAG_MAX_MS : CLOCKS_MS);
  return atMs !== null && atMs >= fromMs && atMs <= untilMs;
}

/** A clue by name may be of another Node of that name: its time must fit. */
function isOfNode({ clue }: Addressed, node: NodeMemory, gone: GoneNode | null): boolean {
  if (clue.isById) return true;
  const { atMs } = clue.proof;
  if (atMs === null) return false;
  if (gone === null) return atMs >= (node.createdMs ?? node.firstSeenMs) - CLOCKS_MS;
  return isOfDeletion(clue, gone);
}

function keyOf({ kind, detail }: Clue): string {
  return `${kind} ${detail}`;
}

function timeOf({ proof }: Clue): number {
  return proof.atMs ?? 0;
}

/** The order of clues is that of their kinds and times, whatever order they were found in. */
function inOrder(clues: readonly Clue[]): readonly Clue[] {
  return clues.toSorted((a, b) => timeOf(a) - timeOf(b) || (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The memory of a Node with what this look tells of it; the newest of each kind stays. */
export function withClues(
  node: NodeMemory,
  index: ClueIndex,
  gone: GoneNode | null = null,
): NodeMemory {
  const fresh = index.of(node).filter((addressed) => isOfNode(addressed, node, gone));
  if (fresh.length === 0) return node;
  const kept = new Map(node.clues.map((clue) => [keyOf(clue), clue]));
  for (const { clue } of fresh) {
    const known = kept.get(keyOf(clue));
    if (known === undefined || isNewer(clue, known)) kept.set(keyOf(clue), clue);
  }
  return { ...node, clues: inOrder([...kept.values()]).slice(-CLUES_MAX) };
}

/** Of two at the same time the one that sorts first stays, so that order does not matter. */
function isNewer(clue: Clue, known: Clue): boolean {
  const differenceMs = timeOf(clue) - timeOf(known);
  return differenceMs > 0 || (differenceMs === 0 && clue.proof.excerpt < known.proof.excerpt);
}
