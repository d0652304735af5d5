import { commandBehindPrompt } from '../line/prompt.ts';

/** A command as it was typed, of which the output follows. */
export interface Command {
  readonly text: string;
  readonly program: string;
  /** Words that are neither options nor their values. */
  readonly words: readonly string[];
  /** Values by the name of the option without dashes; empty for one that has none. */
  readonly options: ReadonlyMap<string, string>;
  /** The path that jq took of the output behind a pipe; empty without one. */
  readonly jqPath: string;
  /** The pipe behind which only some lines were left, such as `grep AWS_`; empty without one. */
  readonly filter: string;
}

const LENGTH_MAX = 2000;
const CONTINUED_MAX = 20;
/** Outside quotes, since none of those that people type there has one behind it. */
const BEHIND = /\s{0,4}(?:;|&&)\s{0,4}(?=(?:kubectl|oc|aws|cat|hostname|curl)\s)/;
const COMMANDS_MAX = 4;
/** A command whose JSON jq or Python shows, as it is or a part of it, or whose rows are sorted. */
const PIPED =
  /^(?<asked>[^|]{1,1000})\|\s{0,4}(?:jq(?:\s{1,4}-[a-zA-Z]{1,4}|\s{1,4}--raw-output)?(?:\s{1,4}(?<path>'[^'|]{0,300}'|"[^"|]{0,300}"|[\w.[\]]{1,200}))?|python3? -m json\.tool|sort(?:\s{1,4}-[\w,]{1,12}){0,3})\s{0,4}$/;
/** A quoted part, an escaped character or a plain one, as a shell takes them. */
const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\|;&<>])+|[|;&<>]/g;

function unquoted(word: string): string {
  return word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
    String(double ?? single ?? escaped ?? ''),
  );
}

/** Options that have no value behind them. */
const FLAG =
  /^(?:-[a-zA-Z]?A|--(?:all-namespaces|no-headers|show-labels|no-cli-pager|include-\S+|no-paginate|watch|stdin|tty|rm|quiet)|-s[A-Za-z]*|-f|-[it]{1,2})$/;

function optionsOf(words: readonly string[]): Pick<Command, 'words' | 'options'> {
  const rest: string[] = [];
  const options = new Map<string, string>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    // What stands behind two dashes is the command of a pod.
    if (word === '--') return { words: [...rest, ...words.slice(index)], options };
    const [, name = '', value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '') rest.push(word);
    else if (value !== undefined) options.set(name, value);
    else if (FLAG.test(word) || (words[index + 1] ?? '-').startsWith('-')) options.set(name, '');
    else options.set(name, words[++index] ?? '');
  }
  return { words: rest, options };
}

/** Commands that people paste without the prompt before them. */
const BARE =
  /^(?:(?:kubectl|oc) (?:-n \S{1,63} )?get |aws [a-z0-9-]{1,40} (?:describe|list|get)-|curl .{0,300}169\.254\.169\.254\/)/;

/** What people add for output that ends without a line end. */
const LINE_END = /\s{0,4}(?:;|&&)\s{0,4}echo\s{0,4}$/;

/** The text of a command that a line shows; null for a line that shows none. */
function typedIn(line: string): string | null {
  const head = line.slice(0, LENGTH_MAX);
  return commandBehindPrompt(head) ?? (BARE.test(head) ? head.trim() : null);
}

/** True for a line that was typed, whatever becomes of what it prints. */
export function isTyped(line: string): boolean {
  return typedIn(line) !== null;
}

/** The command that a line of a transcript shows; null where its output goes elsewhere. */
export function commandIn(line: string): Command | null {
  const text = typedIn(line);
  return text === null ? null : commandOf(text);
}

/** Programs that leave some of the lines or columns that they are given. */
const FILTERED =
  /^(?<asked>[^|]{1,1000})\|\s{0,4}(?<filter>(?:e?grep|sed|awk|head|tail|cut|yq)\s[^\n]{1,600})$/;

/** A command of whose output another program left some lines; null for any other. */
export function filteredIn(line: string): Command | null {
  const { asked, filter = '' } = FILTERED.exec(typedIn(line) ?? '')?.groups ?? {};
  const command = asked === undefined ? null : commandOf(asked.trim());
  return command === null ? null : { ...command, filter: filter.trim() };
}

function commandOf(text: string): Command | null {
  const given = text
    .replace(/^sudo\s+/, '')
    .replace(/\s{1,4}2>\s?\/dev\/null(?=\s|$)/, '')
    .replace(LINE_END, '');
  const piped = PIPED.exec(given);
  const parts: readonly string[] = (piped?.groups?.['asked'] ?? given).match(WORD) ?? [];
  if (parts.some((part) => /^[|;&<>]$/.test(part))) return null;
  const [program = '', ...words] = parts.map(unquoted);
  const jqPath = unquoted(piped?.groups?.['path'] ?? '').replace(/^\.$/, '');
  return { text, program, ...optionsOf(words), jqPath, filter: '' };
}

/** Commands behind one another on one line, each as if it were typed alone. */
export function commandsIn(line: string): readonly Command[] {
  const one = commandIn(line);
  if (one !== null) return [one];
  const text = commandBehindPrompt(line.slice(0, LENGTH_MAX));
  const parts = text === null ? [] : text.split(BEHIND);
  if (parts.length < 2 || parts.length > COMMANDS_MAX) return [];
  const commands = parts.map((part) => commandIn(`$ ${part}`));
  const known = commands.filter((command) => command !== null);
  return known.length === parts.length ? known : [];
}

/** True for a line that ends with a backslash, so that its command goes on below it. */
export function isContinued(line: string | undefined): boolean {
  return line?.trimEnd().endsWith('\\') === true;
}

/** The lines of a command that goes on behind a backslash, as one. */
export function wholeCommand(lines: readonly string[], index: number): string {
  const parts: string[] = [];
  for (const line of lines.slice(index, index + CONTINUED_MAX)) {
    parts.push((isContinued(line) ? line.trimEnd().slice(0, -1) : line).trim());
    if (!isContinued(line)) break;
  }
  return parts.join(' ');
}

/** On how many lines, from `index`, a command stands. */
export function linesOfCommand(lines: readonly string[], index: number): number {
  const last = lines.slice(index, index + CONTINUED_MAX).findIndex((line) => !/\\\s*$/.test(line));
  return last < 0 ? 1 : last + 1;
}
