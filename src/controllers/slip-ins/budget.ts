import type { SlipInPolicy } from '../gate/policy.ts';

/** One eviction in question: of which gate, of which workload, when by the monotonic clock. */
export interface Spending {
  readonly gate: string;
  readonly workload: string;
  readonly limits: SlipInPolicy;
  readonly nowMs: number;
}

/** One eviction that counts. */
export interface Spent {
  readonly gate: string;
  readonly workload: string;
  readonly atMs: number;
}

const HOUR_MS = 3_600_000;

/**
 * How many Pods may be evicted: in no 60 minutes more than the limit. What a controller evicted
 * that led before is not known, so in the first hour one is allowed, and more as time passes.
 */
export class EvictionBudget {
  #sinceMs = 0;
  #spent: readonly Spent[] = [];

  /** Begins to evict, by the monotonic clock; what it evicted itself before still counts. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  isWithinHour({ gate, limits, nowMs }: Spending): boolean {
    const count = this.#lately(nowMs).filter((spent) => spent.gate === gate).length;
    return count < this.#allowed(limits.perHour, nowMs);
  }

  isWithinWorkload({ gate, workload, limits, nowMs }: Spending): boolean {
    const isOf = (spent: Spent): boolean => spent.gate === gate && spent.workload === workload;
    const count = this.#lately(nowMs).filter(isOf).length;
    return count < this.#allowed(limits.perWorkload, nowMs);
  }

  /** Counts an eviction that is about to be sent. */
  spend({ gate, workload, nowMs }: Spending): Spent {
    const spent = { gate, workload, atMs: nowMs };
    this.#spent = [...this.#lately(nowMs), spent];
    return spent;
  }

  /** Counts it from its end, as it took effect no later; null for one that did not happen. */
  end(spent: Spent, atMs: number | null): void {
    const others = this.#spent.filter((one) => one !== spent);
    this.#spent = atMs === null ? others : [...others, { ...spent, atMs }];
  }

  #lately(nowMs: number): readonly Spent[] {
    return this.#spent.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
  }

  #allowed(perHour: number, nowMs: number): number {
    const grown = Math.floor(((nowMs - this.#sinceMs) * perHour) / HOUR_MS);
    return Math.min(perHour, 1 + grown);
  }
}
