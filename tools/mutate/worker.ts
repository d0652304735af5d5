/** A process that has loaded the tests of a room, and runs some of them under one mutant at a time. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { type Declared, Declarations, lineOf, Session } from './declared.ts';
import { Guard } from './guard.ts';
import { startLooking } from './idle.ts';
import { Loading } from './loading.ts';
import type { KnownTest, Order, Reach, Trial, Verdict, WorkerStart } from './messages.ts';
import { TAKING } from './node-test.ts';
import type { Suite } from './suite.ts';
import {
  countFor,
  installSwitch,
  reachedInLoading,
  takeCounts,
  turnOff,
  turnOn,
} from './switch.ts';

class Worker {
  readonly #loading: Loading;
  #tests: readonly Declared[] = [];
  readonly #loadsAgain = new Map<string, boolean>();
  #editions = 0;
  readonly #guard = new Guard();

  constructor(loading: Loading) {
    this.#loading = loading;
  }

  async load(files: readonly string[]): Promise<void> {
    const tests: Declared[] = [];
    for (const file of files) tests.push(...(await this.#declaredIn(file)));
    this.#tests = tests;
  }

  async answer(order: Order): Promise<Reach | Verdict | null> {
    if (order.kind === 'reach') return this.#reach();
    if (order.kind === 'trial') {
      startLooking();
      this.#guard.start(order.trial.cpuMsMax);
      const trying = order.trial.again ? this.#tryLoading(order.trial) : this.#try(order.trial);
      return trying.finally(() => this.#guard.end());
    }
    order.importers.forEach((by, path) => this.#loading.importers.set(path, new Set(by)));
    return null;
  }

  async #declaredIn(file: string): Promise<readonly Declared[]> {
    const declarations = new Declarations(file);
    TAKING.declarations = declarations;
    await this.#loading.import(file);
    TAKING.declarations = null;
    return declarations.tests;
  }

  async #reach(): Promise<Reach> {
    const loading = new Set(reachedInLoading());
    const seen = new Seen();
    const tests: KnownTest[] = [];
    const failures: string[] = [];
    for (const file of new Set(this.#tests.map((test) => test.file))) {
      const session = new Session((suite) => seen.enter(suite));
      for (const [number, test] of this.#tests.entries()) {
        if (test.file !== file) continue;
        const start = spentMs();
        const error = await failureOf(session, test, () => seen.start(number));
        seen.end(number, test.suite);
        tests[number] = { file, name: test.name, ms: spentMs() - start };
        if (error !== null) failures.push(`${file}: ${test.name}: ${inspect(error)}`);
      }
      await session.end();
    }
    const { importers } = this.#loading;
    return { tests, failures, ...seen.reached(), loading, importers };
  }

  async #try({ mutant, tests: numbers, hitsMax }: Trial): Promise<Verdict> {
    const tests = numbers.flatMap((number) => this.#tests[number] ?? []);
    const killer = await firstToFail(tests, () => turnOn(mutant, hitsMax));
    if (killer === null) return SURVIVED;
    const control = await firstToFail([killer], turnOff);
    return control === null ? killed(killer) : { outcome: 'disturbed', by: killer.name };
  }

  /** Each test file is loaded again with the mutant on, as are the modules between the two. */
  async #tryLoading({ mutant, file, tests: numbers }: Trial): Promise<Verdict> {
    const wanted = numbers.flatMap((number) => this.#tests[number] ?? []);
    const paths = this.#loading.dependents(file);
    this.#edition(paths);
    for (const testFile of new Set(wanted.map((test) => test.file))) {
      if (!(await this.#canLoadAgain(testFile, file))) continue;
      this.#loading.edition = { number: this.#editions, paths };
      turnOn(mutant, Number.POSITIVE_INFINITY);
      const names = new Set(wanted.filter((one) => one.file === testFile).map(placeOf));
      const killer = await this.#firstOfEdition(testFile, names);
      turnOff();
      this.#loading.edition = null;
      if (killer !== null) return { outcome: 'killed', by: killer };
    }
    return SURVIVED;
  }

  #edition(paths: ReadonlySet<string>): void {
    this.#editions += 1;
    this.#loading.edition = { number: this.#editions, paths };
  }

  /** A module that does not load under the mutant kills it as well. */
  async #firstOfEdition(testFile: string, names: ReadonlySet<string>): Promise<string | null> {
    try {
      const declared = await this.#declaredIn(testFile);
      const tests = declared.filter((test) => names.has(placeOf(test)));
      if (tests.length < names.size) return `loading ${testFile}`;
      return (await firstToFail(tests, () => {}))?.name ?? null;
    } catch {
      return `loading ${testFile}`;
    }
  }

  /** A test file that fails when it is loaded a second time says nothing about mutants. */
  async #canLoadAgain(testFile: string, file: string): Promise<boolean> {
    const known = this.#loadsAgain.get(testFile);
    if (known !== undefined) return known;
    const current = this.#loading.edition;
    this.#edition(this.#loading.dependents(file));
    const first = this.#tests.filter((test) => test.file === testFile).slice(0, 20);
    const killer = await this.#firstOfEdition(testFile, new Set(first.map(placeOf)));
    this.#loading.edition = current;
    this.#editions += 1;
    this.#loadsAgain.set(testFile, killer === null);
    return killer === null;
  }
}

/** What each test reaches, its own part and what is done before all tests of its suites. */
class Seen {
  readonly #suites = new Map<Suite, string>();
  readonly #testsByMutant = new Map<string, number[]>();
  readonly #hitsByMutant = new Map<string, number>();
  readonly #ofSuites = new Map<Suite, Readonly<Record<string, number>>>();

  enter(suite: Suite): void {
    this.#leave();
    this.#suites.set(suite, `suite ${this.#suites.size}`);
    countFor(this.#suites.get(suite) ?? null);
  }

  start(number: number): void {
    this.#leave();
    countFor(`test ${number}`);
  }

  end(number: number, suite: Suite): void {
    countFor(null);
    const counts = [takeCounts(`test ${number}`), ...this.#countsOf(suite)];
    const mutants = new Map<string, number>();
    for (const [mutant, hits] of counts.flatMap((one) => Object.entries(one)))
      mutants.set(mutant, (mutants.get(mutant) ?? 0) + hits);
    mutants.forEach((hits, mutant) => this.#add(mutant, number, hits));
  }

  reached(): Pick<Reach, 'testsByMutant' | 'hitsByMutant'> {
    return { testsByMutant: this.#testsByMutant, hitsByMutant: this.#hitsByMutant };
  }

  #leave(): void {
    for (const [suite, who] of this.#suites)
      if (!this.#ofSuites.has(suite)) this.#ofSuites.set(suite, takeCounts(who));
  }

  #countsOf(suite: Suite): readonly Readonly<Record<string, number>>[] {
    return lineOf(suite)
      .map((one) => this.#ofSuites.get(one))
      .filter((counts) => counts !== undefined);
  }

  #add(mutant: string, number: number, hits: number): void {
    const tests = this.#testsByMutant.get(mutant) ?? [];
    tests.push(number);
    this.#testsByMutant.set(mutant, tests);
    this.#hitsByMutant.set(mutant, Math.max(hits, this.#hitsByMutant.get(mutant) ?? 0));
  }
}

/** By the clock on the wall a busy machine makes every test a slow one. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const SURVIVED: Verdict = { outcome: 'survived', by: null };

function killed(test: Declared): Verdict {
  return { outcome: 'killed', by: test.name };
}

/** Two tests of one name in one file are told apart by nothing, and need not be. */
function placeOf({ suite, name }: Declared): string {
  return [...lineOf(suite).map((one) => one.name), name].join('\n');
}

async function firstToFail(
  tests: readonly Declared[],
  prepare: () => void,
): Promise<Declared | null> {
  const session = new Session();
  try {
    for (const test of tests) {
      prepare();
      if ((await failureOf(session, test)) !== null) return test;
    }
    return null;
  } finally {
    await session.end().catch(() => {});
    turnOff();
  }
}

async function failureOf(
  session: Session,
  test: Declared,
  starting?: () => void,
): Promise<unknown> {
  const stray = Promise.withResolvers<never>();
  process.once('uncaughtException', stray.reject);
  try {
    await Promise.race([session.run(test, starting), stray.promise]);
    return null;
  } catch (error) {
    return error ?? 'nothing';
  } finally {
    process.off('uncaughtException', stray.reject);
  }
}

async function main(): Promise<void> {
  const start: WorkerStart = JSON.parse(process.argv[2] ?? '');
  const sources: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(start.sourcesFile, 'utf8'),
  );
  installSwitch();
  const loading = new Loading(start.root, sources);
  loading.start();
  const worker = new Worker(loading);
  await worker.load(start.testFiles);
  // What a mutant leaves behind for later must not end the process under another mutant.
  process.on('unhandledRejection', () => {});
  process.on('uncaughtException', () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', (order: Order) => {
    void worker.answer(order).then((answer) => process.send?.(answer));
  });
  process.send?.('ready');
}

await main();
