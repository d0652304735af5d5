import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type { SignRow } from '../../evidence/sign-row.ts';
import { type Likely, NOT_KNOWN } from '../../readers/line/origin.ts';
import type { Log, LogTold } from '../../readers/log/log.ts';
import type { ScanReply, ScanRequest, ScanSetting } from './messages.ts';

const BUFFER_BYTES = 1024 * 1024;
/** Buffers on their way: enough that neither thread waits for the other at each one. */
const BUFFERS_MAX = 4;
/** What is read lives briefly; the engine would let them fill 64 MB before it looked. */
const YOUNG_MB_MAX = 4;
/** From source and from the package, in which this module and the thread's lie in one folder. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./worker.ts', import.meta.url)
  : new URL('./scan-worker.mjs', import.meta.url);

/** The single executable has its files inside; what starts it also starts the thread in it. */
function startThread(setting: ScanSetting): Worker {
  const options = {
    workerData: setting,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB_MAX },
  };
  return isSea()
    ? new Worker(getAsset('executable.js', 'utf8'), { ...options, eval: true })
    : new Worker(ENTRY, options);
}

const NOTHING = new Uint8Array(0);

/** Reads logs in a thread of its own, one at a time. */
export class ScanThread {
  readonly #worker: Worker;
  readonly #buffers = Array.from(
    { length: BUFFERS_MAX },
    () => new Uint8Array(new SharedArrayBuffer(BUFFER_BYTES)),
  );
  /** Buffers that the thread does not read. */
  readonly #spare = [...this.#buffers.keys()];
  /** Pieces for which there was no buffer. */
  readonly #queue: { readonly bytes: Uint8Array | null }[] = [];
  #likely: Likely = NOT_KNOWN;
  #told: LogTold | null = null;
  #unanswered = 0;
  #isReady = false;
  #fault: Error | null = null;
  #changed = Promise.withResolvers<void>();

  constructor(rows: readonly SignRow[]) {
    this.#worker = startThread({ rows, buffers: this.#buffers });
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

  /** Starts to read a log; the one before must have ended. */
  open(likely: Likely, told: LogTold): Log {
    this.#likely = likely;
    this.#told = told;
    return { push: (chunk) => this.#push(chunk), end: () => this.#end() };
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
      const buffer = this.#queue.length === 0 ? this.#spare.pop() : undefined;
      if (buffer === undefined) this.#wait(part.slice());
      else this.#send(buffer, part);
    }
  }

  #end(): void {
    if (this.#queue.length > 0) this.#wait(null);
    else this.#send(null, NOTHING);
  }

  /** More than there are buffers for was pushed without waiting for room. */
  #wait(bytes: Uint8Array | null): void {
    this.#queue.push({ bytes });
    this.#unanswered += 1;
  }

  #send(buffer: number | null, part: Uint8Array): void {
    this.#unanswered += 1;
    if (buffer !== null) this.#buffers[buffer]?.set(part);
    const request: ScanRequest = { buffer, usedBytes: part.length, likely: this.#likely };
    this.#worker.postMessage(request, []);
  }

  #take({ buffer, findings }: ScanReply): void {
    if (this.#isReady) this.#unanswered -= 1;
    this.#isReady = true;
    if (buffer !== null) this.#spare.push(buffer);
    if (findings !== null) this.#told?.(findings);
    this.#sendQueued();
    this.#ring();
  }

  #sendQueued(): void {
    const [next] = this.#queue;
    if (next === undefined) return;
    const buffer = next.bytes === null ? null : this.#spare.pop();
    if (buffer === undefined) return;
    this.#queue.shift();
    this.#unanswered -= 1;
    this.#send(buffer, next.bytes ?? NOTHING);
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
