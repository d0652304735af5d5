import type { BundleLimits } from '../../adapters/bundle/open.ts';

/** What a command gets from the outside, so that a test can call it in-process. */
export interface CliContext {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly isInputPiped: boolean;
  /** Says what is under way, on a terminal only; the empty text wipes it. */
  readonly progress: (words: string) => void;
  readonly colour: boolean;
  /** Columns for text that is read: at most 100. */
  readonly columns: number;
  /** Columns that there are, for tables; infinite where no terminal limits them. */
  readonly width: number;
  /** Ends what is under way, as nobody waits for its answer any more; its reason is a `PortError`. */
  readonly ending?: AbortSignal;
  /** How much one given path may cost, where that is less than usual. */
  readonly limits?: BundleLimits;
}

/** A mistake on the command line, with the sentence to print. */
export class UsageError extends Error {}

/** No source answered; the message says why and what to do. */
export class SourceError extends Error {}

/** Every command: reads its own arguments, writes to the context, returns an exit code. */
export type Command = (args: readonly string[], context: CliContext) => Promise<number>;
