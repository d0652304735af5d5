import type { Judged } from '../oracle/judge.ts';
import { truthWords } from '../oracle/mistakes.ts';
import type { Invariant, Look, Watching } from './contract.ts';

const RULE = 'I-29';

/**
 * Every cause that is named is one of the true ones and no effect of them, every consequence follows
 * from one, and every line quoted for it was given.
 */
export const explanation: Invariant = {
  rule: RULE,
  look(look, watching) {
    for (const judged of look.judged) {
      watching.evaluated();
      const truth = truthOf(judged);
      for (const cause of judged.wrong)
        watching.violated(judged.subject, `${look.way}: named ${cause}; ${truth}`);
      for (const cause of judged.effects)
        watching.violated(
          judged.subject,
          `${look.way}: named ${cause} as the cause, which is what shows; ${truth}`,
        );
    }
    checkQuotes(look, watching);
  },
};

/** What is accepted, with the faults behind it. */
function truthOf({ truths }: Judged): string {
  const right = [...new Set(truths.map(truthWords))];
  return right.length === 0 ? 'nothing is wrong there' : `accepted: ${listed(right)}`;
}

/** Of a long list the first, as one line has to hold them. */
const LISTED_MAX = 6;

function listed(truths: readonly string[]): string {
  const more = truths.length - LISTED_MAX;
  const first = truths.slice(0, LISTED_MAX).join(', ');
  return more > 0 ? `${first} and ${more} more` : first;
}

/** Where a quoted line is said to stand must be a document that was read. */
function checkQuotes({ document, observations, way }: Look, watching: Watching): void {
  const known = new Set(observations.documents.map(({ locator }) => locator));
  for (const { name, findings } of document.subjects)
    for (const { cause, evidence } of findings)
      for (const { locator } of evidence) {
        watching.evaluated();
        if (!isIn(known, locator))
          watching.violated(name, `${way}: ${cause} quotes ${locator}, which nobody gave`);
      }
}

/** The command whose answer was that there is nothing; it left no document. */
const COMMAND = /^(?:kubectl|aws) /;

/** A locator may go on with a line or a field behind the document's own. */
function isIn(known: ReadonlySet<string>, locator: string): boolean {
  if (known.has(locator) || COMMAND.test(locator)) return true;
  for (const one of known) if (locator.startsWith(one)) return true;
  return false;
}
