import type { ByteSource } from './byte-source.ts';
import { CHUNK_BYTES } from './byte-source.ts';
import type { Session } from './session.ts';
import { sized, systemReason } from './words.ts';

/** Bytes that arrive on their own time: standard input, or a named pipe the user gave. */
export class StreamSource implements ByteSource {
  cut = false;
  readonly #iterator: AsyncIterator<Uint8Array | string>;
  readonly #locator: string;
  readonly #session: Session;
  #rest: Uint8Array = Buffer.alloc(0);
  #position = 0;
  #ended = false;
  #closed = false;
  #release = (): void => {};

  constructor(chunks: AsyncIterable<Uint8Array | string>, locator: string, session: Session) {
    this.#iterator = chunks[Symbol.asyncIterator]();
    this.#locator = locator;
    this.#session = session;
  }

  async next(): Promise<Uint8Array | null> {
    while (this.#rest.length === 0 && !this.#ended) await this.#pull();
    if (this.#closed || this.cut || this.#rest.length === 0) return null;
    const chunk = this.#rest.subarray(0, CHUNK_BYTES);
    this.#rest = this.#rest.subarray(chunk.length);
    this.#position += chunk.length;
    this.cut = !this.#session.countRead(chunk.length);
    return this.cut ? null : chunk;
  }

  /** Does not wait for a pull that is under way: a pipe may stay silent for ever. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    if (!this.#ended) void this.#letGo();
    this.#ended = true;
  }

  #pull(): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
      void this.#advance().then(resolve);
    });
  }

  async #letGo(): Promise<void> {
    try {
      await this.#iterator.return?.();
    } catch {
      // Nobody reads this stream any more, so nobody misses what it has to complain about.
    }
  }

  async #advance(): Promise<void> {
    try {
      this.#accept(await this.#iterator.next());
    } catch (error) {
      this.#break(error);
    }
  }

  #accept(pulled: IteratorResult<Uint8Array | string>): void {
    if (pulled.done === true) this.#ended = true;
    else this.#rest = typeof pulled.value === 'string' ? Buffer.from(pulled.value) : pulled.value;
  }

  #break(error: unknown): void {
    this.#ended = true;
    if (this.#closed) return;
    this.cut = true;
    this.#session.say(
      this.#locator,
      `Reading ${this.#locator} stopped after ${sized(this.#position)}: ${systemReason(error)}.`,
    );
  }
}
