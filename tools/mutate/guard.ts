/**
 * Ends a process whose trial takes too much processor time, as a loop without end does. The clock
 * on the wall would call every trial endless on a busy machine.
 */
import { Worker } from 'node:worker_threads';

/** Cells of what the two threads share. */
const LIMIT = 0;
const LOOK_EVERY_MS = 250;

/** A thread of its own, as a loop without end leaves no turn to any other code of this one. */
const WATCH = `
const { workerData: cells } = require('node:worker_threads');
const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
setInterval(() => {
  const limit = Atomics.load(cells, ${LIMIT});
  if (limit > 0 && spent() > limit) process.kill(process.pid, 'SIGKILL');
}, ${LOOK_EVERY_MS});
`;

export class Guard {
  /** Processor time of the process at which it ends, ms; 0 for none. */
  readonly #cells = new Int32Array(new SharedArrayBuffer(4));

  constructor() {
    new Worker(WATCH, { eval: true, workerData: this.#cells }).unref();
  }

  start(cpuMsMax: number): void {
    const { user, system } = process.cpuUsage();
    Atomics.store(this.#cells, LIMIT, Math.ceil((user + system) / 1000 + cpuMsMax));
  }

  end(): void {
    Atomics.store(this.#cells, LIMIT, 0);
  }
}
