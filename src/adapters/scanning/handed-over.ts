import type { Likely } from '../../readers/line/origin.ts';
import type { Log, LogTold, OpenLog } from '../../readers/log/log.ts';

const NEWLINE = 10;

interface Reader {
  readonly open: OpenLog;
  readonly likely: Likely;
  readonly told: LogTold;
}

/** A log read by one reader and, from the line after `change` says so, by another. */
class HandedOver implements Log {
  readonly #reader: Reader;
  readonly #change: (bytes: number) => OpenLog | null;
  #isChanged = false;
  #log: Log;

  constructor(first: Reader, change: (bytes: number) => OpenLog | null) {
    this.#reader = first;
    this.#change = change;
    this.#log = first.open(first.likely, first.told);
  }

  push(chunk: Uint8Array): void {
    const next = this.#isChanged ? null : this.#change(chunk.length);
    const lineStart = next === null ? 0 : chunk.lastIndexOf(NEWLINE) + 1;
    if (next !== null && lineStart > 0) this.#handOver(next, chunk.subarray(0, lineStart));
    this.#log.push(chunk.subarray(lineStart));
  }

  end(): void {
    this.#log.end();
  }

  #handOver(next: OpenLog, rest: Uint8Array): void {
    const { likely, told } = this.#reader;
    this.#isChanged = true;
    this.#log.push(rest);
    this.#log.end();
    this.#log = next(likely, told);
  }
}

/**
 * Reads each log with `first`, which tells at once, until `change` gives another reader, and with
 * that from the next line on; what is told is the same whenever that happens.
 *
 * @param change asked before each chunk, with its length in bytes
 */
export function handedOver(first: OpenLog, change: (bytes: number) => OpenLog | null): OpenLog {
  return (likely, told) => new HandedOver({ open: first, likely, told }, change);
}
