/** What is typical of the evidence of each cause, arranged by what lines are compared by. */
export interface LikenessIndex {
  readonly causes: readonly string[];
  /** How many reports of each cause are known: examples that re-enact what somebody reported. */
  readonly reported: ReadonlyMap<string, number>;
  /**
   * By the upper half of a feature's number: for each of its causes two characters of the lower
   * half, two of the cause's place in `causes` and one of the weight, in base 64. A start looks for
   * a few features, so nothing is unpacked but what is looked for.
   */
  readonly packed: readonly string[];
}

export interface Posting {
  readonly cause: number;
  readonly weight: number;
}

/** What is typical of one cause: features with weights. */
export type Weights = ReadonlyMap<number, number>;

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Weights are kept in steps of this. */
const WEIGHT_STEP = 0.02;
const HALF_BITS = 12;
const HALVES = 1 << HALF_BITS;
const RECORD_CHARS = 5;

function digitsOf(half: number): string {
  return DIGITS.charAt(half >>> 6) + DIGITS.charAt(half & 63);
}

function recordOf(feature: number, cause: number, weight: number): string {
  const steps = Math.max(1, Math.min(63, Math.round(weight / WEIGHT_STEP)));
  return digitsOf(feature & (HALVES - 1)) + digitsOf(cause) + DIGITS.charAt(steps);
}

/**
 * The features of causes as the index holds them.
 *
 * @param weights by the place of the cause, at most 4,096 of them
 */
export function pack(weights: readonly Weights[]): readonly string[] {
  const records = Array.from({ length: HALVES }, (): string[] => []);
  for (const [cause, its] of weights.entries())
    for (const [feature, weight] of its)
      records[feature >>> HALF_BITS]?.push(recordOf(feature, cause, weight));
  return records.map((its) => its.toSorted().join(''));
}

/** The causes that a feature is typical of. */
export function postingsOf({ packed }: LikenessIndex, feature: number): readonly Posting[] {
  const records = packed[feature >>> HALF_BITS] ?? '';
  const wanted = digitsOf(feature & (HALVES - 1));
  const found: Posting[] = [];
  for (let at = 0; at + RECORD_CHARS <= records.length; at += RECORD_CHARS) {
    if (!records.startsWith(wanted, at)) continue;
    const digit = (place: number): number => DIGITS.indexOf(records.charAt(at + place));
    found.push({ cause: (digit(2) << 6) | digit(3), weight: digit(4) * WEIGHT_STEP });
  }
  return found;
}
