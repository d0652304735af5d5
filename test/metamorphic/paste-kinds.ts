import type { ExampleFile } from '../causes/example.ts';
import { healthyJournal } from './healthy-log.ts';

/** A way in which evidence reaches a person's clipboard; it must not change which cause is named. */
export interface PasteKind {
  readonly name: string;
  readonly apply: (files: readonly ExampleFile[]) => readonly ExampleFile[];
}

function eachText(change: (text: string) => string): PasteKind['apply'] {
  return (files) => files.map((file) => ({ name: file.name, text: change(file.text) }));
}

function eachLine(change: (line: string, index: number) => string): PasteKind['apply'] {
  return eachText((text) => text.replace(/\n$/, '').split('\n').map(change).join('\n'));
}

const MAIL_COLUMNS = 72;
const TERMINAL_COLUMNS = 80;

/** A line as a mail program breaks it: before the word that goes over the edge. */
function wrapWords(line: string): string {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > MAIL_COLUMNS) {
    const blank = rest.lastIndexOf(' ', MAIL_COLUMNS);
    // A word that is longer than a line is left whole.
    const isWhole = blank < 0 || rest.slice(0, blank).trim() === '';
    const cut = isWhole ? rest.indexOf(' ', MAIL_COLUMNS) : blank;
    if (cut < 0) break;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut + 1);
  }
  return [...lines, rest].join('\n');
}

/** A line as a terminal of 80 columns shows it, and as it is copied from there. */
function wrapColumns(line: string): string {
  return line.replace(new RegExp(`.{${TERMINAL_COLUMNS}}(?=.)`, 'g'), '$&\n');
}

const quoted = (line: string): string => (line === '' ? '>' : `> ${line}`);

function inMail(text: string): string {
  const body = text.trimEnd().split('\n').map(wrapWords).join('\n').split('\n').map(quoted);
  return ['On Tue, Mar 3, 2026 at 10:12 AM Ana wrote:', '>', ...body].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const NUMERIC: Readonly<Record<string, string>> = { '&#39;': '&#x27;', '&quot;': '&#34;' };

/** The source of a page: markup around each line, entities by number. */
function asPage(text: string): string {
  const body = escaped(text).replace(/&#39;|&quot;/g, (entity) => NUMERIC[entity] ?? entity);
  return `<div class="highlight"><pre><code>${body.trimEnd()}\n</code></pre></div>\n`;
}

function asBreaks(text: string): string {
  const lines = escaped(text.trimEnd()).split('\n');
  return lines.map((line) => `${line.replaceAll('  ', ' &nbsp;')}<br>`).join('\n');
}

const ESCAPE = '\u001b';

/** As `grep --color`, `kubectl` plug-ins and log viewers color a line: its level, then some words. */
function colored(line: string): string {
  return line
    .replace(
      /\b(?:error|warning|failed|fatal|info)\b/gi,
      `${ESCAPE}[01;31m${ESCAPE}[K$&${ESCAPE}[m${ESCAPE}[K`,
    )
    .replace(/^.+$/, `${ESCAPE}[0;32m$&${ESCAPE}[0m`);
}

function coloredWithoutEscape(line: string): string {
  return colored(line).replaceAll(ESCAPE, '^[');
}

function second(index: number): string {
  return `${String(Math.floor(index / 60) % 60).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`;
}

const jenkins = (line: string, index: number): string =>
  `[2026-03-03T10:${second(index)}.042Z] ${line}`;
const github = (line: string, index: number): string =>
  `2026-03-03T10:${second(index)}.0421337Z ${line}`;
const terraform = (line: string): string => `aws_instance.worker[0] (remote-exec): ${line}`;
const compose = (line: string): string => `node-1  | ${line}`;

/** What a person copies from a record that holds the text. */
function jsonString(text: string): string {
  return JSON.stringify(text);
}

function inRecord(text: string): string {
  return `${JSON.stringify({ id: 4711, author: 'ana', body: text })}\n`;
}

function indentedRecord(text: string): string {
  return `${JSON.stringify({ issue: { title: 'nodes do not join', description: text } }, null, 2)}\n`;
}

/** Optical recognition loses quotes, or makes others of them. */
const unquoted = (text: string): string => text.replaceAll('"', '').replaceAll("'", '');

function curly(text: string): string {
  return text.replace(/"([^"\n]*)"/g, '\u201c$1\u201d').replace(/'([^'\n]*)'/g, '\u2018$1\u2019');
}

/** A page shows runs of blanks as one; within strings of JSON they stand for lines. */
function squeezed(text: string): string {
  return /^\s*[{[]/.test(text) ? text : text.replace(/(?<=\S) {2,}/g, ' ');
}

const fenced = ({ name, text }: ExampleFile): string =>
  `**${name}**\n\n\`\`\`console\n${text.trimEnd()}\n\`\`\``;

function inOne(text: string): readonly ExampleFile[] {
  return [{ name: 'paste.txt', text }];
}

const issue: PasteKind['apply'] = (files) =>
  inOne(`### What happened?\n\nNodes do not join.\n\n${files.map(fenced).join('\n\n')}\n`);

const HEALTHY_LINES = 400;

function beforeIt(file: ExampleFile): ExampleFile {
  const journal = healthyJournal('ip-10-250-99-7.ec2.internal', 'ip-10-250-99-7.ec2.internal');
  const head = journal.split('\n', HEALTHY_LINES).join('\n');
  return { name: file.name, text: `${head}\n${file.text}` };
}

/** The ways of pasting of which it is counted how often they change the answer. */
export const PASTE_KINDS: readonly PasteKind[] = [
  { name: 'quoted with >', apply: eachLine(quoted) },
  { name: 'quoted twice', apply: eachLine((line) => `> ${quoted(line)}`) },
  { name: 'wrapped at 72, by words', apply: eachLine(wrapWords) },
  { name: 'wrapped at 80, by columns', apply: eachLine(wrapColumns) },
  { name: 'wrapped at 72 and quoted', apply: eachText(inMail) },
  {
    name: 'all files in one, no empty line between',
    apply: (files) => inOne(files.map(({ text }) => text.trimEnd()).join('\n')),
  },
  {
    name: 'all files in one, under their names',
    apply: (files) =>
      inOne(files.map(({ name, text }) => `==> ${name} <==\n${text.trimEnd()}\n`).join('\n')),
  },
  {
    name: 'all files in one, after words',
    apply: (files) =>
      inOne(files.map(({ text }) => `And this is the output:\n${text.trimEnd()}\n`).join('\n')),
  },
  { name: 'healthy lines in front', apply: (files) => files.map(beforeIt) },
  { name: 'Markdown fences', apply: issue },
  { name: 'indented by four', apply: eachLine((line) => `    ${line}`) },
  { name: 'HTML entities', apply: eachText(escaped) },
  { name: 'HTML in pre and code', apply: eachText(asPage) },
  { name: 'HTML with line breaks', apply: eachText(asBreaks) },
  { name: 'ANSI colors', apply: eachLine(colored) },
  { name: 'ANSI colors as ^[[', apply: eachLine(coloredWithoutEscape) },
  { name: 'prefix of Jenkins', apply: eachLine(jenkins) },
  { name: 'prefix of GitHub Actions', apply: eachLine(github) },
  { name: 'prefix of a Terraform provisioner', apply: eachLine(terraform) },
  { name: 'prefix of docker compose', apply: eachLine(compose) },
  { name: 'a JSON string', apply: eachText(jsonString) },
  { name: 'in a record of JSON', apply: eachText(inRecord) },
  { name: 'in an indented record of JSON', apply: eachText(indentedRecord) },
  { name: 'Windows line ends', apply: eachText((text) => text.replaceAll('\n', '\r\n')) },
  { name: 'quotes lost', apply: eachText(unquoted) },
  { name: 'curly quotes', apply: eachText(curly) },
  { name: 'runs of blanks made one', apply: eachText(squeezed) },
  {
    name: 'numbered lines',
    apply: eachLine((line, index) => `${String(index + 1).padStart(6)}\t${line}`),
  },
  { name: 'grep -n', apply: eachLine((line, index) => `${index + 1}:${line}`) },
  {
    name: 'an issue, quoted in a mail',
    apply: (files) => issue(files).map(({ name, text }) => ({ name, text: inMail(text) })),
  },
];
