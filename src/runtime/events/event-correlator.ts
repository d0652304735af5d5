import { RecentMap } from '../recent-map.ts';

/** The object that an Event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** null for kinds without one. */
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
}

export interface EventNote {
  readonly about: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** In PascalCase, such as the id of a cause. */
  readonly reason: string;
  /** One sentence. */
  readonly message: string;
  /** What was done, in PascalCase, as events.k8s.io has it. */
  readonly action?: string;
}

/** The Event that a note belongs to, and how often it was noted. */
export interface CorrelatedEvent {
  /** The same for notes that are one Event. */
  readonly key: string;
  readonly note: EventNote;
  /** 1 for a new Event. */
  readonly count: number;
}

/** As client-go's EventCorrelator has them (tools/record/events_cache.go). */
const WINDOW_MS = 600_000;
const SIMILAR_MAX = 10;
const BURST = 25;
const TOKEN_MS = 300_000;
const REMEMBERED_MAX = 4096;

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Counted {
  count: number;
  lastMs: number;
}

/**
 * Makes few Events of many notes: the same note within 10 min counts up; more than 10 notes of one
 * object with one reason and different messages become one Event; after 25 notes an object has one
 * in 5 min.
 */
export class EventCorrelator {
  readonly #buckets = new RecentMap<Bucket>(REMEMBERED_MAX);
  readonly #similar = new RecentMap<Similar>(REMEMBERED_MAX);
  readonly #counted = new RecentMap<Counted>(REMEMBERED_MAX);

  /**
   * @param nowMs by the monotonic clock
   * @returns null for a note that is one too many
   */
  correlate(note: EventNote, nowMs: number): CorrelatedEvent | null {
    const { about, type, reason, message } = note;
    const subject = JSON.stringify([about.kind, about.namespace, about.name, about.uid]);
    const group = JSON.stringify([subject, type, reason]);
    const isMany = this.#isOneOfMany(group, message, nowMs);
    const key = isMany ? group : JSON.stringify([group, message]);
    if (!this.#takeToken(subject, nowMs)) return null;
    const text = isMany ? `(combined from similar events): ${message}` : message;
    return { key, note: { ...note, message: text }, count: this.#countUp(key, nowMs) };
  }

  #takeToken(subject: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(subject) ?? { tokens: BURST, atMs: nowMs };
    const tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.atMs) / TOKEN_MS);
    const isLeft = tokens >= 1;
    this.#buckets.set(subject, { tokens: isLeft ? tokens - 1 : tokens, atMs: nowMs });
    return isLeft;
  }

  #isOneOfMany(group: string, message: string, nowMs: number): boolean {
    const known = this.#similar.get(group);
    const isOld = known === undefined || nowMs - known.lastMs > WINDOW_MS;
    const similar = isOld ? { messages: new Set<string>(), lastMs: nowMs } : known;
    similar.lastMs = nowMs;
    this.#similar.set(group, similar);
    if (similar.messages.has(message)) return false;
    if (similar.messages.size >= SIMILAR_MAX) return true;
    similar.messages.add(message);
    return false;
  }

  #countUp(key: string, nowMs: number): number {
    const known = this.#counted.get(key);
    const isNew = known === undefined || nowMs - known.lastMs > WINDOW_MS;
    const count = isNew ? 1 : known.count + 1;
    this.#counted.set(key, { count, lastMs: nowMs });
    return count;
  }
}
