import { textAt } from '../../evidence/json.ts';
import type { Heard } from '../faults/wire.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { Invariant, Watching } from './contract.ts';

/** Kinds that watchers may follow, by their plural, with what of them. */
const KINDS = [
  { plural: 'nodes', kind: 'Node', prefix: '' },
  { plural: 'pods', kind: 'Pod', prefix: 'kube-system/' },
] as const;

const SECOND_MS = 1000;
/** A change is in memory after this, whatever happened to a watch. */
const CURED_MS = 120 * SECOND_MS;
/** Answers that come this late leave no time to tell a dead watch from a quiet one, and to be cured. */
const ANSWERED_MS = 10 * SECOND_MS;
const LOOK_EVERY_MS = 10 * SECOND_MS;

interface Change {
  readonly version: number;
  readonly atMs: number;
}

/** What is true of one kind, what a watcher has of it, and since when it has not heard the rest. */
interface Book {
  readonly plural: string;
  readonly truth: Map<string, number>;
  /** Versions of what its watcher keeps, by what it said. */
  readonly memory: Map<string, number>;
  readonly unheard: Map<string, readonly Change[]>;
}

function keyOf(object: KubeObject): string {
  const namespace = textAt(object, 'metadata.namespace');
  const name = textAt(object, 'metadata.name') ?? '';
  return namespace === null ? name : `${namespace}/${name}`;
}

function versionOf(object: KubeObject): number {
  return Number(textAt(object, 'metadata.resourceVersion'));
}

/** Follows what is true; each change costs one entry of one object. */
function keepBook(
  { stage }: Watching,
  { plural, kind, prefix }: (typeof KINDS)[number],
  onChange: (book: Book) => void,
): Book {
  const book: Book = { plural, truth: new Map(), memory: new Map(), unheard: new Map() };
  const take = (object: KubeObject, isGone: boolean): void => {
    const key = keyOf(object);
    const version = versionOf(object);
    const before = book.truth.get(key);
    if (!key.startsWith(prefix) || (!isGone && before === version)) return;
    // Of what had come and gone unheard nothing is owed any more.
    const isAnew = before === undefined && !book.memory.has(key);
    // Versions fall where a backup was restored, and what came after it never was.
    const known = (book.unheard.get(key) ?? []).filter((one) => !isAnew && one.version < version);
    if (isGone) book.truth.delete(key);
    else book.truth.set(key, version);
    // The watcher may have heard of it a little earlier in the same moment.
    if (!isGone && book.memory.get(key) === version) book.unheard.delete(key);
    else book.unheard.set(key, [...known, { version, atMs: stage.simulated.kernel.nowMs() }]);
  };
  // A watcher may list before the first event in which others hear what there is.
  for (const object of stage.people.list(kind)) take(object, false);
  stage.people.follow(kind, (type, object) => {
    take(object, type === 'DELETED');
    onChange(book);
  });
  return book;
}

/** Whoever begins with empty memory has to hear of all that there is, and of nothing that is gone. */
function restart({ truth, memory, unheard }: Book, atMs: number): void {
  memory.clear();
  unheard.clear();
  for (const [key, version] of truth) unheard.set(key, [{ version, atMs }]);
}

/** What is neither there nor kept is as it should be: a new list never speaks of what came and went. */
function isSettled({ truth, memory }: Book, key: string): boolean {
  return !truth.has(key) && !memory.has(key);
}

/** Of such an object an event may still be on its way for a while. */
function forgetGone(book: Book, nowMs: number): void {
  for (const [key, changes] of book.unheard)
    if (isSettled(book, key) && nowMs - (changes.at(-1)?.atMs ?? 0) > CURED_MS)
      book.unheard.delete(key);
}

function hear(book: Book, { key, type, version }: Heard, atMs: number): void {
  const { truth, memory, unheard } = book;
  const isGone = type === 'deleted';
  if (isGone) memory.delete(key);
  else memory.set(key, version);
  const there = truth.get(key);
  const later = (unheard.get(key) ?? []).filter((one) => !isGone && one.version > version);
  // What is dropped from memory while it is there has to come back, and what comes late to go.
  const isAmiss = later.length === 0 && isGone === (there !== undefined);
  const left = isAmiss ? [{ version: there ?? version, atMs }] : later;
  if (left.length === 0) unheard.delete(key);
  else unheard.set(key, left);
  forgetGone(book, atMs);
}

/**
 * What a watcher keeps is never older than two minutes, whatever happened to its watch; looked at
 * with every change, with everything that it hears, and every ten seconds. The time in which all
 * its requests were refused does not count, nor that in which every answer takes longer than ten
 * seconds, nor does an event that was lost against the contract.
 */
function cured(): Invariant {
  return {
    rule: 'L-08',
    watch(watching) {
      const { stage, evaluated, violated } = watching;
      const { wire } = stage.looking;
      const { kernel } = stage.simulated;
      const startedMs = new Map<string, number>();
      const lostMs = new Map<string, number>();
      let refusedMs = 0;
      const isDeaf = (): boolean =>
        wire.isRefusing() || KINDS.some(({ plural }) => wire.lagMs(plural) > ANSWERED_MS);
      const check = (book: Book): void => {
        const { plural, unheard } = book;
        const sinceMs = startedMs.get(plural);
        if (sinceMs === undefined) return;
        evaluated();
        const nowMs = kernel.nowMs();
        for (const [key, [first]] of unheard) {
          // Of a lost event the watcher owes nothing before the next list has ended.
          if (wire.hasLost(plural, key)) lostMs.set(`${plural}/${key}`, nowMs);
          const heardMs = lostMs.get(`${plural}/${key}`) ?? 0;
          const fromMs = Math.max(first?.atMs ?? nowMs, sinceMs, refusedMs, heardMs);
          if (nowMs - fromMs <= CURED_MS || isSettled(book, key)) continue;
          violated(`${plural} ${key}`, `watch: ${plural} in memory are behind by two minutes`);
        }
      };
      const books = KINDS.map((kind) => keepBook(watching, kind, check));
      wire.listen({
        onHeard(heard) {
          const book = books.find(({ plural }) => plural === heard.plural);
          if (book === undefined) return;
          hear(book, heard, kernel.nowMs());
          check(book);
        },
        onRestart: () => books.forEach((book) => restart(book, kernel.nowMs())),
        onAsked({ plural }) {
          if (isDeaf()) refusedMs = kernel.nowMs();
          if (!startedMs.has(plural)) startedMs.set(plural, kernel.nowMs());
        },
      });
      kernel.every(LOOK_EVERY_MS, () => {
        if (isDeaf()) refusedMs = kernel.nowMs();
        for (const book of books) check(book);
      });
    },
  };
}

/** The version of an object in memory never goes back but by a new list. */
function forward(): Invariant {
  return {
    rule: 'I-24',
    watch({ stage, evaluated, violated, marks }) {
      const listings = new Map<string, number>();
      const listedMs = new Map<string, number>();
      const told = new Map<string, number>();
      const { kernel } = stage.simulated;
      stage.looking.wire.listen({
        onRestart() {
          listings.clear();
          told.clear();
        },
        onHeard({ plural, key, type, version, before, listings: now }) {
          evaluated();
          const isNew = listings.get(plural) !== now;
          if (isNew && now > 1) marks.reach('listed-again');
          if (isNew) listedMs.set(plural, kernel.nowMs());
          listings.set(plural, now);
          // All that a list brings is told in the moment in which it is whole, each object once.
          const place = `${plural} ${key}`;
          const isListed = listedMs.get(plural) === kernel.nowMs() && told.get(place) !== now;
          told.set(place, now);
          if (type === 'updated' && before !== null && version <= before && !isListed)
            violated(place, `watch: ${plural} in memory go back to an older version`);
        },
      });
    },
  };
}

/** What is kept is what there is, and what has gone within the time that a watch may be dead. */
function bounded(): Invariant {
  return {
    rule: 'I-32',
    watch(watching) {
      const { stage, evaluated, violated } = watching;
      const { kernel } = stage.simulated;
      const books = KINDS.map((kind) => keepBook(watching, kind, () => undefined));
      stage.looking.wire.listen({
        onRestart: () => books.forEach((book) => restart(book, kernel.nowMs())),
        onHeard(heard) {
          const book = books.find(({ plural }) => plural === heard.plural);
          if (book === undefined) return;
          hear(book, heard, kernel.nowMs());
          evaluated();
          const most = book.truth.size + book.unheard.size;
          if (heard.size > most)
            violated(heard.plural, `watch: more ${heard.plural} are in memory than there are`);
        },
      });
    },
  };
}

const WINDOW_MS = 60 * SECOND_MS;
/** A silent watch is asked after every three seconds, and a failing request repeated ever later. */
const REQUESTS_MOST = 60;
const LISTS_MOST = 12;

/** Times within the last minute. */
function recent(times: number[], nowMs: number): number {
  times.push(nowMs);
  while ((times[0] ?? nowMs) <= nowMs - WINDOW_MS) times.shift();
  return times.length;
}

/** Requests of a watcher stay within their budget, also while it is refused. */
function budgeted(): Invariant {
  return {
    rule: 'I-33',
    watch({ stage, evaluated, violated }) {
      const { kernel } = stage.simulated;
      const all = new Map<string, number[]>();
      const timesOf = (name: string): number[] => {
        const times = all.get(name) ?? [];
        all.set(name, times);
        return times;
      };
      stage.looking.wire.listen({
        onAsked({ verb, plural }) {
          evaluated();
          const nowMs = kernel.nowMs();
          const requests = recent(timesOf(plural), nowMs);
          const lists = verb === 'list' ? recent(timesOf(`list ${plural}`), nowMs) : 0;
          if (requests > REQUESTS_MOST || lists > LISTS_MOST)
            violated(plural, `watch: ${plural} are asked for too often in a minute`);
        },
      });
    },
  };
}

/** Invariants of the watchers that run in the world, each with a memory of its own. */
export function startWatcherInvariants(): readonly Invariant[] {
  return [forward(), bounded(), budgeted(), cured()];
}
