/** Looks for many secrets in much text at once. */
import { encodingsOf, type Planted, plantedFor } from './make.ts';
import type { Plant } from './kubernetes.ts';

export interface Leak {
  readonly shape: string;
  readonly place: string;
  readonly piece: string;
}

interface Wanted extends Leak {
  readonly rest: string;
}

/** Pieces are at least so long. */
const HEAD = 8;

/** Remembers what is planted where, and tells what of it a text shows. */
export interface Search {
  readonly plant: Plant;
  /** Shapes planted in each place. */
  readonly places: () => ReadonlyMap<string, readonly string[]>;
  readonly leaksIn: (text: string) => readonly Leak[];
}

/** Most places of a text begin nothing that is looked for, which one look at a table tells. */
const TABLE_BITS = 22;

function slotOf(text: string, index: number): number {
  let slot = 0;
  for (let offset = 0; offset < HEAD; offset++)
    slot = Math.imul(slot, 31) + text.charCodeAt(index + offset);
  return slot & ((1 << TABLE_BITS) - 1);
}

export function createSearch(): Search {
  const byHead = new Map<string, Wanted[]>();
  const slots = new Uint8Array(1 << TABLE_BITS);
  const places = new Map<string, readonly string[]>();
  const remember = (place: string, { shape, secret }: Planted): void => {
    for (const piece of new Set(encodingsOf(secret))) {
      if (piece.length < HEAD) continue;
      slots[slotOf(piece, 0)] = 1;
      const [head, rest] = [piece.slice(0, HEAD), piece.slice(HEAD)];
      const known = byHead.get(head);
      const wanted = { shape, place, piece, rest };
      if (known === undefined) byHead.set(head, [wanted]);
      else known.push(wanted);
    }
  };
  return {
    plant(place, most) {
      const all = plantedFor(place, most);
      for (const one of all) remember(place, one);
      places.set(
        place,
        all.map(({ shape }) => shape),
      );
      return all;
    },
    places: () => places,
    leaksIn: (text) => [...leaksOf(text, slots, byHead)],
  };
}

function* leaksOf(
  text: string,
  slots: Uint8Array,
  byHead: ReadonlyMap<string, readonly Wanted[]>,
): Generator<Leak> {
  for (let index = 0; index + HEAD <= text.length; index++) {
    if (slots[slotOf(text, index)] === 0) continue;
    const wanted = byHead.get(text.slice(index, index + HEAD));
    if (wanted === undefined) continue;
    for (const { shape, place, piece, rest } of wanted)
      if (text.startsWith(rest, index + HEAD)) yield { shape, place, piece };
  }
}
