import { commandBehindPrompt } from '../line/prompt.ts';

/** A command as it was typed, of which the output follows. */
export interface Command {
  readonly text: string;
  readonly program: string;
  /** Words that are neither options nor their values. */
  readonly words: readonly string[];
  /** Values by the name of the option without dashes; empty for one that has none. */
  readonly options: ReadonlyMap<string, string>;
}

const LENGTH_MAX = 2000;
/** A quoted part, an escaped character or a plain one, as a shell takes them. */
const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\|;&<>])+|[|;&<>]/g;

function unquoted(word: string): string {
  return word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
    String(double ?? single ?? escaped ?? ''),
  );
}

/** Options that have no value behind them. */
const FLAG =
  /^(?:-[a-zA-Z]?A|--(?:all-namespaces|no-headers|show-labels|no-cli-pager|include-\S+|no-paginate|watch)|-s[A-Za-z]*|-f)$/;

function optionsOf(words: readonly string[]): Pick<Command, 'words' | 'options'> {
  const rest: string[] = [];
  const options = new Map<string, string>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
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

/** The command that a line of a transcript shows; null where its output goes elsewhere. */
export function commandIn(line: string): Command | null {
  const head = line.slice(0, LENGTH_MAX);
  const text = commandBehindPrompt(head) ?? (BARE.test(head) ? head.trim() : null);
  if (text === null) return null;
  const parts: readonly string[] = text.replace(/^sudo\s+/, '').match(WORD) ?? [];
  if (parts.some((part) => /^[|;&<>]$/.test(part))) return null;
  const [program = '', ...words] = parts.map(unquoted);
  return { text, program, ...optionsOf(words) };
}
