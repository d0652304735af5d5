import type { Random } from '../../ports/random.ts';

/** Chance from one seed and one name: what one actor draws never changes what another one gets. */
export interface RandomStream extends Random {
  /** A whole number from 0 up to and without `limit`. */
  below(limit: number): number;
  /** Uniform in [from, to). */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError for an empty list */
  pick<T>(values: readonly T[]): T;
  /** Log-normal around a median; `sigma` is the deviation of the logarithm. */
  lognormal(median: number, sigma: number): number;
  /** Exponential with a mean. */
  exponential(mean: number): number;
  /** Lower-case letters and digits without those that are mistaken for one another. */
  word(length: number): string;
  hex(length: number): string;
}

/** The alphabet of generated Kubernetes names (k8s.io/apimachinery util/rand). */
const ALPHANUMS = 'bcdfghjklmnpqrstvwxz2456789';
const HEX = '0123456789abcdef';

/** 32 bits of a text; FNV-1a with a final mix, so that close names give distant seeds. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The small fast counting generator of 128 bits by Chris Doty-Humphrey (sfc32). */
function generator(seed: number, name: string): () => number {
  let a = hashOf(`${seed}/${name}`);
  let b = hashOf(`${name}/${seed}`);
  let c = seed >>> 0;
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) next();
  return next;
}

/** As the author of sfc32 advises before the first number is used. */
const WARM_UP_ROUNDS = 12;

/** The stream that this name has under this seed, from its beginning. */
export function randomStream(seed: number, name: string): RandomStream {
  const next = generator(seed, name);
  const below = (limit: number): number => Math.floor(next() * limit);
  const letters = (length: number, alphabet: string): string => {
    let text = '';
    for (let index = 0; index < length; index++) text += alphabet[below(alphabet.length)] ?? '';
    return text;
  };
  return {
    next,
    below,
    between: (from, to) => from + next() * (to - from),
    chance: (probability) => next() < probability,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new RangeError(`${name}: nothing to pick from`);
      return values[below(values.length)] as T;
    },
    lognormal: (median, sigma) => median * Math.exp(sigma * gauss(next)),
    exponential: (mean) => -mean * Math.log(1 - next()),
    word: (length) => letters(length, ALPHANUMS),
    hex: (length) => letters(length, HEX),
  };
}

/** Normal with mean 0 and deviation 1 (Box and Muller). */
function gauss(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}
