import { settle } from '../../adapters/system/settle.ts';
import { overTripwires } from '../../adapters/system/tripwires.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Kernel } from '../../sim/kernel/kernel.ts';

/** What follows a running world: it may want to look at it while it stands still. */
export interface Follower {
  /** Called when all that was due has happened; the world stands still until it is done. */
  readonly rest: () => Promise<void>;
}

async function letWaitingCodeRun(kernel: Kernel): Promise<void> {
  while (kernel.isUnsettled()) {
    kernel.settled();
    await settle();
  }
}

/** Everything up to a moment, as fast as it goes. */
async function happenUntil(kernel: Kernel, untilMs: number, { rest }: Follower): Promise<void> {
  for (;;) {
    await letWaitingCodeRun(kernel);
    const nextMs = kernel.nextAtMs();
    if (nextMs === null || nextMs > untilMs) break;
    kernel.step();
    await rest();
  }
  kernel.passTo(untilMs);
}

/** Runs a world in virtual time until a moment; what touches the real one meanwhile throws. */
export async function runFast(kernel: Kernel, untilMs: number, follower: Follower): Promise<void> {
  await overTripwires(async () => happenUntil(kernel, untilMs, follower));
}

export interface PaceOptions {
  readonly kernel: Kernel;
  /** Seconds of the world for each second here. */
  readonly speed: number;
  readonly clock: Clock;
  readonly follower: Follower;
}

/** Requests from outside are answered this soon, ms here. */
const TICK_MS = 20;

/** A world that runs beside real time; it waits for nobody, and jumps ahead after a slow look. */
export interface Pace {
  /** From now on so many seconds of the world for each second here. */
  setSpeed(speed: number): void;
  /** Runs until a moment of the world or until the signal. */
  run(untilMs: number, signal: AbortSignal): Promise<void>;
  /** Ends the run with this error, which somebody met who entered the world. */
  fail(error: unknown): void;
  /** Brings the world to the present, unless somebody looks at it, and does something in it. */
  enter<T>(task: () => T): T;
}

export function createPace({ kernel, speed, clock, follower }: PaceOptions): Pace {
  const here = (now: number) => ({
    worldMs: kernel.nowMs(),
    atMs: clock.monotonicMs(),
    speed: now,
  });
  let since = here(speed);
  let isWatched = false;
  let endMs = Number.POSITIVE_INFINITY;
  const failed = new AbortController();
  const dueMs = (): number =>
    Math.min(endMs, since.worldMs + (clock.monotonicMs() - since.atMs) * since.speed);
  const rest = async (): Promise<void> => {
    isWatched = true;
    try {
      await follower.rest();
    } finally {
      isWatched = false;
    }
  };
  return {
    setSpeed(other) {
      since = here(other);
    },
    async run(untilMs, signal) {
      endMs = untilMs;
      while (!signal.aborted && kernel.nowMs() < untilMs) {
        failed.signal.throwIfAborted();
        await happenUntil(kernel, dueMs(), { rest });
        await clock.sleep(TICK_MS, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      }
    },
    fail(error) {
      failed.abort(error);
    },
    enter(task) {
      if (!isWatched) catchUp(kernel, dueMs());
      return task();
    },
  };
}

/** Everything that is due, at once; what waits for promises goes on a moment later. */
function catchUp(kernel: Kernel, untilMs: number): void {
  while ((kernel.nextAtMs() ?? Number.POSITIVE_INFINITY) <= untilMs) kernel.step();
  kernel.passTo(untilMs);
}
