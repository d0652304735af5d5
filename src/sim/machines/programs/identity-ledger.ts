import type { Kernel } from '../../kernel/kernel.ts';
import type { IdentityAccount, SeenIdentity } from '../contract.ts';

interface Entry {
  readonly pod: string;
  readonly podUid: string;
  readonly nodeName: string;
  readonly wantedRole: string;
  readonly seconds: Record<SeenIdentity, number>;
  now: SeenIdentity;
  sinceMs: number;
  hasEnded: boolean;
}

/** Who acted as whom for how long, over all machines of a world. */
export class IdentityLedger {
  readonly #kernel: Kernel;
  readonly #requestsPerSecond: number;
  readonly #entries = new Map<string, Entry>();

  constructor(kernel: Kernel, requestsPerSecond: number) {
    this.#kernel = kernel;
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** A pod's program starts, without credentials yet; a restart goes on with the same account. */
  begin(pod: Pick<Entry, 'pod' | 'podUid' | 'nodeName' | 'wantedRole'>): void {
    const known = this.#entries.get(pod.podUid);
    if (known !== undefined) {
      known.hasEnded = false;
      known.now = 'none';
      known.sinceMs = this.#kernel.nowMs();
      return;
    }
    this.#entries.set(pod.podUid, {
      ...pod,
      seconds: { 'own-role': 0, 'node-role': 0, 'other-role': 0, none: 0 },
      now: 'none',
      sinceMs: this.#kernel.nowMs(),
      hasEnded: false,
    });
  }

  change(podUid: string, identity: SeenIdentity): void {
    const entry = this.#entries.get(podUid);
    if (entry === undefined || entry.hasEnded || entry.now === identity) return;
    this.#settle(entry);
    entry.now = identity;
    this.#kernel.log(`pod/${entry.pod}`, `acts with ${identity}`);
  }

  end(podUid: string): void {
    const entry = this.#entries.get(podUid);
    if (entry === undefined || entry.hasEnded) return;
    this.#settle(entry);
    entry.now = 'none';
    entry.hasEnded = true;
  }

  /** Undefined for a pod that needs no role. */
  now(podUid: string): SeenIdentity | undefined {
    return this.#entries.get(podUid)?.now;
  }

  accounts(): readonly IdentityAccount[] {
    return [...this.#entries.values()].map((entry) => {
      if (!entry.hasEnded) this.#settle(entry);
      const { now, nodeName, pod, podUid, seconds, wantedRole } = entry;
      const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
      const requests = Math.floor(total * this.#requestsPerSecond);
      const lost = Math.floor((total - seconds['own-role']) * this.#requestsPerSecond);
      return {
        pod,
        podUid,
        nodeName,
        wantedRole,
        now,
        seconds: { ...seconds },
        requests,
        requestsLost: lost,
      };
    });
  }

  #settle(entry: Entry): void {
    const nowMs = this.#kernel.nowMs();
    entry.seconds[entry.now] += (nowMs - entry.sinceMs) / 1000;
    entry.sinceMs = nowMs;
  }
}
