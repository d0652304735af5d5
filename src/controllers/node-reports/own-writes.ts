import type { Clock } from '../../ports/clock.ts';
import type { KnownReport } from './report.ts';

/** A watch that has not shown our own write by then is not waited for: the report is read. */
const OWN_WRITE_MS = 10_000;

interface Unseen {
  /** Whole listings when it was written. */
  readonly listings: number;
  /** By the monotonic clock. */
  readonly untilMs: number;
}

/** Reports that are others by now than the watch has shown, so that nothing is decided from it. */
export class OwnWrites {
  readonly #clock: Clock;
  readonly #read: (name: string) => Promise<KnownReport | null | undefined>;
  readonly #unseen = new Map<string, Unseen>();
  /** As read since the watch showed them last; null for one that is not there. */
  readonly #live = new Map<string, KnownReport | null>();

  /** @param read null when the report is not there, undefined when that could not be read */
  constructor(clock: Clock, read: (name: string) => Promise<KnownReport | null | undefined>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Notes a write of ours, or one that was refused as the report is another by now. */
  wrote(name: string, listings: number): void {
    const untilMs = this.#clock.monotonicMs() + OWN_WRITE_MS;
    this.#unseen.set(name, { listings, untilMs });
    this.#live.delete(name);
  }

  /** The watch has shown the report. */
  shown(name: string): void {
    this.#unseen.delete(name);
    this.#live.delete(name);
  }

  /** Forgets what a later listing has shown, and reads what nothing has shown for too long. */
  async refresh(listings: number): Promise<void> {
    for (const [name, unseen] of this.#unseen) {
      if (listings > unseen.listings) this.shown(name);
      else if (this.#clock.monotonicMs() >= unseen.untilMs) await this.#readLive(name, unseen);
    }
  }

  isWaiting(): boolean {
    return this.#unseen.size > 0;
  }

  isUnseen(name: string): boolean {
    return this.#unseen.has(name);
  }

  /** The report as it was read where that is newer, else as the watch has it. */
  newest(name: string, watched: KnownReport | undefined): KnownReport | null {
    return this.#live.get(name) ?? (this.#live.has(name) ? null : (watched ?? null));
  }

  /** What the watch has, with what was read in its place. */
  over(watched: ReadonlyMap<string, KnownReport>): ReadonlyMap<string, KnownReport> {
    if (this.#live.size === 0) return watched;
    const all = new Map(watched);
    for (const [name, report] of this.#live) {
      if (report === null) all.delete(name);
      else all.set(name, report);
    }
    return all;
  }

  async #readLive(name: string, unseen: Unseen): Promise<void> {
    const report = await this.#read(name);
    if (report === undefined || this.#unseen.get(name) !== unseen) return;
    this.#unseen.delete(name);
    this.#live.set(name, report);
  }
}
