/** Chunks may be held while this many later buffers are filled: one is read, one asked for ahead. */
const LIVE_BUFFERS = 3;

/**
 * Gives back the memory of buffers that nobody reads any more. node:zlib fills a new buffer for
 * every few MiB, and the engine collects none before some 64 MiB of them wait.
 */
export class SpentBuffers {
  readonly #bufferBytes: number;
  readonly #live: ArrayBuffer[] = [];

  /** @param bufferBytes the size of the buffers that the decoder makes for itself alone */
  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes;
  }

  /** Notes a chunk on its way to the reader; what came long before it is gone afterwards. */
  passed(chunk: Uint8Array): void {
    const { buffer } = chunk;
    if (buffer === this.#live.at(-1) || buffer.byteLength !== this.#bufferBytes) return;
    if (!(buffer instanceof ArrayBuffer)) return;
    this.#live.push(buffer);
    if (this.#live.length > LIVE_BUFFERS) this.#live.shift()?.transfer(0);
  }
}
