/** What test files declare while they are loaded, and how one of their tests is run. */
import { whenIdle } from './idle.ts';
import type { Body, Hook, Options, Subject, Suite } from './suite.ts';

// As they are before any test: mutants of what replaces timers leave theirs behind.
const { setTimeout, clearTimeout } = globalThis;

/** A test that nothing ends, or what it asks for afterwards, is a mutant's work: a failure. */
const TEST_LIMIT_MS = 20_000;
/** What is started for all tests of a file takes longer. */
const HOOK_LIMIT_MS = 60_000;

export interface Declared {
  readonly name: string;
  /** The test file, from the root. */
  readonly file: string;
  readonly suite: Suite;
  readonly body: Body;
  /** How long it may last, ms. */
  readonly limitMs: number;
}

export function newSuite(name: string, parent: Suite | null): Suite {
  return { name, parent, before: [], after: [], beforeEach: [], afterEach: [] };
}

/** Tests of the files that are being loaded: node:test's stand-in writes them down here. */
export class Declarations {
  readonly tests: Declared[] = [];
  readonly #file: string;
  readonly #skippedSuites = new Set<Suite>();
  suite: Suite;

  constructor(file: string) {
    this.#file = file;
    this.suite = newSuite(file, null);
  }

  describe(name: string, options: Options, body: Body): void {
    const outer = this.suite;
    this.suite = newSuite(name, outer);
    if (isSkipped(options) || this.#skippedSuites.has(outer)) this.#skippedSuites.add(this.suite);
    void body(newSubject(name).context, () => {});
    this.suite = outer;
  }

  test(name: string, options: Options, body: Body): void {
    if (isSkipped(options) || this.#skippedSuites.has(this.suite)) return;
    const limitMs = Math.min(options.timeout ?? TEST_LIMIT_MS, TEST_LIMIT_MS);
    this.tests.push({ name, file: this.#file, suite: this.suite, body, limitMs });
  }
}

function isSkipped({ skip = false, todo = false }: Options): boolean {
  return skip !== false || todo !== false;
}

/** Runs tests one after the other, and what their suites ask for before and after them. */
export class Session {
  readonly #entered: Suite[] = [];
  /** Called before a suite's hooks run, as they belong to none of its tests. */
  readonly #entering: (suite: Suite) => void;

  constructor(entering: (suite: Suite) => void = () => {}) {
    this.#entering = entering;
  }

  /** @throws what the test or one of its hooks throws */
  async run(test: Declared, starting: () => void = () => {}): Promise<void> {
    const suites = lineOf(test.suite);
    for (const suite of suites) await this.#enter(suite);
    starting();
    const subject = newSubject(test.name);
    try {
      for (const suite of suites) await runAll(suite.beforeEach, subject.context);
      await limited(() => test.body(subject.context, () => {}), test.limitMs);
    } finally {
      await runAll(subject.afterwards, subject.context, test.limitMs);
      for (const suite of suites.toReversed()) await runAll(suite.afterEach, subject.context);
    }
  }

  async end(): Promise<void> {
    for (const suite of this.#entered.toReversed()) await runAll(suite.after);
    this.#entered.length = 0;
  }

  async #enter(suite: Suite): Promise<void> {
    if (this.#entered.includes(suite)) return;
    this.#entered.push(suite);
    this.#entering(suite);
    await runAll(suite.before);
  }
}

/** From the file down to the test's own. */
export function lineOf(suite: Suite): readonly Suite[] {
  return suite.parent === null ? [suite] : [...lineOf(suite.parent), suite];
}

async function runAll(
  hooks: readonly Hook[],
  context?: Subject['context'],
  limitMs = HOOK_LIMIT_MS,
): Promise<void> {
  for (const hook of hooks) await limited(() => hook(context), limitMs);
}

function newSubject(name: string): Subject {
  const afterwards: Hook[] = [];
  const context = {
    name,
    after: (hook: Hook) => afterwards.push(hook),
    diagnostic: () => {},
    skip: () => {},
    signal: new AbortController().signal,
  };
  return { afterwards, context };
}

/** A body that returns at once costs no timer. */
async function limited(body: () => unknown, limitMs: number): Promise<void> {
  const result = body();
  if (!(result instanceof Promise)) return;
  const late = Promise.withResolvers<never>();
  const giveUp = (): void => late.reject(new Error('the test does not end'));
  const timer = setTimeout(giveUp, limitMs).unref();
  const stopLooking = whenIdle(giveUp);
  try {
    await Promise.race([result, late.promise]);
  } finally {
    clearTimeout(timer);
    stopLooking();
  }
}
