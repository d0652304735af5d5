/** The parts of node:test that its stand-in has. */
export interface Context {
  readonly name: string;
  readonly after: (hook: Hook) => unknown;
  readonly diagnostic: (text: string) => void;
  readonly skip: (reason?: string) => void;
  readonly signal: AbortSignal;
}

export type Body = (context: Context, done: () => void) => unknown;
export type Hook = (context?: Context) => unknown;

export interface Options {
  readonly skip?: boolean | string;
  readonly todo?: boolean | string;
  /** How long a test may last, ms. */
  readonly timeout?: number;
}

export interface Suite {
  readonly name: string;
  readonly parent: Suite | null;
  readonly before: Hook[];
  readonly after: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
}

/** A test that runs: its context, and what it wants done afterwards. */
export interface Subject {
  readonly context: Context;
  readonly afterwards: Hook[];
}
