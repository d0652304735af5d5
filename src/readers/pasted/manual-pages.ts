import { isCommandEcho } from '../line/prompt.ts';
import { RECORD_START } from '../text/starts.ts';
import { TIME_OF_DAY } from './time-of-day.ts';

/** Pages of manuals: the messages in them are what a program may print. */

const HEADING =
  /^(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|COMMANDS|EXIT (?:STATUS|CODES?)|RETURN VALUES?|DIAGNOSTICS|ERRORS|FILES|ENVIRONMENT|EXAMPLES?|NOTES|BUGS|CAVEATS|SEE ALSO|AUTHORS?|HISTORY|COPYRIGHT|CONFIGURATION|SIGNALS|REPORTING BUGS|CONFORMING TO|STANDARDS|SECURITY)\s*$/;
const HEADINGS_MIN = 3;
/** A name with the section of the manual that it is in. */
const PAGE = /\b[\w.:+-]{2,60}\([1-9][a-z]{0,3}\)/i;
/** The first and the last line of a page. */
const MARGIN =
  /^[\w.:+-]{1,60}\([1-9][a-z]{0,3}\)\s{2}|\s{2}[\w.:+-]{1,60}\([1-9][a-z]{0,3}\)\s{0,8}$/i;

function isPrinted(line: string): boolean {
  return TIME_OF_DAY.test(line) || RECORD_START.test(line) || isCommandEcho(line);
}

/** Below its headings a page is indented; what begins in the first column is no more of it. */
function isOfPage(line: string): boolean {
  if (line.trim() === '' || HEADING.test(line) || MARGIN.test(line)) return true;
  return /^(?: {2,}|\t)/.test(line) && !isPrinted(line);
}

/** The numbers of the lines of manual pages. */
export function manualPagesIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < lines.length; ) {
    let end = index;
    while (end < lines.length && isOfPage(lines[end] ?? '')) end++;
    const page = lines.slice(index, end);
    const headings = page.filter((line) => HEADING.test(line)).length;
    const isPage = headings >= HEADINGS_MIN && page.some((line) => PAGE.test(line));
    if (isPage) for (let at = index; at < end; at++) found.add(at);
    index = Math.max(index + 1, end);
  }
  return found;
}
