/** I-26 and I-27: what must hold of all that a join supervisor does, by what is true in its world. */
import { JOIN_RULES } from '../../../src/controllers/join/rules.ts';
import type { JoinEvent } from '../../../src/controllers/join/event.ts';
import type { JoinTools } from '../../../src/controllers/join/supervisor.ts';

/** The Node of the machine, seen by somebody who sees everything. */
export interface TrueNode {
  readonly uid: string | null;
  /** Empty for a Node that is Ready and initialized. */
  readonly wrong: readonly string[];
  /** False while the API server does not know the kubelet's credentials: only another join helps. */
  readonly isKnown: boolean;
}

/** A second of the truth may be missing at both ends of what the supervisor saw. */
const KEPT_MS = JOIN_RULES.keptMs - 2000;

export class JoinRuleWatch {
  readonly violations: string[] = [];
  readonly #truth: () => TrueNode;
  readonly #nowMs: () => number;
  #underway = 0;
  #runs = 0;
  /** Runs of COMMAND in one join, which may be one of several that failed. */
  #tries = 0;
  #restarts = 0;
  #uid: string | null = null;
  #wellSinceMs: number | null = null;

  constructor(truth: () => TrueNode, nowMs: () => number) {
    this.#truth = truth;
    this.#nowMs = nowMs;
  }

  get runs(): number {
    return this.#runs;
  }

  /** Of the same state each second, and at each call. */
  observe(): void {
    const { uid, wrong } = this.#truth();
    if (wrong.length > 0 || uid !== this.#uid) this.#wellSinceMs = null;
    if (wrong.length === 0) this.#wellSinceMs ??= this.#nowMs();
    this.#uid = uid;
  }

  /** Nothing that ran before a boot runs on. */
  rebooted(): void {
    this.#underway = 0;
  }

  watched(tools: JoinTools): JoinTools {
    return {
      ...tools,
      run: async () => this.#joining(tools.run),
      reset: async () => this.#resetting(tools.reset),
      restartKubelet: async () => this.#restarting(tools.restartKubelet),
      say: (event) => {
        this.#heard(event);
        tools.say(event);
      },
    };
  }

  async #alone(what: string, work: () => Promise<number>): Promise<number> {
    if (this.#underway > 0) this.#broken('I-26', `${what} beside another one`);
    this.#underway += 1;
    const exitCode = await work();
    this.#underway = Math.max(0, this.#underway - 1);
    return exitCode;
  }

  async #joining(work: () => Promise<number>): Promise<number> {
    this.#runs += 1;
    this.#tries += 1;
    this.#restarts = 0;
    this.#unlessNode('COMMAND ran', this.#truth().isKnown);
    if (this.#tries > JOIN_RULES.triesMax) this.#broken('I-26', `COMMAND ran ${this.#tries} times`);
    return this.#alone('COMMAND ran', work);
  }

  async #resetting(work: () => Promise<number>): Promise<number> {
    this.#unlessNode('the machine was reset', this.#truth().isKnown);
    return this.#alone('the reset ran', work);
  }

  async #restarting(work: () => Promise<void>): Promise<void> {
    this.#restarts += 1;
    this.#unlessNode('the kubelet was restarted', true);
    if (this.#restarts > JOIN_RULES.restartsMax)
      this.#broken('I-26', `the kubelet was restarted ${this.#restarts} times`);
    await work();
  }

  /** A machine that is a node is left alone. */
  #unlessNode(what: string, isKnown: boolean): void {
    this.observe();
    if (isKnown && this.#uid !== null) this.#broken('I-26', `${what}, and the Node was there`);
  }

  #heard({ event, nodeUid }: JoinEvent): void {
    if (event === 'failed') this.#tries = 0;
    if (event !== 'joined') return;
    this.observe();
    const { uid, wrong } = this.#truth();
    for (const what of wrong) this.#broken('I-27', `joined, but ${what}`);
    if (uid !== nodeUid) this.#broken('I-27', 'joined by another Node than the one that is there');
    const heldMs = this.#nowMs() - (this.#wellSinceMs ?? this.#nowMs());
    if (heldMs < KEPT_MS) this.#broken('I-27', `joined after ${heldMs} ms`);
  }

  #broken(rule: string, what: string): void {
    this.violations.push(`${rule}: ${what}`);
  }
}
