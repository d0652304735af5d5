import type { Json } from '../../evidence/json.ts';
import {
  amount,
  type Checked,
  flag,
  listOf,
  MalformedError,
  objectOf,
  oneOf,
  orNull,
  text,
} from './checked.ts';
import { LISTS } from './facts.ts';
import { TOMBSTONES_MAX } from './gone.ts';
import {
  type Attribution,
  CLOUD_BEHAVIORS,
  CONFIDENCES,
  type Deleter,
  DELETERS,
  HANDS,
  type Proof,
  type WouldTell,
} from './happening.ts';
import { CLUES_MAX } from './keep-clues.ts';
import {
  type Clue,
  CLUE_KINDS,
  type GoneNode,
  type InstanceMemory,
  type LifecycleMemory,
  type NodeMemory,
  type ReadMemory,
  type StandingMemory,
  type Tombstone,
} from './memory.ts';

/** Counts the forms of the document; one of another form is refused. */
const VERSION = 1;

/** More than any cluster has; a document beyond it is none of ours. */
const ITEMS_MAX = 100_000;

const PROOFS_MAX = 8;

const ms = orNull(amount);

const proof = objectOf<Proof>({ source: text, locator: text, excerpt: text, atMs: ms });

const clue = objectOf<Clue>({ kind: oneOf(CLUE_KINDS), detail: text, isById: flag, proof });

const NODE = {
  uid: text,
  name: text,
  instanceId: orNull(text),
  hasProviderId: orNull(flag),
  claim: orNull(text),
  group: orNull(text),
  machineId: orNull(text),
  formerInstance: orNull(text),
  createdMs: ms,
  firstSeenMs: amount,
  lastSeenMs: amount,
  isReady: flag,
  isInitialized: flag,
  isCordoned: flag,
  deletionAskedMs: ms,
  clues: listOf(clue, CLUES_MAX),
};

const node: Checked<NodeMemory> = objectOf<NodeMemory>(NODE);

const GONE = { node, missedMs: amount, gapFromMs: ms, isAfterGap: flag };

const deleter = objectOf<Deleter>({
  kind: oneOf(DELETERS),
  reason: orNull(text),
  behavior: orNull(oneOf(CLOUD_BEHAVIORS)),
  user: orNull(text),
});

const wouldTell = objectOf<WouldTell>({ text, command: orNull(text) });

const attribution = objectOf<Attribution>({
  deleter,
  hand: orNull(oneOf(HANDS)),
  confidence: oneOf(CONFIDENCES),
  proof: listOf(proof, PROOFS_MAX),
  wouldTell: listOf(wouldTell, PROOFS_MAX),
});

const tombstone = objectOf<Tombstone>({
  ...GONE,
  deletedMs: amount,
  timeFrom: oneOf(['object', 'event', 'audit', 'look']),
  attribution,
});

const instance = objectOf<InstanceMemory>({ id: text, isEnded: flag, missingSinceMs: ms });

const standing = objectOf<StandingMemory>({ key: text, sinceMs: amount, isTold: flag });

const read = objectOf<ReadMemory>({ list: oneOf(LISTS), readMs: ms, unreadSinceMs: ms });

/** The memory as lists, each item with its own key in it. */
interface Stored {
  readonly version: number;
  readonly lookedMs: number | null;
  readonly reads: readonly ReadMemory[];
  readonly nodes: readonly NodeMemory[];
  readonly gone: readonly GoneNode[];
  readonly tombstones: readonly Tombstone[];
  readonly instances: readonly InstanceMemory[];
  readonly standing: readonly StandingMemory[];
}

const version: Checked<number> = (value, path) => {
  if (value !== VERSION) throw new MalformedError(path, `${VERSION}, the form that is read here`);
  return VERSION;
};

const stored = objectOf<Stored>({
  version,
  lookedMs: ms,
  reads: listOf(read, LISTS.length),
  nodes: listOf(node, ITEMS_MAX),
  gone: listOf(objectOf<GoneNode>(GONE), ITEMS_MAX),
  tombstones: listOf(tombstone, TOMBSTONES_MAX),
  instances: listOf(instance, ITEMS_MAX),
  standing: listOf(standing, ITEMS_MAX),
});

/** The memory as JSON, to be kept over a restart. */
export function memoryToJson(memory: LifecycleMemory): Json {
  const document: Stored = {
    version: VERSION,
    lookedMs: memory.lookedMs,
    reads: [...memory.reads.values()],
    nodes: [...memory.nodes.values()],
    gone: [...memory.gone.values()],
    tombstones: [...memory.tombstones.values()],
    instances: [...memory.instances.values()],
    standing: [...memory.standing.values()],
  };
  return JSON.parse(JSON.stringify(document)) as Json;
}

function keyed<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [key(item), item]));
}

/**
 * The memory of a document that was kept.
 *
 * @throws MalformedError where it is of another form, so that nothing is told from what is not understood
 */
export function memoryFromJson(document: Json): LifecycleMemory {
  const { lookedMs, reads, ...lists } = stored(document, '');
  return {
    lookedMs,
    reads: new Map(reads.map((one) => [one.list, one])),
    nodes: keyed(lists.nodes, ({ uid }) => uid),
    gone: keyed(lists.gone, (one) => one.node.uid),
    tombstones: keyed(lists.tombstones, (one) => one.node.uid),
    instances: keyed(lists.instances, ({ id }) => id),
    standing: keyed(lists.standing, ({ key }) => key),
  };
}
