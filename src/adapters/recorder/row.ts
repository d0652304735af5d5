import { isObject, type Json } from '../../evidence/json.ts';
import { printable, redact, redactKeys, redactValue } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import type { RecordedEvent, RecordedNote } from '../../ports/recorder.ts';

const BODY_BYTES_MAX = 64 * 1024;
const NOTE_BYTES_MAX = 64 * 1024;
const NAME_LENGTH_MAX = 1024;

/** An event as its row, without secrets, and without the number of its arrival. */
export interface EventRow extends Omit<RecordedEvent, 'body'> {
  readonly body: string;
}

/** @throws PortError `invalid` for what no row can hold */
export function rowOf(event: RecordedEvent): EventRow {
  const name = nameOf(event.subject);
  const times = [event.atMs, event.receivedMs, event.skewMs ?? 0];
  if (!times.every(Number.isSafeInteger))
    throw invalid(`An event of ${name} has no whole number of ms as its time.`);
  const body = textOf(event.body);
  if (Buffer.byteLength(body) > BODY_BYTES_MAX)
    throw invalid(`An event of ${name} is larger than 64 KiB and was not recorded.`);
  return {
    atMs: event.atMs,
    receivedMs: event.receivedMs,
    cluster: nameOf(event.cluster),
    subject: name,
    subjectKind: nameOf(event.subjectKind),
    uid: nullOr(event.uid),
    kind: nameOf(event.kind),
    source: nameOf(event.source),
    boot: nullOr(event.boot),
    skewMs: event.skewMs,
    key: event.key,
    body,
  };
}

/** A note as its row; null for one that is to be forgotten. */
export function noteRowOf({ id, body }: RecordedNote): string | null {
  if (body === null) return null;
  const text = textOf(body);
  if (Buffer.byteLength(text) > NOTE_BYTES_MAX)
    throw invalid(`A note of ${nameOf(id)} is larger than 64 KiB and was not recorded.`);
  return text;
}

/** A value of a column as drivers give it. */
type Column = string | number | bigint | null | NodeJS.NonSharedUint8Array;

export function eventOf(row: Readonly<Record<keyof RecordedEvent, Column>>): RecordedEvent {
  return {
    atMs: Number(row.atMs),
    receivedMs: Number(row.receivedMs),
    cluster: String(row.cluster),
    subject: String(row.subject),
    subjectKind: String(row.subjectKind),
    uid: textOrNull(row.uid),
    kind: String(row.kind),
    source: String(row.source),
    boot: textOrNull(row.boot),
    skewMs: row.skewMs === null ? null : Number(row.skewMs),
    key: textOrNull(row.key),
    body: JSON.parse(String(row.body)) as Json,
  };
}

function invalid(message: string): PortError {
  return new PortError({ failure: 'invalid', message });
}

function textOrNull(value: Column): string | null {
  return value === null ? null : String(value);
}

function nullOr(text: string | null): string | null {
  return text === null ? null : nameOf(text);
}

function textOf(body: Json): string {
  const clean = redactValue(body);
  return JSON.stringify(hasPlainNames(clean) ? clean : redactKeys(clean));
}

/** Names of fields that were looked through: those of rows are the same few. */
const PLAIN_NAMES = new Set<string>();
const CLEAN_NAMES = new Map<string, string>();
const REMEMBERED_MAX = 20_000;

function hasPlainNames(value: Json): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).every(hasPlainNames);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, entry]) => isPlainName(name) && hasPlainNames(entry));
}

function isPlainName(name: string): boolean {
  if (PLAIN_NAMES.has(name)) return true;
  if (name.length > NAME_LENGTH_MAX || redact(printable(name)) !== name) return false;
  if (PLAIN_NAMES.size < REMEMBERED_MAX) PLAIN_NAMES.add(name);
  return true;
}

/** No name of anything is longer; a NUL, which PostgreSQL stores in no text, becomes visible. */
function nameOf(text: string): string {
  const known = CLEAN_NAMES.get(text);
  if (known !== undefined) return known;
  const name = redact(text.slice(0, NAME_LENGTH_MAX)).replaceAll('\u0000', '\uFFFD');
  if (CLEAN_NAMES.size >= REMEMBERED_MAX) CLEAN_NAMES.clear();
  if (text.length <= NAME_LENGTH_MAX) CLEAN_NAMES.set(text, name);
  return name;
}
