import type { Readable, Writable } from 'node:stream';

/** Packed bytes in order, null at the end. Does not throw. */
export type Slices = () => Promise<Uint8Array | null>;

/** Unpacks one compressed stream, pulled chunk by chunk. */
export interface Decoder {
  /** The next unpacked chunk, or null at the sound end. Throws DecodeError where it goes wrong. */
  next(): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/**
 * What is wrong with compressed content: it ends `early`, has foreign bytes `trailing` behind it,
 * is `damaged`, was made with `options` that are not read here, needs more `memory` than is
 * granted, or cannot be opened inside another one (`nested`).
 */
export type Fault = 'early' | 'trailing' | 'damaged' | 'options' | 'memory' | 'nested';

export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly fault: Fault;
  /** Whether the decoder threw away what it had unpacked in the call that failed. */
  readonly dropsOutput: boolean;

  constructor(fault: Fault, message: string, dropsOutput = false) {
    super(message);
    this.fault = fault;
    this.dropsOutput = dropsOutput;
  }
}

/** A program or library with a packed end to write and an unpacked end to read. */
export interface Engine {
  readonly input: Writable;
  readonly output: Readable;
  /** Asked once the output has ended: what went wrong, or null. */
  verdict(): Promise<DecodeError | null>;
  destroy(): void;
}

/**
 * Feeds an engine and reads it. The next slice is written while the reader works on the last
 * chunk, so unpacking and reading overlap; never more than one slice waits. Chunks are taken by
 * `read` because iterating a stream drops what is buffered when an error arrives, and that is the
 * last content before the damage.
 */
export class EngineDecoder implements Decoder {
  readonly #engine: Engine;
  readonly #slices: Slices;
  readonly #fed: Promise<void>;
  #changed = Promise.withResolvers<void>();
  #closed = false;

  constructor(engine: Engine, slices: Slices) {
    this.#engine = engine;
    this.#slices = slices;
    const ring = (): void => this.#ring();
    for (const event of ['readable', 'end', 'error', 'close']) engine.output.on(event, ring);
    for (const event of ['drain', 'error', 'close']) engine.input.on(event, ring);
    this.#fed = this.#feed();
  }

  async next(): Promise<Uint8Array | null> {
    const { output } = this.#engine;
    for (;;) {
      const chunk = output.read() as Uint8Array | null;
      if (chunk !== null) return chunk;
      if (output.readableEnded || output.destroyed) break;
      await this.#changed.promise;
    }
    const fault = await this.#engine.verdict();
    if (fault !== null) throw fault;
    return null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#engine.destroy();
    this.#ring();
    await this.#fed;
  }

  async #feed(): Promise<void> {
    const { input } = this.#engine;
    while (this.#open(input)) {
      const slice = await this.#slices();
      if (!this.#open(input)) return;
      if (slice === null) {
        input.end();
        return;
      }
      input.write(slice);
      while (input.writableNeedDrain && this.#open(input)) await this.#changed.promise;
    }
  }

  #open(input: Writable): boolean {
    return !this.#closed && !input.destroyed;
  }

  #ring(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
