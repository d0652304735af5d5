import type { Decoder, Slices } from './decoder.ts';
import { DecodeError } from './decoder.ts';

const COARSE_PIECE_BYTES = 64 * 1024;
const FINE_PIECE_BYTES = 1024;

/**
 * Unpacks input again that was found damaged, to have the last bytes before the damage as well: a
 * decoder drops what the one call unpacked in which it fails. So the piece it failed on is given
 * in small pieces, and the small one it fails on then, byte by byte.
 */
export class Replay implements Decoder {
  readonly #open: (slices: Slices) => Promise<Decoder>;
  #packed: Buffer;
  #pieceBytes = FINE_PIECE_BYTES;
  #fineStart: number;
  #fedBytes = 0;
  #deliveredBytes: number;
  #skipBytes = 0;
  #decoder: Decoder | null = null;

  /**
   * @param packed what the failed decoder was given; it failed on the last piece
   * @param deliveredBytes how much it had unpacked; that much is left out here
   */
  constructor(
    open: (slices: Slices) => Promise<Decoder>,
    packed: readonly Uint8Array[],
    deliveredBytes: number,
  ) {
    this.#open = open;
    this.#packed = Buffer.concat(packed);
    this.#fineStart = this.#packed.length - (packed.at(-1)?.length ?? 0);
    this.#deliveredBytes = deliveredBytes;
  }

  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const chunk = await this.#pull();
      if (chunk === null) return null;
      const rest = chunk.subarray(this.#skipBytes);
      this.#skipBytes = Math.max(this.#skipBytes - chunk.length, 0);
      this.#deliveredBytes += rest.length;
      if (rest.length > 0) return rest;
    }
  }

  async close(): Promise<void> {
    await this.#decoder?.close();
    this.#decoder = null;
  }

  async #pull(): Promise<Uint8Array | null> {
    try {
      this.#decoder ??= await this.#start();
      return await this.#decoder.next();
    } catch (error) {
      if (!(error instanceof DecodeError) || this.#pieceBytes === 1) throw error;
      await this.close();
      this.#packed = this.#packed.subarray(0, this.#fedBytes);
      this.#fineStart = Math.max(this.#fedBytes - this.#pieceBytes, 0);
      this.#pieceBytes = 1;
      return this.#pull();
    }
  }

  #start(): Promise<Decoder> {
    this.#fedBytes = 0;
    this.#skipBytes = this.#deliveredBytes;
    return this.#open(async () => this.#piece());
  }

  #piece(): Uint8Array | null {
    const start = this.#fedBytes;
    const isFine = start >= this.#fineStart;
    const coarseEnd = Math.min(start + COARSE_PIECE_BYTES, this.#fineStart);
    const piece = this.#packed.subarray(start, isFine ? start + this.#pieceBytes : coarseEnd);
    this.#fedBytes += piece.length;
    return piece.length === 0 ? null : piece;
  }
}
