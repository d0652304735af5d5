import type { JsonObject } from '../../../evidence/json.ts';
import { textAt } from '../../../evidence/json.ts';
import type { Host } from '../host.ts';
import { nanoStamp } from '../logs/stamps.ts';
import type { EventText } from '../../platform/running/event-correlator.ts';
import type { PodPlace } from '../programs/program.ts';
import type { EventRecorder } from './events.ts';
import type { KubeletLog } from './lines.ts';
import type { NodeApi } from './node-api.ts';
import { nameParts, podKey, PodWorker } from './pod.ts';
import { refusalOf } from './pod-admission.ts';
import type { PodSurroundings } from './surroundings.ts';

/** The kubelet as pods need it. */
export interface AttachedKubelet {
  readonly nodeName: string;
  readonly api: NodeApi;
  readonly log: KubeletLog;
  readonly events: EventRecorder;
}

interface Fixed
  extends Pick<
    PodSurroundings,
    'host' | 'network' | 'metadata' | 'neighbours' | 'images' | 'programOf'
  > {
  /** Slots of the machine, by the configuration of its kubelet. */
  maxPods(): number;
}

/** It starts early in every boot. */
const CONTAINERD_PID = 561;
/** So many pods that have ended keep their logs on a machine. */
const ENDED_MAX = 100;

/** The pods of one machine; containers go on while no kubelet runs. */
export class PodTable {
  readonly #workers = new Map<string, PodWorker>();
  readonly #ended = new Map<string, PodWorker>();
  readonly #around: PodSurroundings;
  readonly #log: () => KubeletLog | null;
  readonly #maxPods: () => number;
  #kubelet: AttachedKubelet | null = null;
  #nodeName = '';

  constructor(fixed: Fixed) {
    this.#log = () => this.#kubelet?.log ?? null;
    this.#maxPods = () => fixed.maxPods();
    const nodeName = (): string => this.#nodeName;
    this.#around = {
      ...fixed,
      get nodeName() {
        return nodeName();
      },
      isGone: ({ key, uid }) => this.#workers.get(key)?.place.uid !== uid,
      event: (pod, text, fieldPath) => this.#kubelet?.events.ofPod(pod.object(), text, fieldPath),
      syncError: (pod, err) => this.#syncError(pod, err),
      probeChanged: (pod, isReady) => this.#probeChanged(pod, isReady),
      sandboxFailed: (pod, err) => this.#sandboxFailed(fixed.host, pod, err),
      started: (pod, tookMs) => this.#started(pod, tookMs),
      probeFailed: (pod, container, probe, message) =>
        this.#probeFailed(pod, { container, probe, message }),
      ask: (what, request) => {
        const kubelet = this.#kubelet;
        if (kubelet === null || fixed.host.faults.has('kubelet-hung')) return null;
        return kubelet.api.ask(what, request);
      },
    };
  }

  attach(kubelet: AttachedKubelet): void {
    this.#kubelet = kubelet;
    this.#nodeName = kubelet.nodeName;
  }

  detach(): void {
    this.#kubelet = null;
  }

  workers(): Iterable<PodWorker> {
    return this.#workers.values();
  }

  /** Also one that has ended here. */
  worker(key: string): PodWorker | null {
    return this.#workers.get(key) ?? this.#ended.get(key) ?? null;
  }

  running(key: string): PodWorker | null {
    return this.#workers.get(key) ?? null;
  }

  /** Brings the machine to what the API server has for it; the names of pods that are new. */
  sync(wanted: Iterable<JsonObject>): readonly string[] {
    const seen = new Set<string>();
    const added: string[] = [];
    // The oldest come first, as where the kubelet takes in those that it finds.
    for (const pod of [...wanted].toSorted(byCreation)) {
      const key = podKey(pod);
      seen.add(key);
      if (this.change('MODIFIED', pod)) added.push(key);
    }
    for (const key of this.#workers.keys().toArray()) if (!seen.has(key)) this.#remove(key);
    return added;
  }

  /** True when the pod is new on this machine. */
  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: JsonObject): boolean {
    const key = podKey(pod);
    const uid = textAt(pod, 'metadata.uid') ?? '';
    const known = this.#workers.get(key);
    if (type === 'DELETED') {
      if (known?.place.uid === uid) this.#remove(key);
      return false;
    }
    if (known?.place.uid === uid) {
      known.update(pod);
      return false;
    }
    if (known !== undefined) this.#remove(key);
    if (isOver(pod)) return false;
    const worker = new PodWorker(pod, this.#around);
    const used = [...this.#workers.values()].filter((one) => one.hasSlot()).length;
    const refusal = refusalOf(pod, { used, capacity: this.#maxPods() });
    this.#workers.set(key, worker);
    if (refusal === null) worker.begin();
    else this.#refuse(worker, refusal);
    return true;
  }

  #refuse(worker: PodWorker, { type, reason, message }: EventText): void {
    const { key, uid } = worker.place;
    const values = { podUID: uid, pod: key, reason, message };
    this.#log()?.line('I', 'admission', 'Pod admission denied', values);
    this.#kubelet?.events.ofPod(worker.place.object(), { type, reason, message });
    worker.refuse(reason, message);
  }

  #remove(key: string): void {
    const worker = this.#workers.get(key);
    if (worker === undefined) return;
    worker.vanish();
    this.#workers.delete(key);
    this.#ended.delete(key);
    this.#ended.set(key, worker);
    const oldest = this.#ended.keys().next().value;
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
  }

  catchUp(): void {
    for (const worker of this.#workers.values()) worker.catchUp();
  }

  /** Everything is told to end, and keeps its object to say why. */
  shutDown(): void {
    for (const worker of this.#workers.values()) worker.shutDown();
  }

  /** Power is gone: nothing runs any more. */
  vanish(): void {
    for (const key of this.#workers.keys().toArray()) this.#remove(key);
  }

  #syncError({ key, uid }: PodPlace, err: string): void {
    const log = this.#log();
    log?.line('E', 'podError', 'Error syncing pod, skipping', { err, pod: key, podUID: uid });
  }

  /** Both sides of the call say so: the runtime first, then the kubelet. */
  #sandboxFailed(host: Host, { key, uid }: PodPlace, err: string): void {
    const { name, namespace } = nameParts(key);
    const sandbox = `RunPodSandbox for &PodSandboxMetadata{Name:${name},Uid:${uid},Namespace:${namespace},Attempt:0,} failed, error`;
    const detail = err.replace('rpc error: code = Unknown desc = ', '');
    const nowMs = host.nowMs();
    const text = `time="${nanoStamp(nowMs, host.zoneMinutes(nowMs))}" level=error msg=${JSON.stringify(sandbox)} error=${JSON.stringify(detail)}`;
    host.note('containerd', CONTAINERD_PID, text);
    this.#log()?.line('E', 'runtimeCall', 'RunPodSandbox from runtime service failed', { err });
  }

  #started({ key }: PodPlace, tookMs: number): void {
    const seconds = (tookMs / 1000).toFixed(9);
    const values = {
      pod: key,
      podStartSLOduration: Number(seconds),
      podStartE2EDuration: `${seconds}s`,
    };
    this.#log()?.line('I', 'podStartup', 'Observed pod startup duration', values);
  }

  #probeChanged({ key }: PodPlace, isReady: boolean): void {
    const values = { probe: 'readiness', status: isReady ? 'ready' : 'not ready', pod: key };
    this.#log()?.line('I', 'syncProbe', 'SyncLoop (probe)', values);
  }

  #probeFailed(
    { key, uid }: PodPlace,
    { container, probe, message }: { container: string; probe: string; message: string },
  ): void {
    const values = {
      probeType: probe,
      pod: key,
      podUID: uid,
      containerName: container,
      probeResult: 'failure',
      output: message,
    };
    this.#log()?.line('I', 'probe', 'Probe failed', values);
  }
}

function byCreation(one: JsonObject, other: JsonObject): number {
  const [a, b] = [one, other].map((pod) => textAt(pod, 'metadata.creationTimestamp') ?? '');
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b);
}

function isOver(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status.phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

/** `/var/log/pods/NAMESPACE_NAME_UID/CONTAINER/N.log` */
export function logPath(worker: PodWorker, container: string, restarts: number): string {
  const { name, namespace } = nameParts(worker.place.key);
  return `/var/log/pods/${namespace}_${name}_${worker.place.uid}/${container}/${restarts}.log`;
}
