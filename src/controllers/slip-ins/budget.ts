import type { SlipInPolicy } from '../gate/policy.ts';
import type { NotedEviction } from './noted.ts';

/** One eviction in question: of which gate, of which workload, when by the monotonic clock. */
export interface Spending {
  readonly gate: string;
  readonly workload: string;
  /** UID of the Pod, of which one that was noted and not sent is the same eviction. */
  readonly pod: string;
  readonly limits: SlipInPolicy;
  readonly nowMs: number;
}

/** One eviction that counts. */
export interface Spent {
  readonly gate: string;
  readonly workload: string;
  /** UID of the Pod. */
  readonly pod: string;
  readonly atMs: number;
}

/** The same moment by both clocks. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

const HOUR_MS = 3_600_000;
/** The clocks of two machines differ by no more. */
const SKEW_MS = 5 * 60_000;

/**
 * How many Pods may be evicted: in no 60 minutes more than the limit, whoever leads. What others
 * evicted is what the NodeGate notes. As their times are of other clocks, of which one may have
 * jumped, whoever begins to lead is allowed one of its own at first, and more as time passes.
 */
export class EvictionBudget {
  #sinceMs = 0;
  #spent: readonly Spent[] = [];
  /** By the UID of the Pod: evicted by others, and when at the latest, by the monotonic clock. */
  readonly #others = new Map<string, Spent>();
  /** Pods that were noted here and not evicted after all. */
  readonly #unused = new Set<string>();

  /** Begins to evict, by the monotonic clock; what it evicted itself before still counts. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** Takes in what the gate notes now. */
  learn(gate: string, noted: readonly NotedEviction[], { wallMs, monotonicMs }: Moment): void {
    const known = new Set(this.#spent.map(({ pod }) => pod));
    for (const { pod, workload, atMs } of noted) {
      if (known.has(pod) || this.#others.has(pod) || this.#unused.has(pod)) continue;
      const ageMs = Math.max(0, wallMs - atMs - SKEW_MS);
      this.#others.set(pod, { gate, workload, pod, atMs: monotonicMs - ageMs });
    }
    for (const pod of this.#unused)
      if (!noted.some((one) => one.pod === pod)) this.#unused.delete(pod);
  }

  /** What the gate has to note: everything that counts still, at its time by the wall clock. */
  toNote(gate: string, { wallMs, monotonicMs }: Moment): readonly NotedEviction[] {
    return this.#lately(monotonicMs)
      .filter((spent) => spent.gate === gate)
      .map(({ pod, workload, atMs }) => ({ pod, workload, atMs: wallMs - (monotonicMs - atMs) }));
  }

  isWithinHour({ gate, pod, limits, nowMs }: Spending): boolean {
    const isOf = (spent: Spent): boolean => spent.gate === gate && spent.pod !== pod;
    return this.#isWithin(this.#lately(nowMs).filter(isOf), limits.perHour, nowMs);
  }

  isWithinWorkload({ gate, workload, pod, limits, nowMs }: Spending): boolean {
    const isOf = (spent: Spent): boolean =>
      spent.gate === gate && spent.workload === workload && spent.pod !== pod;
    return this.#isWithin(this.#lately(nowMs).filter(isOf), limits.perWorkload, nowMs);
  }

  /** Counts an eviction that is about to be noted and sent. */
  spend({ gate, workload, pod, nowMs }: Spending): Spent {
    const spent = { gate, workload, pod, atMs: nowMs };
    this.#spent = [...this.#spent.filter(({ atMs }) => nowMs - atMs < HOUR_MS), spent];
    this.#unused.delete(pod);
    return spent;
  }

  /** Counts it from its end, as it took effect no later; null for one that did not happen. */
  end(spent: Spent, atMs: number | null): void {
    const others = this.#spent.filter((one) => one !== spent);
    this.#spent = atMs === null ? others : [...others, { ...spent, atMs }];
    if (atMs === null && !this.#others.has(spent.pod)) this.#unused.add(spent.pod);
  }

  #lately(nowMs: number): readonly Spent[] {
    for (const [pod, { atMs }] of this.#others)
      if (nowMs - atMs >= HOUR_MS) this.#others.delete(pod);
    const own = this.#spent.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
    // One that another noted before it was evicted here is one.
    return [...new Map([...this.#others.values(), ...own].map((one) => [one.pod, one])).values()];
  }

  #isWithin(all: readonly Spent[], perHour: number, nowMs: number): boolean {
    const own = all.filter((one) => this.#spent.includes(one) && one.atMs >= this.#sinceMs);
    const grown = Math.floor(((nowMs - this.#sinceMs) * perHour) / HOUR_MS);
    return all.length < perHour && own.length < 1 + grown;
  }
}
