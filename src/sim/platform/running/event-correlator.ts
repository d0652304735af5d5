export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface CorrelatedText extends EventText {
  /** One Event stands for all of its reason. */
  readonly isCombined: boolean;
}

/** client-go's EventCorrelator: floods are combined, then dropped. */
export interface EventCorrelator {
  /** @returns what is to be written; null for an event that is dropped */
  correlated(object: string, text: EventText): CorrelatedText | null;
}

/** Entries of client-go's event caches. */
const CACHE_MAX = 4096;
/** More different messages of one reason than these, within the interval, are combined. */
const SIMILAR_MAX = 10;
const SIMILAR_INTERVAL_MS = 10 * 60_000;
/** Events about one object: 25 at once, then one in 5 min. */
const BURST = 25;
const REFILL_MS = 5 * 60_000;

interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly lastMs: number;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Keeps the newest entries of a map. */
export function trim(cache: Map<string, unknown>): void {
  for (const key of cache.keys()) {
    if (cache.size <= CACHE_MAX) return;
    cache.delete(key);
  }
}

export function createEventCorrelator(nowMs: () => number): EventCorrelator {
  const similar = new Map<string, Similar>();
  const buckets = new Map<string, Bucket>();
  const isDropped = (object: string): boolean => {
    const atMs = nowMs();
    const known = buckets.get(object) ?? { tokens: BURST, atMs };
    const tokens = Math.min(BURST, known.tokens + (atMs - known.atMs) / REFILL_MS);
    buckets.set(object, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs });
    trim(buckets);
    return tokens < 1;
  };
  const isCombined = (object: string, { type, reason, message }: EventText): boolean => {
    const key = `${object}\n${type}\n${reason}`;
    const known = similar.get(key);
    const isFresh = known !== undefined && nowMs() - known.lastMs <= SIMILAR_INTERVAL_MS;
    const before = isFresh ? known.messages : new Set<string>();
    const isFull = before.size >= SIMILAR_MAX && !before.has(message);
    const messages = isFull || before.has(message) ? before : new Set([...before, message]);
    similar.set(key, { messages, lastMs: nowMs() });
    trim(similar);
    return isFull;
  };
  return {
    correlated: (object, text) => {
      const combined = isCombined(object, text);
      if (isDropped(object)) return null;
      if (!combined) return { ...text, isCombined: false };
      const message = `(combined from similar events): ${text.message}`;
      return { ...text, message, isCombined: true };
    },
  };
}
