import { Worker } from 'node:worker_threads';
import type { Scan, ScanSink } from '../../readers/scan/open-scan.ts';
import type { ScanReply, ScanRequest } from './messages.ts';

const BUFFER_BYTES = 1024 * 1024;
/** Buffers on their way: enough that neither thread waits for the other at each one. */
const BUFFERS_MAX = 4;
/** Hits live briefly; the engine would let them fill 64 MB before it looked. */
const YOUNG_MB_MAX = 4;
/** From source and from the package, in which this module and the thread's lie in one folder. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./worker.ts', import.meta.url)
  : new URL('./scan-worker.mjs', import.meta.url);

/** A scan in a thread of its own, one log at a time. */
export class ScanThread {
  readonly #worker: Worker;
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #sink: ScanSink | null = null;
  #unanswered = 0;
  #isReady = false;
  #fault: Error | null = null;
  #changed = Promise.withResolvers<void>();

  constructor(anchors: readonly string[]) {
    this.#worker = new Worker(ENTRY, {
      workerData: anchors,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB_MAX },
    });
    this.#worker.on('message', (reply: ScanReply) => this.#take(reply));
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => this.#fail(new Error('The scanning thread ended early.')));
    // A thread that waits for work keeps no program alive; whoever waits for it does.
    this.#worker.unref();
  }

  /** False until the thread runs, and for good when it cannot. */
  get isReady(): boolean {
    return this.#isReady && this.#fault === null;
  }

  /** Starts to scan a log; the one before must have ended. */
  open(sink: ScanSink): Scan {
    this.#sink = sink;
    return { push: (chunk) => this.#push(chunk), end: () => this.#send(null, 0) };
  }

  /** Resolves once at most `unansweredMax` requests wait. Throws what ended the thread. */
  async waitUntil(unansweredMax: number): Promise<void> {
    this.#worker.ref();
    while (this.#unanswered > unansweredMax && this.#fault === null) await this.#changed.promise;
    this.#worker.unref();
    if (this.#fault !== null) throw this.#fault;
  }

  /** Waits while all buffers are on their way. */
  room(): Promise<void> | null {
    return this.#unanswered < BUFFERS_MAX ? null : this.waitUntil(BUFFERS_MAX - 1);
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners();
    await this.#worker.terminate();
  }

  #push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += BUFFER_BYTES) {
      const part = chunk.subarray(from, from + BUFFER_BYTES);
      const buffer = this.#spare.pop() ?? new Uint8Array(BUFFER_BYTES);
      buffer.set(part);
      this.#send(buffer, part.length);
    }
  }

  #send(bytes: Uint8Array<ArrayBuffer> | null, usedBytes: number): void {
    this.#unanswered += 1;
    const request: ScanRequest = { bytes, usedBytes };
    this.#worker.postMessage(request, bytes === null ? [] : [bytes.buffer]);
  }

  #take({ hits, bytes, lines }: ScanReply): void {
    if (this.#isReady) this.#unanswered -= 1;
    this.#isReady = true;
    if (bytes !== null) this.#spare.push(bytes);
    for (const hit of hits) this.#sink?.hit(hit);
    if (lines !== null) this.#sink?.ended(lines);
    this.#ring();
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#ring();
  }

  #ring(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
