import type { Way } from '../invariants/contract.ts';
import type { Judged } from './judge.ts';

/** A class of wrong answers: what was said, and what there was instead. */
export interface Mistake {
  readonly said: string;
  /** `wrong`: it is not true; `effect`: it is true, and no cause. */
  readonly as: 'wrong' | 'effect';
  /** Faults and what they caused, `F45 wrong-node-clock`; `nothing` where all is well. */
  readonly there: string;
  readonly times: number;
  readonly ways: ReadonlySet<Way>;
  /** The first seed that shows it. */
  readonly seed: number;
}

/** Counts wrong answers by their class. */
export class Mistakes {
  readonly #mistakes = new Map<string, Mistake>();

  add(seed: number, { wrong, effects, truths }: Judged, way: Way): void {
    const there = thereOf(truths);
    for (const said of wrong) this.#count({ said, as: 'wrong', there, seed }, way);
    for (const said of effects) this.#count({ said, as: 'effect', there, seed }, way);
  }

  /** The most frequent ones first. */
  all(): readonly Mistake[] {
    return [...this.#mistakes.values()].toSorted(
      (one, other) => other.times - one.times || (one.said < other.said ? -1 : 1),
    );
  }

  #count(mistake: Pick<Mistake, 'said' | 'as' | 'there' | 'seed'>, way: Way): void {
    const key = `${mistake.said} ${mistake.as} ${mistake.there}`;
    const known = this.#mistakes.get(key);
    this.#mistakes.set(key, {
      ...mistake,
      seed: known?.seed ?? mistake.seed,
      times: (known?.times ?? 0) + 1,
      ways: new Set([...(known?.ways ?? []), way]),
    });
  }
}

/** A truth as it is told beside a wrong answer. */
export function truthWords({ of, causes }: Judged['truths'][number]): string {
  return `${of.split('.')[0] ?? of} ${causes.join('/')}`;
}

function thereOf(truths: Judged['truths']): string {
  const words = [...new Set(truths.map(truthWords))].toSorted();
  return words.length === 0 ? 'nothing' : words.join(', ');
}
