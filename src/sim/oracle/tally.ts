import { type Way, WAYS } from '../invariants/contract.ts';
import { Confusion } from './confusion.ts';
import type { Judged } from './judge.ts';
import { Mistakes } from './mistakes.ts';
import { Answers, type Score, scoreOf } from './score.ts';

/** Everything that is counted of judgements over many seeds, by the way of looking. */
export class Tally {
  readonly confusions = byWay(() => new Confusion());
  readonly mistakes = new Mistakes();
  readonly #answers = byWay(() => new Answers());

  add(seed: number, judged: Judged, way: Way): void {
    this.confusions[way].add(judged);
    this.mistakes.add(seed, judged, way);
    this.#answers[way].add(seed, judged);
  }

  score(way: Way): Score {
    return scoreOf(this.#answers[way].all());
  }

  /** Of all ways together. */
  whole(): Score {
    return scoreOf(WAYS.flatMap((way) => this.#answers[way].all()));
  }
}

function byWay<T>(make: () => T): Readonly<Record<Way, T>> {
  return { live: make(), files: make(), pile: make() };
}
