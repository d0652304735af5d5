import type { ByteReader, ByteSource } from './byte-source.ts';
import { CHUNK_BYTES } from './byte-source.ts';
import { TAR_BLOCK_BYTES } from './tar-header.ts';

/** Entries start on a multiple of 512 bytes. */
export function paddingBytes(bytes: number): number {
  return (TAR_BLOCK_BYTES - (bytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
}

/** The content of one tar entry, as a window on the archive's own reader. */
export class MemberBody implements ByteSource {
  cut = false;
  readonly #reader: ByteReader;
  readonly #onCut: (missingBytes: number) => void;
  readonly #paddingBytes: number;
  #leftBytes: number;

  constructor(reader: ByteReader, bytes: number, onCut: (missingBytes: number) => void) {
    this.#reader = reader;
    this.#onCut = onCut;
    this.#leftBytes = bytes;
    this.#paddingBytes = paddingBytes(bytes);
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#leftBytes === 0 || this.cut) return null;
    const chunk = await this.#reader.take(Math.min(this.#leftBytes, CHUNK_BYTES));
    if (chunk === null) this.#endEarly();
    else this.#leftBytes -= chunk.length;
    return chunk;
  }

  async skip(bytes: number): Promise<number> {
    const skipped = await this.#reader.skip(Math.min(bytes, this.#leftBytes));
    this.#leftBytes -= skipped;
    return skipped;
  }

  async close(): Promise<void> {}

  /** Moves the archive's reader behind this entry. */
  async leave(): Promise<void> {
    if (this.cut) return;
    const skipped = await this.#reader.skip(this.#leftBytes + this.#paddingBytes);
    this.#leftBytes = Math.max(this.#leftBytes - skipped, 0);
    if (this.#leftBytes > 0) this.#endEarly();
  }

  /**
   * Sparse files in pax archives (GNU sparse format 1.0) begin with a map, decimal numbers one a
   * line: how many pieces there are, then place and length of each. It is padded to whole blocks.
   */
  async passSparseMap(): Promise<void> {
    let linesLeft = Number.NaN;
    while (this.#leftBytes >= TAR_BLOCK_BYTES) {
      const block = await this.#reader.peek(TAR_BLOCK_BYTES);
      if (Number.isNaN(linesLeft)) linesLeft = 1 + 2 * firstNumber(block);
      if (Number.isNaN(linesLeft)) return;
      for (const byte of block) if (byte === 0x0a) linesLeft -= 1;
      await this.skip(TAR_BLOCK_BYTES);
      if (linesLeft <= 0) return;
    }
  }

  #endEarly(): void {
    this.cut = true;
    this.#onCut(this.#leftBytes);
  }
}

function firstNumber(block: Uint8Array): number {
  const line = /^\d{1,9}(?=\n)/.exec(Buffer.from(block.subarray(0, 16)).toString('latin1'));
  return line === null ? Number.NaN : Number(line[0]);
}
