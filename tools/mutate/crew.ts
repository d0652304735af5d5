/** The workers of a run, and what becomes of those that a mutant keeps from answering. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Order, Reach, Trial, Verdict, WorkerStart } from './messages.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
const OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=2048'];

/** How long a worker may load its tests, and run all of them once. */
const START_LIMIT_MS = 900_000;

/** The worker ends a trial by its processor time; this is for one that waits for nothing. */
const TRIAL_LIMIT_MS = 300_000;

/** Modules that were loaded again are never let go. */
const TRIALS_OF_LOADING_MAX = 150;

export type Outcome = 'killed' | 'survived' | 'timeout';

export interface Tried {
  readonly outcome: Outcome;
  readonly by: string | null;
}

export class Crewman {
  readonly #start: WorkerStart;
  #importers: Reach['importers'] = new Map();
  #child: ReturnType<typeof fork> | null = null;
  #trialsOfLoading = 0;

  constructor(start: WorkerStart) {
    this.#start = start;
  }

  /** @throws Error naming the tests that fail without a mutant */
  async reach(): Promise<Reach> {
    await this.#ready();
    const reach = (await this.#ask({ kind: 'reach' }, START_LIMIT_MS)) as Reach | null;
    if (reach === null) throw new Error('the tests of the room did not end');
    if (reach.failures.length > 0)
      throw new Error(`these tests fail without a mutant:\n${reach.failures.join('\n')}`);
    return reach;
  }

  async know(importers: Reach['importers']): Promise<void> {
    this.#importers = importers;
    if (this.#child !== null) await this.#ask({ kind: 'importers', importers }, START_LIMIT_MS);
  }

  async try(trial: Trial): Promise<Tried> {
    await this.#ready();
    if (trial.again) this.#trialsOfLoading += 1;
    const verdict = (await this.#ask({ kind: 'trial', trial }, TRIAL_LIMIT_MS)) as Verdict | null;
    if (verdict === null) return { outcome: 'timeout', by: null };
    if (verdict.outcome !== 'disturbed') return { outcome: verdict.outcome, by: verdict.by };
    this.stop();
    return this.#again(trial);
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  /** In a new process nothing but the mutant itself can disturb its tests. */
  async #again(trial: Trial): Promise<Tried> {
    await this.#ready();
    const verdict = (await this.#ask({ kind: 'trial', trial }, TRIAL_LIMIT_MS)) as Verdict | null;
    this.stop();
    if (verdict === null) return { outcome: 'timeout', by: null };
    const { outcome, by } = verdict;
    return { outcome: outcome === 'disturbed' ? 'killed' : outcome, by };
  }

  async #ready(): Promise<void> {
    if (this.#trialsOfLoading > TRIALS_OF_LOADING_MAX) this.stop();
    if (this.#child !== null) return;
    this.#trialsOfLoading = 0;
    this.#child = fork(WORKER, [JSON.stringify(this.#start)], {
      cwd: this.#start.root,
      execArgv: OPTIONS,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    if ((await this.#answer(START_LIMIT_MS)) === null) throw new Error('a worker did not start');
    if (this.#importers.size > 0) await this.know(this.#importers);
  }

  async #ask(order: Order, limitMs: number): Promise<unknown> {
    const answer = this.#answer(limitMs);
    this.#child?.send(order);
    return answer;
  }

  /** @returns what the worker says, or null after it has been stopped or has ended */
  async #answer(limitMs: number): Promise<unknown> {
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const give = (answer: unknown): void => resolve({ answer });
    const lose = (): void => resolve(null);
    const timer = setTimeout(lose, limitMs);
    child?.once('message', give).once('exit', lose);
    const heard = (await promise) as { readonly answer: unknown } | null;
    clearTimeout(timer);
    child?.off('message', give).off('exit', lose);
    if (heard === null) this.stop();
    return heard === null ? null : heard.answer;
  }
}
