import { DatabaseSync } from 'node:sqlite';
import { PortError } from '../../ports/port-error.ts';
import type { RecordedEvent, RecordedRange, Recorder } from '../../ports/recorder.ts';
import { reasonOf } from './failure.ts';
import { eventOf, rowOf } from './row.ts';

const BUSY_TIMEOUT_MS = 5000;
const LIMIT_MAX = 100_000;

/** `user_version` of the files that this program writes. */
const SCHEMA_VERSION = 1;

/** The key is the time and then the arrival, so that a range is read in one pass. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS event (
    cluster TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    subject TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (cluster, at_ms, sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS arrival (last INTEGER NOT NULL) STRICT;
  INSERT INTO arrival SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM arrival);
  CREATE INDEX IF NOT EXISTS event_of_subject ON event (cluster, subject, at_ms, sequence);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const INSERT = `INSERT INTO event (cluster, at_ms, sequence, subject, kind, source, body)
  VALUES (:cluster, :atMs, :sequence, :subject, :kind, :source, :body)`;

/** The newest first, so that the limit keeps them. */
const SELECT = `SELECT cluster, at_ms AS atMs, subject, kind, source, body FROM event
  WHERE cluster = :cluster AND at_ms BETWEEN :fromMs AND :toMs`;
const NEWEST = 'ORDER BY at_ms DESC, sequence DESC LIMIT :limit';

/**
 * The flight recorder in one file; several programs may have it open.
 *
 * @param path of the file, made when it is not there; `:memory:` for one that is forgotten
 * @throws PortError `denied` or `not-found` for the place, `malformed` for a file that is no
 *   recorder, `unsupported` for one of a newer version
 */
export function openRecorder(path: string): Recorder {
  const database = told(path, () => openDatabase(path));
  const asked = <T>(work: () => T): Promise<T> => Promise.try(() => told(path, work));
  return {
    append: (events) => asked(() => append(database, events)),
    read: (range) => asked(() => read(database, range)),
    forgetBefore: (cluster, beforeMs) =>
      asked(() => {
        const forget = database.prepare('DELETE FROM event WHERE cluster = ? AND at_ms < ?');
        return Number(forget.run(cluster, beforeMs).changes);
      }),
    close: () =>
      asked(() => {
        if (database.isOpen) database.close();
      }),
  };
}

function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof PortError ? error : reasonOf(path, error);
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    refuseNewer(path, database);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function refuseNewer(path: string, database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version <= SCHEMA_VERSION) return;
  const message = `${path} was written by a newer version of this program; update it first.`;
  throw new PortError({ failure: 'unsupported', message });
}

function append(database: DatabaseSync, events: readonly RecordedEvent[]): void {
  if (events.length === 0) return;
  const rows = events.map(rowOf);
  // The write lock comes first, so that no other program takes the same number.
  database.exec('BEGIN IMMEDIATE');
  try {
    const last = Number(database.prepare('SELECT last FROM arrival').get()?.['last'] ?? 0);
    const insert = database.prepare(INSERT);
    for (const [index, row] of rows.entries()) insert.run({ ...row, sequence: last + index + 1 });
    database.prepare('UPDATE arrival SET last = ?').run(last + rows.length);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function read(database: DatabaseSync, range: RecordedRange): readonly RecordedEvent[] {
  const bounds = {
    cluster: range.cluster,
    fromMs: range.fromMs ?? Number.MIN_SAFE_INTEGER,
    toMs: range.toMs ?? Number.MAX_SAFE_INTEGER,
    limit: Math.max(0, Math.min(range.limit, LIMIT_MAX)),
  };
  const { subject } = range;
  const rows =
    subject === undefined
      ? database.prepare(`${SELECT} ${NEWEST}`).all(bounds)
      : database.prepare(`${SELECT} AND subject = :subject ${NEWEST}`).all({ ...bounds, subject });
  return rows.map(eventOf).toReversed();
}
