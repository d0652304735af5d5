import { featuresOf } from './features.ts';
import { type LikenessIndex, postingsOf } from './likeness-index.ts';

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
  for (const [line, text] of lines.entries()) {
    const likenesses = ofLine(index, text);
    for (const [cause, tally] of tallies.entries()) {
      const likeness = likenesses[cause] ?? 0;
      tally.squares += likeness * likeness;
      if (likeness <= tally.best) continue;
      tally.best = likeness;
      tally.line = line;
    }
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

/** Likeness of one line to each cause, 0 where they have nothing in common. */
function ofLine(index: LikenessIndex, text: string): Float64Array {
  const { causes } = index;
  const sums = new Float64Array(causes.length);
  let squares = 0;
  for (const feature of featuresOf(text)) {
    const known = postingsOf(index, feature);
    const rarity = Math.log((causes.length + 1) / (known.length + 1));
    squares += rarity * rarity;
    for (const { cause, weight } of known) sums[cause] = (sums[cause] ?? 0) + weight * rarity;
  }
  const length = Math.sqrt(squares);
  return length === 0 ? sums.fill(0) : sums.map((sum) => sum / length);
}
