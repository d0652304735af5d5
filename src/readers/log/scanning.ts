import type { SignTable } from '../sign-table.ts';
import type { OpenLog } from './log.ts';
import { readHere } from './read-here.ts';

/** Reads the logs of a pile one after another, here or elsewhere. */
export interface Scanning {
  readonly open: OpenLog;
  /** To be waited for after each chunk: null, or resolves once there is room for the next one. */
  room(): Promise<void> | null;
  /** To be waited for after each log: everything that it holds was told then. */
  settled(): Promise<void>;
  /** Ends what reads elsewhere. */
  close(): Promise<void>;
}

/** Starts to read logs for these signs. */
export type StartScanning = (table: SignTable) => Scanning;

/** Reads where it is called. */
export function scanningHere(table: SignTable): Scanning {
  return {
    open: readHere(table),
    room: () => null,
    settled: async () => {},
    close: async () => {},
  };
}
