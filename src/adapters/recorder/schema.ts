import type { DatabaseSync } from 'node:sqlite';
import { PortError } from '../../ports/port-error.ts';
import { FEW_KINDS_TERM } from './few-kinds.ts';
import { newerTables, olderTables } from './versions.ts';

/** `user_version` of the files that this program writes. */
export const SCHEMA_VERSION = 3;
/** `Roll` in ASCII, by which `file` and SQLite know whose file it is. */
const APPLICATION_ID = 0x526f6c6c;

/** Arrival is the key, so that rows are added at the end; each read has the index that it needs. */
const TABLES = `
  CREATE TABLE cluster (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    cluster INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    received_ms INTEGER NOT NULL,
    subject TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    uid TEXT,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    boot TEXT,
    skew_ms INTEGER,
    key TEXT,
    body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE note (
    cluster INTEGER NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (cluster, id)
  ) STRICT, WITHOUT ROWID;
`;

const INDEXES = `
  CREATE INDEX event_of_time ON event (cluster, at_ms);
  CREATE INDEX event_of_subject ON event (cluster, subject, at_ms);
  CREATE INDEX event_of_uid ON event (cluster, uid, at_ms) WHERE uid IS NOT NULL;
  CREATE UNIQUE INDEX event_of_key ON event (cluster, key) WHERE key IS NOT NULL;
`;

function marks(version: number): string {
  return `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version};`;
}

/** Version 1 knew one time, no UID and no kind of subject. */
const FROM_1 = `
  ALTER TABLE event RENAME TO event_1;
  DROP INDEX event_of_subject;
  ${TABLES}
  INSERT INTO cluster (name) SELECT DISTINCT cluster FROM event_1 ORDER BY cluster;
  INSERT INTO event (cluster, at_ms, received_ms, subject, subject_kind, kind, source, body)
    SELECT cluster.id, at_ms, at_ms, subject,
      CASE WHEN subject GLOB 'i-[0-9a-f]*' THEN 'Machine' ELSE 'Node' END, kind, source, body
    FROM event_1 JOIN cluster ON cluster.name = event_1.cluster ORDER BY sequence;
  DROP TABLE event_1;
  DROP TABLE arrival;
  ${INDEXES}
`;

/** Version 2 read the last verdicts and all ends of a cluster through the rows of everything. */
const FROM_2 = `CREATE INDEX event_of_few ON event (cluster, at_ms) WHERE ${FEW_KINDS_TERM};`;

/** From the present version to the one before: nothing of a row is in what goes. */
const BACK = 'DROP INDEX event_of_few;';

/** From each version to the next one. */
const MIGRATIONS: Readonly<Record<number, string>> = {
  0: TABLES + INDEXES,
  1: FROM_1,
  2: FROM_2,
};

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

function tablesIn(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Set(rows.map(({ name }) => String(name)));
}

/**
 * The version of a recorder's file, 0 for an empty one.
 *
 * @throws PortError `malformed` for another program's database, `unsupported` for a newer version
 */
function versionOf(path: string, database: DatabaseSync): number {
  const version = pragma(database, 'user_version');
  const application = pragma(database, 'application_id');
  const tables = tablesIn(database);
  const isOurs = application === APPLICATION_ID || (application === 0 && tables.has('event'));
  const isEmpty = application === 0 && tables.size === 0;
  const isNewer = version > SCHEMA_VERSION && (isOurs || isEmpty);
  if (isNewer) throw newerTables(path, path, version, SCHEMA_VERSION);
  if (isEmpty || (isOurs && version > 0)) return version;
  const message = `${path} is another program’s database; choose another file.`;
  throw new PortError({ failure: 'malformed', message });
}

/** True for a file that this program may read as it is. */
export function isCurrent(path: string, database: DatabaseSync): boolean {
  return versionOf(path, database) === SCHEMA_VERSION;
}

/** Brings a file of an older version, or an empty one, to the present version; all or nothing. */
export function migrate(path: string, database: DatabaseSync): void {
  const before = versionOf(path, database);
  if (before === SCHEMA_VERSION) return;
  // Before the first table it holds at once; in an older file from the next VACUUM on.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  wholly(database, () => {
    // Another program may have done it while this one waited for the lock.
    const from = versionOf(path, database);
    for (let version = from; version < SCHEMA_VERSION; version = version === 0 ? 2 : version + 1)
      database.exec(MIGRATIONS[version] ?? '');
    if (from < SCHEMA_VERSION) database.exec(marks(SCHEMA_VERSION));
  });
  if (before === 1) database.exec('VACUUM');
}

/**
 * Brings a file to the version before the present one, which the release before opens; one that has
 * it already stays as it is.
 *
 * @throws PortError as `isCurrent`, and `unsupported` for a file of a version before that
 */
export function stepBack(path: string, database: DatabaseSync): void {
  wholly(database, () => {
    const from = versionOf(path, database);
    if (from < SCHEMA_VERSION - 1) throw olderTables(path, from, SCHEMA_VERSION - 1);
    if (from < SCHEMA_VERSION) return;
    database.exec(BACK + marks(SCHEMA_VERSION - 1));
  });
}

function wholly(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
