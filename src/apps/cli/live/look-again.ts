import type { Clock } from '../../../ports/clock.ts';
import { SourceError } from '../context.ts';
import type { Alarm } from '../../../runtime/alarm.ts';
import type { WatchNotice } from './watch-notices.ts';

/**
 * Looks, and looks again until a look is the last one, which it answers. At the limit it answers
 * what was seen last; a look that is under way then is cut short by it, and counts only when it is
 * the first.
 */
export type Repeat = <T>(
  look: () => Promise<T>,
  isLast: (seen: T) => boolean,
  limit?: AbortSignal,
) => Promise<T>;

export interface LookAgainOptions {
  readonly clock: Clock;
  readonly alarm: Alarm;
  /** From the end of a look to the next one when nothing rings, ms. */
  readonly pauseMs: number;
  /** What is wrong with the watches now. */
  readonly notices: () => readonly WatchNotice[];
  /** Told again whenever the notices may read otherwise. */
  readonly tell: (notices: readonly WatchNotice[]) => void;
}

/** Between the end of a look and the next one; a look that took longer is given as long a rest. */
const LEAST_MS = 1000;
const TICK_MS = 1000;

/** One look at a time: soon after the alarm rings, or else after the pause. */
export function lookingAgain(options: LookAgainOptions): Repeat {
  return async (look, isLast, limit = new AbortController().signal) => {
    const ending = new AbortController();
    const failed = new FailedLook();
    const telling = tellWhileLooking(options, failed, ending.signal);
    const looking = lookUntil(options, failed, {
      look,
      isLast,
      limit,
      signal: ending.signal,
    });
    try {
      await Promise.race([looking, telling]);
      return await looking;
    } finally {
      ending.abort();
      await Promise.allSettled([telling]);
    }
  };
}

/** The last look, where nothing answered it: the one before still stands. */
class FailedLook {
  #message: string | null = null;

  set(message: string | null): void {
    this.#message = message;
  }

  notices(): readonly WatchNotice[] {
    if (this.#message === null) return [];
    const line = `The last look failed: ${this.#message.split('\n')[0] ?? ''}`;
    return [{ key: 'look', line, kinds: [], over: 'Looks succeed again' }];
  }
}

interface Looking<T> {
  readonly look: () => Promise<T>;
  readonly isLast: (seen: T) => boolean;
  readonly limit: AbortSignal;
  readonly signal: AbortSignal;
}

async function lookUntil<T>(
  { clock, alarm, pauseMs }: LookAgainOptions,
  failed: FailedLook,
  { look, isLast, limit, signal }: Looking<T>,
): Promise<T> {
  const until = AbortSignal.any([signal, limit]);
  let last: { readonly seen: T } | null = null;
  for (;;) {
    alarm.answer();
    const startMs = clock.monotonicMs();
    try {
      const seen = await look();
      if (last !== null && limit.aborted) return last.seen;
      failed.set(null);
      last = { seen };
      if (signal.aborted || isLast(seen)) return seen;
    } catch (error) {
      // Whoever watches has the last answer still, and is told that it is old.
      if (last === null || signal.aborted || !(error instanceof SourceError)) throw error;
      if (limit.aborted) return last.seen;
      failed.set(error.message);
    }
    const tookMs = clock.monotonicMs() - startMs;
    await alarm.pause(Math.min(pauseMs, Math.max(LEAST_MS, tookMs)), pauseMs, until);
    signal.throwIfAborted();
    if (limit.aborted) return last.seen;
  }
}

/** Ends with the signal, and with what is a bug. New trouble is a reason to look. */
async function tellWhileLooking(
  { clock, alarm, notices, tell }: LookAgainOptions,
  failed: FailedLook,
  signal: AbortSignal,
): Promise<void> {
  let known: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    const watches = notices();
    if (watches.some(({ key }) => !known.has(key))) alarm.ring();
    known = new Set(watches.map(({ key }) => key));
    tell([...watches, ...failed.notices()]);
    await clock.sleep(TICK_MS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
