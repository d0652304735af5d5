import { durationMs } from '../../../evidence/duration.ts';
import { nearest } from '../../../evidence/nearest.ts';
import { UsageError } from '../context.ts';
import { quoted } from './quoted.ts';
import type { ChoiceOption, FlagOption, NumberOption, OptionDeclaration } from './declaration.ts';

/** `text, json or yaml`. */
export function orList(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** More words than this are too many to read in a sentence that also has a suggestion. */
const LISTED_MAX = 10;

/** What to say to a word that is not among those which are known. */
export function unknownWord(noun: string, text: string, known: readonly string[]): UsageError {
  const what = `unknown ${noun} ${quoted(text)}`;
  const close = known.length > LISTED_MAX ? nearest(text, known) : null;
  return new UsageError(
    close === null ? `${what}; use ${orList(known)}` : `${what}; did you mean ${close}?`,
  );
}

function choiceOf({ noun, values }: ChoiceOption, text: string): string {
  if (values.includes(text)) return text;
  throw unknownWord(noun, text, values);
}

function numberOf(name: string, { from, to, isFraction }: NumberOption, text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const isFine = value >= from && value <= to && (isFraction === true || Number.isInteger(value));
  if (isFine) return value;
  const kind = isFraction === true ? 'number' : 'whole number';
  throw new UsageError(`--${name} takes a ${kind} from ${from} to ${to}, not ${quoted(text)}`);
}

function durationOf(name: string, text: string): number {
  const ms = durationMs(/^\d+$/.test(text) ? `${text}s` : text);
  if (ms !== null && ms > 0) return ms;
  throw new UsageError(`--${name} takes a time such as 30s, 15m, 2h or 1d, not ${quoted(text)}`);
}

/** The value that a text means to an option. Throws `UsageError`. */
export function readValue(
  name: string,
  option: Exclude<OptionDeclaration, FlagOption>,
  text: string,
): string | number {
  if (option.kind === 'choice') return choiceOf(option, text);
  if (option.kind === 'number') return numberOf(name, option, text);
  return option.kind === 'duration' ? durationOf(name, text) : text;
}
