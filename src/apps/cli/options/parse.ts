import { parseArgs } from 'node:util';
import { nearest } from '../../../evidence/nearest.ts';
import { UsageError } from '../context.ts';
import type {
  CommandDeclaration,
  OptionDeclaration,
  OptionDeclarations,
  ParsedOptions,
} from './declaration.ts';
import { quoted } from './quoted.ts';
import { readValue } from './values.ts';

export interface CommandLine<Options extends OptionDeclarations> {
  readonly values: ParsedOptions<Options>;
  /** Words beside options, in their order. */
  readonly words: readonly string[];
  /** Names of the options that were given. */
  readonly given: ReadonlySet<string>;
}

interface OptionToken {
  readonly name: string;
  /** As it was written: `-o`, `--output`. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly isInline: boolean;
}

interface Tokens {
  readonly options: readonly OptionToken[];
  readonly words: readonly string[];
}

/** Node's reading of the words; what is wrong with them is told here, in our sentences. */
function tokensOf(args: readonly string[], declared: OptionDeclarations): Tokens {
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, { kind, short }]) => [
      name,
      {
        type: kind === 'flag' ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return {
    options: tokens.flatMap((token) =>
      token.kind === 'option'
        ? [{ ...token, value: token.value, isInline: token.inlineValue === true }]
        : [],
    ),
    words: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
  };
}

function unknownOption({ rawName }: OptionToken, command: CommandDeclaration): UsageError {
  const names = [...Object.keys(command.options), 'help'].map((name) => `--${name}`);
  const close = nearest(rawName, names);
  const what = `unknown option ${/^--?[\w-]{1,60}$/.test(rawName) ? rawName : quoted(rawName)}`;
  const help = `rollcall help ${command.name}`;
  return new UsageError(
    close === null ? `${what}; see: ${help}` : `${what}; did you mean ${close}? See: ${help}`,
  );
}

function unexpected(word: string, command: CommandDeclaration): UsageError {
  return new UsageError(`unexpected argument ${quoted(word)}; see: rollcall help ${command.name}`);
}

/** kubectl's users write `-o=json` too. */
function valueOf({ value, rawName, isInline }: OptionToken): string | undefined {
  return isInline && !rawName.startsWith('--') ? value?.replace(/^=/, '') : value;
}

function isNumber(text: string): boolean {
  return /^-\d/.test(text);
}

/** The text of an option that takes one. Throws `UsageError` where the next option stands instead. */
function textOf(token: OptionToken, declared: OptionDeclaration): string {
  const value = valueOf(token);
  const isOption = !token.isInline && value?.startsWith('-') === true && value !== '-';
  if (value !== undefined && (!isOption || isNumber(value))) return value;
  const shown = declared.kind === 'flag' ? '' : ` ${declared.value}`;
  throw new UsageError(`${token.rawName} needs a value: ${token.rawName}${shown}`);
}

function optionValue(
  name: string,
  declared: OptionDeclaration,
  tokens: readonly OptionToken[],
): unknown {
  if (declared.kind === 'flag') {
    const inline = tokens.find((token) => token.value !== undefined);
    if (inline !== undefined) throw new UsageError(`${inline.rawName} takes no value`);
    return tokens.length > 0;
  }
  const texts = tokens.map((token) => textOf(token, declared));
  if ('multiple' in declared)
    return texts.flatMap((text) =>
      declared.kind === 'choice'
        ? text.split(',').map((word) => readValue(name, declared, word))
        : [text],
    );
  const text = texts.at(-1);
  if (text !== undefined) return readValue(name, declared, text);
  return declared.default === undefined
    ? null
    : readValue(name, declared, String(declared.default));
}

/**
 * Reads the words behind a command as its declaration says.
 *
 * @throws UsageError with the sentence to print
 */
export function parseCommandLine<Options extends OptionDeclarations>(
  command: CommandDeclaration<Options>,
  args: readonly string[],
): CommandLine<Options> {
  const { options, words } = tokensOf(args, command.options);
  const unknown = options.find(({ name }) => !Object.hasOwn(command.options, name));
  if (unknown !== undefined) throw unknownOption(unknown, command);
  const extra = words[command.words.most];
  if (extra !== undefined) throw unexpected(extra, command);
  const values = Object.fromEntries(
    Object.entries(command.options).map(([name, declared]) => [
      name,
      optionValue(
        name,
        declared,
        options.filter((token) => token.name === name),
      ),
    ]),
  );
  return {
    values: values as unknown as ParsedOptions<Options>,
    words,
    given: new Set(options.map(({ name }) => name)),
  };
}
