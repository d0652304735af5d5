import type { Hit, Observations } from '../evidence/observations.ts';
import type { Sign } from './cause.ts';

/** More lines than these are a log, in which a fault that lasts is seen again. */
const EXCERPT_LINES_MAX = 40;
/** So many lines after the last sighting are its stack, its end and what a person says of it. */
const REST_LINES_MAX = 12;

/** Of so few lines nobody can see how the log went on or began. */
const ALONE_LINES_MAX = 5;

/** How much of a log is shown: all that there was, the end of it, or hardly more than the line itself. */
export type Shown = 'whole' | 'end' | 'alone';

type Evidence = Pick<Observations, 'collection' | 'documents' | 'hits'>;

const NAMES = new WeakMap<Evidence['hits'], readonly ReadonlySet<string>[]>();

/** The machines of each document: those it names, and those that its lines are about. */
function namesOf({ documents, hits }: Evidence): readonly ReadonlySet<string>[] {
  const known = NAMES.get(hits);
  if (known !== undefined) return known;
  const names = documents.map(({ machines }) => new Set(machines.map(({ value }) => value)));
  for (const { about, document } of hits) if (about !== null) names[document]?.add(about.value);
  NAMES.set(hits, names);
  return names;
}

/** The log of a machine that this document does not name is no part of what it shows. */
function linesAround({ documents, ...rest }: Evidence, own: number): number {
  const names = namesOf({ documents, ...rest });
  const ours = names[own] ?? new Set();
  return documents.reduce((sum, { linesRead }, index) => {
    const others = names[index] ?? new Set();
    const isOfOther = index !== own && others.size > 0 && ours.isDisjointFrom(others);
    return isOfOther ? sum : sum + linesRead;
  }, 0);
}

const ALL_SHOWN = (): Shown => 'whole';

/**
 * Tells what is shown around a sighting. At the end of the few lines that somebody chose to show,
 * nothing speaks of a success, and nobody can ask how often it happened.
 */
export function shownAround(evidence: Evidence): (hit: Hit) => Shown {
  if (evidence.collection !== null) return ALL_SHOWN;
  return ({ document, last }) => {
    const all = evidence.documents[document]?.linesRead ?? 0;
    // Of many long files, each hit would count the lines of all.
    if (all > EXCERPT_LINES_MAX) return 'whole';
    const lines = linesAround(evidence, document);
    if (lines > EXCERPT_LINES_MAX) return 'whole';
    if (lines <= ALONE_LINES_MAX) return 'alone';
    return all - last.moment.at.line <= REST_LINES_MAX ? 'end' : 'whole';
  };
}

/** How often a sign must be seen: once where so little is shown that it is enough to an expert. */
export function timesNeeded(sign: Sign, shown: readonly Shown[]): number {
  const isEnough =
    (sign.enoughOnce === 'alone' && shown.includes('alone')) ||
    (sign.enoughOnce === 'end' && shown.some((much) => much !== 'whole'));
  return isEnough ? 1 : (sign.atLeast ?? 1);
}
