/** Bytes in order, pulled one chunk at a time. */
export interface ByteSource {
  /**
   * The next chunk, never empty, or null at the end. Its bytes are good until the next but one is
   * asked for: unpacked content is given back after that. Does not throw for what the input does:
   * a source that ends before its content does tells the loss itself, and sets `cut`.
   */
  next(): Promise<Uint8Array | null>;
  /** Moves over `bytes` bytes without reading them; the number moved over is less at the end. */
  skip?(bytes: number): Promise<number>;
  /** True once the source ended early and the loss was told. */
  readonly cut: boolean;
  /** Frees files and programs. A pending `next` then ends with null. May be called twice. */
  close(): Promise<void>;
}

/** Content that can be read at any position, as a zip directory needs. */
export interface RandomAccess {
  readonly sizeBytes: number;
  /** The bytes at `position`; shorter when the content ends before. Throws what reading throws. */
  readAt(position: number, bytes: number): Promise<Uint8Array>;
}

export const CHUNK_BYTES = 1024 * 1024;
/** The first read is smaller: many documents are left unread after a look at their beginning. */
export const FIRST_CHUNK_BYTES = 64 * 1024;

const NOTHING = new Uint8Array(0);

/** A source with a look ahead: peek, take, skip. Copies only where a peek spans two chunks. */
export class ByteReader {
  readonly #source: ByteSource;
  #head: Uint8Array = NOTHING;
  #pending: Uint8Array = NOTHING;
  #ended = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get cut(): boolean {
    return this.#source.cut;
  }

  /** How many bytes are here already, without waiting. */
  get readyBytes(): number {
    return this.#head.length + this.#pending.length;
  }

  /** The next `bytes` bytes without moving on; fewer only at the end. */
  async peek(bytes: number): Promise<Uint8Array> {
    while (this.#head.length < bytes && (await this.#lengthen(bytes)));
    return this.#head.subarray(0, bytes);
  }

  /** As `peek`, but without waiting: null when the bytes are not here yet. */
  peekNow(bytes: number): Uint8Array | null {
    return this.#head.length >= bytes ? this.#head.subarray(0, bytes) : null;
  }

  /** The next bytes, at most `bytesMax` of them, or null at the end. */
  async take(bytesMax: number): Promise<Uint8Array | null> {
    if (this.#head.length === 0 && !(await this.#lengthen(1))) return null;
    const taken = this.#head.subarray(0, bytesMax);
    this.#head = this.#head.subarray(taken.length);
    return taken;
  }

  /** The next `bytes` bytes in one piece; fewer only at the end. */
  async read(bytes: number): Promise<Uint8Array> {
    const taken: Uint8Array[] = [];
    for (let left = bytes; left > 0; ) {
      const part = await this.take(left);
      if (part === null) break;
      // A copy, since the parts of a long piece are gone before its last one comes.
      taken.push(part.length === bytes ? part : new Uint8Array(part));
      left -= part.length;
    }
    return taken.length === 1 ? (taken[0] ?? NOTHING) : Buffer.concat(taken);
  }

  /** Moves over `bytes` bytes and returns how many there were. */
  async skip(bytes: number): Promise<number> {
    let left = bytes - this.#drop(bytes);
    if (left > 0 && !this.#ended && this.#source.skip !== undefined) {
      left -= await this.#source.skip(left);
    }
    while (left > 0 && (await this.#lengthen(1))) left -= this.#drop(left);
    return bytes - left;
  }

  #drop(bytes: number): number {
    const fromHead = Math.min(bytes, this.#head.length);
    this.#head = this.#head.subarray(fromHead);
    if (this.#head.length > 0) return fromHead;
    const fromPending = Math.min(bytes - fromHead, this.#pending.length);
    this.#head = this.#pending.subarray(fromPending);
    this.#pending = NOTHING;
    return fromHead + fromPending;
  }

  /** Brings the head to `bytes` if one more chunk can; false at the end. */
  async #lengthen(bytes: number): Promise<boolean> {
    if (this.#pending.length === 0) {
      if (this.#ended) return false;
      const chunk = await this.#source.next();
      this.#ended = chunk === null;
      if (chunk === null) return false;
      this.#pending = chunk;
    }
    const wanted = this.#head.length === 0 ? this.#pending.length : bytes - this.#head.length;
    const more = this.#pending.subarray(0, wanted);
    this.#head = this.#head.length === 0 ? more : Buffer.concat([this.#head, more]);
    this.#pending = this.#pending.subarray(more.length);
    return true;
  }
}
