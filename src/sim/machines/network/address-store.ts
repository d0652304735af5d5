/** An address freed by a pod is not given out again for this long (IP_COOLDOWN_PERIOD of the CNI). */
export const COOLDOWN_MS = 30_000;

/** An interface as ipamd knows it. */
export interface StoredInterface {
  readonly id: string;
  readonly isPrimary: boolean;
  readonly attachedMs: number;
  readonly attachmentId: string | null;
  readonly addresses: readonly string[];
  /** Slots that are taken besides its own address: single addresses or /28 blocks. */
  readonly slots: number;
}

/** Addresses of one machine and the pods that hold them; its checkpoint outlives ipamd. */
export class AddressStore {
  readonly #interfaces = new Map<string, StoredInterface>();
  readonly #holders = new Map<string, string>();
  readonly #cooling = new Map<string, number>();
  readonly #pods = new Map<string, string>();

  clear(): void {
    this.#interfaces.clear();
    this.#holders.clear();
    this.#cooling.clear();
    this.#pods.clear();
  }

  put(one: StoredInterface): void {
    this.#interfaces.set(one.id, one);
  }

  drop(id: string): void {
    this.#interfaces.delete(id);
  }

  interfaces(): readonly StoredInterface[] {
    return [...this.#interfaces.values()];
  }

  total(): number {
    return this.interfaces().reduce((sum, one) => sum + one.addresses.length, 0);
  }

  assigned(): number {
    return this.#pods.size;
  }

  cooling(nowMs: number): number {
    for (const [address, untilMs] of this.#cooling)
      if (untilMs <= nowMs) this.#cooling.delete(address);
    return this.#cooling.size;
  }

  available(nowMs: number): number {
    return this.total() - this.assigned() - this.cooling(nowMs);
  }

  /** The address of a pod, a new one if it has none; null when none is free. */
  take(pod: string, nowMs: number): string | null {
    const known = this.#pods.get(pod);
    if (known !== undefined) return known;
    this.cooling(nowMs);
    for (const { addresses } of this.#interfaces.values()) {
      const free = addresses.find((one) => !this.#holders.has(one) && !this.#cooling.has(one));
      if (free === undefined) continue;
      this.#holders.set(free, pod);
      this.#pods.set(pod, free);
      return free;
    }
    return null;
  }

  release(pod: string, nowMs: number): void {
    const address = this.#pods.get(pod);
    if (address === undefined) return;
    this.#pods.delete(pod);
    this.#holders.delete(address);
    this.#cooling.set(address, nowMs + COOLDOWN_MS);
  }

  /** Whether a pod holds an address of it, or has just held one. */
  isUsed(one: StoredInterface): boolean {
    return one.addresses.some(
      (address) => this.#holders.has(address) || this.#cooling.has(address),
    );
  }
}

/** The addresses of a /28 block. */
export function prefixAddresses(prefix: string): readonly string[] {
  const [base = '', bits = '28'] = prefix.split('/');
  const parts = base.split('.').map(Number);
  const last = parts.pop() ?? 0;
  const count = 2 ** (32 - Number(bits));
  return Array.from(
    { length: Math.min(count, 16) },
    (_, index) => `${parts.join('.')}.${last + index}`,
  );
}
