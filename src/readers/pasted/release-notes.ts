import { TIME_OF_DAY } from './time-of-day.ts';

/** Release notes and changelogs: what they list was wrong with a version, not with a machine. */

/** A heading of nothing but a version, with its date. */
const VERSION =
  /^\s{0,3}(?:#{1,4}\s{0,4}|\*\*)?(?:(?:Release|Version|release|version)\s)?\[?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?:[-+.][\w.]{1,30})?\]?(?:\([^)\s]{1,200}\))?(?:\*\*)?\s{0,4}(?:[-–—(]\s{0,2}\(?\d{4}-\d\d-\d\d\)?)?:?\s*$/;
/** A heading that only lists of changes have. */
const CHANGES =
  /^\s{0,3}(?:#{1,5}\s{0,4}|\*\*)?(?::\w{1,20}:\s|\p{Emoji_Presentation}\s)?(?:(?:Bug ?fixes|Bug Fixes|Bug or Regression|What's Changed|What’s Changed|Release [Nn]otes|Change ?[Ll]og|CHANGELOG|Notable [Cc]hanges|Other \(Cleanup or Flake\))(?: (?:for|of|in)(?: [\w./-]{1,40}){1,5}| [A-Za-z][\w.-]{1,40}(?: v?\d[\w.+-]{0,30})?)?)(?:\*\*)?:?\s*$/u;
/** Headings of the other lists in such notes, where a mark of Markdown shows that they are headings. */
const MARKED_CHANGES =
  /^\s{0,3}(?:#{1,5}\s{1,4}|\*\*)(?:Fix(?:es|ed)?|Features?|Enhancements?|Improvements?|Chores?|Added|Changed|Removed|Deprecat(?:ed|ions?)|Security|Dependencies|Documentation|Performance|Reverts?|Misc(?:ellaneous)?)(?:\*\*)?:?\s*$/;
/** Headings within notes, which other texts have too. */
const SECTION =
  /^\s{0,3}(?:#{1,5}\s{0,4}|\*\*)?(?:Core|Chores?|Features?|Fix(?:es|ed)?|Added|Changed|Removed|Deprecat(?:ed|ions?)|Security|Documentation|Docs|Tests?|CI|Build|Performance|Others?|Misc(?:ellaneous)?|API(?: Changes?)?|AWS|Helm|Charts?|Dependencies|Deps|Refactor(?:ing|s)?|Cleanups?|Enhancements?|Improvements?|New Contributors|Breaking Changes|Upgrade Notes|Known Issues)(?:\*\*)?:?\s*$/;

const BULLET = /^\s{0,8}[-*+•]\s+\S/;
const CONTINUED = /^\s{2,}\S/;
/** What a change carries and a message of a program does not. */
const MARKED =
  /\[(?:bug ?)?(?:fix|enhancement|feature|feat|deps|docs?|improvement|chore|test|security|bugfix)\]|\(\[?#\d{1,6}\]?(?:\(https?:\/\/[^)\s]{1,200}\))?(?:[,)]|$)|\bby @[\w-]{1,40} in (?:https?:|#)|\/pull\/\d{1,6}\b|^\s{0,8}(?:[-*+•]\s+|[\da-f]{7,40} )\**(?:fix|feat|chore|docs|refactor|perf|test|ci|build|revert|deps)(?:\([\w./, -]{1,40}\))?!?\**: /i;
/** A line of `git log --oneline`, or of a list without bullets. */
const COMMIT = /^\s{0,8}[\da-f]{7,12} \S/;
const MARKED_MIN = 2;

function isEntry(line: string): boolean {
  return (BULLET.test(line) || (COMMIT.test(line) && MARKED.test(line))) && !TIME_OF_DAY.test(line);
}

interface List {
  /** The lines of its entries, and of what continues them. */
  readonly lines: readonly number[];
  readonly entries: readonly string[];
  readonly end: number;
}

/** The entries from here on, up to a line that is none and continues none. */
function listAt(lines: readonly string[], from: number): List {
  const taken: number[] = [];
  const entries: string[] = [];
  let index = from;
  for (; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const isContinued = entries.length > 0 && CONTINUED.test(line) && !TIME_OF_DAY.test(line);
    if (isEntry(line)) entries.push(line);
    else if (line.trim() !== '' && !isContinued) break;
    if (line.trim() !== '') taken.push(index);
  }
  return { lines: taken, entries, end: index };
}

function areMarked(entries: readonly string[]): boolean {
  const marked = entries.filter((entry) => MARKED.test(entry)).length;
  return marked >= MARKED_MIN && marked * 2 >= entries.length;
}

type Heading = 'changes' | 'version' | 'section' | null;

function headingOf(line: string): Heading {
  if (CHANGES.test(line) || MARKED_CHANGES.test(line)) return 'changes';
  if (VERSION.test(line)) return 'version';
  return SECTION.test(line) ? 'section' : null;
}

/** True where the list is of changes: by its heading, by its marks, or as the next one of the notes. */
function isOfChanges(heading: Heading, isInNotes: boolean, { entries }: List): boolean {
  if (entries.length === 0) return false;
  if (heading === 'changes' || areMarked(entries)) return true;
  return heading !== null && isInNotes;
}

/** The numbers of the lines that list changes. */
export function releaseNotesIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  let heading: Heading = null;
  let isInNotes = false;
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? '';
    const list = listAt(lines, index);
    if (list.entries.length > 0) {
      isInNotes = isOfChanges(heading, isInNotes, list);
      if (isInNotes) for (const at of list.lines) found.add(at);
      heading = null;
    } else {
      heading = line.trim() === '' ? heading : headingOf(line);
      // Notes go on below a heading of theirs, and end at anything else.
      isInNotes &&= line.trim() === '' || heading !== null;
    }
    index = Math.max(index + 1, list.end);
  }
  return found;
}
