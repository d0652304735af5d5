import { isoTime } from '../../evidence/time.ts';

/** Wrappings that collectors put around a program's own line. */
const CRI = /^(\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2}) )(?:stdout|stderr) [FP] /;
const KUBECTL_PREFIX = /^\[pod\/[\w.-]+\/[\w.-]+\] /;
const JOURNAL_JSON = /^\s*\{.*"(?:MESSAGE|__REALTIME_TIMESTAMP)"\s*:/;
/** Names that such an entry has one of; looking for them is cheaper than the expression. */
const JOURNAL_NAMES = ['"MESSAGE"', '"__REALTIME_TIMESTAMP"'];
const DOCKER_JSON = /^\s*\{"log":"/;

function fieldOf(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  if (typeof value === 'string') return value;
  // journalctl prints messages that are no UTF-8 as lists of bytes.
  if (!Array.isArray(value)) return '';
  const bytes = value.filter((byte): byte is number => typeof byte === 'number');
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function parseRecord(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** A journal entry in the form of `journalctl -o short-iso-precise`. */
export function shortForm(record: Readonly<Record<string, unknown>>): string {
  const microseconds = Number(
    fieldOf(record, '__REALTIME_TIMESTAMP') || fieldOf(record, '_SOURCE_REALTIME_TIMESTAMP'),
  );
  const stamp =
    Number.isFinite(microseconds) && microseconds > 0
      ? `${isoTime({ ms: microseconds / 1000, yearless: false, clock: 'utc' }) ?? ''} `
      : '';
  const tag =
    fieldOf(record, 'SYSLOG_IDENTIFIER') ||
    fieldOf(record, '_COMM') ||
    fieldOf(record, '_SYSTEMD_UNIT').replace(/\.service$/, '');
  const pid = fieldOf(record, '_PID') || fieldOf(record, 'SYSLOG_PID');
  const host = fieldOf(record, '_HOSTNAME') || 'localhost';
  return `${stamp}${host} ${tag === '' ? 'journal' : tag}${pid === '' ? '' : `[${pid}]`}: ${fieldOf(record, 'MESSAGE')}`;
}

/** The line that the program itself wrote, with the prefix of the short journal format where known. */
export function unwrapLine(line: string): string {
  if (JOURNAL_NAMES.some((name) => line.includes(name)) && JOURNAL_JSON.test(line)) {
    const record = parseRecord(line);
    return record === null ? line : shortForm(record);
  }
  if (DOCKER_JSON.test(line)) {
    const record = parseRecord(line);
    return record === null
      ? line
      : `${fieldOf(record, 'time')} ${fieldOf(record, 'log').trimEnd()}`;
  }
  const own = line.startsWith('[pod/') ? line.replace(KUBECTL_PREFIX, '') : line;
  const wrapped = CRI.exec(own);
  return wrapped === null ? own : `${wrapped[1] ?? ''}${own.slice(wrapped[0].length)}`;
}
