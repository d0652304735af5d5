import type { JsonObject } from '../../../evidence/json.ts';
import { at, isObject, listAt, textAt } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import type { PodLogLine } from '../contract.ts';
import { TimerSet } from '../timer-set.ts';
import { BoundedLines } from '../logs/journal.ts';
import { secondStamp } from '../logs/stamps.ts';
import type { Health, Program, ProgramRun } from '../programs/program.ts';
import type { PodSurroundings } from './surroundings.ts';
import { Probes } from './probes.ts';

/** Back-off between restarts: 10 s doubling up to 300 s, forgotten after 10 minutes of running. */
const BACK_OFF_MS = 10_000;
const BACK_OFF_MAX_MS = 300_000;
const BACK_OFF_RESET_MS = 600_000;
/** Creating and starting a container with containerd, median. */
const START_MS = 250;

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedMs: number }
  | {
      readonly kind: 'terminated';
      readonly exitCode: number;
      readonly reason: string;
      readonly startedMs: number;
      readonly finishedMs: number;
    };

interface Run {
  isOver: boolean;
  end: (how: 'stopped' | 'killed' | 'exited') => void;
}

/** What a container tells its pod. */
export interface ContainerOwner {
  readonly place: ProgramRun['pod'];
  surroundings(): PodSurroundings;
  onChange(): void;
  /** Called when a run ended by itself or by its liveness probe. */
  onEnd(container: ContainerRunner): void;
}

/** One container of a pod over all its runs. */
export class ContainerRunner {
  readonly name: string;
  readonly image: string;
  readonly spec: JsonObject;
  readonly isInit: boolean;
  readonly #owner: ContainerOwner;
  readonly #probes: Probes;
  state: ContainerState = { kind: 'waiting', reason: 'ContainerCreating' };
  lastState: ContainerState | null = null;
  restarts = 0;
  containerId = '';
  isReady = false;
  #backOffMs = BACK_OFF_MS;
  #run: Run | null = null;
  readonly #timers: TimerSet;
  #lines = new BoundedLines<PodLogLine>();
  #previous: BoundedLines<PodLogLine> | null = null;

  constructor(spec: JsonObject, owner: ContainerOwner, isInit = false) {
    this.spec = spec;
    this.isInit = isInit;
    this.name = textAt(spec, 'name') ?? '';
    this.image = textAt(spec, 'image') ?? '';
    this.#owner = owner;
    this.#timers = new TimerSet((delayMs, task) => owner.surroundings().host.after(delayMs, task));
    this.#probes = new Probes(spec, {
      nowMs: () => owner.surroundings().host.trueMs(),
      after: (delayMs, task) => this.#after(delayMs, task),
      onReady: (isReady) => this.#setReady(isReady),
      onUnhealthy: (probe, message) => this.#unhealthy(probe, message),
      onLivenessLost: () => this.kill('failed liveness probe, will be restarted'),
    });
  }

  lines(previous: boolean): readonly PodLogLine[] {
    return (previous ? this.#previous : this.#lines)?.all() ?? [];
  }

  /** Pulls the image if it must, then creates and starts the container. */
  start(program: Program): void {
    const around = this.#owner.surroundings();
    const isAlways = textAt(this.spec, 'imagePullPolicy') === 'Always';
    if (!around.images.has(this.image))
      around.event(
        this.#owner.place,
        this.#say('Normal', 'Pulling', `Pulling image "${this.image}"`),
        this.#field(),
      );
    const begunMs = around.host.trueMs();
    around.images.pull(this.image, (result) => {
      if (this.#run !== null || around.isGone(this.#owner.place)) return;
      if (!result.ok) return this.#pullRefused(program, result.message);
      const tookMs = Math.round(around.host.trueMs() - begunMs);
      const text =
        result.isPresent && !isAlways ? presentText(this.image) : pulledText(this.image, tookMs);
      around.event(this.#owner.place, this.#say('Normal', 'Pulled', text), this.#field());
      const startMs = around.host.random.lognormal(START_MS, 0.3);
      this.#after(startMs, () => this.#begin(program));
    });
  }

  #pullRefused(program: Program, message: string): void {
    const around = this.#owner.surroundings();
    const full = `rpc error: code = Unknown desc = ${message}`;
    this.state = { kind: 'waiting', reason: 'ErrImagePull', message: full };
    this.#owner.onChange();
    const tell = (reason: string, text: string): void =>
      around.event(this.#owner.place, this.#say('Warning', reason, text), this.#field());
    tell('Failed', `Failed to pull image "${this.image}": ${full}`);
    tell('Failed', 'Error: ErrImagePull');
    around.syncError(
      this.#owner.place,
      `failed to "StartContainer" for "${this.name}" with ErrImagePull: ${JSON.stringify(full)}`,
    );
    const waitMs = this.#nextBackOff();
    this.#after(1000, () => {
      const text = `Back-off pulling image "${this.image}"`;
      this.state = { kind: 'waiting', reason: 'ImagePullBackOff', message: text };
      tell('BackOff', text);
      this.#owner.onChange();
    });
    this.#after(waitMs, () => this.start(program));
  }

  #nextBackOff(): number {
    const waitMs = this.#backOffMs;
    this.#backOffMs = Math.min(this.#backOffMs * 2, BACK_OFF_MAX_MS);
    return waitMs;
  }

  #begin(program: Program): void {
    const around = this.#owner.surroundings();
    if (around.isGone(this.#owner.place)) return;
    this.containerId = `containerd://${around.host.random.hex(64)}`;
    around.event(
      this.#owner.place,
      this.#say('Normal', 'Created', `Created container: ${this.name}`),
      this.#field(),
    );
    around.event(
      this.#owner.place,
      this.#say('Normal', 'Started', `Started container ${this.name}`),
      this.#field(),
    );
    this.state = { kind: 'running', startedMs: around.host.trueMs() };
    this.#lines = new BoundedLines();
    const run: Run = { isOver: false, end: () => {} };
    this.#run = run;
    this.#probes.reset();
    run.end = program(this.#programRun(run, around));
    if (run.isOver) return run.end('exited');
    this.#probes.begin();
    this.#owner.onChange();
  }

  #programRun(run: { isOver: boolean }, around: PodSurroundings): ProgramRun {
    const { host, network, metadata, neighbours } = around;
    return {
      host,
      network,
      metadata,
      neighbours,
      nodeName: around.nodeName,
      pod: this.#owner.place,
      container: this.spec,
      isInit: this.isInit,
      print: (text) => {
        if (!run.isOver) this.#lines.push({ atMs: host.nowMs(), text });
      },
      health: (change: Partial<Health>) => {
        if (!run.isOver) this.#probes.change(change);
      },
      exit: (code) => {
        if (!run.isOver) this.#ended(code, code === 0 ? 'Completed' : 'Error', 'exited');
      },
      after: (delayMs, task) =>
        this.#after(delayMs, () => {
          if (!run.isOver) task();
        }),
    };
  }

  /** A run that ends; what follows is its pod's business. */
  #ended(exitCode: number, reason: string, how: 'stopped' | 'killed' | 'exited'): void {
    const run = this.#run;
    if (run === null) return;
    const around = this.#owner.surroundings();
    run.end(how);
    run.isOver = true;
    this.#run = null;
    this.#cancel();
    const startedMs = this.state.kind === 'running' ? this.state.startedMs : around.host.trueMs();
    const finishedMs = around.host.trueMs();
    if (finishedMs - startedMs > BACK_OFF_RESET_MS) this.#backOffMs = BACK_OFF_MS;
    this.state = { kind: 'terminated', exitCode, reason, startedMs, finishedMs };
    this.isReady = false;
    this.#previous = this.#lines;
    this.#owner.onChange();
    this.#owner.onEnd(this);
  }

  /** Plans the next run after the back-off; the first restart comes at once. */
  restart(program: Program): void {
    const around = this.#owner.surroundings();
    this.lastState = this.state;
    const waitMs = this.restarts === 0 ? 300 : this.#nextBackOff();
    this.restarts += 1;
    if (waitMs >= BACK_OFF_MS) {
      const pod = this.#owner.place;
      const [namespace = '', name = ''] = pod.key.split('/');
      const podText = `${name}_${namespace}(${pod.uid})`;
      const message = `back-off ${durationText(waitMs)} restarting failed container=${this.name} pod=${podText}`;
      this.#after(1000, () => {
        this.state = { kind: 'waiting', reason: 'CrashLoopBackOff', message };
        const text = `Back-off restarting failed container ${this.name} in pod ${podText}`;
        around.event(pod, this.#say('Warning', 'BackOff', text), this.#field());
        around.syncError(
          pod,
          `failed to "StartContainer" for "${this.name}" with CrashLoopBackOff: ${JSON.stringify(message)}`,
        );
        this.#owner.onChange();
      });
    }
    this.#after(waitMs, () => this.start(program));
  }

  /** Ends the run by force, as after its liveness probe was lost. */
  kill(why: string): void {
    if (this.#run === null) return;
    const around = this.#owner.surroundings();
    const text = `Container ${this.name} ${why}`;
    around.event(this.#owner.place, this.#say('Normal', 'Killing', text), this.#field());
    this.#ended(137, 'Error', 'killed');
  }

  /** Tells the program to end and takes its end as given. */
  stop(): void {
    this.#cancel();
    if (this.#run === null) return;
    this.#ended(0, 'Completed', 'stopped');
  }

  /** The machine went off, or the runtime lost it: nothing is told to anybody. */
  vanish(): void {
    this.#cancel();
    const run = this.#run;
    this.#run = null;
    if (run === null) return;
    run.end('killed');
    run.isOver = true;
  }

  isRunning(): boolean {
    return this.#run !== null;
  }

  #setReady(isReady: boolean): void {
    if (this.isReady === isReady) return;
    this.isReady = isReady;
    if (isObject(at(this.spec, 'readinessProbe')))
      this.#owner.surroundings().probeChanged(this.#owner.place, isReady);
    this.#owner.onChange();
  }

  #unhealthy(probe: 'Readiness' | 'Liveness', message: string): void {
    const around = this.#owner.surroundings();
    const text = `${probe} probe failed: ${message}`;
    around.event(this.#owner.place, this.#say('Warning', 'Unhealthy', text), this.#field());
    around.probeFailed(this.#owner.place, this.name, probe, message);
  }

  #after(delayMs: number, task: () => void): Timer {
    return this.#timers.after(delayMs, task);
  }

  #cancel(): void {
    this.#timers.clear();
    this.#probes.end();
  }

  #say(type: 'Normal' | 'Warning', reason: string, message: string): EventWords {
    return { type, reason, message };
  }

  #field(): string {
    return `spec.containers{${this.name}}`;
  }
}

interface EventWords {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

function presentText(image: string): string {
  return `Container image "${image}" already present on machine`;
}

function pulledText(image: string, tookMs: number): string {
  return `Successfully pulled image "${image}" in ${durationText(tookMs)} (${durationText(tookMs)} including waiting). Image size: 41283021 bytes.`;
}

/** As Go prints a duration: `850ms`, `10s`, `1m20s`, `5m0s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(3)}s`;
  return `${Math.floor(seconds / 60)}m${Math.round(seconds % 60)}s`;
}

/** The state of a container as the API has it. */
export function stateObject(state: ContainerState, containerId: string): JsonObject {
  switch (state.kind) {
    case 'waiting':
      return {
        waiting: {
          reason: state.reason,
          ...(state.message === undefined ? {} : { message: state.message }),
        },
      };
    case 'running':
      return { running: { startedAt: secondStamp(state.startedMs) } };
    default:
      return {
        terminated: {
          exitCode: state.exitCode,
          reason: state.reason,
          startedAt: secondStamp(state.startedMs),
          finishedAt: secondStamp(state.finishedMs),
          containerID: containerId,
        },
      };
  }
}

/** What a container of a pod was when the API last heard of it. */
export function knownRestarts(pod: JsonObject, name: string): number {
  const known = listAt(pod, 'status.containerStatuses').find((one) => textAt(one, 'name') === name);
  if (known === undefined) return 0;
  const before = Number(textAt(known, 'restartCount') ?? 0);
  return isObject(at(known, 'state.running')) ? before + 1 : before;
}
