import { availableParallelism } from 'node:os';
import type { SignRow } from '../../evidence/sign-row.ts';
import type { OpenLog } from '../../readers/log/log.ts';
import { readHere } from '../../readers/log/read-here.ts';
import type { Scanning } from '../../readers/log/scanning.ts';
import type { SignTable } from '../../readers/sign-table.ts';
import { handedOver } from './handed-over.ts';
import type { ScanThread } from './thread.ts';

/** So much log is read here before a second thread, which takes 50 ms to start, is worth it. */
const BYTES_HERE = 4 * 1024 * 1024;

/** The thread of one scanning, started when enough log has come. */
class LateThread {
  readonly #rows: readonly SignRow[];
  #bytes = 0;
  #starting: Promise<void> | null = null;
  thread: ScanThread | null = null;

  constructor(rows: readonly SignRow[]) {
    this.#rows = rows;
  }

  /** The thread's reader once it runs; starts it when there is enough to do. */
  readerAfter(bytes: number): OpenLog | null {
    this.#bytes += bytes;
    if (this.#bytes > BYTES_HERE) this.#starting ??= this.#start();
    const { thread } = this;
    return thread?.isReady === true ? (likely, told) => thread.open(likely, told) : null;
  }

  async close(): Promise<void> {
    await this.#starting;
    await this.thread?.close();
  }

  async #start(): Promise<void> {
    const { ScanThread } = await import('./thread.ts');
    this.thread = new ScanThread(this.#rows);
  }
}

/**
 * Reads logs, the most of large ones in a thread of its own.
 *
 * @param table the signs, ready for scanning
 */
export function createScanning(table: SignTable): Scanning {
  const late = new LateThread(table.rows);
  const here = readHere(table);
  const isAlone = availableParallelism() < 2;
  return {
    open: isAlone ? here : handedOver(here, (bytes) => late.readerAfter(bytes)),
    room: () => late.thread?.room() ?? null,
    settled: async () => late.thread?.waitUntil(0),
    close: () => late.close(),
  };
}
