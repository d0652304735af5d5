import type { Readable } from 'node:stream';

/** A message that was too long to be read; what of it names the call that waits for an answer. */
export interface LongMessage {
  readonly id: number | string | null;
  readonly isToolCall: boolean;
}

const END_OF_LINE = 0x0a;
/** An id is at the beginning of a message or at its end, depending on who wrote it. */
const LOOKED_AT_BYTES = 1024;
const ID = '"id"\\s{0,9}:\\s{0,9}(\\d{1,15}|"[^"\\\\]{1,200}")\\s{0,9}';
const ID_FIRST = new RegExp(`^\\s{0,9}\\{(?:"jsonrpc":"2\\.0",)?${ID},`);
const ID_LAST = new RegExp(`,${ID}\\}\\s{0,9}$`);

function longMessage(head: string, tail: string): LongMessage {
  const found = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.[1];
  return {
    id: found === undefined ? null : (JSON.parse(found) as number | string),
    isToolCall: /"method"\s{0,9}:\s{0,9}"tools\/call"/.test(head + tail),
  };
}

/** A line as it comes: whole as long as it is short enough, and else its two ends. */
class Line {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#bytesMax) return;
    const all = Buffer.concat(this.#parts);
    this.#head ??= Buffer.from(all.subarray(0, LOOKED_AT_BYTES));
    this.#parts = [Buffer.from(all.subarray(-LOOKED_AT_BYTES))];
    this.#bytes = this.#bytesMax;
  }

  /** The line with its end, or what is known of one that was too long. */
  end(): Buffer | LongMessage {
    const all = Buffer.concat(this.#parts);
    if (this.#head === null) return Buffer.concat([all, Buffer.of(END_OF_LINE)]);
    return longMessage(this.#head.toString(), all.toString());
  }
}

/**
 * The lines of a stream, each in one piece, in time linear in their length. Of a line that is too
 * long only its ends are kept, and whoever wrote it is told.
 */
export async function* boundedLines(
  input: Readable,
  bytesMax: number,
  onLong: (message: LongMessage) => void,
): AsyncGenerator<Buffer> {
  let line = new Line(bytesMax);
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(END_OF_LINE); end >= 0; end = chunk.indexOf(END_OF_LINE, start)) {
      line.add(chunk.subarray(start, end));
      const whole = line.end();
      if (Buffer.isBuffer(whole)) yield whole;
      else onLong(whole);
      line = new Line(bytesMax);
      start = end + 1;
    }
    line.add(chunk.subarray(start));
  }
}
