/** A seeded source of choices, so that a corpus is the same bytes on every machine. */
export interface Seeded {
  /** An integer from 0 up to and without `bound`. */
  below(bound: number): number;
  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
  /** Letters and digits as Kubernetes generates them for name suffixes. */
  suffix(length: number): string;
}

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

function generatedSuffix(below: Seeded['below'], length: number): string {
  let text = '';
  while (text.length < length) text += SUFFIX_ALPHABET[below(SUFFIX_ALPHABET.length)];
  return text;
}

/** A 32-bit xorshift with a multiplicative output step; `seed` may be any integer. */
export function createSeeded(seed: number): Seeded {
  let state = seed | 0 || 0x2545f491;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.imul(state, 0x9e3779b1) >>> 0;
  };
  const below = (bound: number): number => Math.floor((next() / 2 ** 32) * bound);
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += next().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  };
  return {
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    hex,
    suffix: (length) => generatedSuffix(below, length),
  };
}
