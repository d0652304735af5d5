/** What the shell offers for a word: fixed values stand in the option, these are looked up. */
export type Completion =
  | 'cause'
  | 'command'
  | 'context'
  | 'file'
  | 'folder'
  | 'machine'
  | 'profile'
  | 'shell'
  | 'story';

interface Described {
  /** One sentence without its full stop; what the value means and its unit. */
  readonly help: string;
  /** One letter. */
  readonly short?: string;
  /** The heading under which help lists it; options without one come first. */
  readonly group?: string;
}

/** `--watch`: true when given. */
export interface FlagOption extends Described {
  readonly kind: 'flag';
}

/** `--cluster NAME`: any text. */
export interface TextOption extends Described {
  readonly kind: 'text';
  /** What help writes for the value. */
  readonly value: string;
  readonly default?: string;
  /** May be given several times. */
  readonly multiple?: true;
  readonly completes?: Completion;
  /** Values to offer, where others are taken too. */
  readonly suggests?: readonly string[];
}

/** `--image FAMILY`: one of a few words. */
export interface ChoiceOption extends Described {
  readonly kind: 'choice';
  readonly value: string;
  /** What a value is called in an error: `format`. */
  readonly noun: string;
  readonly values: readonly string[];
  readonly default?: string;
  /** May be given several times, and with commas. */
  readonly multiple?: true;
}

/** `--nodes N`: a number within a range. */
export interface NumberOption extends Described {
  readonly kind: 'number';
  readonly value: string;
  readonly from: number;
  readonly to: number;
  /** True where fractions are taken. */
  readonly isFraction?: true;
  readonly default?: number;
}

/** `--since 2h`: a time in ms, written with its unit; a number alone counts seconds. */
export interface DurationOption extends Described {
  readonly kind: 'duration';
  readonly value: string;
  /** As it is written: `60s`. */
  readonly default?: string;
}

export type OptionDeclaration =
  | FlagOption
  | TextOption
  | ChoiceOption
  | NumberOption
  | DurationOption;

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;

export interface CommandExample {
  /** What it is for, without a full stop. */
  readonly title: string;
  readonly command: string;
}

/** A command as it is written, from which parsing, help, docs and completion are made. */
export interface CommandDeclaration<Options extends OptionDeclarations = OptionDeclarations> {
  readonly name: string;
  /** One sentence that lists of commands show. */
  readonly summary: string;
  /** Ways to call it, without `rollcall`. */
  readonly usage: readonly string[];
  /** Paragraphs that follow the summary. */
  readonly description: readonly string[];
  /** The words beside options: how many are taken and what is offered for them. */
  readonly words: {
    readonly most: number;
    /** How many of them complete; all when not given. */
    readonly completed?: number;
    readonly completes: readonly Completion[];
  };
  readonly options: Options;
  /** Meanings of exit codes that differ from those of every command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly examples: readonly CommandExample[];
  /** Names of other commands. */
  readonly seeAlso: readonly string[];
}

type ValueOf<Option extends OptionDeclaration> = Option extends FlagOption
  ? boolean
  : Option extends ChoiceOption
    ? Option['values'][number]
    : Option extends NumberOption | DurationOption
      ? number
      : string;

type ParsedOption<Option extends OptionDeclaration> = Option extends { readonly multiple: true }
  ? readonly ValueOf<Option>[]
  : Option extends FlagOption | { readonly default: string | number }
    ? ValueOf<Option>
    : ValueOf<Option> | null;

/** Values by option: a flag is false, a list is empty, and anything else is null when not given. */
export type ParsedOptions<Options extends OptionDeclarations> = {
  readonly [Name in keyof Options]: ParsedOption<Options[Name]>;
};

/** Keeps the literal types of a declaration. */
export function declareOptions<const Options extends OptionDeclarations>(
  options: Options,
): Options {
  return options;
}

/** Keeps the literal types of a command's options. */
export function declareCommand<const Options extends OptionDeclarations>(
  command: CommandDeclaration<Options>,
): CommandDeclaration<Options> {
  return command;
}
