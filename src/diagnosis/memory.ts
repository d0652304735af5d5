import { isSameList, isSameSet } from '../evidence/equal.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { Observations } from '../evidence/observations.ts';
import type { Cause, Elsewhere } from './cause.ts';
import { Answers, type Numbers } from './answers.ts';
import type { SubjectReport } from './document.ts';
import { type FactIndex, kindsApart } from './fact-index.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import type { Subject } from './subject.ts';
import { type Changes, changesBetween, type World } from './world.ts';

/** What was made of a subject, and what it rests on beside the subject's own lines. */
export interface Made<T> {
  readonly value: T;
  readonly kinds: ReadonlySet<FactKind>;
  readonly elsewhere: ReadonlySet<Elsewhere>;
}

/** What a report was made of. */
export interface Reported {
  readonly founds: Standing['founds'];
  readonly symptoms: Standing['symptoms'];
  readonly shared: readonly FoundCause[];
  /** Ruled out for every subject, and for this one. */
  readonly ruledOut: ReadonlySet<string>;
  readonly ownRuledOut: ReadonlySet<string>;
  readonly causes: readonly Cause[];
  readonly report: SubjectReport | null;
}

/** All that was concluded of one subject. */
export interface Conclusion {
  /** By which the subject is known again. */
  readonly key: string;
  subject: Subject;
  /** The moment at which what depends on the time was asked last, ms. */
  timedMs: number;
  readonly answers: Answers;
  /** Causes whose answer may be another now. */
  readonly stale: Set<Cause>;
  /** Which causes read what of others. */
  readonly readers: Map<Elsewhere, Set<Cause>>;
  /** The causes that the standing was made of; null where it must be made again. */
  causes: readonly Cause[] | null;
  symptoms: Made<readonly OpenSymptom[]> | null;
  standing: Standing | null;
  /** Of each list of causes that a look goes through the latest. */
  reports: readonly Made<Reported>[];
}

/** Keeps conclusions from look to look, as long as nothing changed that they rest on. */
export interface Memory {
  /**
   * Takes in what is seen now, and forgets what no longer holds.
   *
   * @param holdsMs how old what depends on the time may be, ms
   */
  look(world: World, holdsMs?: number): void;
  of(subject: Subject): Conclusion;
  /** Notes that a cause read something that is not the subject's own. */
  read(conclusion: Conclusion, cause: Cause, what: Elsewhere): void;
  /** An equal set that another subject has, as most machines do; else this one, which is kept. */
  equalTo(ids: ReadonlySet<string>): ReadonlySet<string>;
}

/** So many different sets are compared with; machines of one cluster differ in few ways. */
const SETS_MAX = 8;

function keyOf({ kind, name, instanceId }: Subject): string {
  return [kind, name, instanceId ?? ''].join(' ');
}

function nothingOf(subject: Subject, timedMs: number, numbers: Numbers): Conclusion {
  return {
    key: keyOf(subject),
    subject,
    timedMs,
    answers: new Answers(numbers),
    stale: new Set(),
    readers: new Map(),
    causes: null,
    symptoms: null,
    standing: null,
    reports: [],
  };
}

/** True when the subject is called and heard as before; its facts may be others. */
function isSameButFacts(one: Subject, other: Subject): boolean {
  if (one === other) return true;
  return (
    one.node === other.node &&
    one.cluster === other.cluster &&
    isSameList(one.hits, other.hits) &&
    isSameList(
      one.names.map(({ value }) => value),
      other.names.map(({ value }) => value),
    ) &&
    isSameSet(one.sources, other.sources)
  );
}

function restsOn(
  { kinds, elsewhere }: Made<unknown>,
  changedKinds: ReadonlySet<FactKind>,
  changedElsewhere: ReadonlySet<Elsewhere>,
): boolean {
  return !kinds.isDisjointFrom(changedKinds) || !elsewhere.isDisjointFrom(changedElsewhere);
}

/** Forgets what rests on these kinds of facts, or on this of others. */
function forgetChanged(
  conclusion: Conclusion,
  kinds: ReadonlySet<FactKind>,
  elsewhere: ReadonlySet<Elsewhere>,
): void {
  // A cluster's facts are everybody's: what it reads of them is noted as what is read of others.
  const isMachine = conclusion.subject.kind === 'Machine';
  if (isMachine && kinds.size > 0)
    for (const cause of conclusion.answers.causes())
      if (cause.needs.some((kind) => kinds.has(kind))) conclusion.stale.add(cause);
  for (const what of elsewhere)
    for (const cause of conclusion.readers.get(what) ?? []) conclusion.stale.add(cause);
  const { symptoms, reports } = conclusion;
  if (symptoms !== null && restsOn(symptoms, kinds, elsewhere)) conclusion.symptoms = null;
  if (reports.some((report) => restsOn(report, kinds, elsewhere)))
    conclusion.reports = reports.filter((report) => !restsOn(report, kinds, elsewhere));
}

const CLOCK: ReadonlySet<Elsewhere> = new Set(['clock']);
const NO_KINDS: ReadonlySet<FactKind> = new Set();

/** Which causes are asked depends on the kinds of facts there are. */
function haveSameKinds(one: FactIndex, other: FactIndex): boolean {
  return (
    isSameSet(one.ownKinds, other.ownKinds) &&
    (one.shared === other.shared ||
      isSameSet(one.shared?.ownKinds ?? NO_KINDS, other.shared?.ownKinds ?? NO_KINDS))
  );
}

/** What of a known subject still holds now; the rest is forgotten. */
function renewed(
  known: Conclusion,
  subject: Subject,
  { shared, elsewhere }: Changes,
  timedMs: number | null,
): Conclusion {
  const own = kindsApart(known.subject.facts, subject.facts);
  forgetChanged(known, own.size === 0 ? shared : own.union(shared), elsewhere);
  if (known.subject !== subject && !haveSameKinds(known.subject.facts, subject.facts))
    known.causes = null;
  if (timedMs !== null) forgetChanged(known, NO_KINDS, CLOCK);
  if (known.subject !== subject && known.standing !== null)
    known.standing = { ...known.standing, subject };
  known.subject = subject;
  known.timedMs = timedMs ?? known.timedMs;
  return known;
}

function momentOf({ collection }: Observations): number {
  return collection?.atMs ?? 0;
}

/** An empty memory. */
export function createMemory(): Memory {
  let world: World | null = null;
  let conclusions = new Map<string, Conclusion>();
  let bySubject = new Map<Subject, Conclusion>();
  const clusterReaders = new Set<string>();
  const numbers: Numbers = new Map();
  const sets: ReadonlySet<string>[] = [];
  const conclude = (subject: Subject, changes: Changes, nowMs: number, holdsMs: number) => {
    const known = bySubject.get(subject) ?? conclusions.get(keyOf(subject));
    if (known === undefined || changes.isAll || !isSameButFacts(known.subject, subject))
      return nothingOf(subject, nowMs, numbers);
    const isDue = known.timedMs !== nowMs && nowMs - known.timedMs >= holdsMs;
    return renewed(known, subject, changes, isDue ? nowMs : null);
  };
  return {
    look(now, holdsMs = 0) {
      if (world?.observations === now.observations && world.subjects === now.subjects) return;
      const changes = changesBetween(world, now, clusterReaders);
      const nowMs = momentOf(now.observations);
      conclusions = new Map(
        now.subjects.map((subject) => {
          const conclusion = conclude(subject, changes, nowMs, holdsMs);
          return [conclusion.key, conclusion];
        }),
      );
      bySubject = new Map([...conclusions.values()].map((known) => [known.subject, known]));
      world = now;
    },
    of(subject) {
      // Of two subjects with one name only the later is remembered.
      return bySubject.get(subject) ?? nothingOf(subject, 0, numbers);
    },
    read({ readers }, cause, what) {
      const causes = readers.get(what) ?? new Set();
      readers.set(what, causes.add(cause));
      if (what.startsWith('cluster ')) clusterReaders.add(cause.id);
    },
    equalTo(ids) {
      const known = sets.find((one) => isSameSet(one, ids));
      if (known !== undefined) return known;
      if (sets.push(ids) > SETS_MAX) sets.shift();
      return ids;
    },
  };
}
