import type { SQLOutputValue } from 'node:sqlite';
import type { Json } from '../../evidence/json.ts';
import { redactValue } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import type { RecordedEvent } from '../../ports/recorder.ts';

const BODY_BYTES_MAX = 64 * 1024;

/** An event as its row, without secrets, and without the number of its arrival. */
export function rowOf(given: RecordedEvent): Record<string, string | number> {
  const event = redactValue(given);
  const body = JSON.stringify(event.body);
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) {
    const message = `An event of ${event.subject} is larger than 64 KiB and was not recorded.`;
    throw new PortError({ failure: 'invalid', message });
  }
  if (!Number.isSafeInteger(event.atMs)) {
    const message = `An event of ${event.subject} has no whole number of ms as its time.`;
    throw new PortError({ failure: 'invalid', message });
  }
  const { atMs, cluster, subject, kind, source } = event;
  return { atMs, cluster, subject, kind, source, body };
}

export function eventOf(row: Readonly<Record<string, SQLOutputValue>>): RecordedEvent {
  const text = (name: string): string => String(row[name]);
  return {
    atMs: Number(row['atMs']),
    cluster: text('cluster'),
    subject: text('subject'),
    kind: text('kind'),
    source: text('source'),
    body: JSON.parse(text('body')) as Json,
  };
}
