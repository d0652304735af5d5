import { availableParallelism } from 'node:os';
import type { AnchorSet } from '../../readers/scan/anchor-scanner.ts';
import { type OpenScan, scanHere } from '../../readers/scan/open-scan.ts';
import type { Scanning } from '../../readers/scan/scanning.ts';
import { handedOver } from './handed-over.ts';
import type { ScanThread } from './thread.ts';

/** So much log is scanned here before a second thread, which takes 50 ms to start, is worth it. */
const BYTES_HERE = 4 * 1024 * 1024;

/** The thread of one scanning, started when enough log has come. */
class LateThread {
  readonly #anchors: readonly string[];
  #bytes = 0;
  #starting: Promise<void> | null = null;
  thread: ScanThread | null = null;

  constructor(anchors: readonly string[]) {
    this.#anchors = anchors;
  }

  /** The thread's scan once it runs; starts it when there is enough to do. */
  scanAfter(bytes: number): OpenScan | null {
    this.#bytes += bytes;
    if (this.#bytes > BYTES_HERE) this.#starting ??= this.#start();
    const { thread } = this;
    return thread?.isReady === true ? (sink) => thread.open(sink) : null;
  }

  async close(): Promise<void> {
    await this.#starting;
    await this.thread?.close();
  }

  async #start(): Promise<void> {
    const { ScanThread } = await import('./thread.ts');
    this.thread = new ScanThread(this.#anchors);
  }
}

/**
 * Scans logs, the most of large ones in a thread of its own.
 *
 * @param set the anchors, ready for scanning
 */
export function createScanning(set: AnchorSet): Scanning {
  const late = new LateThread(set.anchors);
  const here = scanHere(set);
  const isAlone = availableParallelism() < 2;
  return {
    open: isAlone ? here : handedOver(here, (bytes) => late.scanAfter(bytes)),
    room: () => late.thread?.room() ?? null,
    settled: async () => late.thread?.waitUntil(0),
    close: () => late.close(),
  };
}
