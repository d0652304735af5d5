import type { Truth } from '../faults/contract.ts';

/** A truth with the time since which it may be told. */
export interface KnownTruth extends Truth {
  /** `F51.2`, or what else made it true: `setting`, `course`. */
  readonly of: string;
  readonly fromMs: number;
  /** When it is over and forgotten, where it is a state of some moments; never without. */
  readonly untilMs?: number;
}

/**
 * What is true of a world, as only its maker knows it. What a fault has done stays done, and may be
 * told as long as there is evidence of it.
 */
export class Truths {
  readonly #known: KnownTruth[] = [];

  add(truth: KnownTruth): void {
    this.#known.push(truth);
  }

  /** Truths of a machine at a moment, and of every machine; all of them without an id. */
  of(instanceId: string | null, atMs: number): readonly KnownTruth[] {
    return this.#known.filter(
      ({ machines, untilMs = Infinity }) =>
        atMs <= untilMs &&
        (instanceId === null || machines === null || machines.includes(instanceId)),
    );
  }
}
