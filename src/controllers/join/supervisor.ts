import type { JoinSeen, JoinWants } from '../../domain/nodes/join.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { pause } from '../../runtime/abort.ts';
import { cleared, ended, restarting, starting } from './after.ts';
import { decide } from './decide.ts';
import type { JoinEvent, JoinEventKind } from './event.ts';
import type { JoinRules } from './rules.ts';
import { type JoinState, joinStateText } from './state.ts';
import type { JoinFailure, JoinStep } from './step.ts';

export interface JoinTools {
  /** Never throws a `PortError`: what it cannot see is part of what it saw. */
  readonly look: (wants: JoinWants) => Promise<JoinSeen>;
  /** Runs COMMAND once, to its end. @returns its exit code */
  readonly run: () => Promise<number>;
  readonly restartKubelet: () => Promise<void>;
  /** Takes an earlier join back. @returns the exit code */
  readonly reset: () => Promise<number>;
  /** Keeps the state on the disk. */
  readonly keep: (text: string) => Promise<void>;
  readonly say: (event: JoinEvent) => void;
  readonly clock: Clock;
  readonly random: Random;
}

export interface JoinEnd {
  readonly step: Extract<JoinStep, { do: 'joined' | 'failed' }> | null;
  readonly state: JoinState;
}

/** From one look to the next. */
const LOOK_MS = 1500;
/** Machines that start together do not look together. */
const JITTER_MS = 1000;
/** EC2 is asked no more often than this. */
const CLOUD_MS = 5000;

/** Looks, decides and acts until the Node stays, or until it is known that it will not. */
export class JoinSupervisor {
  readonly #tools: JoinTools;
  readonly #rules: JoinRules;
  #state: JoinState;
  #waitsFor = '';
  #trouble = '';
  #node: string | null = null;
  #askedCloudMs = -Infinity;
  #wantsCloud = false;

  constructor(tools: JoinTools, rules: JoinRules, state: JoinState) {
    this.#tools = tools;
    this.#rules = rules;
    this.#state = state;
  }

  /** @returns no step when the signal ended it */
  async run(stop: AbortSignal): Promise<JoinEnd> {
    while (!stop.aborted) {
      const seen = await this.#look();
      const { state, step } = decide(this.#state, seen, this.#rules);
      await this.#take(state);
      if (step.do === 'joined' || step.do === 'failed') {
        this.#say(step.do, step.why, step.do === 'failed' ? step.failure : null);
        return { step, state };
      }
      await this.#act(step, stop);
    }
    return { step: null, state: this.#state };
  }

  async #look(): Promise<JoinSeen> {
    const isBefore = this.#state.phase === 'before';
    const nowMs = this.#tools.clock.monotonicMs();
    const isDue = nowMs - this.#askedCloudMs >= CLOUD_MS;
    const cloud = isDue && (isBefore ? this.#rules.waitsForCloud : this.#wantsCloud);
    if (cloud) this.#askedCloudMs = nowMs;
    const seen = await this.#tools.look({ checks: isBefore, cloud });
    this.#wantsCloud = seen.node.state !== 'present';
    this.#node = nameIn(seen) ?? this.#node;
    return seen;
  }

  /** Only what outlives this program is written, and only when it has changed. */
  async #take(state: JoinState): Promise<void> {
    const isNew = joinStateText(state) !== joinStateText(this.#state);
    this.#state = state;
    if (isNew) await this.#keep();
  }

  async #keep(): Promise<void> {
    const trouble = await refusalOf(async () => this.#tools.keep(joinStateText(this.#state)));
    if (trouble !== '' && trouble !== this.#trouble)
      this.#say(
        'trouble',
        `${trouble} The join continues, but the next start would not know of it.`,
      );
    this.#trouble = trouble;
  }

  async #act(step: JoinStep, stop: AbortSignal): Promise<void> {
    switch (step.do) {
      case 'run':
        return this.#run(step.why);
      case 'restart':
        return this.#restart(step.why);
      case 'reset':
        return this.#reset(step.why);
      default:
        return this.#wait(step.why, stop);
    }
  }

  async #wait(why: string, stop: AbortSignal): Promise<void> {
    if (why !== this.#waitsFor) this.#say('waiting', why);
    this.#waitsFor = why;
    const { clock, random } = this.#tools;
    await pause(clock, LOOK_MS + random.next() * JITTER_MS, stop);
  }

  async #run(why: string): Promise<void> {
    await this.#take(starting(this.#state));
    this.#say('command-started', why);
    const exitCode = await this.#exitCodeOf(this.#tools.run);
    await this.#take(ended(this.#state, exitCode, this.#nowMs(), this.#rules));
    const how = `COMMAND ended with ${exitCode}.`;
    const next = exitCode === 0 ? ' That does not prove a join; the Node is looked for.' : '';
    this.#say('command-ended', `${how}${next}`);
  }

  async #restart(why: string): Promise<void> {
    await this.#take(restarting(this.#state, this.#nowMs(), this.#rules));
    this.#say('kubelet-restarted', why);
    const trouble = await refusalOf(this.#tools.restartKubelet);
    if (trouble !== '') this.#say('trouble', `${trouble} The kubelet was not restarted.`);
  }

  async #reset(why: string): Promise<void> {
    this.#say('reset', why);
    const exitCode = await this.#exitCodeOf(this.#tools.reset);
    if (exitCode !== 0) this.#say('trouble', `The reset ended with ${exitCode}.`);
    await this.#take(cleared(this.#state, this.#nowMs()));
  }

  /** 127 as shells have it for a program that is not there, 126 for one that cannot be run. */
  async #exitCodeOf(work: () => Promise<number>): Promise<number> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#say('trouble', error.message);
      return error.failure === 'not-found' ? 127 : 126;
    }
  }

  #nowMs(): number {
    return this.#tools.clock.monotonicMs();
  }

  #say(event: JoinEventKind, message: string, failure: JoinFailure | null = null): void {
    if (event !== 'waiting') this.#waitsFor = '';
    const { tries, restarts, deletions, uid, instanceId } = this.#state;
    this.#tools.say({
      event,
      atMs: this.#tools.clock.nowMs(),
      message,
      tries,
      restarts,
      deletions,
      node: this.#node,
      nodeUid: uid,
      instanceId,
      failure,
    });
  }
}

function nameIn({ node }: JoinSeen): string | null {
  if (node.state === 'present') return node.node.name;
  return node.state === 'absent' ? node.name : null;
}

/** Why a port refused to do it; empty when it did. */
async function refusalOf(work: () => Promise<void>): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return error.message;
  }
}
