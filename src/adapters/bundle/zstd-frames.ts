import type { Slices } from './decoder.ts';
import { DecodeError } from './decoder.ts';

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const RLE_BLOCK = 1;

/**
 * Splits zstd content into its frames, by the lengths in RFC 8878, section 3.1. The decoder of
 * Node.js stops behind the first frame before version 26, and does not notice a cut before 24.
 */
export class ZstdFrames {
  readonly #source: Slices;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes to pass before the next header. */
  #bodyBytes = 0;
  #header: number[] = [];
  #isInBlocks = false;
  #isLastBlock = false;
  #hasChecksum = false;
  #isOver = true;

  constructor(source: Slices) {
    this.#source = source;
  }

  /** Whether the last frame that was begun came to its end. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Moves to the next frame, over what may be skipped; false at the end of the content. */
  async begin(): Promise<boolean> {
    for (;;) {
      await this.#gather(8);
      if (this.#rest.length === 0) return false;
      const magic = this.#rest.length < 8 ? 0 : this.#rest.readUInt32LE(0);
      if ((magic & 0xfffffff0) >>> 0 !== SKIPPABLE_MAGIC) return this.#reset(magic);
      await this.#drop(8 + this.#rest.readUInt32LE(4));
    }
  }

  /** The next bytes of the frame, null at its end. */
  readonly slices: Slices = async () => {
    if (this.#isOver) return null;
    if (this.#rest.length === 0 && !(await this.#more())) return null;
    const slice = this.#rest.subarray(0, this.#walk(this.#rest));
    this.#rest = this.#rest.subarray(slice.length);
    return slice;
  };

  #reset(magic: number): true {
    if (magic !== FRAME_MAGIC) throw new DecodeError('trailing', 'no zstd frame');
    this.#bodyBytes = 4;
    this.#header = [];
    this.#isInBlocks = false;
    this.#isLastBlock = false;
    this.#isOver = false;
    return true;
  }

  /** How many of the bytes belong to this frame. */
  #walk(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && !this.#isOver) {
      if (this.#bodyBytes > 0) {
        const step = Math.min(this.#bodyBytes, bytes.length - at);
        this.#bodyBytes -= step;
        at += step;
      } else {
        this.#header.push(bytes[at] ?? 0);
        at += 1;
        this.#readHeader();
      }
      this.#isOver = this.#isLastBlock && this.#bodyBytes === 0;
    }
    return at;
  }

  #readHeader(): void {
    const [first = 0, second = 0, third = 0] = this.#header;
    if (this.#isInBlocks && this.#header.length < 3) return;
    if (this.#isInBlocks) this.#readBlockHeader(first | (second << 8) | (third << 16));
    else this.#readFrameHeader(first);
    this.#header = [];
  }

  #readFrameHeader(descriptor: number): void {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeFlag = descriptor >>> 6;
    const smallSize = isSingleSegment && sizeFlag === 0 ? 1 : 0;
    this.#bodyBytes =
      (isSingleSegment ? 0 : 1) +
      (DICTIONARY_BYTES[descriptor & 3] ?? 0) +
      (CONTENT_SIZE_BYTES[sizeFlag] ?? 0) +
      smallSize;
    this.#hasChecksum = (descriptor & 4) !== 0;
    this.#isInBlocks = true;
  }

  #readBlockHeader(header: number): void {
    this.#isLastBlock = (header & 1) !== 0;
    const isRle = ((header >>> 1) & 3) === RLE_BLOCK;
    const checksumBytes = this.#isLastBlock && this.#hasChecksum ? 4 : 0;
    this.#bodyBytes = (isRle ? 1 : header >>> 3) + checksumBytes;
  }

  async #gather(bytes: number): Promise<void> {
    while (this.#rest.length < bytes && (await this.#more()));
  }

  async #drop(bytes: number): Promise<void> {
    let left = bytes;
    while (left > 0 && (this.#rest.length > 0 || (await this.#more()))) {
      const dropped = Math.min(left, this.#rest.length);
      this.#rest = this.#rest.subarray(dropped);
      left -= dropped;
    }
    if (left > 0) throw new DecodeError('early', 'a frame to be skipped ends early');
  }

  async #more(): Promise<boolean> {
    const slice = await this.#source();
    if (slice === null) return false;
    const view = Buffer.from(slice.buffer, slice.byteOffset, slice.length);
    this.#rest = this.#rest.length === 0 ? view : Buffer.concat([this.#rest, view]);
    return true;
  }
}
