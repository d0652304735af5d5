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

/**
 * Tells what is shown around a sighting. At the end of the few lines that somebody chose to show,
 * nothing speaks of a success, and nobody can ask how often it happened.
 */
export function shownAround({
  collection,
  documents,
}: Pick<Observations, 'collection' | 'documents'>): (hit: Hit) => Shown {
  const lines = documents.reduce((sum, { linesRead }) => sum + linesRead, 0);
  if (collection !== null || lines > EXCERPT_LINES_MAX) return () => 'whole';
  if (lines <= ALONE_LINES_MAX) return () => 'alone';
  return ({ document, last }) => {
    const all = documents[document]?.linesRead ?? 0;
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
