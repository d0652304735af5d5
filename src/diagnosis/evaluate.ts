import type { Listing } from '../evidence/observations.ts';
import type { WhyUnknown } from '../evidence/fact.ts';
import type { Quote, Sighting } from '../evidence/sighting.ts';
import { SOURCES } from '../evidence/source.ts';
import {
  type CannotSay,
  type Cause,
  clear,
  type Details,
  type Found,
  found,
  type Match,
} from './cause.ts';
import type { Subject } from './subjects.ts';
import { createView, readSigns, type SignReading } from './view.ts';

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

function standingOf(cause: Cause, reading: SignReading, weight: string): readonly Sighting[] {
  return [...reading.standing]
    .filter(([name]) => cause.signs[name]?.weight === weight)
    .map(([, sighting]) => sighting);
}

function missingSources(cause: Cause, subject: Subject): readonly WhyUnknown[] {
  const deciding = Object.values(cause.signs).filter(
    (sign) => sign.weight === 'definite' || sign.weight === 'likely',
  );
  // Where it is printed first of all: other places that may quote it prove nothing by their silence.
  const sources = new Set(deciding.flatMap((sign) => sign.in.slice(0, 1)));
  if ([...sources].some((source) => subject.sources.has(source))) return [];
  return [...sources].slice(0, 2).map((source) => ({
    reason: 'not-collected',
    detail: `the ${SOURCES[source].title} is not in this evidence`,
    collect: SOURCES[source].collect,
  }));
}

/** True when the subject shows a symptom behind which this cause may stand. */
function showsSymptom(cause: Cause, subject: Subject): boolean {
  return cause.symptoms.some((id) => subject.hits.some((hit) => hit.owner === `symptom:${id}`));
}

/** Only supporting lines were seen: nothing here decides, and one command would. */
function supportedOnly(cause: Cause): CannotSay {
  const why = { reason: 'not-in-source', detail: 'only supporting lines were seen' } as const;
  return { verdict: 'unknown', missing: [{ ...why, collect: cause.decide.command }] };
}

/** What the signs alone say: found by the strongest that stands, else clear or unknown. */
export function matchBySigns(cause: Cause, subject: Subject, reading: SignReading): Match {
  if (reading.cleared) return clear;
  const definite = standingOf(cause, reading, 'definite');
  const likely = standingOf(cause, reading, 'likely');
  const context = standingOf(cause, reading, 'context');
  const deciding = [...definite, ...likely];
  if (deciding.length > 0) {
    const confidence: Found['confidence'] = definite.length > 0 ? 'definite' : 'likely';
    return found(detailsOf([...deciding, ...context]), proofOf(deciding), confidence);
  }
  if (reading.withdrawn) return clear;
  if (context.length > 0 || showsSymptom(cause, subject)) return supportedOnly(cause);
  const missing = missingSources(cause, subject);
  return missing.length === 0 ? clear : ({ verdict: 'unknown', missing } satisfies CannotSay);
}

/** Asks one cause about one subject. */
export function evaluate(cause: Cause, subject: Subject, listings: readonly Listing[]): Evaluation {
  const reading = readSigns(cause, subject);
  const own = cause.match?.(createView(subject, reading, listings)) ?? null;
  return { cause, match: own ?? matchBySigns(cause, subject, reading) };
}
