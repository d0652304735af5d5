import { featuresOf } from './features.ts';
import type { LikenessIndex } from './likeness-index.ts';

/** How much the lines resemble the evidence of one cause. */
export interface Alike {
  readonly cause: string;
  /** 0 for nothing in common; the same line as in an example of the cause comes near 1. */
  readonly likeness: number;
  /** Position of the line that resembles it most. */
  readonly line: number;
}

/** The line that resembles most counts whole; the others together count this much. */
const OTHERS = 0.3;
const ALIKE_MAX = 12;

interface Tally {
  best: number;
  line: number;
  squares: number;
}

/** The causes whose evidence the lines resemble, the most alike first. */
export function rankAlike(index: LikenessIndex, lines: readonly string[]): readonly Alike[] {
  const tallies = index.causes.map((): Tally => ({ best: 0, line: 0, squares: 0 }));
  for (const [line, text] of lines.entries())
    for (const [cause, likeness] of ofLine(index, text)) {
      const tally = tallies[cause];
      if (tally === undefined) continue;
      tally.squares += likeness * likeness;
      if (likeness > tally.best) Object.assign(tally, { best: likeness, line });
    }
  return tallies
    .map(({ best, line, squares }, cause) => ({
      cause: index.causes[cause] ?? '',
      likeness: (best + OTHERS * Math.sqrt(squares)) / (1 + OTHERS),
      line,
    }))
    .filter(({ likeness }) => likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, ALIKE_MAX);
}

/** Likeness of one line to each cause that has anything in common with it. */
function ofLine({ causes, postings }: LikenessIndex, text: string): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  let squares = 0;
  for (const feature of featuresOf(text)) {
    const known = postings.get(feature) ?? [];
    const rarity = Math.log((causes.length + 1) / (known.length + 1));
    squares += rarity * rarity;
    for (const { cause, weight } of known)
      sums.set(cause, (sums.get(cause) ?? 0) + weight * rarity);
  }
  const length = Math.sqrt(squares);
  return new Map([...sums].map(([cause, sum]) => [cause, length === 0 ? 0 : sum / length]));
}
