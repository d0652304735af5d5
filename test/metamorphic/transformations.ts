import { dump } from 'js-yaml';
import type { ExampleFile } from '../causes/example.ts';

/** A change of the evidence that must not change which cause is named. */
export interface Transformation {
  readonly name: string;
  readonly apply: (files: readonly ExampleFile[]) => readonly ExampleFile[];
}

/** One that runs in a share, by what it changes. */
export interface SharedTransformation extends Transformation {
  readonly family: 'files' | 'form' | 'values' | 'cuts';
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function eachText(change: (text: string) => string): Transformation['apply'] {
  return (files) => files.map((file) => ({ name: file.name, text: change(file.text) }));
}

/**
 * Moves every stamp by three months and two years, in each of the forms logs use. What was later
 * stays later: a month that is carried over the end of a year takes the year with it.
 */
function shiftStamps(text: string): string {
  const year = (digits: string, isCarried: boolean): string =>
    String(Number(digits) + (isCarried ? 3 : 2));
  const month = (name: string): string => MONTHS[(MONTHS.indexOf(name) + 3) % 12] ?? name;
  const number = (digits: string): string =>
    String(((Number(digits) + 2) % 12) + 1).padStart(2, '0');
  // The 28th exists in every month, so that no stamp becomes an impossible date.
  const day = (digits: string): string => (Number(digits) > 28 ? '28' : digits);
  return text
    .replace(
      /(?:\b|(?<=\\n))(20\d{2})([-/])(\d{2})\2(\d{2})(?=[T ])/g,
      (_, y: string, dash: string, m: string, d: string) =>
        `${year(y, Number(m) > 9)}${dash}${number(m)}${dash}${day(d)}`,
    )
    .replace(
      /^([A-Z][a-z]{2}) ([ \d]\d) (?=\d{2}:\d{2}:\d{2})/gm,
      (_, name: string, d: string) => `${month(name)} ${Number(d) > 28 ? '28' : d} `,
    )
    .replace(
      /([IWEF])(\d{2})(\d{2})(?= \d{2}:\d{2}:\d{2}\.\d)/g,
      (_, level: string, m: string, d: string) => `${level}${number(m)}${day(d)}`,
    )
    .replace(
      /(?<=, )(\d{2}) ([A-Z][a-z]{2}) (\d{4})(?= \d{2}:)/g,
      (_, d: string, name: string, y: string) =>
        `${day(d)} ${month(name)} ${year(y, MONTHS.indexOf(name) > 8)}`,
    );
}

/** Other hexadecimal digits for the same digits, so that names stay names and stay distinct. */
function otherHex(id: string): string {
  return Array.from(id)
    .map((digit) => '5e0b7a3f1d9c4286'[Number.parseInt(digit, 16)] ?? digit)
    .join('');
}

function otherOctet(octet: string): string {
  return String((Number(octet) * 7 + 13) % 251);
}

/**
 * Gives every instance, interface, subnet, account and private address another name, consistently;
 * service addresses (x.y.0.1, x.y.0.10) and the resolver of a VPC (x.y.0.2) are the platform's own
 * and stay.
 */
function rename(text: string): string {
  return text
    .replace(
      /\b(i|eni|subnet|vpc|sg|rtb|ami|vol|lt)-([0-9a-f]{17}|[0-9a-f]{8})\b/g,
      (_, kind: string, id: string) => `${kind}-${otherHex(id)}`,
    )
    .replace(/(?<=arn:aws[\w-]*:\w+:[\w-]*:|"OwnerId":\s*")\d{12}\b/g, (account) =>
      Array.from(account)
        .map((digit) => String((Number(digit) + 4) % 10))
        .join(''),
    )
    .replace(
      /\bip-(10|172|192)-(\d{1,3})-(\d{1,3})-(\d{1,3})\b/g,
      (_, a: string, b: string, c: string, d: string) =>
        `ip-${a}-${b}-${otherOctet(c)}-${otherOctet(d)}`,
    )
    .replace(
      /(?<![\d.])(?!\d+\.\d+\.0\.(?:10?|2)\b)(10|172|192)\.(\d{1,3})\.(\d{1,3})\.(?!0\/)(\d{1,3})(?![\d.])/g,
      (_, a: string, b: string, c: string, d: string) =>
        `${a}.${b}.${otherOctet(c)}.${otherOctet(d)}`,
    );
}

const PREFIXES: readonly RegExp[] = [
  /^[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d+)? \S+ \S+?(?:\[\d+\])?: (?=\S)/gm,
  /^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ (?=\S)/gm,
];

/** What is left when a page or a chat swallowed the beginnings of the lines. */
function loseLineStarts(text: string): string {
  return PREFIXES.reduce((rest, prefix) => rest.replace(prefix, ''), text);
}

function splitInTwo(file: ExampleFile): readonly ExampleFile[] {
  const isLog =
    /\.(?:log|txt)$/.test(file.name) &&
    /^(?:[A-Z][a-z]{2} +\d|[IWEF]\d{4} |\{"level"|\d{4}-\d{2}-)/m.test(file.text);
  const lines = file.text.split('\n');
  if (!isLog || lines.length < 4) return [file];
  const middle = Math.floor(lines.length / 2);
  return [
    { name: `1-${file.name}`, text: `${lines.slice(0, middle).join('\n')}\n` },
    { name: `2-${file.name}`, text: lines.slice(middle).join('\n') },
  ];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer as `-o yaml` and `--output yaml` print it. */
function printAsYaml(file: ExampleFile): ExampleFile {
  const answer = file.name.endsWith('.json') ? jsonOf(file.text) : undefined;
  return answer === undefined
    ? file
    : { name: file.name.replace(/json$/, 'yaml'), text: dump(answer, { lineWidth: -1 }) };
}

/**
 * The transformations, without those that need the machine's own name. The families come in turn,
 * so that any four in a row have one of each: so many run in CI.
 */
export const TRANSFORMATIONS: readonly SharedTransformation[] = [
  {
    name: 'files in the opposite order',
    family: 'files',
    apply: (files) => [...files].toReversed(),
  },
  { name: 'answers in YAML', family: 'form', apply: (files) => files.map(printAsYaml) },
  { name: 'other timestamps', family: 'values', apply: eachText(shiftStamps) },
  { name: 'lines that lost their beginning', family: 'cuts', apply: eachText(loseLineStarts) },
  {
    name: 'all files in one',
    family: 'files',
    apply: (files) => [{ name: 'all.txt', text: files.map((file) => file.text).join('\n\n') }],
  },
  {
    name: 'Windows line ends',
    family: 'form',
    apply: eachText((text) => text.replace(/\n/g, '\r\n')),
  },
  { name: 'everything renamed', family: 'values', apply: eachText(rename) },
  {
    name: 'each log cut in two files',
    family: 'cuts',
    apply: (files) => files.flatMap(splitInTwo),
  },
  {
    name: 'other file names',
    family: 'files',
    apply: (files) => files.map((file, index) => ({ ...file, name: `evidence-${index}` })),
  },
];
