import type { Candidates, Judged } from './judge.ts';

/** What was said of a machine that does not work at one look, and what would be right to say. */
export interface Answer {
  readonly seed: number;
  readonly accepted: readonly string[];
  readonly named: readonly string[];
  readonly candidates: Candidates;
}

/** How hard an oracle is to please, and how it is pleased. Shares are from 0 to 1. */
export interface Score {
  /** Machines that do not work, once for each look. */
  readonly machines: number;
  /** Causes that are accepted of one of them. */
  readonly width: { readonly median: number; readonly p90: number; readonly max: number };
  /** Of all: a cause was named, and all that were are accepted. */
  readonly right: number;
  readonly wrong: number;
  readonly silent: number;
  /** Of those of which a cause was named. */
  readonly rightOfNamed: number;
  /** The one cause that is accepted of most machines. */
  readonly constant: { readonly cause: string; readonly right: number };
  /** Every answer of another seed in the place of each one that names a cause, on average. */
  readonly shuffled: number;
  readonly candidates: AskedScore;
}

/** Of machines of which nothing was named, and questions were asked. */
export interface AskedScore {
  readonly machines: number;
  /** A true cause was among the first three. */
  readonly amongFirst: number;
  /** No true cause was asked about. */
  readonly omitted: number;
}

const FIRST = 3;

/** Gathers answers of machines that do not work. */
export class Answers {
  readonly #answers: Answer[] = [];

  add(seed: number, { isUsable, named, truths, candidates }: Judged): void {
    if (isUsable !== false) return;
    const accepted = [...new Set(truths.flatMap(({ causes }) => causes))];
    this.#answers.push({ seed, accepted, named, candidates });
  }

  all(): readonly Answer[] {
    return this.#answers;
  }
}

export function scoreOf(answers: readonly Answer[]): Score {
  const said = answers.filter(({ named }) => named.length > 0);
  const right = said.filter(isRight).length;
  return {
    machines: answers.length,
    width: widthOf(answers.map(({ accepted }) => accepted.length)),
    right: share(right, answers.length),
    wrong: share(said.length - right, answers.length),
    silent: share(answers.length - said.length, answers.length),
    rightOfNamed: share(right, said.length),
    constant: bestConstant(answers),
    shuffled: shuffled(said),
    candidates: askedOf(answers.filter(({ named }) => named.length === 0)),
  };
}

function isRight({ accepted, named }: Pick<Answer, 'accepted' | 'named'>): boolean {
  return named.length > 0 && named.every((cause) => accepted.includes(cause));
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function widthOf(widths: readonly number[]): Score['width'] {
  const sorted = widths.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { median: at(0.5), p90: at(0.9), max: at(1) };
}

function bestConstant(answers: readonly Answer[]): Score['constant'] {
  const counts = new Map<string, number>();
  for (const cause of answers.flatMap(({ accepted }) => accepted))
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  const [best] = [...counts].toSorted((one, other) => other[1] - one[1]);
  return { cause: best?.[0] ?? '', right: share(best?.[1] ?? 0, answers.length) };
}

/** How often an answer of another seed would be right, over all pairs of them. */
function shuffled(said: readonly Answer[]): number {
  let [pairs, right] = [0, 0];
  for (const { seed, accepted } of said)
    for (const { seed: otherSeed, named } of said) {
      if (otherSeed === seed) continue;
      pairs++;
      if (isRight({ accepted, named })) right++;
    }
  return share(right, pairs);
}

function askedOf(silent: readonly Answer[]): AskedScore {
  const asked = silent.filter(({ candidates }) => candidates.count > 0);
  const places = asked.map(({ candidates }) => candidates.place);
  return {
    machines: asked.length,
    amongFirst: places.filter((place) => place !== null && place < FIRST).length,
    omitted: places.filter((place) => place === null).length,
  };
}
