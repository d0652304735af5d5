import { PortError } from '../../../src/ports/port-error.ts';
import type { RecordedEvent, RecordedRange, Recorder } from '../../../src/ports/recorder.ts';

const BODY_BYTES_MAX = 64 * 1024;

/** The `Recorder` port in memory. */
export function createFakeRecorder(): Recorder {
  let events: readonly RecordedEvent[] = [];
  let isClosed = false;
  const need = (): void => {
    if (isClosed)
      throw new PortError({ failure: 'unavailable', message: 'The recorder is already closed.' });
  };
  return {
    async append(added) {
      need();
      added.forEach(check);
      // Sorting keeps the order of arrival among events of one time.
      events = [...events, ...structuredClone(added)].toSorted((a, b) => a.atMs - b.atMs);
    },
    async read(range) {
      need();
      const found = events.filter((event) => isIn(event, range));
      return structuredClone(range.limit <= 0 ? [] : found.slice(-range.limit));
    },
    async forgetBefore(cluster, beforeMs) {
      need();
      const kept = events.filter((event) => event.cluster !== cluster || event.atMs >= beforeMs);
      const forgotten = events.length - kept.length;
      events = kept;
      return forgotten;
    },
    async close() {
      isClosed = true;
    },
  };
}

function isIn(event: RecordedEvent, range: RecordedRange): boolean {
  return (
    event.cluster === range.cluster &&
    (range.subject === undefined || event.subject === range.subject) &&
    event.atMs >= (range.fromMs ?? -Infinity) &&
    event.atMs <= (range.toMs ?? Infinity)
  );
}

function check(event: RecordedEvent): void {
  const isLarge = new TextEncoder().encode(JSON.stringify(event.body)).length > BODY_BYTES_MAX;
  if (!isLarge && Number.isSafeInteger(event.atMs)) return;
  throw new PortError({ failure: 'invalid', message: `An event of ${event.subject} is refused.` });
}
