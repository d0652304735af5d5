import type { Decoder, Slices } from './decoder.ts';

/** zlib drops what one failing call unpacked, so the end of the input is given in small pieces. */
const FINE_TAIL_BYTES = 128 * 1024;
const FINE_PIECE_BYTES = 64;
const COARSE_PIECE_BYTES = 64 * 1024;

/**
 * Unpacks input again that was found damaged near its end, to have the last bytes before the
 * damage as well.
 *
 * @param packed everything the failed decoder was given
 * @param deliveredBytes how much it had unpacked; that much is left out here
 */
export async function replayed(
  open: (slices: Slices) => Promise<Decoder>,
  packed: readonly Uint8Array[],
  deliveredBytes: number,
): Promise<Decoder> {
  const pieces = piecesOf(Buffer.concat(packed));
  const decoder = await open(async () => pieces.next().value ?? null);
  return new Remainder(decoder, deliveredBytes);
}

function* piecesOf(packed: Buffer): Generator<Uint8Array, null> {
  const fineStart = Math.max(packed.length - FINE_TAIL_BYTES, 0);
  for (let start = 0; start < packed.length; ) {
    const isFine = start >= fineStart;
    const wanted = start + (isFine ? FINE_PIECE_BYTES : COARSE_PIECE_BYTES);
    const end = isFine ? wanted : Math.min(wanted, fineStart);
    yield packed.subarray(start, end);
    start = end;
  }
  return null;
}

/** The output of a decoder without its first bytes. */
class Remainder implements Decoder {
  readonly #decoder: Decoder;
  #skipBytes: number;

  constructor(decoder: Decoder, skipBytes: number) {
    this.#decoder = decoder;
    this.#skipBytes = skipBytes;
  }

  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const chunk = await this.#decoder.next();
      if (chunk === null) return null;
      const rest = chunk.subarray(this.#skipBytes);
      this.#skipBytes = Math.max(this.#skipBytes - chunk.length, 0);
      if (rest.length > 0) return rest;
    }
  }

  close(): Promise<void> {
    return this.#decoder.close();
  }
}
