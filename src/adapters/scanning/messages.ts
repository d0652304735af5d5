import type { SignRow } from '../../evidence/sign-row.ts';
import type { Likely } from '../../readers/line/origin.ts';
import type { LogFindings } from '../../readers/log/log.ts';

/** What the thread is started with. */
export interface ScanSetting {
  readonly rows: readonly SignRow[];
  /** Shared, since memory that is handed over and back has the engine collect garbage each time. */
  readonly buffers: readonly Uint8Array<SharedArrayBuffer>[];
}

/** The next piece of the log being read. */
export interface ScanRequest {
  /** Which buffer holds the piece; null at the end of the log. */
  readonly buffer: number | null;
  /** How many bytes of it are log. */
  readonly usedBytes: number;
  /** What lines are that do not say so themselves. */
  readonly likely: Likely;
}

/** One answers each request, in order; a first one, empty, says that the thread is ready. */
export interface ScanReply {
  /** The buffer of the request, to be used again. */
  readonly buffer: number | null;
  /** What the log said, at its end. */
  readonly findings: LogFindings | null;
}
