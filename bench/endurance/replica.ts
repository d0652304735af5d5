import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Usage, usageOf } from '../live/usage.ts';
import { startRollcall, type Surroundings } from '../../test/live/rollcall.ts';

type Started = ReturnType<typeof startRollcall>;

const READY_MS = 200;
const SAID_MAX = 20_000;

/** What was seen of one replica over all its starts. */
export interface Watched {
  readonly starts: number;
  readonly processorMs: number;
  readonly rssBytes: readonly number[];
  readonly peakRssBytes: number;
}

/** A controller that is started again when it was killed, as a Deployment does. */
export class Replica {
  readonly #args: readonly string[];
  readonly #env: Surroundings;
  #child: Started | null = null;
  #starts = 0;
  #endedMs = 0;
  #now: Usage | null = null;
  #peak = 0;
  readonly #rss: number[] = [];
  #said = '';
  #port: string | null = null;

  constructor(args: readonly string[], env: Surroundings) {
    this.#args = args;
    this.#env = env;
  }

  start(): void {
    this.#starts += 1;
    this.#port = null;
    this.#said = '';
    const child = startRollcall(this.#args, this.#env);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-SAID_MAX);
        // A first roll call of a thousand machines is longer than what is kept.
        this.#port = /on port (\d+)/.exec(this.#said)?.[1] ?? this.#port;
      });
    this.#child = child;
  }

  /** Until it has seen everything once. */
  async untilReady(): Promise<void> {
    for (;;) {
      const url = `http://127.0.0.1:${this.#port ?? 0}/readyz`;
      const isReady = this.#port !== null && (await fetch(url).catch(() => null))?.ok === true;
      if (isReady) return;
      await sleep(READY_MS);
    }
  }

  /** The last it said. */
  said(): string {
    return this.#said;
  }

  look(): void {
    const usage = usageOf(this.#child?.pid);
    if (usage === null) return;
    this.#now = usage;
    this.#rss.push(usage.rssBytes);
    this.#peak = Math.max(this.#peak, usage.peakRssBytes);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    this.look();
    this.#endedMs += this.#now?.processorMs ?? 0;
    this.#now = null;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  watched(): Watched {
    return {
      starts: this.#starts,
      processorMs: this.#endedMs + (this.#now?.processorMs ?? 0),
      rssBytes: this.#rss,
      peakRssBytes: this.#peak,
    };
  }
}
