import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { RecordedRange } from '../../ports/recorder.ts';
import { areFew, FEW_KINDS_TERM } from './few-kinds.ts';

const LIMIT_MAX = 100_000;

const COLUMNS = `at_ms AS atMs, received_ms AS receivedMs, subject, subject_kind AS subjectKind,
  uid, kind, source, boot, skew_ms AS skewMs, key, body`;

export const INSERT = `INSERT INTO event (cluster, at_ms, received_ms, subject, subject_kind, uid,
    kind, source, boot, skew_ms, key, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

/** A question to the table of events, with its values in order. */
export interface Question {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** The index is named, since SQLite would rather walk through all of a cluster in its order. */
function indexFor({ subject, uid, kinds }: RecordedRange): string {
  if (subject !== undefined) return 'event_of_subject';
  if (uid !== undefined) return 'event_of_uid';
  return kinds !== undefined && areFew(kinds) ? 'event_of_few' : 'event_of_time';
}

/** What reads a range: the newest first, so that the limit keeps them. */
export function rangeQuestion(cluster: number, range: RecordedRange): Question {
  const { subject, uid, kinds, exceptKinds, fromMs, toMs, limit } = range;
  const conditions: (readonly [string, SQLInputValue])[] = [
    ['cluster = ?', cluster],
    ['at_ms >= ?', fromMs ?? Number.MIN_SAFE_INTEGER],
    ['at_ms <= ?', toMs ?? Number.MAX_SAFE_INTEGER],
  ];
  if (subject !== undefined) conditions.push(['subject = ?', subject]);
  if (uid !== undefined) conditions.push(['uid = ?', uid]);
  if (kinds !== undefined)
    conditions.push(['kind IN (SELECT value FROM json_each(?))', JSON.stringify(kinds)]);
  if (exceptKinds !== undefined)
    conditions.push(['kind NOT IN (SELECT value FROM json_each(?))', JSON.stringify(exceptKinds)]);
  const index = indexFor(range);
  const terms = index === 'event_of_few' ? [FEW_KINDS_TERM] : [];
  const where = [...conditions.map(([text]) => text), ...terms].join(' AND ');
  return {
    sql: `SELECT ${COLUMNS} FROM event INDEXED BY ${index}
      WHERE ${where} ORDER BY at_ms DESC, sequence DESC LIMIT ?`,
    values: [
      ...conditions.map(([, value]) => value),
      Math.max(0, Math.min(Math.floor(limit), LIMIT_MAX)),
    ],
  };
}

/** Statements by their text, each compiled once. */
export function keptStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>();
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    kept.set(sql, statement);
    return statement;
  };
}
