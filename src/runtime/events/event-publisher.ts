import { textAt } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import { isTransient, PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { pause } from '../abort.ts';
import { Backoff } from '../backoff.ts';
import { RecentMap } from '../recent-map.ts';
import { within } from '../within.ts';
import { type CorrelatedEvent, EventCorrelator, type EventNote } from './event-correlator.ts';
import {
  eventChange,
  eventObject,
  EVENTS,
  type EventSource,
  namespaceOfEvent,
} from './event-object.ts';

export interface EventPublisherOptions {
  readonly writes: Pick<KubeWrites, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly source: EventSource;
  /** Told why the first Event after one that was written is not. */
  readonly onFailing?: (error: PortError) => void;
}

export interface EventCounts {
  /** Events that the server has, and counts of them. */
  readonly written: number;
  /** Notes that were one too many for their object. */
  readonly filtered: number;
  /** Notes that found the queue full, or were left at the stop. */
  readonly dropped: number;
  /** Writes that were given up. */
  readonly failed: number;
}

const QUEUE_MAX = 1000;
const WRITE_MS = 5_000;
const TRIES = 4;
/** How long what is left is still written after the stop, ms. */
const FLUSH_MS = 3_000;
const REMEMBERED_MAX = 4096;
/** A write that has begun ends by its own limit. */
const NEVER = new AbortController().signal;

interface Pending extends CorrelatedEvent {
  /** When it was noted, by the wall clock. */
  readonly atMs: number;
  /** Drawn once, so that a second try finds what the first one made. */
  readonly suffix: string;
}

/** Writes Events as well as it can: nobody waits for it, and what cannot be written is counted. */
export class EventPublisher {
  readonly #options: EventPublisherOptions;
  readonly #correlator = new EventCorrelator();
  /** By key, so that counts which were not written yet become one write. */
  readonly #pending = new Map<string, Pending>();
  /** Names of Events that the server has. */
  readonly #names = new RecentMap<string>(REMEMBERED_MAX);
  readonly #counts: Record<keyof EventCounts, number> = {
    written: 0,
    filtered: 0,
    dropped: 0,
    failed: 0,
  };
  #wake = Promise.withResolvers<void>();
  #isOver = false;
  #isFailing = false;

  constructor(options: EventPublisherOptions) {
    this.#options = options;
  }

  /** Takes a note; never throws and never waits. */
  publish(note: EventNote): void {
    const { clock, random } = this.#options;
    const correlated = this.#correlator.correlate(note, clock.monotonicMs());
    if (correlated === null) return this.#count('filtered');
    const isKnown = this.#pending.has(correlated.key);
    if (this.#isOver || (!isKnown && this.#pending.size >= QUEUE_MAX))
      return this.#count('dropped');
    if (correlated.count === 1) this.#names.delete(correlated.key);
    const suffix = Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    this.#pending.set(correlated.key, { ...correlated, atMs: clock.nowMs(), suffix });
    this.#wake.resolve();
  }

  counts(): EventCounts {
    return { ...this.#counts };
  }

  /**
   * Writes until the stop, and what is left then for a short time.
   *
   * @throws what is no `PortError`, which is a bug
   */
  async run(stop: AbortSignal): Promise<void> {
    const onStop = (): void => this.#wake.resolve();
    stop.addEventListener('abort', onStop, { once: true });
    while (!stop.aborted) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      await this.#writePending(stop);
    }
    await this.#flush();
  }

  async #writePending(stop: AbortSignal): Promise<void> {
    for (const [key, pending] of this.#pending) {
      if (stop.aborted) return;
      this.#pending.delete(key);
      await this.#write(pending, stop);
    }
  }

  async #flush(): Promise<void> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    for (const [key, pending] of this.#pending) {
      const leftMs = FLUSH_MS - (clock.monotonicMs() - startMs);
      if (leftMs <= 0) break;
      this.#pending.delete(key);
      const error = await this.#attempt(pending, NEVER, leftMs);
      if (error !== null) this.#count('failed');
    }
    this.#isOver = true;
    this.#counts.dropped += this.#pending.size;
    this.#pending.clear();
  }

  async #write(pending: Pending, stop: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const backoff = new Backoff(random, { leastMs: 500, mostMs: 10_000 });
    for (let attempt = 1; ; attempt++) {
      const error = await this.#attempt(pending, NEVER, WRITE_MS);
      if (error === null) return;
      if (!isWorthAnother(error) || attempt === TRIES || stop.aborted) return this.#giveUp(error);
      await pause(clock, Math.max(error.retryAfterMs ?? 0, backoff.nextMs()), stop);
    }
  }

  #giveUp(error: PortError): void {
    this.#count('failed');
    if (!this.#isFailing) this.#options.onFailing?.(error);
    this.#isFailing = true;
  }

  /** @returns why it was not written, null when it was */
  async #attempt(
    pending: Pending,
    signal: AbortSignal,
    durationMs: number,
  ): Promise<PortError | null> {
    const { clock } = this.#options;
    const late = (): Error =>
      new PortError({ failure: 'timeout', message: 'An Event took too long' });
    try {
      await within({ clock, durationMs, signal, late }, async (inner) =>
        this.#send(pending, inner),
      );
      this.#count('written');
      this.#isFailing = false;
      return null;
    } catch (error) {
      if (error instanceof PortError) return error;
      throw error;
    }
  }

  async #send(pending: Pending, signal: AbortSignal): Promise<void> {
    const { key, note, count, atMs } = pending;
    const name = this.#names.get(key);
    if (name === undefined) return await this.#create(pending, signal);
    const change = eventChange(note, count, atMs);
    const options = { signal, answer: 'none' } as const;
    const place = { namespace: namespaceOfEvent(note.about), name };
    try {
      await this.#options.writes.patch(EVENTS, place, { type: 'merge', change }, options);
    } catch (error) {
      // The server forgets Events, after an hour unless it was told otherwise.
      if (!(error instanceof PortError) || error.failure !== 'not-found') throw error;
      await this.#create(pending, signal);
    }
  }

  async #create(pending: Pending, signal: AbortSignal): Promise<void> {
    const { source, writes } = this.#options;
    const object = eventObject({ ...pending, source });
    const name = textAt(object, 'metadata.name');
    try {
      await writes.create(EVENTS, object, { signal, answer: 'none' });
    } catch (error) {
      if (!(error instanceof PortError) || error.failure !== 'already-exists') throw error;
    }
    if (name !== null) this.#names.set(pending.key, name);
  }

  #count(what: keyof EventCounts): void {
    this.#counts[what] += 1;
  }
}

function isWorthAnother(error: PortError): boolean {
  return isTransient(error) || error.failure === 'unclear';
}
