import type { Observations } from '../evidence/observations.ts';
import type { Resemblance } from './candidates.ts';
import type { Cause } from './cause.ts';
import { evaluate } from './evaluate.ts';
import type { Answer } from './answers.ts';
import { type Conclusion, createMemory, type Made, type Memory } from './memory.ts';
import { openSymptoms } from './open-symptoms.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import { hitsOf, type Subject } from './subject.ts';
import { newReads, trackedObservations, trackedSubject } from './tracked.ts';
import { isSameList, isSameSet } from '../evidence/equal.ts';

export interface DiagnosisInput {
  readonly observations: Observations;
  readonly subjects: readonly Subject[];
  /** Causes that may matter: those with a hit, a needed fact or an open symptom. */
  readonly causes: readonly Cause[];
  /** Those of them that a line or a fact here speaks of, which alone are asked; all when not given. */
  readonly concerned?: readonly Cause[];
  readonly catalogueVersion: string;
  /** What the lines of a subject resemble, where nothing is named; asked when not given: nothing. */
  readonly resemblance?: (subject: Subject) => Resemblance;
  /** Which machines are asked about; all when not given. */
  readonly asked?: (subject: Pick<Subject, 'name' | 'instanceId' | 'node' | 'names'>) => boolean;
  /** What earlier looks concluded, which has taken in this one; nothing when not given. */
  readonly memory?: Memory;
}

/** How every subject stands with the causes that were asked, in the order of the subjects. */
export interface Examination {
  readonly causes: readonly Cause[];
  readonly standings: readonly Standing[];
  readonly memory: Memory;
}

function hasOwnHits(cause: Cause, subject: Subject): boolean {
  return hitsOf(subject, cause.id).length > 0;
}

function hasNeededFact(cause: Cause, subject: Subject): boolean {
  if (cause.scope === 'machine' && subject.kind === 'Cluster') return false;
  return cause.needs.some((kind) => subject.facts.has(kind));
}

/** True for a cause that may be asked about this subject, by the scope it has. */
function mayBeAsked(cause: Cause, subject: Subject): boolean {
  if (hasOwnHits(cause, subject)) return true;
  const isInScope = cause.scope === 'machine' || subject.kind === 'Cluster';
  return isInScope && hasNeededFact(cause, subject);
}

interface Asking {
  readonly input: DiagnosisInput;
  readonly memory: Memory;
  readonly conclusion: Conclusion;
}

/** What is found again is the same object, so that what was made of it is too. */
function isSameAnswer(one: Answer | undefined, other: Answer): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return JSON.stringify(one.match) === JSON.stringify(other.match);
}

function answerOf(cause: Cause, subject: Subject, { input, memory, conclusion }: Asking): Answer {
  const { answers, stale } = conclusion;
  const known = answers.get(cause);
  if (known !== undefined && !stale.has(cause)) return known;
  stale.delete(cause);
  const { match } = evaluate(cause, subject, input.observations, input.subjects, (what) =>
    memory.read(conclusion, cause, what),
  );
  const answer = match.verdict === 'found' ? { cause, match } : match.verdict;
  if (known !== undefined && isSameAnswer(known, answer)) return known;
  answers.set(cause, answer);
  return answer;
}

/** Asks again what may be answered otherwise now; true where everything is answered as before. */
function areAnsweredAlike(subject: Subject, asking: Asking): boolean {
  const { answers, stale } = asking.conclusion;
  return [...stale]
    .map((cause) => answers.get(cause) === answerOf(cause, subject, asking))
    .every(Boolean);
}

const NO_SYMPTOMS: Made<readonly OpenSymptom[]> = {
  value: [],
  kinds: new Set(),
  elsewhere: new Set(),
};

function isSameSymptoms(one: readonly OpenSymptom[], other: readonly OpenSymptom[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ symptom, proof }, index) => {
      const beside = other[index];
      return beside?.symptom === symptom && isSameList(proof, beside.proof);
    })
  );
}

function symptomsOf(
  subject: Subject,
  { observations }: DiagnosisInput,
  { symptoms, standing }: Conclusion,
): Made<readonly OpenSymptom[]> {
  if (symptoms !== null) return symptoms;
  if (!subject.hits.some(({ owner }) => owner.startsWith('symptom:'))) return NO_SYMPTOMS;
  const reads = newReads();
  const open = openSymptoms(
    trackedSubject(subject, reads),
    trackedObservations(observations, reads),
  );
  const isAsBefore = standing !== null && isSameSymptoms(standing.symptoms, open);
  return { value: isAsBefore ? standing.symptoms : open, ...reads };
}

/** A machine that was not asked about where others were. */
export function isBystander(subject: Subject, { asked }: DiagnosisInput): boolean {
  return subject.kind === 'Machine' && asked !== undefined && !asked(subject);
}

function concernedOf({ concerned, causes }: DiagnosisInput): readonly Cause[] {
  return concerned ?? causes;
}

/** All that counts of a bystander: an explained launch may be the gap of an asked machine's group. */
function askedOf(subject: Subject, input: DiagnosisInput): readonly Cause[] {
  const asked = concernedOf(input);
  if (!isBystander(subject, input)) return asked;
  return asked.filter(({ stage }) => stage === 'launched');
}

function madeStanding(
  subject: Subject,
  symptoms: readonly OpenSymptom[],
  asking: Asking,
): Standing {
  const { input, memory, conclusion } = asking;
  const founds: FoundCause[] = [];
  const clear = new Set<string>();
  for (const cause of askedOf(subject, input)) {
    if (!mayBeAsked(cause, subject)) continue;
    const answer = answerOf(cause, subject, asking);
    if (answer === 'clear') clear.add(cause.id);
    else if (answer !== 'unknown') founds.push(answer);
  }
  const ruledOut = memory.equalTo(clear);
  const before = conclusion.standing;
  if (before === null) return { subject, founds, symptoms, ruledOut };
  return {
    subject,
    founds: isSameList(before.founds, founds) ? before.founds : founds,
    symptoms,
    ruledOut: isSameSet(before.ruledOut, ruledOut) ? before.ruledOut : ruledOut,
  };
}

const APART = new WeakMap<readonly Cause[], WeakMap<readonly Cause[], readonly Cause[] | null>>();

/** Causes that only one of two lists has; null where those of both are asked in another order. */
function apartIn(before: readonly Cause[], now: readonly Cause[]): readonly Cause[] | null {
  const [earlier, later] = [new Set(before), new Set(now)];
  const isInOrder = isSameList(
    before.filter((cause) => later.has(cause)),
    now.filter((cause) => earlier.has(cause)),
  );
  return isInOrder ? [...earlier.symmetricDifference(later)] : null;
}

/** The same, worked out once of each two lists, as every subject asks. */
function causesApart(before: readonly Cause[], now: readonly Cause[]): readonly Cause[] | null {
  const known = APART.get(before) ?? new WeakMap<readonly Cause[], readonly Cause[] | null>();
  const apart = known.has(now) ? (known.get(now) ?? null) : apartIn(before, now);
  APART.set(before, known.set(now, apart));
  return apart;
}

/** True where the causes that are asked now are, of this subject, those that were asked before. */
function isAskedTheSame(
  subject: Subject,
  { causes, answers }: Conclusion,
  input: DiagnosisInput,
): boolean {
  const now = concernedOf(input);
  if (causes === null || causes === now) return causes === now;
  const apart = causesApart(causes, now);
  return (
    apart?.every((cause) => answers.get(cause) === undefined && !mayBeAsked(cause, subject)) ===
    true
  );
}

function standingOf(subject: Subject, input: DiagnosisInput, memory: Memory): Standing {
  const conclusion = memory.of(subject);
  const symptoms = isBystander(subject, input)
    ? NO_SYMPTOMS
    : symptomsOf(subject, input, conclusion);
  conclusion.symptoms = symptoms;
  const { standing } = conclusion;
  const asking = { input, memory, conclusion };
  const isAsked =
    standing?.symptoms === symptoms.value && isAskedTheSame(subject, conclusion, input);
  if (isAsked && areAnsweredAlike(subject, asking)) {
    conclusion.causes = concernedOf(input);
    return standing;
  }
  const made = madeStanding(subject, symptoms.value, asking);
  conclusion.standing = made;
  conclusion.causes = concernedOf(input);
  return made;
}

/** Asks causes about all subjects, as far as a memory does not know their answers. */
export function examine(input: DiagnosisInput): Examination {
  const { causes, subjects } = input;
  const memory = input.memory ?? createMemory();
  return {
    causes,
    memory,
    standings: subjects.map((subject) => standingOf(subject, input, memory)),
  };
}
