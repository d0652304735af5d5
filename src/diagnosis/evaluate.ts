import type { Observations } from '../evidence/observations.ts';
import type { WhyUnknown } from '../evidence/fact.ts';
import type { Quote, Sighting } from '../evidence/sighting.ts';
import { type LineSource, SOURCES } from '../evidence/source.ts';
import {
  cannotSay,
  type CannotSay,
  type Cause,
  clear,
  type Details,
  type Elsewhere,
  type Found,
  found,
  type Match,
  type Sign,
} from './cause.ts';
import { shownAround } from './excerpt.ts';
import { defaultWithdrawal } from './milestones.ts';
import { hitsOf, type Subject } from './subject.ts';
import { createView, readSigns, type SignReading, type Surroundings } from './view.ts';

export interface Evaluation {
  readonly cause: Cause;
  readonly match: Match;
}

function detailsOf(sightings: readonly Sighting[]): Details {
  return Object.assign(
    {},
    ...[...sightings].toReversed().map((sighting) => sighting.last.captures),
  ) as Details;
}

function proofOf(sightings: readonly Sighting[]): readonly Quote[] {
  return sightings.flatMap((sighting) => [sighting.first, sighting.last]).filter(isDistinct);
}

function isDistinct(quote: Quote, index: number, all: readonly Quote[]): boolean {
  return (
    all.findIndex((other) => other.locator === quote.locator && other.excerpt === quote.excerpt) ===
    index
  );
}

/** A sign that was seen fewer times than a whole log would show it is never definite. */
function weightOf(cause: Cause, reading: SignReading, name: string): string | null {
  const weight = cause.signs[name]?.weight ?? null;
  return weight === 'definite' && reading.thin.has(name) ? 'likely' : weight;
}

function standingOf(
  cause: Cause,
  reading: SignReading,
  weight: string,
  counts: (sign: Sign) => boolean = () => true,
): readonly Sighting[] {
  if (reading.standing.size === 0) return [];
  return [...reading.standing]
    .filter(([name]) => weightOf(cause, reading, name) === weight)
    .filter(([name]) => {
      const sign = cause.signs[name];
      return sign !== undefined && counts(sign);
    })
    .map(([, sighting]) => sighting);
}

const DECIDING_SOURCES = new WeakMap<Cause, ReadonlySet<LineSource>>();

/** Where a cause is printed first of all: other places that may quote it prove nothing by silence. */
function decidingSources(cause: Cause): ReadonlySet<LineSource> {
  const known = DECIDING_SOURCES.get(cause);
  if (known !== undefined) return known;
  const deciding = Object.values(cause.signs).filter(
    (sign) => sign.weight === 'definite' || sign.weight === 'likely',
  );
  const sources = new Set(deciding.flatMap((sign) => sign.in.slice(0, 1)));
  DECIDING_SOURCES.set(cause, sources);
  return sources;
}

/** Nothing was said of the cause: its sources were not read, or those that were are silent. */
function silence(cause: Cause, subject: Subject): CannotSay {
  const sources = decidingSources(cause);
  const read = [...sources].find((source) => subject.sources.has(source));
  if (read === undefined && sources.size > 0) return cannotSay(...notCollected([...sources]));
  const detail =
    read === undefined
      ? 'the deciding objects are not in this evidence'
      : `the ${SOURCES[read].title} does not show it and may be incomplete`;
  return cannotSay({ reason: 'not-in-source', detail, collect: cause.decide.command });
}

function notCollected(sources: readonly LineSource[]): readonly WhyUnknown[] {
  return sources.slice(0, 2).map((source) => ({
    reason: 'not-collected',
    detail: `the ${SOURCES[source].title} is not in this evidence`,
    collect: SOURCES[source].collect,
  }));
}

/** A success was seen that takes back every failure of this kind, whether or not one was seen. */
export function hasSucceeded(cause: Cause, subject: Subject): boolean {
  const successes = cause.withdrawnBy ?? defaultWithdrawal(cause.stage);
  return (
    successes.some((id) => hitsOf(subject, `milestone:${id}`).length > 0) ||
    hitsOf(subject, cause.id).some(({ sign }) => cause.signs[sign]?.weight === 'withdraws')
  );
}

/** True when the subject shows a symptom behind which this cause may stand. */
function showsSymptom(cause: Cause, subject: Subject): boolean {
  return cause.symptoms.some((id) => hitsOf(subject, `symptom:${id}`).length > 0);
}

/** Only supporting lines were seen: nothing here decides, and one command would. */
function supportedOnly(cause: Cause): CannotSay {
  const why = {
    reason: 'not-in-source',
    detail: 'only supporting lines are in this evidence',
  } as const;
  return cannotSay({ ...why, collect: cause.decide.command });
}

/**
 * What the signs alone say: found by the strongest that stands, clear only where something says so;
 * silence is unknown, since every log may have been cut.
 */
export function matchBySigns(cause: Cause, subject: Subject, reading: SignReading): Match {
  if (reading.cleared) return clear;
  const definite = standingOf(cause, reading, 'definite');
  const likely = standingOf(cause, reading, 'likely');
  const context = standingOf(cause, reading, 'context', (sign) => sign.isBackground !== true);
  const deciding = [...definite, ...likely];
  if (deciding.length > 0) {
    const confidence: Found['confidence'] = definite.length > 0 ? 'definite' : 'likely';
    return found(detailsOf([...deciding, ...context]), proofOf(deciding), confidence);
  }
  if (reading.withdrawn) return clear;
  if (context.length > 0 || showsSymptom(cause, subject)) return supportedOnly(cause);
  if (hasSucceeded(cause, subject)) return clear;
  return silence(cause, subject);
}

/** True where it follows from objects alone: no line says it, or none that the cause relies on. */
function isDeduced(match: Match, cause: Cause, reading: SignReading): boolean {
  if (match.verdict !== 'found' || match.isInShown === true) return false;
  if (standingOf(cause, reading, 'definite').length > 0) return false;
  const isLikely = standingOf(cause, reading, 'likely').length > 0;
  return !isLikely || match.proof.every(({ source }) => source === 'object');
}

/** A deduction needs its objects whole: what a source left out may be what speaks against it. */
function ifWhole(match: Match, cause: Cause, { facts }: Subject): Match {
  const cut = facts.firstCut(cause.needs);
  if (cut === null) return match;
  const detail = `${cut.by} shows only a part of ${cut.locator}`;
  return cannotSay({ reason: 'not-in-source', detail, collect: cause.decide.command });
}

const TOLD = new WeakMap<Cause, ReadonlySet<string>>();

function toldSigns(cause: Cause): ReadonlySet<string> {
  const known = TOLD.get(cause);
  if (known !== undefined) return known;
  const told = new Set(Object.keys(cause.signs).filter((name) => cause.signs[name]?.isTold));
  TOLD.set(cause, told);
  return told;
}

/**
 * Asks one cause about one subject.
 *
 * @param subjects all that the evidence is about, the cluster among them
 * @param onRead hears what is read that is not the subject's own
 */
export function evaluate(
  cause: Cause,
  subject: Subject,
  observations: Pick<Observations, 'listings' | 'collection' | 'documents' | 'hits'>,
  subjects: readonly Subject[] = [],
  onRead?: (what: Elsewhere) => void,
): Evaluation {
  const shown = shownAround(observations);
  const reading = readSigns(cause, subject, shown);
  const { listings, collection } = observations;
  const cluster = subjects.findLast(({ kind }) => kind === 'Cluster');
  const surroundings: Surroundings = {
    listings,
    collection,
    subjects,
    scope: cause.scope,
    cause: cause.id,
    told: toldSigns(cause),
    cluster: cluster === undefined ? undefined : () => readSigns(cause, cluster, shown),
    all: cluster?.facts,
    onRead,
  };
  const own = cause.match?.(createView(subject, reading, surroundings)) ?? null;
  if (own === null) return { cause, match: matchBySigns(cause, subject, reading) };
  return { cause, match: isDeduced(own, cause, reading) ? ifWhole(own, cause, subject) : own };
}
