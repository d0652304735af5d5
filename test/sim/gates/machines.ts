/** Machines whose agents really work or do not, whatever the API says of their Pods. */
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { KUBELET_CONDITION, kubeletRunReason } from '../../../src/domain/nodes/kubelet-run.ts';
import { must, nodeObject, readyCondition, type TestCluster } from '../platform/cluster.ts';

const SECOND_MS = 1_000;
const LEASE_PERIOD_MS = 10 * SECOND_MS;
/** How long a container takes to end, and its Pod to be gone, after it was asked to. */
const ENDING_MS = 15 * SECOND_MS;
const START_MS = 3 * SECOND_MS;

/** One stretch of time in which the agent of a DaemonSet worked on a machine without interruption. */
export interface Work {
  /** `namespace/name` and UID of its DaemonSet. */
  readonly set: string;
  readonly setUid: string;
  readonly nodeUid: string;
  readonly bootId: string;
  readonly fromMs: number;
  /** null while it lasts. */
  untilMs: number | null;
}

export interface MachineOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonObject[];
  /** From the binding of a Pod until its container runs, ms; the API hears nothing before. */
  readonly startMs?: number;
  /** True where the agent of Rollcall tells which run of the kubelet there is. */
  readonly tellsKubelet?: boolean;
  /** Whenever an agent begins to work. */
  readonly onWork?: () => void;
}

interface Container {
  readonly pod: JsonObject;
  readonly key: string;
  restarts: number;
  work: Work | null;
}

function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function renewTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

function keyOf(pod: JsonObject): string {
  return `${textAt(pod, 'metadata.namespace')}/${textAt(pod, 'metadata.name')}`;
}

/** A machine with its kubelet, which registers it, and the containers that run on it. */
export class Machine {
  readonly name: string;
  readonly works: Work[] = [];
  readonly #cluster: TestCluster;
  readonly #options: MachineOptions;
  readonly #containers = new Map<string, Container>();
  /** When it came up for the second time or later, or another took its name. */
  bootedAgainMs: number | null = null;
  /** Since when its kubelet runs. */
  kubeletSinceMs = 0;
  #boots = 0;
  #nodeUid = '';
  #isOff = false;
  #toldSince: string | null = null;

  constructor(cluster: TestCluster, name: string, options: MachineOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.name = name;
    this.#register();
    cluster.kernel.every(LEASE_PERIOD_MS, () => this.#renew());
  }

  get bootId(): string {
    return `${this.name}-boot-${this.#boots}`;
  }

  /** Its containers end, and it comes up as another boot; its Pods are looked at late. */
  reboot(downMs: number, silentMs: number, startMs: number): void {
    this.#turnOff();
    this.#after(downMs, () => {
      this.#boot();
      this.#patchNode({ nodeInfo: { bootID: this.bootId }, conditions: [this.#ready(true)] });
      this.#restartAll(silentMs, startMs);
    });
  }

  /** It is gone with its Node, and another machine registers under its name. */
  replace(downMs: number, silentMs: number, startMs: number): void {
    this.remove();
    this.#after(downMs, () => {
      this.#boot();
      this.#register();
      this.#restartAll(silentMs, startMs);
    });
  }

  /** Its Node is deleted while it runs, and its kubelet registers again; its containers run on. */
  registerAgain(afterMs: number): void {
    must(this.#cluster.admin.delete('Node', this.name));
    this.#after(afterMs, () => {
      this.#register();
      for (const container of this.#containers.values()) this.#workOn(container);
    });
  }

  /** It is gone for ever, and its Node with it. */
  remove(): void {
    this.#turnOff();
    must(this.#cluster.admin.delete('Node', this.name));
  }

  /** Its kubelet restarts: its Node is not ready for a moment, its containers do not notice. */
  restartKubelet(): void {
    this.kubeletSinceMs = Math.floor(this.#cluster.kernel.nowMs());
    this.#patchNode({ conditions: [this.#ready(false)] });
    this.#after(SECOND_MS, () => this.#tellKubelet());
    this.#after(3 * SECOND_MS, () => this.#patchNode({ conditions: [this.#ready(true)] }));
  }

  /** Every agent dies and is started again after so long. */
  fail(durationMs: number): void {
    for (const container of this.#containers.values()) {
      this.#end(container);
      this.#tell(container, false);
      this.#startAgain(container, durationMs);
    }
  }

  /** A Pod was bound to it. */
  bound(pod: JsonObject): void {
    const container: Container = { pod, key: keyOf(pod), restarts: 0, work: null };
    this.#containers.set(container.key, container);
    this.#after(this.#options.startMs ?? START_MS, () => this.#start(container));
  }

  /** A Pod is to be deleted: its container is asked to end and works no more. */
  ending(pod: JsonObject): void {
    const container = this.#containers.get(keyOf(pod));
    if (container === undefined) return;
    this.#containers.delete(container.key);
    this.#end(container);
    this.#after(ENDING_MS, () =>
      this.#cluster.admin.delete('Pod', container.key, { gracePeriodSeconds: 0 }),
    );
  }

  #boot(): void {
    this.#boots++;
    this.bootedAgainMs = this.#cluster.kernel.nowMs();
    this.#isOff = false;
  }

  #after(durationMs: number, task: () => void): void {
    this.#cluster.kernel.after(durationMs, task);
  }

  #register(): void {
    const { admin, kernel } = this.#cluster;
    const node = nodeObject(this.name, kernel.nowMs(), this.#options);
    const status = { ...(node['status'] as JsonObject), nodeInfo: { bootID: this.bootId } };
    const created = admin.create({ ...node, status });
    must(created);
    this.#tellKubelet();
    this.#nodeUid = (created.ok ? textAt(created.object, 'metadata.uid') : null) ?? '';
    this.#renew();
  }

  #tellKubelet(): void {
    if (this.#options.tellsKubelet !== true) return;
    const now = stamp(this.#cluster.kernel.nowMs());
    const reason = kubeletRunReason(this.kubeletSinceMs);
    const times = { lastHeartbeatTime: now, lastTransitionTime: this.#toldSince ?? now };
    this.#toldSince ??= now;
    this.#patchNode({
      conditions: [{ type: KUBELET_CONDITION, status: 'True', reason, ...times }],
    });
  }

  #renew(): void {
    if (this.#isOff) return;
    const { admin, kernel } = this.#cluster;
    const spec = { holderIdentity: this.name, leaseDurationSeconds: 40 };
    const renewed = { ...spec, renewTime: renewTime(kernel.nowMs()) };
    const place = { name: this.name, namespace: 'kube-node-lease' };
    const found = admin.patch('Lease', `kube-node-lease/${this.name}`, 'merge', { spec: renewed });
    if (found.ok) return;
    const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    admin.create({ ...kind, metadata: place, spec: renewed });
  }

  #ready(isReady: boolean): JsonObject {
    return readyCondition(isReady, this.#cluster.kernel.nowMs());
  }

  #patchNode(status: JsonObject): void {
    this.#cluster.admin.patch('Node', this.name, 'strategic', { status }, 'status');
  }

  #turnOff(): void {
    this.#isOff = true;
    for (const container of this.#containers.values()) this.#end(container);
  }

  /** Containers of a former boot: the API hears of their end late, and of their start again. */
  #restartAll(silentMs: number, startMs: number): void {
    for (const container of this.#containers.values()) {
      this.#after(silentMs, () => this.#tell(container, false));
      this.#startAgain(container, startMs);
    }
  }

  #startAgain(container: Container, afterMs: number): void {
    this.#after(afterMs, () => {
      container.restarts++;
      this.#start(container);
    });
  }

  #start(container: Container): void {
    if (this.#isOff || this.#containers.get(container.key) !== container) return;
    this.#workOn(container);
    this.#tell(container, true);
    this.#options.onWork?.();
  }

  /** What works from now on is work of the present Node. */
  #workOn(container: Container): void {
    this.#end(container);
    const [owner] = listAt(container.pod, 'metadata.ownerReferences');
    const namespace = textAt(container.pod, 'metadata.namespace');
    container.work = {
      set: `${namespace}/${textAt(owner, 'name') ?? ''}`,
      setUid: textAt(owner, 'uid') ?? '',
      nodeUid: this.#nodeUid,
      bootId: this.bootId,
      fromMs: this.#cluster.kernel.nowMs(),
      untilMs: null,
    };
    this.works.push(container.work);
  }

  #end({ work }: Container): void {
    if (work !== null) work.untilMs ??= this.#cluster.kernel.nowMs();
  }

  #tell(container: Container, isReady: boolean): void {
    const { admin, kernel } = this.#cluster;
    if (this.#containers.get(container.key) !== container) return;
    const now = stamp(kernel.nowMs());
    const state = isReady
      ? { running: { startedAt: now } }
      : { waiting: { reason: 'CrashLoopBackOff' } };
    const own = { name: 'main', ready: isReady, restartCount: container.restarts, state };
    const ready = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: now };
    const status = { phase: 'Running', conditions: [ready], containerStatuses: [own] };
    const current = admin.get('Pod', container.key);
    if (current === null) return;
    const update = { ...current, status: { ...(current['status'] as JsonObject), ...status } };
    must(admin.updateStatus(update));
  }
}

/** All machines, told of their Pods by one watch. */
export class Machines {
  readonly #all = new Map<string, Machine>();
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
    cluster.admin.follow('Pod', (type, pod, before) => {
      const machine = this.#all.get(textAt(pod, 'spec.nodeName') ?? '');
      if (machine === undefined || type === 'DELETED') return;
      if (at(pod, 'metadata.deletionTimestamp') !== undefined) machine.ending(pod);
      else if (textAt(before ?? undefined, 'spec.nodeName') === null) machine.bound(pod);
    });
  }

  join(name: string, options: MachineOptions): Machine {
    const machine = new Machine(this.#cluster, name, options);
    this.#all.set(name, machine);
    return machine;
  }

  get(name: string): Machine | null {
    return this.#all.get(name) ?? null;
  }
}
