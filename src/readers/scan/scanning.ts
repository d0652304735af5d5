import type { AnchorSet } from './anchor-scanner.ts';
import { type OpenScan, scanHere } from './open-scan.ts';

/** Scans the logs of a pile one after another, here or elsewhere. */
export interface Scanning {
  readonly open: OpenScan;
  /** To be waited for after each chunk: null, or resolves once there is room for the next one. */
  room(): Promise<void> | null;
  /** To be waited for after each log: everything that it holds was told then. */
  settled(): Promise<void>;
  /** Ends what scans elsewhere. */
  close(): Promise<void>;
}

/** Starts to scan for these anchors. */
export type StartScanning = (set: AnchorSet) => Scanning;

/** Scans where it is called. */
export function scanningHere(set: AnchorSet): Scanning {
  return {
    open: scanHere(set),
    room: () => null,
    settled: async () => {},
    close: async () => {},
  };
}
