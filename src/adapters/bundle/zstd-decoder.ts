import type { Decoder, Slices } from './decoder.ts';
import { DecodeError } from './decoder.ts';
import { zlibDecoder } from './zlib-decoder.ts';
import { ZstdFrames } from './zstd-frames.ts';

/** Each frame costs a decoder; seekable archives have one for each MiB, parallel ones fewer. */
const FRAMES_MAX = 20_000;

/** A decoder of zstd content with any number of frames, one decoder of node:zlib for each. */
export class ZstdDecoder implements Decoder {
  readonly #frames: ZstdFrames;
  readonly #isSmall: boolean;
  #frame: Decoder | null = null;
  #framesBegun = 0;

  constructor(slices: Slices, isSmall: boolean) {
    this.#frames = new ZstdFrames(slices);
    this.#isSmall = isSmall;
  }

  async next(): Promise<Uint8Array | null> {
    for (;;) {
      this.#frame ??= await this.#begin();
      if (this.#frame === null) return null;
      const chunk = await this.#frame.next();
      if (chunk !== null) return chunk;
      await this.close();
      if (!this.#frames.isOver) throw new DecodeError('early', 'a frame ends early');
    }
  }

  async close(): Promise<void> {
    await this.#frame?.close();
    this.#frame = null;
  }

  async #begin(): Promise<Decoder | null> {
    if (!(await this.#frames.begin())) return null;
    this.#framesBegun += 1;
    if (this.#framesBegun > FRAMES_MAX) throw new DecodeError('options', 'too many frames');
    return zlibDecoder('zstd', this.#frames.slices, this.#isSmall);
  }
}
