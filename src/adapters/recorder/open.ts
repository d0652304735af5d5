import { closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { PortError } from '../../ports/port-error.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { reasonOf } from './failure.ts';
import { isCurrent, migrate, stepBack } from './schema.ts';
import { SqliteRecorder } from './sqlite.ts';

const BUSY_TIMEOUT_MS = 5000;
const IN_MEMORY = ':memory:';
const FILE_MODE = 0o600;
/** Larger files are not read through at each start: 256 MiB take about a second. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;

/**
 * The flight recorder in one file; several programs may have it open.
 *
 * @param path of the file, made when it is not there; `:memory:` for one that is forgotten
 * @throws PortError `denied` or `not-found` for the place, `malformed` for a file that is damaged
 *   or no recorder, `unsupported` for one of a newer version
 */
export function openRecorder(path: string): Recorder {
  return recorderOf(path, () => openDatabase(path));
}

/**
 * The flight recorder of a file that is there already, to be read only; a file of an older version
 * is brought to the present one.
 *
 * @throws PortError as `openRecorder`
 */
export function openRecording(path: string): Recorder {
  return recorderOf(path, () => {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
    if (isUsable(path, database)) return database;
    database.close();
    return openDatabase(path);
  });
}

/**
 * Brings the file of a recorder to the version that the release before opens. Nobody may record into
 * it meanwhile with this release, which would bring it forward again when it opens it.
 *
 * @param timeout how long another program's transaction is waited for, ms
 * @throws PortError as `openRecorder`, and `unsupported` for a file that is older than that
 */
export function stepBackFile(path: string, timeout = BUSY_TIMEOUT_MS): void {
  told(path, () => {
    const database = new DatabaseSync(path, { timeout });
    try {
      mustBeWhole(path, database);
      stepBack(path, database);
    } finally {
      database.close();
    }
  });
}

function recorderOf(path: string, open: () => DatabaseSync): Recorder {
  const database = told(path, open);
  const recorder = new SqliteRecorder(database);
  const asked = <T>(work: () => T): Promise<T> => Promise.try(() => told(path, work));
  return {
    append: (events, notes = []) => asked(() => recorder.append(events, notes)),
    read: (range) => asked(() => recorder.read(range)),
    notes: (cluster) => asked(() => recorder.notes(cluster)),
    clusters: () => asked(() => recorder.clusters()),
    forgetBefore: (cluster, beforeMs) => asked(() => recorder.forgetBefore(cluster, beforeMs)),
    shrinkTo: (bytesMax) => asked(() => recorder.shrinkTo(bytesMax)),
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

function isUsable(path: string, database: DatabaseSync): boolean {
  try {
    return isCurrent(path, database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A recording names machines and accounts; SQLite gives the files beside it the same mode. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', FILE_MODE));
  } catch {
    // It is there already, or SQLite reports why it cannot be.
  }
}

function openDatabase(path: string): DatabaseSync {
  if (path !== IN_MEMORY) createPrivately(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    mustBeWhole(path, database);
    migrate(path, database);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    // A page that many batches change is written back once for all of them.
    database.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -65536;');
    database.exec('PRAGMA journal_size_limit = 67108864;');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Looks through the structure of all pages, and stops at the first that is wrong. */
function mustBeWhole(path: string, database: DatabaseSync): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > CHECKED_BYTES_MAX) return;
  const found = database.prepare('PRAGMA quick_check(1)').get();
  if (found?.['quick_check'] === 'ok') return;
  const message = `${path} is damaged; move it away and Rollcall creates a new one.`;
  throw new PortError({ failure: 'malformed', message });
}
