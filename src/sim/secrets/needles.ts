import { toBase64 } from '../platform/certificates/base64.ts';

/** A secret that was planted somewhere. */
export interface PlantedSecret {
  readonly shape: string;
  readonly place: string;
  readonly secret: string;
}

/** Pieces by which a secret is told are so long: whoever shows so much of it shows too much. */
const PIECE = 12;
/** Of a long one no more than so many pieces are looked for. */
const PIECES_MAX = 4;

function piecesOf(text: string): readonly string[] {
  const count = Math.min(Math.floor(text.length / PIECE), PIECES_MAX);
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
}

const BASE64_STEP = 3;
const SEXTETS = 4;

/** What is the same in base64 of every text that has the secret at this offset from three bytes. */
function insideBase64(secret: string, offset: number): string {
  const encoded = toBase64(`${' '.repeat(offset)}${secret}`);
  const first = Math.ceil((offset * SEXTETS) / BASE64_STEP);
  const last = Math.floor(((offset + secret.length) * SEXTETS) / BASE64_STEP);
  return encoded.slice(first, last);
}

function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The forms in which a secret may come out: as it is, or encoded as programs do. */
export function formsOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => insideBase64(secret, offset));
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [
    secret,
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    hexOf(secret),
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
  ];
  return [...new Set(forms.flatMap(piecesOf))];
}

const SLOTS = 1 << 18;
const FACTOR = 31;
/** What the letter that leaves the window was multiplied by: 31 to the power of 12, in 32 bits. */
const LEAVING = Array.from({ length: PIECE }).reduce<number>(
  (power) => Math.imul(power, FACTOR),
  1,
);

/** Looks for many pieces at once, in one pass over a text. */
export class Needles {
  readonly #of = new Map<string, PlantedSecret>();
  readonly #slots = new Uint8Array(SLOTS);

  add(planted: PlantedSecret): void {
    for (const piece of formsOf(planted.secret)) {
      this.#of.set(piece, planted);
      this.#slots[slotOf(hashOf(piece))] = 1;
    }
  }

  /** The first secret that the text shows. */
  firstIn(text: string): PlantedSecret | null {
    let hash = hashOf(text.slice(0, PIECE));
    for (let end = PIECE; end <= text.length; end++) {
      if (this.#slots[slotOf(hash)] === 1) {
        const found = this.#of.get(text.slice(end - PIECE, end));
        if (found !== undefined) return found;
      }
      hash = Math.imul(hash, FACTOR) + text.charCodeAt(end);
      hash = (hash - Math.imul(text.charCodeAt(end - PIECE), LEAVING)) | 0;
    }
    return null;
  }
}

function hashOf(piece: string): number {
  let hash = 0;
  for (let index = 0; index < piece.length; index++)
    hash = (Math.imul(hash, FACTOR) + piece.charCodeAt(index)) | 0;
  return hash;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 14)) & (SLOTS - 1);
}
