import { counted } from '../../domain/words.ts';
import type { Json } from '../../evidence/json.ts';
import { isTransient, PortError } from '../../ports/port-error.ts';
import type { RecordedEvent, Recorder } from '../../ports/recorder.ts';
import { eventOfHappening, type Moment, noteOf } from './change.ts';
import { CUT_KINDS } from './cuts.ts';
import { happeningOfGap } from './gaps.ts';

/** Weight of one transaction: whoever else writes, or uses this thread, waits about 5 ms for it. */
const BATCH = 250;
/** A row of evidence has up to 48 KiB, any other about 500 bytes. */
const EVIDENCE_WEIGHT = 50;
/** Rows that wait at most while they cannot be written: about 20 MB. */
const WAITING_MAX = 20_000;

/** How many of the first rows make one transaction; at least one. */
function batchOf(rows: readonly RecordedEvent[]): number {
  let weight = 0;
  for (const [index, { kind }] of rows.entries()) {
    weight += kind === CUT_KINDS.part ? EVIDENCE_WEIGHT : 1;
    if (weight >= BATCH) return index + 1;
  }
  return rows.length;
}

interface Dropped {
  readonly rows: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WriterOptions {
  readonly recorder: Recorder;
  /** Says what happens to the recording itself, in one line. */
  readonly say: (line: string) => void;
  /** Lets whoever else uses this thread go on between two transactions; nobody does when not given. */
  readonly turn?: () => Promise<void>;
  /** Most rows that wait; 20,000 when not given. */
  readonly waitingMax?: number;
}

/**
 * Writes rows in their order. While the recorder cannot be reached they wait, up to a number; what
 * is dropped beyond it becomes a gap. As every row has a key, one that was written although its
 * answer was lost is not doubled by the next try.
 */
export class RecordWriter {
  readonly #options: WriterOptions;
  #waiting: RecordedEvent[] = [];
  readonly #notes = new Map<string, Json>();
  #dropped: Dropped | null = null;
  #isInterrupted = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  add(events: readonly RecordedEvent[], notes: ReadonlyMap<string, Json>): void {
    this.#waiting.push(...events);
    for (const [id, body] of notes) this.#notes.set(id, body);
    const over = this.#waiting.length - (this.#options.waitingMax ?? WAITING_MAX);
    // What one look brings is never too much: only what the recorder did not take counts.
    if (over > 0 && this.#isInterrupted) this.#drop(over);
  }

  /** Writes what waits; false while that is not possible. Throws what is no failure of the recorder. */
  async flush(moment: Moment): Promise<boolean> {
    const waited = this.#waiting.length;
    try {
      await this.#writeAll(moment);
    } catch (error) {
      if (!(error instanceof PortError) || !isTransient(error)) throw error;
      if (!this.#isInterrupted)
        this.#options.say(`Recording is interrupted: ${error.message} What is seen waits.`);
      this.#isInterrupted = true;
      return false;
    }
    if (this.#isInterrupted)
      this.#options.say(`Recording continues: ${counted(waited, 'row')} that waited are written.`);
    this.#isInterrupted = false;
    return true;
  }

  #drop(count: number): void {
    const gone = this.#waiting.splice(0, count);
    const times = gone.map(({ receivedMs }) => receivedMs);
    this.#dropped = {
      rows: (this.#dropped?.rows ?? 0) + count,
      fromMs: Math.min(this.#dropped?.fromMs ?? Infinity, ...times),
      toMs: Math.max(this.#dropped?.toMs ?? -Infinity, ...times),
    };
  }

  async #writeAll(moment: Moment): Promise<void> {
    await this.#tellDropped(moment);
    for (let size = batchOf(this.#waiting); size < this.#waiting.length; ) {
      await this.#append(this.#waiting.slice(0, size), [], moment);
      this.#waiting.splice(0, size);
      size = batchOf(this.#waiting);
    }
    // What is noted holds only once everything that led to it is written.
    const notes = [...this.#notes];
    if (this.#waiting.length + notes.length === 0) return;
    await this.#append(this.#waiting, notes, moment);
    this.#waiting = [];
    this.#notes.clear();
  }

  async #tellDropped(moment: Moment): Promise<void> {
    if (this.#dropped === null) return;
    const { rows, fromMs, toMs } = this.#dropped;
    const why = `${counted(rows, 'row')} could not be written in time and were dropped`;
    const gap = happeningOfGap({ fromMs, toMs, why }, moment);
    await this.#append([eventOfHappening(gap, moment)], [], moment);
    this.#dropped = null;
  }

  async #append(
    events: readonly RecordedEvent[],
    notes: readonly (readonly [string, Json])[],
    moment: Moment,
  ): Promise<void> {
    await this.#options.turn?.();
    const noted = notes.map((note) => noteOf(moment.cluster, note));
    try {
      await this.#options.recorder.append(events, noted);
    } catch (error) {
      if (!(error instanceof PortError) || error.failure !== 'invalid') throw error;
      // One row that nobody can store must not keep all others waiting.
      for (const event of events) await this.#appendOrTell(event, moment);
      for (const note of noted)
        await this.#orTell(moment, () => this.#options.recorder.append([], [note]));
    }
  }

  async #appendOrTell(event: RecordedEvent, moment: Moment): Promise<void> {
    await this.#orTell(moment, () => this.#options.recorder.append([event]));
  }

  async #orTell(moment: Moment, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof PortError) || error.failure !== 'invalid') throw error;
      const { nowMs } = moment;
      const gap = happeningOfGap({ fromMs: nowMs, toMs: nowMs, why: error.message }, moment);
      await this.#options.recorder.append([eventOfHappening(gap, moment)]);
    }
  }
}
