import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import { localMs } from '../host.ts';
import { TimerSet } from '../timer-set.ts';
import { klogText, quotedList } from '../logs/klog.ts';
import { secondStamp } from '../logs/stamps.ts';
import { type KubeletConfig, PLAIN_KUBELET } from './config.ts';
import { EventRecorder } from './events.ts';
import { complainOfStatus, NodeLease } from './heartbeat.ts';
import type { KubeletParts } from './parts.ts';
import { type KubeletLog, kubeletLog, sayNodeNotFound } from './lines.ts';
import { type ApiResult, NodeApi } from './node-api.ts';
import {
  NETWORK_NOT_READY,
  nodeConditions,
  type NodeFacts,
  nodeObject,
  nodeStatus,
} from './node-object.ts';
import { podKey } from './pod.ts';
import { conditionsOf, register } from './registration.ts';
import { MirrorPods } from './static-pods.ts';
import { Refusals } from './refusals.ts';
import { startProblem } from './start-problem.ts';
import { bootstrapCertificate, requestServing } from './tls-bootstrap.ts';

/** Lease renewal and status (KubeletConfiguration: a quarter of 40 s, and 10 s). */
const HEARTBEAT_MS = 10_000;
/** The lease controller waits with 4 % jitter. */
const HEARTBEAT_JITTER = 0.04;
/** `nodeStatusReportFrequency`: a status without change is reported after this time. */
const REPORT_MS = 300_000;
/** From the start of the process to the first try to register. */
const START_MS = 400;
/** A node that has become ready is reported at once while it is new (kubelet.go). */
const FAST_REPORT_MS = 180;

export interface RunOwner {
  onExit(message: string): void;
  onName(name: string): void;
}

/** One run of the kubelet. */
export class KubeletRun {
  readonly pid: number;
  readonly log: KubeletLog;
  readonly #parts: KubeletParts;
  readonly #owner: RunOwner;
  readonly #timers: TimerSet;
  #nodeName = '';
  #config: KubeletConfig | null = null;
  readonly #api: NodeApi;
  #events: EventRecorder | null = null;
  #lease: NodeLease | null = null;
  #isRegistered = false;
  #wasReady: boolean | null = null;
  #hadDiskPressure = false;
  #isStatusDue = false;
  #reportedMs = 0;
  #refusals: Refusals | null = null;
  #wasRefused = false;
  #isNodeGone = false;
  #nodeUid: string | null = null;
  #isOver = false;
  #mirrors: MirrorPods | null = null;
  #isShuttingDown = false;

  constructor(parts: KubeletParts, pid: number, owner: RunOwner) {
    this.#parts = parts;
    this.#owner = owner;
    this.pid = pid;
    this.log = kubeletLog(parts.host, pid);
    this.#timers = new TimerSet((delayMs, task) => parts.host.after(delayMs, task));
    this.#api = new NodeApi(parts.host, parts.network, { kind: 'anonymous' });
  }

  begin(): void {
    const { disk, host } = this.#parts;
    const kubeletVersion = host.settings.kubernetesVersion;
    this.log.line('I', 'version', 'Kubelet version', { kubeletVersion });
    const config = this.#parts.config();
    const problem = startProblem(this.#parts);
    this.#config = config;
    if (problem !== null || config === null) return this.#exit(problem ?? 'no configuration');
    this.#nodeName = this.#nameBy(config);
    this.#owner.onName(this.#nodeName);
    if (config.credential === 'aws-token') return this.#run({ kind: 'aws-token' });
    const subject = disk.certificate;
    if (subject !== null) return this.#run({ kind: 'certificate', subject });
    this.#bootstrap(disk.bootstrapToken ?? '');
  }

  /** In-process cloud providers name the Node; whatever else is configured is of no effect. */
  #nameBy(config: KubeletConfig): string {
    const { host } = this.#parts;
    if (config.cloudProvider === 'aws') return host.instance().privateDnsName;
    return (config.hostnameOverride ?? host.hostname()).trim().toLowerCase();
  }

  #exit(err: string): void {
    this.#after(100, () => {
      this.end();
      const atMs = localMs(this.#parts.host);
      const message = `"command failed" err=${JSON.stringify(err)}`;
      const line = { severity: 'E', atMs, pid: this.pid, place: 'run.go:72', message } as const;
      this.#owner.onExit(klogText(line));
    });
  }

  #bootstrap(token: string): void {
    const { disk, host } = this.#parts;
    this.#api.use({ kind: 'bootstrap-token', token });
    disk.writeKubeconfig(host.settings.endpoint);
    const subject = {
      commonName: `system:node:${this.#nodeName}`,
      organizations: ['system:nodes'],
    };
    bootstrapCertificate({
      api: this.#api,
      log: this.log,
      nodeName: this.#nodeName,
      after: (delayMs, task) => this.#after(delayMs, task),
      onCertificate: () => {
        disk.writeCertificate(subject);
        this.#run({ kind: 'certificate', subject });
      },
    });
  }

  #run(credential: Parameters<NodeApi['use']>[0]): void {
    this.#api.use(credential);
    const { host, pods } = this.#parts;
    this.#events = new EventRecorder(this.#api, this.#nodeName, () => host.nowMs());
    const lease = new NodeLease(this.#heartbeatTask());
    this.#lease = lease;
    this.#mirrors = new MirrorPods({
      api: this.#api,
      files: host.files,
      nodeName: this.#nodeName,
      now: () => secondStamp(host.nowMs()),
    });
    this.#refusals = new Refusals({
      log: this.log,
      nodeName: this.#nodeName,
      userName: () => this.#api.userName(),
      complainOfLease: (err, intervalMs) => lease.complain(err, intervalMs),
    });
    pods.attach({ nodeName: this.#nodeName, api: this.#api, log: this.log, events: this.#events });
    this.#after(START_MS, () => {
      this.log.line('I', 'mainLoop', 'Starting kubelet main sync loop');
      this.#events?.ofNode({ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
      this.#register();
      this.#syncPods();
    });
    this.#parts.onRun();
    const { random } = host;
    this.#after(START_MS + 20 + random.between(0, 200), () => this.#beat());
  }

  #heartbeatTask(): ConstructorParameters<typeof NodeLease>[0] {
    const { host } = this.#parts;
    return {
      api: this.#api,
      log: this.log,
      nodeName: this.#nodeName,
      nowMs: () => host.nowMs(),
      nodeUid: () => (this.#isNodeGone ? null : this.#nodeUid),
    };
  }

  #register(): void {
    if (this.#config?.registerNode === false) return;
    register({
      api: this.#api,
      log: this.log,
      nodeName: this.#nodeName,
      node: () => nodeObject(this.#facts(), this.#status()),
      after: (delayMs, task) => this.#after(delayMs, task),
      onRegistered: (node) => this.#registered(node),
      onRefusal: (refusal) => this.#registerRefused(refusal),
    });
  }

  #registered(node: JsonObject): void {
    this.#nodeUid = textAt(node, 'metadata.uid');
    this.#isRegistered = true;
    this.#wasRefused = false;
    this.#isStatusDue = true;
    const name = this.#nodeName;
    for (const reason of FIRST_EVENTS)
      this.#events?.ofNode({
        type: 'Normal',
        reason,
        message: `Node ${name} status is now: ${reason}`,
      });
    this.#after(20, () => this.#report());
    this.#syncPods();
    this.#lease?.renew();
    if (this.#config?.asksServingCertificate === true) requestServing(this.#api, name);
  }

  #registerRefused(refusal: Extract<ApiResult, { ok: false }>): void {
    this.#wasRefused = true;
    if (this.#refusals?.tell(refusal) === true && !this.#isReady()) this.#sayNotReady();
  }

  #sayNotReady(): void {
    const text = NETWORK_NOT_READY.replace('container runtime network not ready: ', '');
    this.log.line('E', 'runtimeNotReady', 'Container runtime network not ready', {
      networkReady: text,
    });
  }

  #facts(): NodeFacts {
    const { host } = this.#parts;
    return {
      name: this.#nodeName,
      hostname: host.hostname(),
      config: this.#config ?? PLAIN_KUBELET,
      instance: host.instance(),
      version: host.settings.kubernetesVersion,
      image: host.settings.image,
    };
  }

  #status(): JsonObject {
    const { cache, host } = this.#parts;
    const before = conditionsOf(cache.node(this.#nodeName));
    const isReady = this.#isReady();
    const health = {
      isReady,
      message: this.#unreadyMessage(),
      hasDiskPressure: host.faults.has('disk-full'),
    };
    return nodeStatus(
      this.#facts(),
      host.nowMs() - host.uptimeMs(),
      nodeConditions(health, host.nowMs(), before),
    );
  }

  #isReady(): boolean {
    const { host, network } = this.#parts;
    return (
      network.plugin() !== null && !host.faults.has('containerd-hung') && !this.#isShuttingDown
    );
  }

  #unreadyMessage(): string {
    if (this.#isShuttingDown) return 'node is shutting down';
    if (!this.#parts.host.faults.has('containerd-hung')) return NETWORK_NOT_READY;
    return '[container runtime is down, PLEG is not healthy: pleg was last seen active 3m2.1s ago; threshold is 3m0s]';
  }

  /** One heartbeat: the Lease, and the status if there is something to report. */
  #beat(): void {
    const { host } = this.#parts;
    const jitter = 1 + host.random.next() * HEARTBEAT_JITTER;
    this.#after(HEARTBEAT_MS * jitter, () => this.#beat());
    if (host.faults.has('kubelet-hung')) {
      this.#wasRefused = true;
      return;
    }
    const isRenewed = this.#isRegistered ? (this.#lease?.renew() ?? false) : false;
    if (!this.#isRegistered) return;
    if (this.#isNodeGone) return this.#sayNodeGone();
    if (this.#isStatusDue || host.trueMs() - this.#reportedMs >= REPORT_MS) this.#report();
    if (this.#nodeUid !== null) this.#mirrors?.sync(this.#nodeUid);
    if (isRenewed && this.#wasRefused) this.#recovered();
    if (isRenewed) this.#parts.pods.catchUp();
    else this.#wasRefused = true;
  }

  #recovered(): void {
    this.#wasRefused = false;
    this.#syncPods();
  }

  #sayNodeGone(): void {
    const node = JSON.stringify(this.#nodeName);
    complainOfStatus(this.#heartbeatTask(), `error getting node ${node}: nodes ${node} not found`);
  }

  #report(): void {
    if (this.#isNodeGone || !this.#isRegistered) return;
    const isReady = this.#isReady();
    const status = this.#status();
    const answer = this.#api.ask(`nodes/${this.#nodeName}`, (client) =>
      client.patch('Node', this.#nodeName, 'strategic', { status }, 'status'),
    );
    if (!answer.ok) {
      if (answer.code === 404) this.#isNodeGone = true;
      complainOfStatus(this.#heartbeatTask(), `error patching node status: ${answer.message}`);
      this.#isStatusDue = true;
      this.#wasRefused = true;
      return;
    }
    this.#isStatusDue = false;
    this.#reportedMs = this.#parts.host.trueMs();
    if (isReady !== this.#wasReady) this.#tellReadiness(isReady);
    this.#wasReady = isReady;
    this.#hadDiskPressure = this.#parts.host.faults.has('disk-full');
  }

  #tellReadiness(isReady: boolean): void {
    const name = this.#nodeName;
    if (!isReady && !this.#isShuttingDown) this.#sayNotReady();
    if (isReady || this.#wasReady === true) {
      const reason = isReady ? 'NodeReady' : 'NodeNotReady';
      const message = `Node ${name} status is now: ${reason}`;
      this.#events?.ofNode({ type: 'Normal', reason, message });
    }
  }

  /** The system goes down: the node says so, and its pods are told to end. */
  shutDown(): void {
    const message = 'Shutdown manager detected new shutdown event, isNodeShuttingDownNow';
    this.log.line('I', 'shutdown', message, { event: true });
    this.#isShuttingDown = true;
    this.#report();
    this.#parts.pods.shutDown();
  }

  /** The network plugin came or went, or something on the machine broke or was mended. */
  networkChanged(): void {
    if (this.#isOver) return;
    const isFull = this.#parts.host.faults.has('disk-full');
    if (isFull !== this.#hadDiskPressure) this.#isStatusDue = true;
    if (this.#isReady() === this.#wasReady) return;
    this.#isStatusDue = true;
    if (this.#wasReady === true || !this.#isReady()) return;
    this.#after(FAST_REPORT_MS, () => this.#reportFast());
  }

  /** Its own Node is looked up first; one that was deleted is not reported on. */
  #reportFast(): void {
    if (this.#isNodeGone) return sayNodeNotFound(this.log, this.#nodeName);
    this.log.line('I', 'fastReport', 'Fast updating node status as it just became ready');
    this.#report();
  }

  #syncPods(): void {
    if (!this.#canHear()) return;
    const { cache, pods } = this.#parts;
    const added = pods.sync(cache.pods(this.#nodeName));
    if (added.length > 0) this.#saySync('ADD', added);
  }

  onPod(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: JsonObject): void {
    if (!this.#canHear()) return;
    const isNew = this.#parts.pods.change(type, pod);
    // A mirror that was deleted is made again with the next heartbeat.
    if (type === 'DELETED') this.#mirrors?.forget();
    if (isNew) this.#saySync('ADD', [podKey(pod)]);
    else if (type === 'DELETED') this.#saySync('REMOVE', [podKey(pod)]);
    else if (textAt(pod, 'metadata.deletionTimestamp') !== null)
      this.#saySync('DELETE', [podKey(pod)]);
  }

  #saySync(what: keyof typeof SYNC_PLACES, pods: readonly string[]): void {
    const text = `"SyncLoop ${what}" source="api" pods=${quotedList(pods)}`;
    this.log.raw('I', SYNC_PLACES[what], text);
  }

  #canHear(): boolean {
    const { host, network } = this.#parts;
    return (
      !this.#isOver &&
      this.#isRegistered &&
      !network.isLost('api-server') &&
      !host.faults.has('kubelet-hung')
    );
  }

  onNode(node: JsonObject | null, before: JsonObject | null): void {
    const wasGone = this.#isNodeGone;
    this.#isNodeGone = node === null && (before !== null || wasGone);
    if (node === null) return;
    this.#nodeUid = textAt(node, 'metadata.uid');
    const ready = conditionsOf(node).find((one) => one['type'] === 'Ready');
    // The node controller says Unknown when it has heard nothing; the kubelet says what it knows.
    if (ready?.['status'] === 'Unknown') [this.#isStatusDue, this.#wasReady] = [true, null];
    if (wasGone && !this.#isNodeGone) this.#isStatusDue = true;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timers.clear();
    this.#parts.pods.detach();
  }

  #after(delayMs: number, task: () => void): Timer {
    return this.#timers.after(delayMs, task);
  }
}

const FIRST_EVENTS = ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'];

const SYNC_PLACES = { ADD: 'syncAdd', REMOVE: 'syncRemove', DELETE: 'syncDelete' } as const;
