import { UsageError } from '../cli/context.ts';
import { quoted } from '../cli/options/quoted.ts';
import { orList, unknownWord } from '../cli/options/values.ts';
import type { Argument, Tool } from './tool.ts';

const TEXT_CHARS_MAX = 1000;
const ITEMS_MAX = 50;

function textMax({ charsMax = TEXT_CHARS_MAX }: Argument): number {
  return charsMax;
}

function valueSchema(argument: Argument): object {
  if (argument.kind === 'flag') return { type: 'boolean' };
  if (argument.kind === 'choice') return { type: 'string', enum: argument.values };
  if (argument.kind !== 'number')
    return { type: 'string', minLength: 1, maxLength: textMax(argument) };
  const type = argument.isFraction === true ? 'number' : 'integer';
  return { type, minimum: argument.from, maximum: argument.to };
}

function isList(argument: Argument): boolean {
  return 'multiple' in argument;
}

function argumentSchema(argument: Argument): object {
  const value = valueSchema(argument);
  const schema = isList(argument) ? { type: 'array', items: value, maxItems: ITEMS_MAX } : value;
  return { ...schema, description: `${argument.help}.` };
}

/** The JSON Schema of a tool's arguments; it takes no others. */
export function inputSchema({ input, required }: Pick<Tool, 'input' | 'required'>): {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required: string[];
  readonly additionalProperties: false;
} {
  const entries = Object.entries(input).map(([name, one]) => [name, argumentSchema(one)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    required: [...required],
    additionalProperties: false,
  };
}

function shown(value: unknown): string {
  return quoted(typeof value === 'string' ? value : JSON.stringify(value));
}

function textOf(name: string, argument: Argument, value: unknown): string {
  const most = textMax(argument);
  if (typeof value === 'string' && value !== '' && value.length <= most) return value;
  const what = typeof value === 'string' ? `one of ${value.length}` : shown(value);
  throw new UsageError(
    `${name} takes a text of 1 to ${most} characters, not ${what}; a longer text is a file for diagnose`,
  );
}

function numberOf(
  name: string,
  argument: Extract<Argument, { kind: 'number' }>,
  value: unknown,
): number {
  const { from, to, isFraction = false } = argument;
  const isWhole = isFraction || Number.isInteger(value);
  if (typeof value === 'number' && isWhole && value >= from && value <= to) return value;
  const kind = isFraction ? 'number' : 'whole number';
  throw new UsageError(`${name} takes a ${kind} from ${from} to ${to}, not ${shown(value)}`);
}

function valueOf(name: string, argument: Argument, value: unknown): boolean | number | string {
  if (argument.kind === 'number') return numberOf(name, argument, value);
  if (argument.kind === 'flag') {
    if (typeof value === 'boolean') return value;
    throw new UsageError(`${name} takes true or false, not ${shown(value)}`);
  }
  const text = textOf(name, argument, value);
  if (argument.kind !== 'choice' || argument.values.includes(text)) return text;
  throw unknownWord(argument.noun, text, argument.values);
}

function listOf(name: string, argument: Argument, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > ITEMS_MAX)
    throw new UsageError(`${name} takes a list of at most ${ITEMS_MAX} texts, not ${shown(value)}`);
  return value.map((item: unknown) => valueOf(name, argument, item));
}

/** An argument that was not given reads as an option that was not given. */
function argumentValue(name: string, argument: Argument, given: object): unknown {
  const value: unknown = Object.hasOwn(given, name) ? given[name as keyof typeof given] : undefined;
  if (isList(argument)) return value === undefined ? [] : listOf(name, argument, value);
  if (value !== undefined) return valueOf(name, argument, value);
  return argument.kind === 'flag' ? false : null;
}

/**
 * The arguments of a call as its tool declares them.
 *
 * @throws UsageError with one sentence about the first mistake
 */
export function readInput(
  { name, input, required }: Pick<Tool, 'name' | 'input' | 'required'>,
  given: object,
): Parameters<Tool['answer']>[0] {
  const unknown = Object.keys(given).find((one) => !Object.hasOwn(input, one));
  if (unknown !== undefined)
    throw new UsageError(
      `${name} has no argument ${quoted(unknown)}; use ${orList(Object.keys(input))}`,
    );
  const missing = required.find((one) => !Object.hasOwn(given, one));
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}; give it as a text`);
  return Object.fromEntries(
    Object.entries(input).map(([key, argument]) => [key, argumentValue(key, argument, given)]),
  ) as Parameters<Tool['answer']>[0];
}
