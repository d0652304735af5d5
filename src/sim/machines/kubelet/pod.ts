import type { JsonObject } from '../../../evidence/json.ts';
import { at, isObject, listAt, textAt } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import { secondStamp } from '../logs/stamps.ts';
import type { PodPlace } from '../programs/program.ts';
import { ContainerRunner, type ContainerOwner, knownRestarts } from './container.ts';
import { NETWORK_NOT_READY } from './node-object.ts';
import { podStatus, type PodPhase } from './pod-status.ts';
import type { PodSurroundings } from './surroundings.ts';

/** A sandbox that could not be made is tried again with the pod's next sync. */
const SANDBOX_RETRY_MS = 12_000;
/** A pod that waits for its network is looked at again (kubelet, network not ready). */
const NETWORK_RETRY_MS = 2000;
/** Creating a sandbox, without what the network plugin takes. */
const SANDBOX_MS = 220;
/** What a program takes to end when it is told to. */
const STOP_MS = 700;
/** Changes of a pod within this time are written together. */
const STATUS_DELAY_MS = 40;

/** Of pods that end with their node (kubelet, nodeshutdown). */
const SHUTDOWN: JsonObject = {
  reason: 'Terminated',
  message: 'Pod was terminated in response to imminent node shutdown.',
};

/** One pod on one machine, from its being seen to its being gone. */
export class PodWorker implements ContainerOwner {
  readonly place: PodPlace;
  readonly #around: PodSurroundings;
  readonly #init: readonly ContainerRunner[];
  readonly #main: readonly ContainerRunner[];
  #pod: JsonObject;
  #address = '';
  #isTerminating = false;
  #isGone = false;
  #isUntold = false;
  #wroteReady: string | null = null;
  #heardVersion: number;
  #hasStarted = false;
  readonly #seenMs: number;
  #startedMs: number | null = null;
  #status: Timer | null = null;
  #phase: PodPhase = 'Pending';
  #sandboxId = '';
  #why: JsonObject = {};
  #isRefused = false;

  constructor(pod: JsonObject, around: PodSurroundings) {
    this.#pod = pod;
    this.#heardVersion = versionOf(pod);
    this.#around = around;
    this.#seenMs = around.host.trueMs();
    const key = podKey(pod);
    this.place = {
      key,
      uid: textAt(pod, 'metadata.uid') ?? '',
      isHostNetwork: at(pod, 'spec.hostNetwork') === true,
      object: () => this.#pod,
      address: () => this.#address,
    };
    const specs = (path: string): readonly JsonObject[] => listAt(pod, path).filter(isObject);
    this.#init = specs('spec.initContainers').map((spec) => new ContainerRunner(spec, this, true));
    this.#main = specs('spec.containers').map((spec) => new ContainerRunner(spec, this));
    for (const container of this.#main) {
      container.restarts = knownRestarts(pod, container.name);
      if (this.#init.length > 0) container.state = { kind: 'waiting', reason: 'PodInitializing' };
    }
  }

  surroundings(): PodSurroundings {
    return this.#around;
  }

  isGone(): boolean {
    return this.#isGone;
  }

  containers(): readonly ContainerRunner[] {
    return [...this.#init, ...this.#main];
  }

  begin(): void {
    if (textAt(this.#pod, 'metadata.deletionTimestamp') !== null) return this.terminate();
    this.#startedMs = this.#around.host.trueMs();
    this.onChange();
    this.#sandbox();
  }

  /** True while it has one of the machine's slots: it runs, or is to run. */
  hasSlot(): boolean {
    return !this.#isGone && this.#phase !== 'Failed' && this.#phase !== 'Succeeded';
  }

  /** It is not taken in: it has failed, and nothing of it ever runs. */
  refuse(reason: string, message: string): void {
    this.#phase = 'Failed';
    this.#isRefused = true;
    this.#why = { reason, message: `Pod was rejected: ${message}` };
    this.writeStatus();
  }

  update(pod: JsonObject): void {
    const version = versionOf(pod);
    // Only a restored backup brings back what was heard before; of an own write it is heard late.
    const isRestored = version < this.#heardVersion;
    this.#heardVersion = version;
    if (!isRestored && version < versionOf(this.#pod)) return;
    this.#pod = pod;
    if (isRestored || readyIn(pod) !== this.#wroteReady) this.onChange();
    if (textAt(pod, 'metadata.deletionTimestamp') !== null) this.terminate();
  }

  #sandbox(): void {
    if (this.#isTerminating || this.#isGone) return;
    const { host, network } = this.#around;
    if (host.faults.has('containerd-hung')) return this.#sandboxHangs();
    const plugin = network.plugin();
    if (!this.place.isHostNetwork && plugin === null) return this.#networkNotReady();
    this.#sandboxId = host.random.hex(64);
    const answer = this.place.isHostNetwork
      ? { ok: true as const, address: host.instance().privateIp, tookMs: 0 }
      : plugin?.add(this.place.key, this.place.uid);
    if (answer === undefined) return;
    const tookMs = answer.tookMs + host.random.lognormal(SANDBOX_MS, 0.3);
    host.after(tookMs, () => {
      if (this.#isTerminating || this.#isGone) return;
      if (!answer.ok) return this.#sandboxRefused(answer.message);
      this.#address = answer.address;
      this.onChange();
      this.#next();
    });
  }

  #networkNotReady(): void {
    const message = `network is not ready: ${NETWORK_NOT_READY}`;
    this.#around.event(this.place, { type: 'Warning', reason: 'NetworkNotReady', message });
    this.#around.syncError(this.place, message);
    this.#again(NETWORK_RETRY_MS);
  }

  #sandboxRefused(text: string): void {
    const err = `rpc error: code = Unknown desc = failed to setup network for sandbox ${JSON.stringify(this.#sandboxId)}: ${text}`;
    this.#createRefused(err);
    this.#again(SANDBOX_RETRY_MS);
  }

  #sandboxHangs(): void {
    this.#around.host.after(120_000, () => {
      if (this.#isGone) return;
      this.#createRefused('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
      this.#again(SANDBOX_RETRY_MS);
    });
  }

  #createRefused(err: string): void {
    this.#around.sandboxFailed(this.place, err);
    const message = `Failed to create pod sandbox: ${err}`;
    this.#around.event(this.place, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
    const { name, namespace } = nameParts(this.place.key);
    const sync = `failed to "CreatePodSandbox" for "${name}_${namespace}(${this.place.uid})" with CreatePodSandboxError: ${JSON.stringify(`Failed to create sandbox for pod "${name}_${namespace}(${this.place.uid})": ${err}`)}`;
    this.#around.syncError(this.place, sync);
  }

  #again(delayMs: number): void {
    const { host } = this.#around;
    host.after(delayMs * host.random.between(0.9, 1.2), () => this.#sandbox());
  }

  /** Init containers one after another, then all others at once. */
  #next(): void {
    const waiting = this.#init.find(
      ({ state }) => state.kind !== 'terminated' || state.exitCode !== 0,
    );
    if (waiting !== undefined) return waiting.start(this.#programOf(waiting));
    this.#phase = 'Running';
    for (const container of this.#main) container.start(this.#programOf(container));
  }

  #programOf(container: ContainerRunner): ReturnType<PodSurroundings['programOf']> {
    const words = [...listAt(container.spec, 'command'), ...listAt(container.spec, 'args')];
    return this.#around.programOf(
      container.image,
      words.filter((word) => typeof word === 'string'),
    );
  }

  onEnd(container: ContainerRunner): void {
    if (this.#isTerminating || this.#isGone || container.state.kind !== 'terminated') return;
    const hasSucceeded = container.state.exitCode === 0;
    if (this.#init.includes(container) && hasSucceeded) {
      container.isReady = true;
      return this.#next();
    }
    const policy = textAt(this.#pod, 'spec.restartPolicy') ?? 'Always';
    const isOver =
      !this.#init.includes(container) &&
      (policy === 'Never' || (policy === 'OnFailure' && hasSucceeded));
    if (!isOver) return container.restart(this.#programOf(container));
    if (this.#main.every(({ state }) => state.kind === 'terminated')) this.#end();
  }

  #end(): void {
    const failed = this.#main.some(
      ({ state }) => state.kind === 'terminated' && state.exitCode !== 0,
    );
    this.#phase = failed ? 'Failed' : 'Succeeded';
    this.onChange();
  }

  /** The pod is to go: containers are told, and the object is released when they are gone. */
  terminate(): void {
    if (this.#isTerminating) return;
    this.#isTerminating = true;
    const { host } = this.#around;
    const graceMs = Number(textAt(this.#pod, 'metadata.deletionGracePeriodSeconds') ?? 30) * 1000;
    const running = this.containers().filter((one) => one.isRunning());
    for (const container of running)
      this.#around.event(
        this.place,
        { type: 'Normal', reason: 'Killing', message: `Stopping container ${container.name}` },
        `spec.containers{${container.name}}`,
      );
    const tookMs =
      running.length === 0 ? 100 : Math.min(graceMs, host.random.lognormal(STOP_MS, 0.5));
    host.after(tookMs, () => this.#release());
  }

  /** The node goes down: the pod fails, and its object stays until somebody takes it away. */
  shutDown(): void {
    if (this.#isTerminating || this.#phase === 'Succeeded' || this.#phase === 'Failed') return;
    this.#isTerminating = true;
    for (const container of this.containers()) container.stop();
    this.#phase = 'Failed';
    this.#why = SHUTDOWN;
    this.writeStatus();
  }

  #release(): void {
    if (this.#isGone) return;
    for (const container of this.containers()) container.stop();
    if (this.#phase === 'Pending' || this.#phase === 'Running')
      this.#phase = this.#main.some(isFailed) ? 'Failed' : 'Succeeded';
    this.#leave();
    this.writeStatus();
    this.deleteObject();
  }

  /** Asks the API server to forget the pod; asked again when the kubelet comes back. */
  deleteObject(): void {
    const { key, uid } = this.place;
    const { name, namespace } = nameParts(key);
    const answer = this.#around.ask(`namespaces/${namespace}/pods/${name}`, (client) =>
      client.delete('Pod', key, { gracePeriodSeconds: 0, uid }),
    );
    this.#isUntold = answer === null || (!answer.ok && answer.code !== 404 && answer.code !== 409);
  }

  /** The object is gone, or the machine is: nobody is told. */
  vanish(): void {
    for (const container of this.containers()) container.vanish();
    this.#leave();
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#status?.cancel();
    this.#around.network.release(this.place.key);
    this.#around.metadata.forget(this.place.key);
  }

  onChange(): void {
    if (!this.#hasStarted && this.#main.every(({ isReady }) => isReady)) {
      this.#hasStarted = true;
      this.#around.started(this.place, this.#around.host.trueMs() - this.#seenMs);
    }
    if (this.#status !== null || this.#isGone) return;
    this.#status = this.#around.host.after(STATUS_DELAY_MS, () => {
      this.#status = null;
      this.writeStatus();
    });
  }

  /** What could not be told; the kubelet's status manager tries again every ten seconds. */
  catchUp(): void {
    if (!this.#isUntold) return;
    if (this.#isGone) this.deleteObject();
    else this.writeStatus();
  }

  #wrote(pod: JsonObject): void {
    this.#pod = pod;
    this.#wroteReady = readyIn(pod);
  }

  /** Of a pod that was refused there is nothing but why. */
  #told(): JsonObject {
    const startTime = secondStamp(this.#seenMs);
    if (this.#isRefused) return { phase: this.#phase, startTime };
    return podStatus(
      {
        phase: this.#phase,
        pod: this.#pod,
        hostAddress: this.#around.host.instance().privateIp,
        address: this.#address,
        seenMs: this.#startedMs ?? this.#seenMs,
        init: this.#init,
        main: this.#main,
      },
      this.#around.host.nowMs(),
    );
  }

  writeStatus(): void {
    const { key } = this.place;
    const { name, namespace } = nameParts(key);
    const full = { ...this.#told(), ...this.#why };
    const answer = this.#around.ask(`namespaces/${namespace}/pods/${name}/status`, (client) =>
      client.patch(
        'Pod',
        key,
        'merge',
        { metadata: { uid: this.place.uid }, status: full },
        'status',
      ),
    );
    if (answer?.ok === true) this.#wrote(answer.object);
    this.#isUntold = answer === null || (!answer.ok && answer.code !== 404 && answer.code !== 409);
  }
}

function versionOf(pod: JsonObject): number {
  return Number(textAt(pod, 'metadata.resourceVersion') ?? 0);
}

/** Status of the Ready condition; others than the kubelet write it too, and are overruled. */
function readyIn(pod: JsonObject): string | null {
  const ready = listAt(pod, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  return textAt(ready, 'status');
}

function isFailed({ state }: ContainerRunner): boolean {
  return state.kind === 'terminated' && state.exitCode !== 0;
}

export function podKey(pod: JsonObject): string {
  return `${textAt(pod, 'metadata.namespace') ?? 'default'}/${textAt(pod, 'metadata.name') ?? ''}`;
}

export function nameParts(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
