import type { Json } from '../../../src/evidence/json.ts';
import { redact, redactKeys, redactValue } from '../../../src/evidence/redact.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import type {
  RecordedEvent,
  RecordedNote,
  RecordedRange,
  Recorder,
} from '../../../src/ports/recorder.ts';

const BODY_BYTES_MAX = 64 * 1024;

export interface FakeRecorder extends Recorder {
  /** Each append fails until it is called again with null. */
  readonly failWith: (error: PortError | null) => void;
}

/** The `Recorder` port in memory. */
export function createFakeRecorder(): FakeRecorder {
  let events: readonly RecordedEvent[] = [];
  let arrived: readonly RecordedEvent[] = [];
  const notes = new Map<string, RecordedNote>();
  let failure: PortError | null = null;
  let isClosed = false;
  const need = (): void => {
    if (isClosed)
      throw new PortError({ failure: 'unavailable', message: 'The recorder is already closed.' });
  };
  const keep = (kept: (event: RecordedEvent) => boolean): number => {
    const before = events.length;
    events = events.filter(kept);
    arrived = arrived.filter(kept);
    return before - events.length;
  };
  return {
    failWith: (error) => {
      failure = error;
    },
    async append(added, noted = []) {
      need();
      if (failure !== null) throw failure;
      added.forEach(check);
      const fresh = unknownOf(events, added);
      const clean = structuredClone(fresh).map(withoutSecrets);
      arrived = [...arrived, ...clean];
      // Sorting keeps the order of arrival among events of one time.
      events = [...events, ...clean].toSorted((a, b) => a.atMs - b.atMs);
      for (const note of noted) {
        if (note.body === null) notes.delete(`${note.cluster} ${note.id}`);
        else notes.set(`${note.cluster} ${note.id}`, { ...note, body: clear(note.body) });
      }
      return fresh.length;
    },
    async read(range) {
      need();
      const found = events.filter((event) => isIn(event, range));
      return structuredClone(range.limit <= 0 ? [] : found.slice(-range.limit));
    },
    async notes(cluster) {
      need();
      const own = [...notes.values()].filter((note) => note.cluster === cluster);
      return new Map(own.map(({ id, body }) => [id, structuredClone(body)]));
    },
    async clusters() {
      need();
      const named = [...events, ...notes.values()].map(({ cluster }) => cluster);
      return [...new Set(named)].toSorted();
    },
    async forgetBefore(cluster, beforeMs) {
      need();
      return keep(
        (event) => event.cluster !== cluster || Math.max(event.atMs, event.receivedMs) >= beforeMs,
      );
    },
    async shrinkTo(bytesMax) {
      need();
      const dropped = tooMuch(arrived, bytesMax);
      keep((event) => !dropped.includes(event));
      const times = dropped.map(({ receivedMs }) => receivedMs);
      return { rows: dropped.length, untilMs: times.length === 0 ? null : Math.max(...times) };
    },
    async close() {
      isClosed = true;
    },
  };
}

/** The first of these, as far as all of them are too much. */
function tooMuch(arrived: readonly RecordedEvent[], bytesMax: number): readonly RecordedEvent[] {
  const sizes = arrived.map((event) => JSON.stringify(event).length);
  let bytes = sizes.reduce((sum, size) => sum + size, 0);
  let count = 0;
  for (; count < sizes.length && bytes > bytesMax; count++) bytes -= sizes[count] ?? 0;
  return arrived.slice(0, count);
}

function keyOf({ cluster, key }: RecordedEvent): string | null {
  return key === null ? null : `${cluster} ${key}`;
}

/** What has no key, or one that is not known. */
function unknownOf(
  events: readonly RecordedEvent[],
  added: readonly RecordedEvent[],
): readonly RecordedEvent[] {
  const known = new Set(events.flatMap((event) => keyOf(event) ?? []));
  return added.filter((event) => {
    const key = keyOf(event);
    const isNew = key === null || !known.has(key);
    if (key !== null) known.add(key);
    return isNew;
  });
}

function clear(body: Json): Json {
  return redactKeys(redactValue(body));
}

function withoutSecrets(event: RecordedEvent): RecordedEvent {
  return { ...event, subject: redact(event.subject), body: clear(event.body) };
}

function isIn(event: RecordedEvent, range: RecordedRange): boolean {
  return (
    event.cluster === range.cluster &&
    (range.subject === undefined || event.subject === range.subject) &&
    (range.uid === undefined || event.uid === range.uid) &&
    (range.kinds === undefined || range.kinds.includes(event.kind)) &&
    range.exceptKinds?.includes(event.kind) !== true &&
    event.atMs >= (range.fromMs ?? -Infinity) &&
    event.atMs <= (range.toMs ?? Infinity)
  );
}

function check(event: RecordedEvent): void {
  const isLarge = new TextEncoder().encode(JSON.stringify(event.body)).length > BODY_BYTES_MAX;
  if (!isLarge && Number.isSafeInteger(event.atMs)) return;
  throw new PortError({ failure: 'invalid', message: `An event of ${event.subject} is refused.` });
}
