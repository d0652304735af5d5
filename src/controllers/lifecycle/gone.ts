import { attribute, type Judging } from './attribute.ts';
import { cloudRelease } from './cloud-controller.ts';
import type { Addressed } from './clues.ts';
import type { LookContext } from './context.ts';
import type { Happening, HappeningTime } from './happening.ts';
import { type ClueIndex, withClues } from './keep-clues.ts';
import type { GoneNode, LifecycleMemory, NodeMemory, Tombstone } from './memory.ts';
import { reachOf, type Reach } from './would-tell.ts';

/**
 * So long a deletion waits for the Event of whoever did it: recorders write in the background, and
 * a watch of Events may lag behind that of Nodes by some seconds.
 */
export const SETTLING_MS = 15_000;

/** CloudTrail tells of a call within 15 minutes, the audit log sooner: so long it is asked again. */
const LEARNING_MS = 60 * 60_000;

export interface DeletionsSeen {
  readonly gone: ReadonlyMap<string, GoneNode>;
  readonly tombstones: ReadonlyMap<string, Tombstone>;
  readonly happenings: readonly Happening[];
}

interface Looking {
  readonly context: LookContext;
  readonly index: ClueIndex;
  readonly seen: ReadonlyMap<string, NodeMemory>;
  readonly release: string | null;
  readonly reach: Reach;
}

function goneNow(node: NodeMemory, { context }: Looking): GoneNode {
  const { noticed, facts } = context;
  return {
    node,
    missedMs: facts.nowMs,
    gapFromMs: noticed.gapFromMs,
    isAfterGap: noticed.how === 'after-gap',
  };
}

function isComplete({ context }: Looking): boolean {
  return context.facts.nodes.unread === null;
}

/** Nodes that were there at the last look, and that a complete list lacks now. */
function missed(looking: Looking): readonly GoneNode[] {
  if (!isComplete(looking)) return [];
  return [...looking.context.memory.nodes.values()]
    .filter(({ uid }) => !looking.seen.has(uid))
    .map((node) => goneNow(node, looking));
}

/** The instance that has the name of a Node which nobody has seen. */
function instanceNamed(name: string, { context }: Looking): string | null {
  const own = context.facts.instances.items.find(
    ({ value }) => value.InstanceId === name || value.PrivateDnsName?.toLowerCase() === name,
  );
  return own?.value.InstanceId ?? null;
}

function strayNode(uid: string, name: string, atMs: number, looking: Looking): NodeMemory {
  return {
    uid,
    name,
    instanceId: instanceNamed(name, looking),
    hasProviderId: null,
    claim: null,
    group: null,
    machineId: null,
    formerInstance: null,
    createdMs: null,
    firstSeenMs: atMs,
    lastSeenMs: atMs,
    isReady: false,
    isInitialized: false,
    isCordoned: false,
    deletionAskedMs: null,
    clues: [],
  };
}

/** Clues that say themselves that a Node is deleted. */
const DEEDS: ReadonlySet<string> = new Set(['cloud-deletion', 'audit-delete']);

function timeOfClue({ clue }: Addressed): number {
  return clue.proof.atMs ?? 0;
}

/** Nodes that came and went between two looks, of which only who deleted them has told. */
function strays(looking: Looking): readonly GoneNode[] {
  const { context, index, seen } = looking;
  const { memory, facts } = context;
  if (!isComplete(looking)) return [];
  return [...index.byUid].flatMap(([uid, all]) => {
    const isKnown = seen.has(uid) || memory.nodes.has(uid);
    if (isKnown || memory.gone.has(uid) || memory.tombstones.has(uid)) return [];
    const deeds = all.filter(({ clue }) => DEEDS.has(clue.kind));
    const [said] = deeds.toSorted((one, other) => timeOfClue(one) - timeOfClue(other));
    if (said === undefined || said.node === null) return [];
    const node = strayNode(uid, said.node, said.clue.proof.atMs ?? facts.nowMs, looking);
    return [{ ...goneNow(node, looking), isAfterGap: true }];
  });
}

function judgingOf(gone: GoneNode, { context, release, reach }: Looking): Judging {
  const { instanceId } = gone.node;
  const isUnlisted =
    context.facts.instances.unread === null &&
    instanceId !== null &&
    !context.instances.has(instanceId);
  const { claim } = gone.node;
  const { claims } = context.facts;
  const isClaimGone =
    claims.unread === null &&
    claim !== null &&
    !claims.items.some(({ value }) => value.name === claim);
  return { gone, release, reach, isUnlisted, isClaimGone };
}

function timeOf({ node, missedMs }: GoneNode, by: Tombstone['attribution']): HappeningTime {
  const shows = (kind: string): number | null => {
    const clue = node.clues.findLast((one) => one.kind === kind);
    const isProof = clue !== undefined && by.proof.includes(clue.proof);
    return isProof ? clue.proof.atMs : null;
  };
  const notBeforeMs = node.lastSeenMs;
  const auditMs = shows('audit-delete');
  // With a finalizer, the request comes long before the object goes.
  if (auditMs !== null && node.deletionAskedMs === null)
    return { atMs: auditMs, from: 'audit', notBeforeMs: null };
  const eventMs = shows('cloud-deletion');
  if (eventMs !== null) return { atMs: eventMs, from: 'event', notBeforeMs: null };
  return { atMs: missedMs, from: 'look', notBeforeMs };
}

function tombstoneOf(gone: GoneNode, looking: Looking): Tombstone {
  const attribution = attribute(judgingOf(gone, looking));
  const { atMs, from } = timeOf(gone, attribution);
  return { ...gone, attribution, deletedMs: atMs, timeFrom: from };
}

function isSettled({ missedMs, attribution }: Tombstone, nowMs: number): boolean {
  return attribution.confidence === 'definite' || nowMs - missedMs >= SETTLING_MS;
}

function deletedOf({ attribution, ...gone }: Tombstone): Happening {
  const { node } = gone;
  return {
    kind: 'deleted',
    time: timeOf(gone, attribution),
    noticed: {
      how: gone.isAfterGap ? 'after-gap' : 'live',
      gapFromMs: gone.isAfterGap ? gone.gapFromMs : null,
    },
    node: node.name,
    uid: node.uid,
    instanceId: node.instanceId,
    detail: null,
    machine: null,
    attribution,
    proof: attribution.proof,
  };
}

/** A tombstone with what was told since, which may name a deleter that was unknown. */
function learned(tombstone: Tombstone, looking: Looking): Tombstone {
  const { nowMs } = looking.context.facts;
  const isOpen =
    tombstone.attribution.confidence !== 'definite' && nowMs - tombstone.missedMs <= LEARNING_MS;
  if (!isOpen) return tombstone;
  const node = withClues(tombstone.node, looking.index, tombstone);
  if (node === tombstone.node) return tombstone;
  const next = tombstoneOf({ ...tombstone, node }, looking);
  return next.attribution.confidence === 'none' ? tombstone : next;
}

/** A Node that is missed is asked for its clues until its deletion is told. */
function lookedFor(gone: GoneNode, looking: Looking): Tombstone {
  const node = withClues(gone.node, looking.index, gone);
  return tombstoneOf({ ...gone, node }, looking);
}

function isStillGone(looking: Looking): (gone: GoneNode) => boolean {
  return ({ node }) => !looking.seen.has(node.uid);
}

/** Which Nodes are gone, which of these deletions can be told now, and by whom they were. */
export function deletionsSeen(
  context: LookContext,
  index: ClueIndex,
  seen: ReadonlyMap<string, NodeMemory>,
): DeletionsSeen {
  const { facts, memory } = context;
  const looking = { context, index, seen, release: cloudRelease(facts), reach: reachOf(facts) };
  const isGone = isStillGone(looking);
  const open = [...memory.gone.values(), ...missed(looking), ...strays(looking)].filter(isGone);
  const judged = open.map((gone) => lookedFor(gone, looking));
  const settled = judged.filter((one) => isSettled(one, facts.nowMs));
  const waiting = judged.filter((one) => !isSettled(one, facts.nowMs));
  const old = [...memory.tombstones.values()].filter(isGone).map((one) => learned(one, looking));
  return {
    gone: new Map(
      waiting.map(({ node, missedMs, gapFromMs, isAfterGap }) => [
        node.uid,
        { node, missedMs, gapFromMs, isAfterGap },
      ]),
    ),
    tombstones: keptTombstones([...old, ...settled], facts.nowMs),
    happenings: settled.map(deletedOf),
  };
}

/** Two weeks: what went in last week is still explained at the end of this one. */
export const TOMBSTONE_AGE_MAX_MS = 14 * 24 * 60 * 60_000;

/** As many as the largest cluster that is watched has Nodes, some 2 KB each. */
export const TOMBSTONES_MAX = 5000;

/** The youngest tombstones that are not too old. */
export function keptTombstones(
  tombstones: readonly Tombstone[],
  nowMs: number,
): LifecycleMemory['tombstones'] {
  const young = tombstones.filter(({ missedMs }) => nowMs - missedMs <= TOMBSTONE_AGE_MAX_MS);
  const byAge = young.toSorted(
    (a, b) => a.missedMs - b.missedMs || (a.node.uid < b.node.uid ? -1 : 1),
  );
  return new Map(byAge.slice(-TOMBSTONES_MAX).map((one) => [one.node.uid, one]));
}
