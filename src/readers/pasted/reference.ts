import { manualPagesIn } from './manual-pages.ts';
import { isListOfMessages } from './message-lists.ts';
import { metricsIn } from './metrics.ts';
import { isExercise } from './exercises.ts';
import { saysItIsOver } from './over.ts';
import { PAPER_KINDS } from './paper-kinds.ts';
import { papersIn } from './papers.ts';
import { releaseNotesIn } from './release-notes.ts';
import { rulesIn } from './rules.ts';
import { testsIn } from './test-code.ts';
import { TIME_OF_DAY } from './time-of-day.ts';

/** A text of which a part quotes messages and shows nothing of a machine. */
export interface Reference {
  /** Its lines without that part; lines keep their numbers. */
  readonly lines: readonly string[];
  /** What the part is, as a sentence about the text continues. */
  readonly what: string;
}

const LINES_MAX = 5000;

/** Lines with which files of a programming language begin, or declare something in the first column. */
const DECLARATION =
  /^(?:package \w+;?$|(?:const|var|import|type) \($|import (?:"|\{|\w+[ .;])|func (?:\(\w+ \*?\w+\) )?\w+\(|type \w+ (?:struct|interface|string)\b|(?:export|public|private|pub) (?:default |static |final |abstract |async )*(?:class|interface|function|const|enum|fn|struct|mod)\b|#include [<"]|using [\w.]+;$|def \w+\(.*\):$|class \w+(?:\(.*\))?:$)/;
const DECLARATIONS_MIN = 2;

/** Rules of Prometheus name an alert and the expression that fires it. */
const ALERT = /^\s*(?:- )?alert: \S/;
const EXPRESSION = /^\s*(?:- )?expr: \S/;

const VERDICT = /^(?:NOT USABLE|USABLE|CANNOT TELL|PENDING) {2}\S/;
/** A label of the page, and what belongs to it in the column behind. */
const LABEL = /^[a-z][a-z ]{1,10} {2,}\S/;
const OF_PAGE = /^(?:\s*$| {4})|^Not enough evidence\. |^EARLIER is a file /;
const NAMED = /^(?:cause|most likely) {2,}([a-z][a-z0-9-]+)/;

/** A comment in a block of commands that quotes what they may print. */
const QUOTING_COMMENT = /^#\s+(?:\d{1,2}[.)]\s+)?"/;

/** The lines without comments that quote a message. */
export function withoutQuotingComments(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (QUOTING_COMMENT.test(line) ? '' : line));
}

function isCode(lines: readonly string[]): boolean {
  return lines.filter((line) => DECLARATION.test(line)).length >= DECLARATIONS_MIN;
}

function isAlertRules(lines: readonly string[]): boolean {
  return lines.some((line) => ALERT.test(line)) && lines.some((line) => EXPRESSION.test(line));
}

/** A page of ours as it was printed, up to the first line that is none of it. */
export function ownPage(lines: readonly string[]): Reference | null {
  const start = lines.findIndex((line) => line.trim() !== '');
  if (!VERDICT.test(lines[start] ?? '')) return null;
  const isOwn = (line: string): boolean => LABEL.test(line) || OF_PAGE.test(line);
  const rest = lines.findIndex((line, index) => index > start && !isOwn(line));
  const end = rest === -1 ? lines.length : rest;
  const page = lines.slice(start, end);
  if (!page.some((line) => LABEL.test(line))) return null;
  const cause = page.map((line) => NAMED.exec(line)?.[1]).find((id) => id !== undefined);
  const names = cause === undefined ? '' : ` and names ${cause} (rollcall explain ${cause})`;
  return {
    lines: lines.map((line, index) => (index < end ? '' : line)),
    what: `is an answer of Rollcall${names}; give the evidence that it was made from.`,
  };
}

/** Code or rules, which quote messages for another purpose than to show a machine. */
export function referenceIn(lines: readonly string[]): Reference | null {
  const none = (what: string): Reference => ({ lines: lines.map(() => ''), what });
  if (isExercise(lines))
    return none('reports on a fault that was made on purpose and ended well; give what is wrong.');
  if (lines.length > LINES_MAX || lines.some((line) => TIME_OF_DAY.test(line))) return null;
  if (isCode(lines))
    return none(
      'is source code: the messages in it are what a program may print, not what it did.',
    );
  if (isAlertRules(lines))
    return none(
      'holds rules of alerts; to show which alert fires, give its text from Alertmanager.',
    );
  if (isListOfMessages(lines))
    return none('lists messages of no machine; give the lines that yours printed.');
  if (saysItIsOver(lines))
    return none('says that it is over and that everything runs; give what is wrong now.');
  return null;
}

/** The lines without those of these numbers; null where there are none. */
function partOf(
  lines: readonly string[],
  numbers: ReadonlySet<number>,
  what: string,
): Reference | null {
  if (numbers.size === 0) return null;
  return { lines: lines.map((line, index) => (numbers.has(index) ? '' : line)), what };
}

type FindReference = (lines: readonly string[]) => Reference | null;

function within(
  find: (lines: readonly string[]) => ReadonlySet<number>,
  what: string,
): FindReference {
  return (lines) => (lines.length > LINES_MAX ? null : partOf(lines, find(lines), what));
}

/** All that quotes messages in a text as it was unpasted, one after the other. */
export const REFERENCES: readonly FindReference[] = [
  referenceIn,
  within(
    releaseNotesIn,
    'lists changes of releases: what was wrong with a version is not what happened on a machine.',
  ),
  within(
    metricsIn,
    'holds metrics, which no cause reads; give the log lines or events behind them.',
  ),
  within(rulesIn, 'holds rules that look for messages; give the lines that they found.'),
  within(
    testsIn,
    'holds tests of a program, whose messages are made up; give the lines of a machine.',
  ),
  within(manualPagesIn, 'holds a page of a manual; give the lines that your machine printed.'),
  ...PAPER_KINDS.map((kind) => within((lines) => papersIn(lines, kind), kind.what)),
];
