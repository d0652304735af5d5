import { wrap } from '../../../diagnosis/report/wrap.ts';
import type { CommandDeclaration, OptionDeclaration } from './declaration.ts';

const INDENT = '  ';
const GAP = 3;
/** Wider terms stand on a line of their own, above what is said of them. */
const TERM_COLUMNS_MAX = 30;

interface Term {
  readonly term: string;
  readonly text: string;
}

/** Columns of the widest term that has its sentence beside it. */
function widestOf(terms: readonly string[]): number {
  return Math.max(...terms.map(({ length }) => length).filter((one) => one <= TERM_COLUMNS_MAX), 0);
}

/** Terms on the left, sentences beside them, wrapped to the columns of the terminal. */
function termLines(
  terms: readonly Term[],
  columns: number,
  widest = widestOf(terms.map(({ term }) => term)),
): readonly string[] {
  const left = INDENT.length + widest + GAP;
  const pad = ' '.repeat(left);
  return terms.flatMap(({ term, text }) => {
    const [first = '', ...rest] = wrap(text, Math.max(30, columns - left));
    const below = rest.map((line) => `${pad}${line}`);
    return term.length > widest
      ? [`${INDENT}${term}`, `${pad}${first}`, ...below]
      : [`${INDENT}${term.padEnd(widest + GAP)}${first}`, ...below];
  });
}

/** `-o, --output FORMAT`. */
export function optionTerm(name: string, option: OptionDeclaration): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const value = option.kind === 'flag' ? '' : ` ${option.value}`;
  return `${short}--${name}${value}`;
}

/** The sentence of help with the values and the default that the declaration holds. */
export function optionText(option: OptionDeclaration): string {
  const values =
    option.kind === 'choice' && !option.help.includes(option.values.join(', '))
      ? `: ${option.values.join(', ')}`
      : '';
  const isPlain = option.kind === 'flag' || option.default === undefined;
  return `${option.help}${values}${isPlain ? '' : ` (default ${option.default})`}`;
}

/** Headings and the options below each, those without a heading first. */
export function optionGroups({
  options,
}: CommandDeclaration): readonly (readonly [
  string,
  readonly (readonly [string, OptionDeclaration])[],
])[] {
  const entries = Object.entries(options);
  const headings = [...new Set(['Options', ...entries.map(([, { group = 'Options' }]) => group)])];
  return headings
    .map(
      (heading) =>
        [heading, entries.filter(([, { group = 'Options' }]) => group === heading)] as const,
    )
    .filter(([, members]) => members.length > 0);
}

/** What the exit codes of every command mean. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'usable',
  1: 'not usable',
  2: 'cannot tell',
  64: 'wrong command line',
  69: 'no source could be read',
  70: 'a bug in Rollcall',
};

function exitCodeLines(
  codes: Readonly<Record<number, string>>,
  columns: number,
): readonly string[] {
  return termLines(
    Object.entries(codes).map(([term, text]) => ({ term, text })),
    columns,
  );
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${heading}:`, ...lines];
}

/** The page of one command: what it does, how to call it, options, examples, what else to read. */
export function helpPage(command: CommandDeclaration, columns: number): string {
  const { summary, usage, description, examples, seeAlso, exitCodes } = command;
  const all = Object.entries(command.options);
  const widest = widestOf(all.map(([name, option]) => optionTerm(name, option)));
  const options = optionGroups(command).flatMap(([heading, members]) =>
    section(
      heading,
      termLines(
        members.map(([name, option]) => ({
          term: optionTerm(name, option),
          text: optionText(option),
        })),
        columns,
        widest,
      ),
    ),
  );
  const lines = [
    `${summary}.`,
    ...section(
      'Usage',
      usage.map((line) => `${INDENT}rollcall ${line}`),
    ),
    ...description.flatMap((paragraph) => ['', ...wrap(paragraph, columns)]),
    ...options,
    ...section('Exit codes', exitCodeLines(exitCodes ?? {}, columns)),
    ...section(
      'Examples',
      examples.flatMap(({ title, command: line }) => [`${INDENT}# ${title}`, `${INDENT}${line}`]),
    ),
    ...section('See also', [seeAlso.map((name) => `${INDENT}rollcall help ${name}`).join('\n')]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The page of the program: its commands, each in a sentence. */
export function overviewPage(commands: readonly CommandDeclaration[], columns: number): string {
  const lines = [
    'Rollcall says why an AWS machine is not a usable Kubernetes node.',
    ...section('Usage', [`${INDENT}rollcall [COMMAND] [options]`]),
    ...section(
      'Commands',
      termLines(
        commands.map(({ name, summary }) => ({
          term: name,
          text: name === 'status' ? `${summary}; runs when no command is given` : summary,
        })),
        columns,
      ),
    ),
    ...section('Exit codes', exitCodeLines(EXIT_CODES, columns)),
    '',
    'Options and examples of a command: rollcall help COMMAND',
  ];
  return `${lines.join('\n')}\n`;
}
