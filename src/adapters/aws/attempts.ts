/** One request until it is answered, refused for good, or not worth another try. */
import type { Clock } from '../../ports/clock.ts';
import { isTransient, PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { isTrust } from './error-codes.ts';
import { NoAnswerError } from './no-answer.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface Trial<Answer> {
  readonly clock: Clock;
  readonly budget: RetryBudget;
  readonly attemptsMax: number;
  readonly timeoutMs: number;
  readonly random: Random;
  readonly signal: AbortSignal;
  send(signal: AbortSignal): Promise<Answer>;
  /** A `PortError`, or the error itself when it is a bug. */
  nameError(error: unknown): unknown;
}

/** Throws `PortError`, the reason of the signal, or a bug as it came. */
export async function attempt<Answer>(trial: Trial<Answer>): Promise<Answer> {
  const { budget, signal } = trial;
  for (let attempts = 1; ; attempts++) {
    await budget.pace(signal);
    try {
      const answer = await sendInTime(trial);
      budget.succeeded();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const failure = retryable(trial.nameError(error), error);
      if (failure.failure === 'throttled') budget.throttled();
      if (attempts >= trial.attemptsMax) throw failure;
      if (!budget.take()) throw spent(failure);
      await trial.clock.sleep(delayMs(failure, attempts, trial.random), signal);
    }
  }
}

/** @returns the failure when another try may help; throws all others */
function retryable(named: unknown, error: unknown): PortError {
  if (!(named instanceof PortError)) throw named;
  if (!isTransient(named) && !isClockCorrected(error)) throw named;
  if (isHopeless(error)) throw named;
  return named;
}

/** The SDK learns the time from the refusal of a wrong one, and signs the next try with it. */
function isClockCorrected(error: unknown): boolean {
  const { $metadata } = error as { readonly $metadata?: { readonly clockSkewCorrected?: boolean } };
  return $metadata?.clockSkewCorrected === true;
}

/** A name without an address, a bad certificate and a document that is no answer stay what they are. */
function isHopeless(error: unknown): boolean {
  if (error instanceof NoAnswerError) {
    const { what } = error;
    return what.kind !== 'cut' && what.kind !== 'late' && !('status' in what && what.status >= 500);
  }
  const code = String((error as { readonly code?: unknown }).code);
  return code === 'ENOTFOUND' || isTrust(code);
}

function spent(failure: PortError): PortError {
  if (failure.failure !== 'throttled') return failure;
  return new PortError({
    failure: 'throttled',
    message: `${failure.message}; the retries of this run are used up`,
    retryAfterMs: failure.retryAfterMs,
  });
}

const BACKOFF_MS = 200;
const BACKOFF_MAX_MS = 20_000;

/** Twice as long each time, of which at least half; as long as the service asked for. */
function delayMs(failure: PortError, attempts: number, random: Random): number {
  const fullMs = Math.min(BACKOFF_MS * 2 ** attempts, BACKOFF_MAX_MS);
  const backoffMs = fullMs / 2 + (random.next() * fullMs) / 2;
  return Math.max(backoffMs, Math.min(failure.retryAfterMs ?? 0, BACKOFF_MAX_MS));
}

async function sendInTime<Answer>(trial: Trial<Answer>): Promise<Answer> {
  const { clock, timeoutMs } = trial;
  const ended = new AbortController();
  const signal = AbortSignal.any([trial.signal, ended.signal]);
  const late = clock.sleep(timeoutMs, signal).then(() => {
    throw new NoAnswerError({ kind: 'late', afterMs: timeoutMs });
  });
  const sent = trial.send(signal);
  try {
    return await Promise.race([sent, late]);
  } finally {
    ended.abort();
    sent.catch(ignore);
    late.catch(ignore);
  }
}

/** Rejects with the signal's reason when that comes first; what was begun goes on unseen. */
export async function unlessAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    value.catch(ignore);
  }
}

function ignore(): void {
  // The other one has decided.
}
