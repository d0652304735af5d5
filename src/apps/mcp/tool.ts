import type { OptionDeclaration, ParsedOptions } from '../cli/options/declaration.ts';
import type { CliContext } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import type { AllowedFolders } from './allowed-folders.ts';

/** What the person who starts the server decides, and no tool can change. */
export interface Session {
  readonly flags: LiveFlags;
  /** True to ask each machine that is not usable for its console, user data and logs. */
  readonly isDeep: boolean;
  readonly allowed: AllowedFolders;
}

/** One argument of a tool, declared as an option of a command is. */
export type Argument = OptionDeclaration & {
  /** The longest text it takes, where that is more than usual. */
  readonly charsMax?: number;
};

export type Arguments = Readonly<Record<string, Argument>>;

/** What to do next: ask another tool, or run a command that only reads. */
export interface NextStep {
  readonly question: string;
  readonly where: string | null;
  readonly command: string | null;
  readonly tool: string | null;
  readonly arguments: Readonly<Record<string, unknown>> | null;
}

/**
 * An answer. Fields called `untrusted`, here and inside, hold what machines, Kubernetes and AWS
 * say; everything else is Rollcall's words, numbers, and names of one word.
 */
export interface ToolAnswer {
  readonly answer: object;
  readonly next: NextStep | null;
  readonly untrusted: object | null;
}

/** What a call knows besides its arguments. */
export interface CallContext {
  readonly session: Session;
  readonly context: CliContext;
}

export interface Tool<Input extends Arguments = Arguments> {
  readonly name: string;
  readonly title: string;
  /** What it answers and when to use it. */
  readonly description: string;
  readonly input: Input;
  readonly required: readonly string[];
  /** True where it may ask Kubernetes and AWS. */
  readonly isOpenWorld: boolean;
  readonly answer: (input: ParsedOptions<Input>, call: CallContext) => Promise<ToolAnswer>;
}

/** Keeps the literal types of the arguments while the answer is written. */
export function declareTool<const Input extends Arguments>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** A step that another tool takes. */
export function nextTool(
  question: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): NextStep {
  return { question, where: null, command: null, tool, arguments: args };
}
