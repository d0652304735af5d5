import type { JsonObject } from '../../evidence/json.ts';
import { startTimer, type Timer } from '../../ports/clock.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { isAbortOf, pause } from '../abort.ts';
import { within } from '../within.ts';
import {
  DEFAULT_ELECTION_LIMITS,
  type ElectionLimits,
  type ElectionOptions,
  type ElectionState,
  LeadershipLost,
} from './election-options.ts';
import {
  heldLease,
  type LeaseClaim,
  LEASES,
  leaseRecord,
  newLease,
  releasedLease,
} from './lease-record.ts';

/** A Lease that asks for more than this is not waited for that long. */
const OTHERS_LEASE_MAX_MS = 10 * 60_000;
/** How much longer than `retryMs` a candidate waits at most, as a share of it. */
const CANDIDATE_JITTER = 1.2;

const RELEASE_RETRY_MS = 200;

/** What the Lease said when it last said something new, by the monotonic clock here. */
interface Observed {
  readonly mark: string;
  readonly sinceMs: number;
}

/** `held`: by us, as the server confirmed; `failed`: no answer that tells. */
type Attempt = 'held' | 'other' | 'failed';

/**
 * One leader among all programs that name the same Lease. Time is only measured here: how long the
 * Lease has not changed, and how long ago our last confirmed renewal was sent.
 * @throws RangeError from the constructor for limits that would allow two leaders
 */
export class LeaderElection {
  readonly #options: ElectionOptions;
  readonly #limits: ElectionLimits;
  #observed: Observed | null = null;
  /** Our Lease as the server last answered it; null when it must be read first. */
  #own: JsonObject | null = null;
  #deadlineMs: number | null = null;
  #deadline: Timer | null = null;
  #state: ElectionState = { phase: 'candidate', holder: null, lastError: null };

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_ELECTION_LIMITS, ...options.limits };
    const { leaseMs, renewMs, retryMs, tryMs } = this.#limits;
    if (leaseMs <= renewMs || renewMs <= retryMs + tryMs || retryMs <= 0)
      throw new RangeError('leaseMs must exceed renewMs, and renewMs retryMs and tryMs');
  }

  state(): ElectionState {
    return this.#state;
  }

  isLeading(): boolean {
    return this.#deadlineMs !== null && this.#options.clock.monotonicMs() < this.#deadlineMs;
  }

  /**
   * Waits for leadership and leads, once. Releases the Lease when `lead` has returned in time.
   *
   * @throws what `lead` throws, and what is no `PortError` of a port
   */
  async run(stop: AbortSignal): Promise<'stopped' | 'lost'> {
    this.#enter('candidate');
    const isHeld = await this.#acquire(stop);
    const end = isHeld ? await this.#lead(stop) : 'stopped';
    this.#enter('over');
    return end;
  }

  async #acquire(stop: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    while (!stop.aborted) {
      if ((await this.#attempt(stop)) === 'held') return true;
      await pause(clock, this.#limits.retryMs * (1 + random.next() * CANDIDATE_JITTER), stop);
    }
    return false;
  }

  async #lead(stop: AbortSignal): Promise<'stopped' | 'lost'> {
    const lost = new AbortController();
    const over = new AbortController();
    this.#enter('leading');
    this.#armDeadline(lost);
    const renewing = this.#renew(lost, over.signal);
    try {
      const isLeading = (): boolean => this.isLeading();
      await this.#options.lead({ stop, lost: lost.signal, isLeading });
    } catch (error) {
      if (!isAbortOf(lost.signal, error)) throw error;
    } finally {
      over.abort();
      await renewing;
      this.#deadline?.cancel();
      await this.#release();
    }
    if (!lost.signal.aborted) return 'stopped';
    if (lost.signal.reason instanceof LeadershipLost) return 'lost';
    throw lost.signal.reason;
  }

  /** Ends when `lead` has; a bug of a port ends the leadership and is its reason. */
  async #renew(lost: AbortController, over: AbortSignal): Promise<void> {
    const end = AbortSignal.any([lost.signal, over]);
    try {
      for (;;) {
        await pause(this.#options.clock, this.#limits.retryMs, end);
        if (end.aborted) return;
        // A renewal under way may finish, so that the version to release by is known.
        const attempt = await this.#attempt(lost.signal);
        if (attempt === 'other') this.#lose(lost, this.#loss('is held by another'));
        if (attempt === 'held') this.#armDeadline(lost);
      }
    } catch (error) {
      this.#lose(lost, error);
    }
  }

  #armDeadline(lost: AbortController): void {
    const { clock } = this.#options;
    this.#deadline?.cancel();
    const leftMs = (this.#deadlineMs ?? 0) - clock.monotonicMs();
    this.#deadline = startTimer(clock, leftMs, () =>
      this.#lose(lost, this.#loss('could not be renewed in time')),
    );
  }

  #lose(lost: AbortController, reason: unknown): void {
    this.#deadlineMs = null;
    this.#deadline?.cancel();
    lost.abort(reason);
  }

  #loss(what: string): LeadershipLost {
    return new LeadershipLost(`${this.#name()} ${what}`);
  }

  /** One try to take or keep the Lease; its time counts from before anything is sent. */
  async #attempt(end: AbortSignal): Promise<Attempt> {
    const { clock } = this.#options;
    try {
      const startMs = clock.monotonicMs();
      const { tryMs } = this.#limits;
      const attempt = await this.#inTime(end, tryMs, async (signal) => await this.#take(signal));
      if (end.aborted) return 'failed';
      if (attempt === 'held') this.#deadlineMs = startMs + this.#limits.renewMs;
      this.#tell({ lastError: null });
      return attempt;
    } catch (error) {
      this.#own = null;
      if (isAbortOf(end, error)) return 'failed';
      if (!(error instanceof PortError)) throw error;
      this.#tell({ lastError: error });
      return 'failed';
    }
  }

  async #take(signal: AbortSignal): Promise<Attempt> {
    const { api, lease } = this.#options;
    if (this.#own !== null && (await this.#write(this.#own, signal)) === 'held') return 'held';
    const found = await unlessFailed(api.get(LEASES, lease, signal), ['not-found']);
    if (found === null) return await this.#create(signal);
    return this.#isHeldByOther(found) ? 'other' : await this.#write(found, signal);
  }

  async #write(lease: JsonObject, signal: AbortSignal): Promise<Attempt> {
    const { writes } = this.#options;
    this.#own = null;
    const held = heldLease(lease, this.#claim());
    const answer = writes.update(LEASES, held, { signal });
    return this.#took(await unlessFailed(answer, ['conflict', 'not-found']));
  }

  async #create(signal: AbortSignal): Promise<Attempt> {
    const { writes } = this.#options;
    const answer = writes.create(LEASES, newLease(this.#claim()), { signal });
    return this.#took(await unlessFailed(answer, ['already-exists']));
  }

  /** @param lease null when somebody else wrote it meanwhile; who that is, the next try reads */
  #took(lease: JsonObject | null): Attempt {
    this.#own = lease;
    if (lease === null) return 'failed';
    this.#tell({ holder: this.#options.identity });
    return 'held';
  }

  /** A holder counts as alive until its Lease has not changed for as long as it asked. */
  #isHeldByOther(lease: JsonObject): boolean {
    const { clock, identity } = this.#options;
    const { holder, durationMs, mark } = leaseRecord(lease);
    const nowMs = clock.monotonicMs();
    if (this.#observed?.mark !== mark) this.#observed = { mark, sinceMs: nowMs };
    this.#tell({ holder });
    if (holder === null || holder === identity) return false;
    const waitMs = Math.min(durationMs ?? this.#limits.leaseMs, OTHERS_LEASE_MAX_MS);
    return nowMs - this.#observed.sinceMs < waitMs;
  }

  /** Best effort within one try's time: without it the next leader waits until the Lease is old. */
  async #release(): Promise<void> {
    const { clock } = this.#options;
    const untilMs = Math.min(this.#deadlineMs ?? 0, clock.monotonicMs() + this.#limits.tryMs);
    this.#deadlineMs = null;
    const never = new AbortController().signal;
    for (;;) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      if (await this.#releaseOnce(never, leftMs)) return this.#tell({ holder: null });
      if (clock.monotonicMs() + RELEASE_RETRY_MS >= untilMs) return;
      await pause(clock, RELEASE_RETRY_MS, never);
    }
  }

  /** @returns true when the Lease is not ours any more */
  async #releaseOnce(signal: AbortSignal, leftMs: number): Promise<boolean> {
    const { api, clock, identity, lease, writes } = this.#options;
    const known = this.#own;
    this.#own = null;
    try {
      await this.#inTime(signal, leftMs, async (inner) => {
        const found = known ?? (await api.get(LEASES, lease, inner));
        if (leaseRecord(found).holder !== identity) return;
        await writes.update(LEASES, releasedLease(found, clock.nowMs()), { signal: inner });
      });
      return true;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      return false;
    }
  }

  #claim(): LeaseClaim {
    const { clock, identity, lease } = this.#options;
    return { ...lease, identity, durationMs: this.#limits.leaseMs, nowMs: clock.nowMs() };
  }

  #inTime<R>(
    signal: AbortSignal,
    durationMs: number,
    call: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const { clock } = this.#options;
    const message = `${this.#name()} had no answer in time; ask: kubectl get --raw /readyz?verbose`;
    const late = (): Error => new PortError({ failure: 'timeout', message });
    return within({ clock, durationMs, signal, late }, call);
  }

  #name(): string {
    const { namespace, name } = this.#options.lease;
    return `Lease ${namespace}/${name}`;
  }

  #enter(phase: ElectionState['phase']): void {
    this.#tell({ phase });
  }

  #tell(change: Partial<ElectionState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    const { phase, holder, lastError } = this.#state;
    const isSame =
      phase === before.phase && holder === before.holder && lastError === before.lastError;
    if (!isSame) this.#options.onChange?.(this.#state);
  }
}

/** null for a failure that is expected. */
async function unlessFailed(
  answer: Promise<JsonObject>,
  expected: readonly PortFailure[],
): Promise<JsonObject | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PortError && expected.includes(error.failure)) return null;
    throw error;
  }
}
