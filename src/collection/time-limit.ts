import { type Clock, startTimer } from '../ports/clock.ts';
import { PortError } from '../ports/port-error.ts';

/** The parts of the time for collecting, each a signal that ends what is under way. */
export interface TimeLimit {
  /** Ends the wait of one source for what another one knows. */
  readonly waiting: AbortSignal;
  /** Ends the collection of what is the same for all machines. */
  readonly listing: AbortSignal;
  /** Ends the questions about single machines. */
  readonly details: AbortSignal;
  /** Stops the clock. */
  readonly clear: () => void;
}

const WAITING_SHARE = 0.3;
const LISTING_SHARE = 0.8;

function unanswered(limitMs: number): PortError {
  const message =
    `Some answers did not arrive within ${limitMs / 1000} s; ` +
    `allow more time: --timeout ${(limitMs * 3) / 1000}s`;
  return new PortError({ failure: 'timeout', message });
}

interface Ending {
  readonly signal: AbortSignal;
  readonly clear: () => void;
}

/** Aborts after so long, with the reason of calls that are under way then. */
function endAfter(clock: Clock, limitMs: number, share: number): Ending {
  const ending = new AbortController();
  const abort = (): void => ending.abort(unanswered(limitMs));
  const { cancel } = startTimer(clock, limitMs * share, abort);
  return { signal: ending.signal, clear: cancel };
}

/** A limit for several looks together; its reason is that of calls which are under way then. */
export function startLimit(clock: Clock, limitMs: number): Ending {
  return endAfter(clock, limitMs, 1);
}

/**
 * Starts the clock; the reason of each signal is the `PortError` of what is not answered then.
 *
 * @param limit ends all of them too
 */
export function startTimeLimit(clock: Clock, limitMs: number, limit?: AbortSignal): TimeLimit {
  const endings = [WAITING_SHARE, LISTING_SHARE, 1].map((share) => endAfter(clock, limitMs, share));
  const [waiting, listing, details] = endings.map(({ signal }) =>
    limit === undefined ? signal : AbortSignal.any([signal, limit]),
  ) as [AbortSignal, AbortSignal, AbortSignal];
  return { waiting, listing, details, clear: () => endings.forEach(({ clear }) => clear()) };
}
