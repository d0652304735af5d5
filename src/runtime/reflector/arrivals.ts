import { type Clock, startTimer } from '../../ports/clock.ts';
import { RecentMap } from '../recent-map.ts';

/** An object as the server answered a write of it. */
export interface WrittenObject {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Waiting {
  readonly written: WrittenObject;
  readonly sinceMs: number;
  readonly arrive: () => void;
}

/** Versions that came lately: an event may be quicker than the answer of the write behind it. */
const REMEMBERED_MAX = 4096;

/** Which versions of objects came by a watch. Versions are compared for equality alone. */
export class Arrivals {
  readonly #clock: Clock;
  readonly #versions = new RecentMap<true>(REMEMBERED_MAX);
  readonly #gone = new RecentMap<true>(REMEMBERED_MAX);
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  event(uid: string, resourceVersion: string, isDeleted: boolean): void {
    const place = placeOf(uid, resourceVersion);
    this.#versions.set(place, true);
    if (isDeleted) this.#gone.set(uid, true);
    if (this.#waiting.size === 0) return;
    this.#end(
      ({ written }) =>
        (isDeleted && written.uid === uid) ||
        placeOf(written.uid, written.resourceVersion) === place,
    );
  }

  /**
   * @param fromMs when the listing was asked for, by the monotonic clock: what was written before
   *   is in it
   * @param isListed whether exactly this version is in it
   */
  listed(fromMs: number, isListed: (written: WrittenObject) => boolean): void {
    this.#end(({ written, sinceMs }) => sinceMs < fromMs || isListed(written));
  }

  /** @returns false when it did not come in time, or the signal was aborted */
  async when(written: WrittenObject, limitMs: number, signal: AbortSignal): Promise<boolean> {
    const sinceMs = this.#clock.monotonicMs();
    const { uid, resourceVersion } = written;
    const isHere =
      this.#versions.get(placeOf(uid, resourceVersion)) ?? this.#gone.get(uid) ?? false;
    if (isHere || signal.aborted) return isHere;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { written, sinceMs, arrive: () => resolve(true) };
    const onAbort = (): void => resolve(false);
    const timer = startTimer(this.#clock, limitMs, onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiting);
    const isArrived = await promise;
    this.#waiting.delete(waiting);
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
    return isArrived;
  }

  #end(isReached: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#waiting) if (isReached(waiting)) waiting.arrive();
  }
}

/** With its length a UID ends where it does, whatever it contains. */
function placeOf(uid: string, resourceVersion: string): string {
  return `${uid.length} ${uid} ${resourceVersion}`;
}
