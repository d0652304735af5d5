import type { ByteReader } from './byte-source.ts';
import { CHUNK_BYTES } from './byte-source.ts';

type ReadingState = 'unread' | 'reading' | 'read' | 'passed';

/** The bytes of one document, readable once and only while it is the current one. */
export class DocumentBytes implements AsyncIterable<Uint8Array> {
  readonly #locator: string;
  readonly #reader: ByteReader;
  #stage: ReadingState = 'unread';

  constructor(locator: string, reader: ByteReader) {
    this.#locator = locator;
    this.#reader = reader;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    if (this.#stage !== 'unread') throw this.#misuse();
    this.#stage = 'reading';
    return {
      next: () => this.#next(),
      return: async () => {
        if (this.#stage === 'reading') this.#stage = 'read';
        return { done: true, value: undefined };
      },
    };
  }

  /** Called when the next document is asked for: these bytes are gone then. */
  pass(): void {
    this.#stage = this.#stage === 'read' ? 'read' : 'passed';
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#stage === 'passed') throw this.#misuse();
    const chunk = this.#stage === 'reading' ? await this.#reader.take(CHUNK_BYTES) : null;
    if (chunk !== null) return { done: false, value: chunk };
    this.#stage = 'read';
    return { done: true, value: undefined };
  }

  #misuse(): Error {
    const when = this.#stage === 'passed' ? 'after the next document was asked for' : 'twice';
    return new Error(`The bytes of ${this.#locator} were asked for ${when}.`);
  }
}
