import type { Decoder } from './decoder.ts';
import { DecodeError } from './decoder.ts';

const GATHERED_BYTES = 256 * 1024;

/** Joins small chunks: a program writes its output to a pipe in pieces of a few KiB. */
export class Gathering implements Decoder {
  readonly #decoder: Decoder;
  #fault: DecodeError | null = null;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#fault !== null) throw this.#fault;
    const parts: Uint8Array[] = [];
    for (let bytes = 0; bytes < GATHERED_BYTES; ) {
      const part = await this.#nextPart(parts.length > 0);
      if (part === null) break;
      parts.push(part);
      bytes += part.length;
    }
    return parts.length === 0 ? null : Buffer.concat(parts);
  }

  close(): Promise<void> {
    return this.#decoder.close();
  }

  /** A fault waits until what came before it was delivered. */
  async #nextPart(hasParts: boolean): Promise<Uint8Array | null> {
    try {
      return await this.#decoder.next();
    } catch (error) {
      if (!hasParts || !(error instanceof DecodeError)) throw error;
      this.#fault = error;
      return null;
    }
  }
}
