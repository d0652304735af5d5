/** The last bytes of a stream; holds at most twice as many. */
export class EndOf {
  readonly #bytesMax: number;
  readonly #readMax: number;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #read = 0;

  /** @param readMax beyond it, a stream that does not end is not waited for */
  constructor(bytesMax: number, readMax = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
    this.#readMax = readMax;
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    this.#read += chunk.length;
    if (this.#held <= 2 * this.#bytesMax) return;
    this.#chunks = [this.bytes()];
    this.#held = Math.min(this.#held, this.#bytesMax);
  }

  isEnough(): boolean {
    return this.#read > this.#readMax;
  }

  /** True when more was read than is kept. */
  isCut(): boolean {
    return this.#read > this.#bytesMax;
  }

  bytes(): Uint8Array {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - this.#bytesMax));
  }
}
