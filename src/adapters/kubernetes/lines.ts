const NEWLINE = 10;

/** Raised for a line over its limit and for bytes after the last line; the client names it. */
export class LineError extends Error {
  readonly what: 'long' | 'half';

  constructor(what: 'long' | 'half') {
    super(`a line is too ${what}`);
    this.what = what;
  }
}

/**
 * The lines of a stream, without their ends; each byte is looked at once. A reader that waits for
 * each chunk and not for each line waits less often.
 */
export class Lines {
  readonly #open: OpenLine;

  constructor(bytesMax: number) {
    this.#open = new OpenLine(bytesMax);
  }

  /** The lines that end in a chunk. @throws LineError when one passes `bytesMax` */
  *of(chunk: Uint8Array): Generator<string, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#open.close(chunk.subarray(start, end));
      start = end + 1;
      if (line !== '') yield line;
    }
    this.#open.add(chunk.subarray(start));
  }

  /** @throws LineError when the stream ended within a line */
  end(): void {
    if (this.#open.close(new Uint8Array()) !== '') throw new LineError('half');
  }
}

/** Most lines come whole and are read where they are. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8').trim();
}

/** The beginning of a line whose end has not come yet. */
class OpenLine {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) throw new LineError('long');
    this.#parts.push(part);
  }

  close(last: Uint8Array): string {
    if (this.#bytes === 0 && last.length <= this.#bytesMax) return textOf(last);
    this.add(last);
    const line = textOf(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
