import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openRecorder, openRecording, stepBackFile } from '../../src/adapters/recorder/open.ts';
import { event, isFailure } from './recorder.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-recorder-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

/** As version 2 of the schema was written, with three events and a note. */
const VERSION_2 = `
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
  CREATE INDEX event_of_time ON event (cluster, at_ms);
  CREATE INDEX event_of_subject ON event (cluster, subject, at_ms);
  CREATE INDEX event_of_uid ON event (cluster, uid, at_ms) WHERE uid IS NOT NULL;
  CREATE UNIQUE INDEX event_of_key ON event (cluster, key) WHERE key IS NOT NULL;
  PRAGMA application_id = 1383033964;
  PRAGMA user_version = 2;
`;
const VERSION_2_ROW = `INSERT INTO event (cluster, at_ms, received_ms, subject, subject_kind, uid,
    kind, source, boot, skew_ms, key, body)
  VALUES (1, ?, 8, 'node-a', 'Node', 'u', 'verdict', 'test', 'b', -3, ?, '{"a":1}')
  ON CONFLICT DO NOTHING`;
const ROW_OF_2 = event(7, {
  receivedMs: 8,
  subject: 'node-a',
  subjectKind: 'Node',
  uid: 'u',
  kind: 'verdict',
  boot: 'b',
  skewMs: -3,
  key: 'k',
  body: { a: 1 },
});

/** What SQLite keeps of the tables and indexes of a file, and its version. */
function shapeOf(database: DatabaseSync): readonly unknown[] {
  const { user_version } = database.prepare('PRAGMA user_version').get() ?? {};
  const rows = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  const words = (sql: unknown): string => String(sql).replaceAll(/\s+/g, ' ');
  return [user_version, ...rows.map(({ name, sql }) => [name, words(sql)])];
}

function ofVersion2(): { readonly path: string; readonly shape: readonly unknown[] } {
  const path = freshPath();
  const older = new DatabaseSync(path);
  older.exec(`${VERSION_2} INSERT INTO cluster (name) VALUES ('one');
    INSERT INTO note VALUES (1, 'seen', '[1]');`);
  older.prepare(VERSION_2_ROW).run(7, 'k');
  const shape = shapeOf(older);
  older.close();
  return { path, shape };
}

describe('one version back and forward', () => {
  test('a file of the version before comes forward, and goes back to exactly that', async () => {
    const { path, shape } = ofVersion2();
    const recorder = openRecorder(path);
    assert.deepEqual(await recorder.read({ cluster: 'one', limit: 9 }), [ROW_OF_2]);
    await recorder.append([{ ...ROW_OF_2, atMs: 9, key: 'l' }]);
    await recorder.close();
    stepBackFile(path);
    const older = new DatabaseSync(path);
    assert.deepEqual(shapeOf(older), shape);
    older.close();
  });

  test('what either release writes is there once, in the end', async () => {
    const { path } = ofVersion2();
    for (const turn of [1, 2, 3]) {
      const recorder = openRecorder(path);
      await recorder.append([ROW_OF_2, { ...ROW_OF_2, atMs: 10 + turn, key: `new-${turn}` }]);
      await recorder.close();
      stepBackFile(path);
      const older = new DatabaseSync(path);
      older.prepare(VERSION_2_ROW).run(7, 'k');
      older.prepare(VERSION_2_ROW).run(20 + turn, `old-${turn}`);
      older.close();
    }
    const reader = openRecording(path);
    const range = { cluster: 'one', limit: 99 };
    const times = (await reader.read(range)).map(({ atMs }) => atMs);
    assert.deepEqual(times, [7, 11, 12, 13, 21, 22, 23]);
    assert.deepEqual(await reader.read({ ...range, kinds: ['verdict'] }), await reader.read(range));
    assert.deepEqual([...(await reader.notes('one'))], [['seen', [1]]]);
    await reader.close();
  });

  test('a second step back changes nothing', () => {
    const { path } = ofVersion2();
    const before = readFileSync(path);
    stepBackFile(path);
    assert.deepEqual(readFileSync(path), before);
  });

  test('what is not one version back is refused', () => {
    const path = freshPath();
    const old = new DatabaseSync(path);
    old.exec(VERSION_2);
    old.exec('PRAGMA user_version = 1');
    const refused = /is of version 1; only version 3 is stepped back, to version 2\.$/;
    assert.throws(() => stepBackFile(path), isFailure('unsupported', refused));
    old.exec('PRAGMA user_version = 4');
    old.close();
    const command = new RegExp(`rollcall record --record ${path} --step-back\\.$`);
    assert.throws(() => stepBackFile(path), isFailure('unsupported', command));
    assert.throws(() => openRecorder(path), isFailure('unsupported', command));
    const none = freshPath();
    assert.throws(() => stepBackFile(none), isFailure('unsupported', /is empty; only version 3/));
  });

  test('a file that another program holds stays as it is', async () => {
    const path = freshPath();
    await openRecorder(path).close();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    assert.throws(() => stepBackFile(path, 1), isFailure('unavailable', /locked by another/));
    other.exec('ROLLBACK');
    assert.deepEqual({ ...other.prepare('PRAGMA user_version').get() }, { user_version: 3 });
    other.close();
  });
});
