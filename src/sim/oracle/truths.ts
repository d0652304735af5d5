import type { Truth } from '../faults/contract.ts';
import type { Ailment } from './effects.ts';

/** A truth with the time in which it came about. */
export interface KnownTruth extends Truth {
  /** `F51.2`, or what else made it true: `setting`, `course`. */
  readonly of: string;
  readonly fromMs: number;
  /** When what did it is taken back; null where nobody knows yet. What it did may show for longer. */
  readonly untilMs: number | null;
}

/** An effect may come so long after its fault has ended: a node is silent after 50 s. */
const LATE_MS = 60_000;

/** The present of a world. */
export interface Present {
  readonly nowMs: () => number;
  readonly ailment: (instanceId: string) => Ailment;
}

/**
 * What is true of a world, as only its maker knows it. A fault is true of the machines that it was
 * put into while it lasts, and afterwards as long as what it has done still shows; of all others
 * only where it shows.
 */
export class Truths {
  readonly #world: Present;
  #known: readonly KnownTruth[] = [];
  #present: readonly KnownTruth[] = [];

  constructor(world: Present) {
    this.#world = world;
  }

  add(truth: KnownTruth): void {
    this.#known = [...this.#known, truth];
  }

  /** What did it is taken back. */
  end(of: string, atMs: number): void {
    this.#known = this.#known.map((one) =>
      one.of === of && one.untilMs === null ? { ...one, untilMs: atMs } : one,
    );
  }

  /** Replaces what is true of this moment alone. */
  setPresent(truths: readonly KnownTruth[]): void {
    this.#present = truths;
  }

  /** Truths of a machine at this moment; without an id those of the whole cluster. */
  of(instanceId: string | null): readonly KnownTruth[] {
    const all = [...this.#known, ...this.#present];
    return all.filter((truth) =>
      instanceId === null ? this.#isOfCluster(truth) : this.#isOf(truth, instanceId),
    );
  }

  #isOf(truth: KnownTruth, instanceId: string): boolean {
    const { machines } = truth;
    if (machines !== null && !machines.includes(instanceId)) return false;
    if (machines !== null && this.#isOn(truth)) return true;
    return isShown(truth, this.#world.ailment(instanceId));
  }

  #isOfCluster(truth: KnownTruth): boolean {
    if (this.#isOn(truth)) return true;
    return truth.machines?.some((id) => isShown(truth, this.#world.ailment(id))) === true;
  }

  #isOn({ untilMs }: KnownTruth): boolean {
    return untilMs === null || this.#world.nowMs() < untilMs;
  }
}

/** Whether a machine shows what a truth has done to it, and has not been well since. */
function isShown({ shows, fromMs, untilMs }: KnownTruth, { shown, sinceMs }: Ailment): boolean {
  const isSame = untilMs === null || sinceMs === null || sinceMs <= untilMs + LATE_MS;
  const isOf = (beganMs: number | undefined): boolean => beganMs !== undefined && beganMs >= fromMs;
  return isSame && shows.some((effect) => isOf(shown.get(effect)));
}
