import { isSameList, isSameSet } from '../evidence/equal.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { Observations } from '../evidence/observations.ts';
import type { Cause, Elsewhere } from './cause.ts';
import type { SubjectReport } from './document.ts';
import { type FactIndex, kindsApart } from './fact-index.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import type { Subject } from './subject.ts';
import { type Changes, changesBetween, type World } from './world.ts';

/** How one cause was answered; of what was not found the reasons are told to nobody. */
export type Answer = FoundCause | 'clear' | 'unknown';

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
  readonly ruledOut: ReadonlySet<string>;
  readonly causes: readonly Cause[];
  readonly report: SubjectReport | null;
}

/** All that was concluded of one subject. */
export interface Conclusion {
  subject: Subject;
  /** The moment at which what depends on the time was asked last, ms. */
  timedMs: number;
  readonly answers: Map<Cause, Answer>;
  /** Causes whose answer may be another now. */
  readonly stale: Set<Cause>;
  /** Which causes read what of others. */
  readonly readers: Map<Elsewhere, Set<Cause>>;
  /** The causes that the standing was made of; null where it must be made again. */
  causes: readonly Cause[] | null;
  symptoms: Made<readonly OpenSymptom[]> | null;
  standing: Standing | null;
  report: Made<Reported> | null;
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
}

function keyOf({ kind, name, instanceId }: Subject): string {
  return [kind, name, instanceId ?? ''].join(' ');
}

function nothingOf(subject: Subject, timedMs: number): Conclusion {
  return {
    subject,
    timedMs,
    answers: new Map(),
    stale: new Set(),
    readers: new Map(),
    causes: null,
    symptoms: null,
    standing: null,
    report: null,
  };
}

/** True when the subject is called and heard as before; its facts may be others. */
function isSameButFacts(one: Subject, other: Subject): boolean {
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

function forget(conclusion: Conclusion, cause: Cause): void {
  conclusion.stale.add(cause);
  conclusion.causes = null;
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
    for (const cause of conclusion.answers.keys())
      if (cause.needs.some((kind) => kinds.has(kind))) forget(conclusion, cause);
  for (const [what, causes] of conclusion.readers)
    if (elsewhere.has(what)) for (const cause of causes) forget(conclusion, cause);
  const { symptoms, report } = conclusion;
  if (symptoms !== null && restsOn(symptoms, kinds, elsewhere)) conclusion.symptoms = null;
  if (report !== null && restsOn(report, kinds, elsewhere)) conclusion.report = null;
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
  forgetChanged(known, own.union(shared), elsewhere);
  if (!haveSameKinds(known.subject.facts, subject.facts)) known.causes = null;
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
  const clusterReaders = new Set<string>();
  const conclude = (subject: Subject, changes: Changes, nowMs: number, holdsMs: number) => {
    const known = conclusions.get(keyOf(subject));
    if (known === undefined || changes.isAll || !isSameButFacts(known.subject, subject))
      return nothingOf(subject, nowMs);
    const isDue = known.timedMs !== nowMs && nowMs - known.timedMs >= holdsMs;
    return renewed(known, subject, changes, isDue ? nowMs : null);
  };
  return {
    look(now, holdsMs = 0) {
      if (world?.observations === now.observations && world.subjects === now.subjects) return;
      const changes = changesBetween(world, now, clusterReaders);
      const nowMs = momentOf(now.observations);
      conclusions = new Map(
        now.subjects.map((subject) => [keyOf(subject), conclude(subject, changes, nowMs, holdsMs)]),
      );
      world = now;
    },
    of(subject) {
      const known = conclusions.get(keyOf(subject));
      // Of two subjects with one name only the later is remembered.
      return known?.subject === subject ? known : nothingOf(subject, 0);
    },
    read({ readers }, cause, what) {
      const causes = readers.get(what) ?? new Set();
      readers.set(what, causes.add(cause));
      if (what.startsWith('cluster ')) clusterReaders.add(cause.id);
    },
  };
}
