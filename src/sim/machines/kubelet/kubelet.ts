import type { JsonObject } from '../../../evidence/json.ts';
import type { UnitState } from '../contract.ts';
import { KubeletRun } from './kubelet-run.ts';
import type { KubeletListener, KubeletParts } from './parts.ts';

/** systemd starts a kubelet that ended again after this time (10-kubeadm.conf, kubelet.service). */
const RESTART_MS = 10_000;

/** The systemd unit of the kubelet: one process at a time, started again when it ends. */
export class Kubelet implements KubeletListener {
  readonly #parts: KubeletParts;
  #run: KubeletRun | null = null;
  /** The run that has found a configuration. */
  #configured: KubeletRun | null = null;
  #isWanted = false;
  #restarts = 0;
  #lastName: string | null = null;

  constructor(parts: KubeletParts) {
    this.#parts = parts;
    parts.network.onChange(() => this.#run?.networkChanged());
  }

  state(): UnitState {
    if (this.#run === null) return this.#isWanted ? 'crash-loop' : 'stopped';
    return this.#parts.host.faults.has('kubelet-hung') ? 'hung' : 'running';
  }

  /** The name that the present or the last process went by. */
  nodeName(): string | null {
    return this.#lastName;
  }

  /** As systemd sees it. */
  isActive(): boolean {
    return this.#run !== null;
  }

  /** Whether its ports are open: not in the moment before it ends for want of a configuration. */
  isHealthy(): boolean {
    return this.#run !== null && this.#run === this.#configured;
  }

  start(): void {
    if (this.#run !== null) return;
    this.#isWanted = true;
    const { host } = this.#parts;
    host.note('systemd', 1, 'Started kubelet.service - kubelet: The Kubernetes Node Agent.');
    const pid = host.nextPid();
    const run = new KubeletRun(this.#parts, pid, {
      onExit: (message) => this.#exited(run, message),
      onName: (name) => {
        this.#lastName = name;
        this.#configured = run;
        this.#parts.cache.listen(name, this);
      },
    });
    this.#run = run;
    run.begin();
  }

  stop(): void {
    const { host } = this.#parts;
    const wasRunning = this.#run !== null;
    this.#isWanted = false;
    this.#drop();
    if (!wasRunning) return;
    host.note('systemd', 1, 'Stopping kubelet.service - kubelet: The Kubernetes Node Agent...');
    host.note('systemd', 1, 'Stopped kubelet.service - kubelet: The Kubernetes Node Agent.');
  }

  restart(): void {
    this.stop();
    this.#restarts = 0;
    this.start();
  }

  /** False when the kubelet has no grace to give, and the machine goes off as it is. */
  shutDown(): boolean {
    if (this.#run === null || (this.#parts.config()?.shutdownGraceMs ?? 0) === 0) return false;
    this.#run.shutDown();
    return true;
  }

  /** Power is gone. */
  vanish(): void {
    this.#isWanted = false;
    this.#drop();
  }

  #drop(): void {
    this.#run?.end();
    this.#run = null;
    this.#parts.cache.forget(this);
  }

  #exited(run: KubeletRun, message: string): void {
    if (this.#run !== run) return;
    const { host } = this.#parts;
    this.#drop();
    host.note('kubelet', run.pid, message);
    host.note('systemd', 1, 'kubelet.service: Main process exited, code=exited, status=1/FAILURE');
    host.note('systemd', 1, "kubelet.service: Failed with result 'exit-code'.");
    host.after(RESTART_MS, () => {
      if (!this.#isWanted || this.#run !== null) return;
      this.#restarts += 1;
      const text = `kubelet.service: Scheduled restart job, restart counter is at ${this.#restarts}.`;
      host.note('systemd', 1, text);
      this.start();
    });
  }

  onPod(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: JsonObject): void {
    this.#run?.onPod(type, pod);
  }

  onNode(node: JsonObject | null, before: JsonObject | null): void {
    this.#run?.onNode(node, before);
  }
}
