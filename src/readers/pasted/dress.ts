import { isCommandEcho } from '../line/prompt.ts';
import { beginsYamlAnswer } from '../aws/answer-shapes.ts';
import { DESCRIBE_FIELD, DESCRIBE_START, TABLE_HEADER, YAML_START } from '../text/starts.ts';
import { eachLine, type PastedLines } from './lines.ts';

/** What programs and people put before each line of a text that they show. */
interface Dress {
  readonly prefix: RegExp;
  /** True for what stands before lines of evidence too: it is taken away where that shows more. */
  readonly isUncertain: boolean;
  /** False where lines of a run may have it and be what a program printed. */
  readonly isOf?: (lines: readonly string[]) => boolean;
}

const STAMP =
  '\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?(?:Z|[+-]\\d{2}:?\\d{2})?';

function isNoCommand([first = '', ...more]: readonly string[]): boolean {
  return more.length > 0 || !isCommandEcho(first);
}

function numberIn(line: string): number {
  return Number(/\d+/.exec(line.slice(0, 12))?.[0]);
}

/** Rules and links that `ip` shows have numbers of their own, which go up too. */
const OF_IP = /^\s{0,8}\d{1,7}:\s{1,4}(?:(?:not )?from \S|[\w.@-]{1,40}:? {1,8}(?:<|inet6? ))/;

/** Numbers of lines go up; those of one line would be anything. */
function areNumbered(lines: readonly string[]): boolean {
  const numbers = lines.filter((line) => line.trim() !== '').map(numberIn);
  return (
    numbers.length > 1 &&
    !lines.some((line) => OF_IP.test(line)) &&
    numbers.every((one, index) => index === 0 || one > (numbers[index - 1] ?? 0))
  );
}

const DRESSES: readonly Dress[] = [
  { prefix: /^ {0,3}> ?/, isUncertain: false, isOf: isNoCommand },
  // Provisioners of Terraform.
  { prefix: /^[\w.[\]"-]{1,120} \((?:remote|local)-exec\): ?/, isUncertain: false },
  // Lines with their numbers: `cat -n`, `grep -n`, an editor, a page.
  { prefix: /^\s{0,8}\d{1,7}(?:[:\t]| {2}| ?\| ?)/, isUncertain: false, isOf: areNumbered },
  // GitHub Actions and Jenkins, whose stamps no other program writes.
  { prefix: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7}Z ?/, isUncertain: false },
  { prefix: /^\[\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z\] ?/, isUncertain: false },
  // Containers of docker compose have the number of their copy.
  { prefix: /^[a-z][\w.-]{0,60}-\d{1,3} {1,30}\| ?/, isUncertain: false },
  // Services of docker compose and tasks of CI, each with its name.
  { prefix: /^[\w./-]{1,60}\s{1,30}\| ?/, isUncertain: true },
  { prefix: new RegExp(`^\\[${STAMP}\\] ?`), isUncertain: true },
  { prefix: new RegExp(`^${STAMP} `), isUncertain: true },
  { prefix: /^\[\d{2}:\d{2}:\d{2}(?:[.,]\d{1,6})?\] ?/, isUncertain: true },
  { prefix: /^\d{2}:\d{2}:\d{2}(?:[.,]\d{1,6})? {1,3}/, isUncertain: true },
  { prefix: /^[│┃┆|] ?/, isUncertain: true },
];

const SYSLOG = /^[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2}\S* \S+ \S+: /;

/** Begins something of which a part before it would hide what it is. */
function isStart(line: string, next: string): boolean {
  return (
    TABLE_HEADER.test(line) ||
    YAML_START.test(line) ||
    /^\s*[{[]\s*$/.test(line) ||
    SYSLOG.test(line) ||
    isCommandEcho(line) ||
    (DESCRIBE_START.test(line) && DESCRIBE_FIELD.test(next)) ||
    beginsYamlAnswer(line, next)
  );
}

function startsIn(lines: readonly string[]): number {
  return lines.filter((line, index) => isStart(line, lines[index + 1] ?? '')).length;
}

/** Where a run of lines with the prefix ends; empty lines may be within. */
function runEnd(lines: readonly string[], from: number, { prefix }: Dress): number {
  let end = from;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (prefix.test(line)) end = index + 1;
    else if (line.trim() !== '') break;
  }
  return end;
}

function undressed(
  lines: readonly string[],
  { prefix, ...dress }: Dress,
): readonly string[] | null {
  if (dress.isOf?.(lines) === false) return null;
  const rest = lines.map((line) => line.replace(prefix, ''));
  return !dress.isUncertain || startsIn(rest) > startsIn(lines) ? rest : null;
}

function without(given: PastedLines, dress: Dress): PastedLines {
  if (!given.lines.some((line) => dress.prefix.test(line))) return given;
  const { lines } = given;
  const kept: string[] = [];
  let index = 0;
  while (index < lines.length) {
    const end = runEnd(lines, index, dress);
    const run = lines.slice(index, Math.max(end, index + 1));
    kept.push(...((end > index ? undressed(run, dress) : null) ?? run));
    index += run.length;
  }
  return { lines: kept, numbers: given.numbers };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A part of a block of YAML, below which lines are indented. */
const OF_YAML = /^\s*(?:- |#|---)|^\s*[\w./"'-]{1,120}:(?:\s|$)/;

/** True for the first line of a block that is indented as a whole. */
function beginsIndented(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  if (!/^[ \t]{2}/.test(line) || TABLE_HEADER.test(line)) return false;
  return isStart(line.trimStart(), (lines[index + 1] ?? '').trimStart());
}

/** Blocks that are indented as a whole, as Markdown and lists show what was printed. */
export function outdented(given: PastedLines): PastedLines {
  const { lines } = given;
  if (!lines.some((line) => /^[ \t]{2}/.test(line))) return given;
  let indent = 0;
  /** Whether the line before, empty ones aside, leaves open what an indented one is part of. */
  let isWithin = false;
  const kept = lines.map((line, index) => {
    if (line.trim() === '') return line;
    if (indent > 0 && indentOf(line) < indent) indent = 0;
    if (indent === 0 && !isWithin && beginsIndented(lines, index)) indent = indentOf(line);
    isWithin = indent === 0 && (/^\s/.test(line) || OF_YAML.test(line));
    return indent === 0 ? line : line.slice(indent);
  });
  return { lines: kept, numbers: given.numbers };
}

const FENCE = /^\s{0,12}(?:`{3,}|~{3,})[\w+.-]{0,20}\s*$/;
/** As `tail` and `head` print it above each of several files. */
const FILE_HEAD = /^==> \S.{0,300} <==$/;

/** Marks around a text part it from what stands before and behind. */
function withoutMarks(given: PastedLines): PastedLines {
  return eachLine(given, (line) => (FENCE.test(line) || FILE_HEAD.test(line) ? '' : line));
}

/** Takes away what was put around and before the lines, one layer of each kind. */
export function undress(given: PastedLines): PastedLines {
  return DRESSES.reduce(without, withoutMarks(given));
}
