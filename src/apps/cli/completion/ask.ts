import { COMMAND_DECLARATIONS } from '../declared/commands.ts';
import { STATUS } from '../declared/status.ts';
import type { CommandDeclaration, Completion, OptionDeclaration } from '../options/declaration.ts';

/** A word that the shell offers, and a sentence beside it. */
export interface Candidate {
  readonly value: string;
  readonly help: string;
}

/** What could stand where the cursor is. */
export interface CompletionAsk {
  /** The part of the word that is compared with candidates. */
  readonly prefix: string;
  /** Known without looking anywhere. */
  readonly fixed: readonly Candidate[];
  /** Kinds of values to look up. */
  readonly lookups: readonly Completion[];
  /** Names and values before the cursor, for looking at the cluster that they name. */
  readonly before: readonly string[];
  readonly command: CommandDeclaration;
}

interface Place {
  readonly command: CommandDeclaration;
  /** Words between the command and the cursor. */
  readonly before: readonly string[];
  readonly current: string;
}

const NOTHING = { fixed: [], lookups: [] } as const;

function commandNamed(name: string | undefined): CommandDeclaration | null {
  return COMMAND_DECLARATIONS.find((command) => command.name === name) ?? null;
}

/** The option that a word names, as `--output`, `--output=json` or `-o`. */
function optionOf(
  command: CommandDeclaration,
  word: string,
): readonly [name: string, option: OptionDeclaration] | null {
  const [flag = ''] = word.split('=');
  return (
    Object.entries(command.options).find(
      ([name, { short }]) => flag === `--${name}` || (short !== undefined && flag === `-${short}`),
    ) ?? null
  );
}

function takesNext(command: CommandDeclaration, word: string): boolean {
  const option = optionOf(command, word);
  return option !== null && option[1].kind !== 'flag' && !word.includes('=');
}

/** How many words before the cursor are neither options nor their values. */
function wordsBefore({ command, before }: Place): number {
  return before.filter(
    (word, index) => !word.startsWith('-') && !takesNext(command, before[index - 1] ?? ''),
  ).length;
}

function valuesOf(option: OptionDeclaration): Pick<CompletionAsk, 'fixed' | 'lookups'> {
  const known =
    option.kind === 'choice'
      ? option.values
      : option.kind === 'text'
        ? (option.suggests ?? [])
        : [];
  return {
    fixed: known.map((value) => ({ value, help: '' })),
    lookups: option.kind === 'text' && option.completes !== undefined ? [option.completes] : [],
  };
}

/** Options that are not given yet, or may be given again. */
function optionsLeft({ command, before }: Place): readonly Candidate[] {
  const given = new Set(before.map((word) => optionOf(command, word)?.[0]));
  return [...Object.entries(command.options), ['help', HELP_OPTION] as const]
    .filter(([name, option]) => 'multiple' in option || !given.has(name))
    .map(([name, { help }]) => ({ value: `--${name}`, help }));
}

const HELP_OPTION: OptionDeclaration = { kind: 'flag', help: 'Show options and examples' };

function commands(): readonly Candidate[] {
  return COMMAND_DECLARATIONS.map(({ name, summary }) => ({ value: name, help: summary }));
}

function placeOf(words: readonly string[]): Place {
  const current = words.at(-1) ?? '';
  const [first] = words;
  const command = words.length > 1 ? commandNamed(first) : null;
  // Without a command, also before flags, it is the roll call.
  if (command === null) return { command: STATUS, before: words.slice(0, -1), current };
  return { command, before: words.slice(1, -1), current };
}

/** What follows `--option=`, a comma of a list, or nothing. */
function prefixOf(current: string, isList: boolean): string {
  const value = current.startsWith('-') ? current.slice(current.indexOf('=') + 1) : current;
  return isList ? value.slice(value.lastIndexOf(',') + 1) : value;
}

/**
 * What could complete the last of the words behind `rollcall`.
 *
 * @param words the last one is the word under the cursor, empty behind a blank
 */
export function completionAsk(words: readonly string[]): CompletionAsk {
  const place = placeOf(words);
  const { command, before, current } = place;
  const asked = { command, before, prefix: current };
  const previous = before.at(-1) ?? '';
  const inline = current.startsWith('--') && current.includes('=');
  const option =
    inline || takesNext(command, previous) ? optionOf(command, inline ? current : previous) : null;
  if (option !== null) {
    const isList = option[1].kind === 'choice' && 'multiple' in option[1];
    const rest = inline ? before : before.slice(0, -1);
    const prefix = prefixOf(current, isList);
    return { ...asked, ...valuesOf(option[1]), before: rest, prefix };
  }
  if (before.includes('--')) return { ...asked, fixed: [], lookups: command.words.completes };
  if (current.startsWith('-')) return { ...asked, fixed: optionsLeft(place), lookups: [] };
  if (words.length < 2) return { ...asked, fixed: commands(), lookups: [] };
  const { most, completed = most } = command.words;
  if (wordsBefore(place) >= completed) return { ...asked, ...NOTHING };
  return { ...asked, fixed: [], lookups: command.words.completes };
}
