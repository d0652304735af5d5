import type { Quote } from '../evidence/sighting.ts';
import { dated, isAfter, isoMoment } from '../evidence/time.ts';
import type { TimelineEntry } from './document.ts';
import { MILESTONES } from './milestones.ts';
import type { RoledFinding, Standing } from './standing.ts';

const ENTRIES_MAX = 24;

interface Happening {
  readonly what: string;
  readonly quote: Quote;
}

function milestonesOf(standing: Standing): readonly Happening[] {
  return MILESTONES.flatMap((milestone) =>
    standing.subject.hits
      .filter((hit) => hit.owner === `milestone:${milestone.id}`)
      .map((hit) => ({ what: milestone.title, quote: hit.first })),
  );
}

function symptomsOf(standing: Standing): readonly Happening[] {
  return standing.symptoms.flatMap(({ symptom, proof }) =>
    proof.slice(0, 1).map((quote) => ({ what: symptom.title, quote })),
  );
}

function findingsOf(roled: readonly RoledFinding[]): readonly Happening[] {
  return roled.flatMap(({ cause, match }) =>
    match.proof.slice(0, 1).map((quote) => ({ what: `${cause.id}: ${cause.title}`, quote })),
  );
}

/** The next of several: one that is known to come after none of the others, the first read of those. */
function earliest(left: readonly Happening[]): number {
  const free = left.findIndex((one) =>
    left.every(
      (other) => other === one || !isAfter(dated(one.quote.moment), dated(other.quote.moment)),
    ),
  );
  return Math.max(free, 0);
}

function byReading(a: Happening, b: Happening): number {
  const [first, second] = [a.quote.moment.at, b.quote.moment.at];
  return first.document - second.document || first.line - second.line;
}

/** A milestone can be seen again and again; the first time tells the story. */
function isFirst(one: Happening, index: number, all: readonly Happening[]): boolean {
  return all.findIndex((other) => other.what === one.what) === index;
}

/** What happened to a subject, in causal order: by stamps where they compare, by lines within a file. */
export function timelineOf(
  standing: Standing,
  roled: readonly RoledFinding[],
): readonly TimelineEntry[] {
  const all = [...milestonesOf(standing), ...symptomsOf(standing), ...findingsOf(roled)];
  const left = all.toSorted(byReading).filter(isFirst).slice(0, ENTRIES_MAX);
  const ordered: TimelineEntry[] = [];
  while (left.length > 0) {
    const [next] = left.splice(earliest(left), 1);
    if (next === undefined) break;
    const { quote, what } = next;
    ordered.push({
      time: isoMoment(quote.moment),
      what,
      source: quote.source,
      locator: quote.locator,
    });
  }
  return ordered;
}
