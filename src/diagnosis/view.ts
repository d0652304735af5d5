import { absent, type Fact, type Seen, unknown } from '../evidence/fact.ts';
import { isTerminated } from '../domain/nodes/fleet.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { Extent, FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { excerptOf } from '../evidence/redact.ts';
import { type Quote, QUOTES_MAX, type Sighting } from '../evidence/sighting.ts';
import { dated, isAfter, isOvertaken } from '../evidence/time.ts';
import type { Cause, Elsewhere, View } from './cause.ts';
import { asSeen, type FactIndex } from './fact-index.ts';
import { type Shown, timesNeeded } from './excerpt.ts';
import { defaultWithdrawal, type MilestoneId } from './milestones.ts';
import { hitsOf, isInTrouble, type Subject } from './subject.ts';

/** What a cause's signs came to for one subject. */
export interface SignReading {
  /** Sightings that no later success took back, by sign name. */
  readonly standing: ReadonlyMap<string, Sighting>;
  /** True when a failure was seen and then taken back. */
  readonly withdrawn: boolean;
  readonly cleared: boolean;
  /** Signs that stand although they were seen fewer times than a whole log would show. */
  readonly thin: ReadonlySet<string>;
}

function merge(hits: readonly Hit[]): Sighting | null {
  const [first, ...rest] = hits;
  if (first === undefined) return null;
  const quotes = hits.flatMap((hit) => hit.quotes).slice(0, QUOTES_MAX);
  const last = rest.reduce(
    (latest, hit) => (isAfter(hit.last.moment, latest.moment) ? hit.last : latest),
    first.last,
  );
  const earliest = rest.reduce(
    (early, hit) => (isAfter(early.moment, hit.first.moment) ? hit.first : early),
    first.first,
  );
  return { count: hits.reduce((sum, hit) => sum + hit.count, 0), first: earliest, last, quotes };
}

function isOfSameObject(one: Hit, other: Hit): boolean {
  return one.object === '' || other.object === '' || one.object === other.object;
}

function isWithdrawn(hit: Hit, successes: readonly Hit[]): boolean {
  return successes.some((success) => {
    if (!isOfSameObject(success, hit)) return false;
    return isOvertaken(hit.last.moment, success.last.moment) || isUnordered(success, hit);
  });
}

/**
 * True when a failure without a stamp and a success stand in different files, so that nobody can
 * tell which came first: naming the failure would be a guess. A state that began after the success
 * is no state of before it.
 */
function isUnordered(success: Hit, hit: Hit): boolean {
  const [later, failed] = [success.last.moment, hit.last.moment];
  if (later.at.document === failed.at.document || failed.when !== null || later.isState)
    return false;
  return failed.sinceMs === undefined || !isAfter(dated(failed), later);
}

/** How often it was seen since the last success; of more than QUOTES_MAX times, at the most. */
function standingCount(hits: readonly Hit[], successes: readonly Hit[]): number {
  const isOver = (quote: Quote, hit: Hit): boolean =>
    successes.some(
      (success) => isOfSameObject(success, hit) && isOvertaken(quote.moment, success.last.moment),
    );
  return hits.reduce(
    (sum, hit) => sum + hit.count - hit.quotes.filter((quote) => isOver(quote, hit)).length,
    0,
  );
}

/** Milestones that take a finding back: none that stands beside the symptom which its subject has. */
function withdrawalsFor(cause: Cause, subject: Subject): readonly MilestoneId[] {
  const withdrawals = cause.withdrawnBy ?? defaultWithdrawal(cause.stage);
  const isHeld =
    cause.symptoms.includes('node-uninitialized') &&
    hitsOf(subject, 'symptom:node-uninitialized').some(({ last }) => last.moment.isState);
  return isHeld ? withdrawals.filter((id) => id === 'node-initialised') : withdrawals;
}

const NOTHING_SEEN: SignReading = {
  standing: new Map(),
  withdrawn: false,
  cleared: false,
  thin: new Set(),
};

/**
 * Sorts a cause's hits into standing, withdrawn and cleared.
 *
 * @param shown how much of its log is shown around a hit
 */
export function readSigns(
  cause: Cause,
  subject: Subject,
  shown: (hit: Hit) => Shown = () => 'whole',
): SignReading {
  const own = hitsOf(subject, cause.id);
  if (own.length === 0) return NOTHING_SEEN;
  const weighed = (weight: string): Hit[] =>
    own.filter((hit) => cause.signs[hit.sign]?.weight === weight);
  const milestones = withdrawalsFor(cause, subject).flatMap((id) =>
    hitsOf(subject, `milestone:${id}`),
  );
  const successes = [...weighed('withdraws'), ...milestones.map((hit) => ({ ...hit, object: '' }))];
  const standing = new Map<string, Sighting>();
  const thin = new Set<string>();
  let withdrawn = false;
  for (const [name, sign] of Object.entries(cause.signs)) {
    if (sign.weight === 'withdraws' || sign.weight === 'clears') continue;
    const seenHits = own.filter((hit) => hit.sign === name);
    const left = seenHits.filter((hit) => !isWithdrawn(hit, successes));
    if (left.length < seenHits.length) withdrawn = true;
    const sighting = merge(left);
    const count = standingCount(left, successes);
    if (sighting === null || count < timesNeeded(sign, left.map(shown))) continue;
    standing.set(name, sighting);
    if (count < timesNeeded(sign, [])) thin.add(name);
  }
  return { standing, withdrawn, cleared: weighed('clears').length > 0, thin };
}

function quoteOf(fact: Seen<unknown>, excerpt: string): Quote {
  const moment = { when: null, at: { document: -1, line: 0 }, isState: true };
  return {
    source: 'object',
    locator: fact.locator,
    excerpt: excerptOf(excerpt),
    moment,
    captures: {},
  };
}

/** What stands around a subject: lists of the whole pile, and what is about no machine. */
export interface Surroundings extends Pick<Observations, 'listings' | 'collection'> {
  /** The cluster's own reading of the same cause. */
  readonly cluster?: (() => SignReading) | undefined;
  /** Facts of all machines and of the cluster. */
  readonly all?: FactIndex | undefined;
  /** All that the evidence is about. */
  readonly subjects?: readonly Subject[];
  /** Of the cause that looks. */
  readonly scope?: Cause['scope'];
  readonly cause?: string;
  /** Its signs that people's own sentences show, which no log of a machine holds. */
  readonly told?: ReadonlySet<string>;
  /** Hears what the cause reads that is not the subject's own. */
  readonly onRead?: ((what: Elsewhere) => void) | undefined;
}

/**
 * True when these facts are of several machines while a line is looked at of which nobody knows
 * whose it is: any one of them may be another machine's.
 */
function isOfSeveral(records: readonly FactRecord[]): boolean {
  const [first] = records.flatMap(({ about }) => about.slice(0, 1));
  return records.some(({ about }) => about.length > 0 && about[0]?.value !== first?.value);
}

/** Of several dumps of one object, the first in the richest form counts. */
function readOne<N extends FactKind>(
  kind: N,
  records: readonly FactRecord<N>[],
  subject: Subject,
  listings: Surroundings['listings'],
  scope: Cause['scope'] | undefined,
): Fact<FactTypes[N]> {
  if (scope === 'machine' && subject.kind === 'Cluster' && isOfSeveral(records))
    return unknown('not-in-source', `these lines do not say which machine the ${kind} belongs to`);
  const record = richest(records);
  if (record !== null) return asSeen(record);
  const listing = listings.find((entry) => entry.kind === kind);
  if (listing !== undefined) return absent(listing.by);
  return unknown('not-collected', `${kind} is not in this evidence`);
}

/** The subject as one cause may look at it. */
export function createView(
  subject: Subject,
  reading: SignReading,
  surroundings: Surroundings,
): View<FactKind, string> {
  return new SubjectView(subject, reading, surroundings);
}

/** Every cause looks at every machine, so that a view must cost little until something is asked. */
class SubjectView implements View<FactKind, string> {
  readonly instanceId: string | null;
  readonly node: string | null;
  readonly isLive: boolean;
  readonly quote = quoteOf;
  readonly #subject: Subject;
  readonly #reading: SignReading;
  readonly #around: Surroundings;

  constructor(subject: Subject, reading: SignReading, around: Surroundings) {
    this.#subject = subject;
    this.#reading = reading;
    this.#around = around;
    this.instanceId = subject.instanceId;
    this.node = subject.node;
    this.isLive = around.collection !== null;
  }

  get names(): readonly string[] {
    return this.#subject.names.map(({ value }) => value);
  }

  get nowMs(): number | null {
    this.#note('clock');
    return this.#around.collection?.atMs ?? null;
  }

  read<N extends FactKind>(kind: N): Fact<FactTypes[N]> {
    this.#noteOwn(kind);
    const { listings, scope } = this.#around;
    return readOne(kind, this.#subject.facts.of(kind), this.#subject, listings, scope);
  }

  list<N extends FactKind>(kind: N): readonly Seen<FactTypes[N]>[] {
    this.#noteOwn(kind);
    return this.#subject.facts.seen(kind);
  }

  everywhere<N extends FactKind>(kind: N): readonly Seen<FactTypes[N]>[] {
    this.#note(`all ${kind}`);
    return (this.#around.all ?? this.#subject.facts).seen(kind);
  }

  isComplete(kind: FactKind): boolean {
    return this.#around.listings.some((entry) => entry.kind === kind);
  }

  isCut(kind: FactKind): boolean {
    return this.isLive && !this.isComplete(kind);
  }

  machinesWithoutNode(): readonly string[] {
    this.#note('fleet');
    const { subjects } = this.#around;
    return subjects === undefined ? [] : withoutNode(subjects, this.isComplete('kube/Node'));
  }

  machinesWithLogs(): { readonly all: number; readonly unjoined: number } {
    this.#note('fleet');
    return withLogs(this.#around.subjects ?? []);
  }

  knowsNode(): boolean {
    this.#note('fleet');
    return this.#around.subjects?.some(({ node }) => node !== null) === true;
  }

  wasRefused(asked: string): boolean {
    return this.#around.collection?.refusals.some(({ call }) => call === asked) === true;
  }

  sign(name: string): Sighting | null {
    const own = this.#reading.standing.get(name) ?? null;
    // What somebody writes about a log stands beside it, and is of the machine whose log it is.
    if (own !== null || this.isLive || this.#around.told?.has(name) !== true) return own;
    return this.clusterSign(name);
  }

  anySign(...names: readonly string[]): boolean {
    return names.some((name) => this.#reading.standing.has(name));
  }

  clusterSign(name: string): Sighting | null {
    const { cluster, cause = '' } = this.#around;
    this.#note(`cluster ${cause}`);
    return cluster?.().standing.get(name) ?? null;
  }

  shows(symptom: string): boolean {
    return hitsOf(this.#subject, `symptom:${symptom}`).length > 0;
  }

  #note(what: Elsewhere): void {
    this.#around.onRead?.(what);
  }

  /** A cluster's facts are those of everybody. */
  #noteOwn(kind: FactKind): void {
    if (this.#subject.kind === 'Cluster') this.#note(`all ${kind}`);
  }
}

/** What causes may ask of all machines together. */
export function fleetOf(subjects: readonly Subject[], areAllListed: boolean): object {
  return { withoutNode: withoutNode(subjects, areAllListed), withLogs: withLogs(subjects) };
}

/** Asked for many subjects of the same evidence. */
const WITHOUT_NODE = new WeakMap<readonly Subject[], readonly string[]>();

function withoutNode(subjects: readonly Subject[], areAllListed: boolean): readonly string[] {
  const known = WITHOUT_NODE.get(subjects);
  if (known !== undefined) return known;
  const names = subjects
    .filter((subject) => isOutside(subject, areAllListed ? isInTrouble : wasDeleted))
    .map(({ name }) => name);
  WITHOUT_NODE.set(subjects, names);
  return names;
}

function withLogs(subjects: readonly Subject[]): {
  readonly all: number;
  readonly unjoined: number;
} {
  const logged = subjects.filter(
    ({ kind, hits }) => kind === 'Machine' && hits.some(({ onMachine }) => onMachine),
  );
  return { all: logged.length, unjoined: logged.filter((one) => !hasJoined(one)).length };
}

/** True for a machine that had a Node at some time, as far as is seen. */
function hasJoined(subject: Subject): boolean {
  return (
    subject.facts.has('kube/Node') ||
    ['node-registered', 'node-reported', 'node-ready'].some(
      (id) => hitsOf(subject, `milestone:${id}`).length > 0,
    )
  );
}

/** True for a machine without a Node of which its own logs say so, and that was not ended. */
function isOutside(subject: Subject, isSo: (subject: Subject) => boolean): boolean {
  const { kind, hits, facts, instanceId } = subject;
  if (kind !== 'Machine' || facts.has('kube/Node') || !isSo(subject)) return false;
  const own = facts
    .of('aws/instance')
    .find(({ value }) => (value.InstanceId ?? null) === instanceId);
  return (own === undefined || !isTerminated(own.value)) && hits.some(({ onMachine }) => onMachine);
}

/** True for a machine whose Node was deleted and did not come back. */
function wasDeleted(subject: Subject): boolean {
  const back = [
    ...hitsOf(subject, 'milestone:node-registered'),
    ...hitsOf(subject, 'milestone:node-ready'),
  ];
  return hitsOf(subject, 'symptom:node-object-deleted').some((deleted) =>
    back.every((success) => isAfter(deleted.last.moment, success.last.moment)),
  );
}

const FORMS: readonly Extent[] = ['whole', 'part', 'row'];

function richest<K extends FactKind>(records: readonly FactRecord<K>[]): FactRecord<K> | null {
  for (const form of FORMS) {
    const record = records.find(({ extent }) => extent === form);
    if (record !== undefined) return record;
  }
  return null;
}
