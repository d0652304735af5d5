import type { HitLine } from '../../readers/scan/anchor-scanner.ts';

/** The next piece of the log being scanned; `bytes` are null at its end. */
export interface ScanRequest {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /** How many of the bytes are log. */
  readonly usedBytes: number;
}

/** One answers each request, in order; a first one, empty, says that the thread is ready. */
export interface ScanReply {
  readonly hits: readonly HitLine[];
  /** The memory of the request, to be used again. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /** All lines of the log, at its end. */
  readonly lines: number | null;
}
