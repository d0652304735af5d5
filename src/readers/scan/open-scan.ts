import { type AnchorSet, createLineScanner, type HitLine } from './anchor-scanner.ts';

/** Told what a scan finds, in the order of the log, possibly after the call that found it. */
export interface ScanSink {
  readonly hit: (line: HitLine) => void;
  /** Told once, last: how many lines there were, an unterminated last line included. */
  readonly ended: (lines: number) => void;
}

/** A log on its way through a scan. */
export interface Scan {
  /** Takes the next bytes, any number of them; they are copied. */
  push(chunk: Uint8Array): void;
  /** Nothing may be pushed afterwards. */
  end(): void;
}

/** Starts to scan one log. One must have ended before the next is started. */
export type OpenScan = (sink: ScanSink) => Scan;

/** Scans where it is called, so that everything is told by the time that `end` returns. */
export function scanHere(set: AnchorSet): OpenScan {
  return (sink) => {
    const scanner = createLineScanner(set, sink.hit);
    return {
      push: (chunk) => scanner.push(chunk),
      end: () => {
        scanner.end();
        sink.ended(scanner.lines);
      },
    };
  };
}
