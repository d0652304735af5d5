import { randomStream, type RandomStream } from '../kernel/random.ts';
import { Needles, type PlantedSecret } from './needles.ts';
import { ALPHABETS, type Make, type SecretShape, SHAPES } from './shapes.ts';

/** A secret with the text of its shape around it. */
export interface Plant {
  readonly name: string;
  readonly secret: string;
  readonly text: string;
}

/** Gives secrets to places, and knows them again. */
export interface Plants {
  /** The next kind of secret for a place; each place has its own of each kind. */
  readonly next: (place: string) => Plant;
  /** One of each kind. */
  readonly all: (place: string) => readonly Plant[];
  /** The first secret that a text shows. */
  readonly shownIn: (text: string) => PlantedSecret | null;
  /** Places with the kinds that were planted there. */
  readonly planted: () => ReadonlyMap<string, ReadonlySet<string>>;
}

const CONSONANTS = 'bdfghklmnprstvz';
const VOWELS = 'aeiou';
const SYLLABLES = 4;

function spoken(random: RandomStream): string {
  const letter = (letters: string): string => letters[random.below(letters.length)] ?? '';
  const syllables = Array.from(
    { length: SYLLABLES },
    () => letter(CONSONANTS) + letter(VOWELS),
  ).join('');
  return syllables;
}

/** As a person thinks of one: it can be spoken, and has no random look. */
function passwordOf(random: RandomStream): string {
  const first = spoken(random);
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}${random.below(90) + 10}!${spoken(random)}`;
}

function secretOf(make: Make, random: RandomStream): string {
  if (make === 'password') return passwordOf(random);
  const [kind, length] = make;
  const alphabet = ALPHABETS[kind];
  return Array.from({ length }, () => alphabet[random.below(alphabet.length)] ?? '').join('');
}

export function createPlants(seed: number): Plants {
  const needles = new Needles();
  const made = new Map<string, Plant>();
  const turns = new Map<string, number>();
  const kinds = new Map<string, Set<string>>();
  const plantOf = ({ name, make, text }: SecretShape, place: string): Plant => {
    const key = `${name} in ${place}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const secret = secretOf(make, randomStream(seed, key));
    const plant = { name, secret, text: text.replaceAll('§', () => secret) };
    made.set(key, plant);
    needles.add({ shape: name, place, secret });
    const here = kinds.get(place) ?? new Set();
    kinds.set(place, here.add(name));
    return plant;
  };
  return {
    next(place) {
      const turn = turns.get(place) ?? 0;
      turns.set(place, turn + 1);
      return plantOf(SHAPES[turn % SHAPES.length] as SecretShape, place);
    },
    all: (place) => SHAPES.map((shape) => plantOf(shape, place)),
    shownIn: (text) => needles.firstIn(text),
    planted: () => kinds,
  };
}
