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

/** What is true of one kind, and since when a watcher has not heard it. */
interface Book {
  readonly plural: string;
  readonly truth: Map<string, number>;
  readonly unheard: Map<string, readonly Change[]>;
  /** Until its watcher, which began with empty memory, has heard the first. */
  isFresh: boolean;
  /** When its watcher began so. */
  freshMs: number;
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
  const book: Book = { plural, truth: new Map(), unheard: new Map(), isFresh: true, freshMs: 0 };
  const take = (object: KubeObject, isGone: boolean): void => {
    const key = keyOf(object);
    const version = versionOf(object);
    if (!key.startsWith(prefix) || (!isGone && book.truth.get(key) === version)) return;
    if (isGone) book.truth.delete(key);
    else book.truth.set(key, version);
    const known = book.unheard.get(key) ?? [];
    book.unheard.set(key, [...known, { version, atMs: stage.town.kernel.nowMs() }]);
  };
  // A watcher may list before the first event in which others hear what there is.
  for (const object of stage.people.list(kind)) take(object, false);
  stage.people.follow(kind, (type, object) => {
    take(object, type === 'DELETED');
    onChange(book);
  });
  return book;
}

/**
 * Whoever begins with empty memory never hears of what had gone before. Of what goes between that
 * and its first word nobody knows whether it was heard: a list without objects says nothing.
 *
 * @param untilMs what went later is kept
 */
function forgetGone(book: Book, untilMs: number): void {
  book.isFresh = false;
  for (const [key, changes] of book.unheard)
    if (!book.truth.has(key) && (changes.at(-1)?.atMs ?? 0) < untilMs) book.unheard.delete(key);
}

function restart(book: Book, atMs: number): void {
  book.isFresh = true;
  book.freshMs = atMs;
}

function hear(book: Book, { key, type, version }: Heard, atMs: number): void {
  const { truth, unheard } = book;
  const there = truth.get(key);
  const known = unheard.get(key) ?? [];
  const left = type === 'deleted' ? [] : known.filter((one) => one.version > version);
  // An object that is dropped from memory while it is there has to come back.
  const isMissing = type === 'deleted' && there !== undefined;
  if (isMissing) unheard.set(key, [{ version: there, atMs }]);
  else if (left.length === 0) unheard.delete(key);
  else unheard.set(key, left);
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
      const { kernel } = stage.town;
      const startedMs = new Map<string, number>();
      let refusedMs = 0;
      const isDeaf = (): boolean =>
        wire.isRefusing() || KINDS.some(({ plural }) => wire.lagMs(plural) > ANSWERED_MS);
      const check = ({ plural, truth, unheard, isFresh }: Book): void => {
        const sinceMs = startedMs.get(plural);
        if (sinceMs === undefined) return;
        evaluated();
        const nowMs = kernel.nowMs();
        for (const [key, [first]] of unheard) {
          const fromMs = Math.max(first?.atMs ?? nowMs, sinceMs, refusedMs);
          if (
            nowMs - fromMs <= CURED_MS ||
            (isFresh && !truth.has(key)) ||
            wire.hasLost(plural, key)
          )
            continue;
          violated(`${plural} ${key}`, `watch: ${plural} in memory are behind by two minutes`);
        }
      };
      const books = KINDS.map((kind) => keepBook(watching, kind, check));
      wire.listen({
        onHeard(heard) {
          const book = books.find(({ plural }) => plural === heard.plural);
          if (book === undefined) return;
          if (book.isFresh) forgetGone(book, Number.POSITIVE_INFINITY);
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
      stage.looking.wire.listen({
        onRestart: () => listings.clear(),
        onHeard({ plural, key, type, version, before, listings: now }) {
          evaluated();
          const isListed = listings.get(plural) !== now;
          if (isListed && now > 1) marks.reach('listed-again');
          listings.set(plural, now);
          if (type === 'updated' && before !== null && version <= before && !isListed)
            violated(`${plural} ${key}`, `watch: ${plural} in memory go back to an older version`);
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
      const { kernel } = stage.town;
      const books = KINDS.map((kind) => keepBook(watching, kind, () => undefined));
      stage.looking.wire.listen({
        onRestart: () => books.forEach((book) => restart(book, kernel.nowMs())),
        onHeard(heard) {
          const book = books.find(({ plural }) => plural === heard.plural);
          if (book === undefined) return;
          if (book.isFresh) forgetGone(book, book.freshMs);
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
      const { kernel } = stage.town;
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
