import type { OpenScan, Scan, ScanSink } from '../../readers/scan/open-scan.ts';

const NEWLINE = 10;

/** How far one scan came before another took over, at the start of a line. */
interface Scanned {
  lines: number;
  bytes: number;
}

/** The sink of a scan that counts from where it took over. */
function shifted(sink: ScanSink, before: Scanned): ScanSink {
  return {
    hit: (line) =>
      sink.hit({
        ...line,
        lineNumber: line.lineNumber + before.lines,
        byteOffset: line.byteOffset + before.bytes,
      }),
    ended: (lines) => sink.ended(lines + before.lines),
  };
}

/** A log scanned by one scan and, from the line after `change` says so, by another. */
class HandedOver implements Scan {
  readonly #sink: ScanSink;
  readonly #change: (bytes: number) => OpenScan | null;
  readonly #scanned: Scanned = { lines: 0, bytes: 0 };
  #isChanged = false;
  #scan: Scan;

  constructor(first: OpenScan, change: (bytes: number) => OpenScan | null, sink: ScanSink) {
    this.#sink = sink;
    this.#change = change;
    this.#scan = first({
      hit: sink.hit,
      ended: (lines) => {
        if (this.#isChanged) this.#scanned.lines = lines;
        else sink.ended(lines);
      },
    });
  }

  push(chunk: Uint8Array): void {
    const next = this.#isChanged ? null : this.#change(chunk.length);
    const lineStart = next === null ? 0 : chunk.lastIndexOf(NEWLINE) + 1;
    if (next !== null && lineStart > 0) this.#handOver(next, chunk.subarray(0, lineStart));
    else this.#scanned.bytes += chunk.length;
    this.#scan.push(chunk.subarray(lineStart));
  }

  end(): void {
    this.#scan.end();
  }

  #handOver(next: OpenScan, rest: Uint8Array): void {
    this.#isChanged = true;
    this.#scan.push(rest);
    this.#scan.end();
    this.#scanned.bytes += rest.length;
    this.#scan = next(shifted(this.#sink, { ...this.#scanned }));
  }
}

/**
 * Scans each log with `first` until `change` gives another scan, and with that from the next line
 * on; what is told is the same whenever that happens.
 *
 * @param change asked before each chunk, with its length in bytes
 */
export function handedOver(first: OpenScan, change: (bytes: number) => OpenScan | null): OpenScan {
  return (sink) => new HandedOver(first, change, sink);
}
