import { RecentMap } from '../../runtime/recent-map.ts';
import type { SlipInPolicy } from '../gate/policy.ts';

interface Bucket {
  readonly left: number;
  readonly atMs: number;
}

/** One eviction in question: of which gate, of which workload, when by the monotonic clock. */
export interface Spending {
  readonly gate: string;
  readonly workload: string;
  readonly limits: SlipInPolicy;
  readonly nowMs: number;
}

const HOUR_MS = 3_600_000;
const REMEMBERED_MAX = 4_096;

/**
 * How many Pods may be evicted. Each budget begins with one and grows by its rate, so that a
 * controller that is started again and again evicts no more than one that runs.
 */
export class EvictionBudget {
  readonly #buckets = new RecentMap<Bucket>(REMEMBERED_MAX);

  isWithinHour({ gate, limits, nowMs }: Spending): boolean {
    return this.#leftOf(gate, limits.perHour, nowMs) >= 1;
  }

  isWithinWorkload({ gate, workload, limits, nowMs }: Spending): boolean {
    return this.#leftOf(`${gate} ${workload}`, limits.perWorkload, nowMs) >= 1;
  }

  /** @param count 1 for an eviction, -1 for one that did not happen */
  spend({ gate, workload, limits, nowMs }: Spending, count: 1 | -1): void {
    this.#change(gate, limits.perHour, nowMs, count);
    this.#change(`${gate} ${workload}`, limits.perWorkload, nowMs, count);
  }

  #change(key: string, perHour: number, nowMs: number, count: number): void {
    const left = this.#leftOf(key, perHour, nowMs) - count;
    this.#buckets.set(key, { left, atMs: nowMs });
  }

  #leftOf(key: string, perHour: number, nowMs: number): number {
    const known = this.#buckets.get(key);
    if (known === undefined) return 1;
    return Math.min(perHour, known.left + ((nowMs - known.atMs) * perHour) / HOUR_MS);
  }
}
