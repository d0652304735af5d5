/** What is typical of the evidence of one cause. */
export interface CauseLikeness {
  readonly cause: string;
  /** Examples of this cause that re-enact what somebody reported. */
  readonly reported: number;
  /** For each feature four characters of its number and one of its weight, in base 64. */
  readonly packed: string;
}

/** Causes by the features that are typical of their evidence. */
export interface LikenessIndex {
  readonly causes: readonly string[];
  /** How many reports of each cause are known. */
  readonly reported: ReadonlyMap<string, number>;
  /** For each feature the positions of its causes in `causes`, with weights. */
  readonly postings: ReadonlyMap<number, readonly Posting[]>;
}

export interface Posting {
  readonly cause: number;
  readonly weight: number;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES: ReadonlyMap<string, number> = new Map(
  Array.from(DIGITS, (digit, value) => [digit, value]),
);
/** Weights are kept in steps of this. */
const WEIGHT_STEP = 0.02;

function valueAt(text: string, at: number): number {
  return VALUES.get(text.charAt(at)) ?? 0;
}

/** The features of a cause as the index holds them. */
export function pack(weights: ReadonlyMap<number, number>): string {
  return [...weights]
    .toSorted(([one], [other]) => one - other)
    .map(([feature, weight]) => {
      const steps = Math.max(1, Math.min(63, Math.round(weight / WEIGHT_STEP)));
      const digits = [feature >>> 18, feature >>> 12, feature >>> 6, feature, steps];
      return digits.map((digit) => DIGITS.charAt(digit & 63)).join('');
    })
    .join('');
}

export function openIndex(entries: readonly CauseLikeness[]): LikenessIndex {
  const postings = new Map<number, Posting[]>();
  for (const [cause, { packed }] of entries.entries()) {
    for (let at = 0; at + 5 <= packed.length; at += 5) {
      const high = (valueAt(packed, at) << 18) | (valueAt(packed, at + 1) << 12);
      const feature = high | (valueAt(packed, at + 2) << 6) | valueAt(packed, at + 3);
      const posting = { cause, weight: valueAt(packed, at + 4) * WEIGHT_STEP };
      const known = postings.get(feature);
      if (known === undefined) postings.set(feature, [posting]);
      else known.push(posting);
    }
  }
  const reported = new Map(entries.map((entry) => [entry.cause, entry.reported]));
  return { causes: entries.map(({ cause }) => cause), reported, postings };
}
