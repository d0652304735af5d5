import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { redact, redactKeys, redactValue } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import type {
  Forgotten,
  RecordedEvent,
  RecordedNote,
  RecordedRange,
  Recorder,
} from '../../ports/recorder.ts';
import { type Calls, STANDS_MS } from './call.ts';
import type { SimulatedProgram } from './program.ts';

/** How long an append takes, and how long a client waits for one that is not answered, ms. */
const APPEND_MS = 4;
const UNANSWERED_MS = 1_000;

/** A row as it was stored, with when and by whom. */
export interface StoredRow {
  readonly event: RecordedEvent;
  readonly program: string;
  /** True time, ms. */
  readonly atMs: number;
}

/** The database of a flight recorder in the world; it outlives those who write to it. */
export class SimulatedRecords {
  readonly rows: StoredRow[] = [];
  readonly #keys = new Set<string>();
  readonly #notes = new Map<string, RecordedNote>();
  readonly #nowMs: () => number;
  #isAway = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  setAway(isAway: boolean): void {
    this.#isAway = isAway;
  }

  /** @throws PortError while the database is away */
  assertHere(): void {
    if (!this.#isAway) return;
    throw new PortError({ failure: 'unreachable', message: 'The recorder cannot be reached.' });
  }

  append(
    program: string,
    events: readonly RecordedEvent[],
    notes: readonly RecordedNote[],
  ): number {
    const before = this.rows.length;
    for (const event of events) {
      const key = event.key === null ? null : `${event.cluster} ${event.key}`;
      if (key !== null && this.#keys.has(key)) continue;
      if (key !== null) this.#keys.add(key);
      this.rows.push({ event: withoutSecrets(event), program, atMs: this.#nowMs() });
    }
    for (const note of notes) {
      if (note.body === null) this.#notes.delete(`${note.cluster} ${note.id}`);
      else this.#notes.set(`${note.cluster} ${note.id}`, structuredClone(note));
    }
    return this.rows.length - before;
  }

  notes(cluster: string): ReadonlyMap<string, Json> {
    const own = [...this.#notes.values()].filter((note) => note.cluster === cluster);
    return new Map(own.map(({ id, body }) => [id, structuredClone(body)]));
  }

  read({ cluster, kinds, limit }: RecordedRange): readonly RecordedEvent[] {
    return this.rows
      .map(({ event }) => event)
      .filter((one) => one.cluster === cluster && (kinds === undefined || kinds.includes(one.kind)))
      .toSorted((one, other) => one.atMs - other.atMs)
      .slice(-limit);
  }
}

/** `Recorder` over the database of the world, as one program asks it. */
export function recorderPort(
  records: SimulatedRecords,
  program: SimulatedProgram,
  calls: Calls,
): Recorder {
  const answered = async <T>(work: () => T): Promise<T> =>
    program.waiting(async () => {
      await program.clock.sleep(APPEND_MS);
      records.assertHere();
      return work();
    });
  return {
    append: async (events, notes = []) =>
      program.waiting(async () => {
        const deed = calls.next(program.name, 'append', `append ${namesOf(events)}`);
        if (deed === 'crash-before') program.kill();
        if (deed === 'stands') program.stand(STANDS_MS);
        await program.clock.sleep(APPEND_MS);
        records.assertHere();
        if (deed === 'lost-request') return unanswered(program);
        const fresh = records.append(program.name, events, notes);
        if (deed === 'crash-after') program.kill();
        return deed === 'lost-answer' ? unanswered(program) : fresh;
      }),
    read: async (range) => answered(() => records.read(range)),
    notes: async (cluster) => answered(() => records.notes(cluster)),
    clusters: async () =>
      answered(() => [...new Set(records.rows.map(({ event }) => event.cluster))]),
    forgetBefore: async () => answered(() => 0),
    shrinkTo: async () => answered((): Forgotten => ({ rows: 0, untilMs: null })),
    close: async () => undefined,
  };
}

async function unanswered({ clock }: SimulatedProgram): Promise<never> {
  await clock.sleep(UNANSWERED_MS);
  throw new PortError({ failure: 'timeout', message: 'The recorder did not answer in time.' });
}

function namesOf(events: readonly RecordedEvent[]): string {
  return events.map(({ kind, subject }) => `${kind} ${subject}`).join(', ');
}

/** As every recorder stores it. */
function withoutSecrets(event: RecordedEvent): RecordedEvent {
  const body = redactKeys(redactValue(event.body));
  return { ...event, subject: redact(event.subject), body };
}

/** The body of a row as an object; empty where it is none. */
export function bodyOf({ body }: RecordedEvent): JsonObject {
  return isObject(body) ? body : {};
}
