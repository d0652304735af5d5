import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { openRecorder, openRecording } from '../../src/adapters/recorder/open.ts';
import { openOrReplace } from '../../src/adapters/recorder/replace.ts';
import { rangeQuestion } from '../../src/adapters/recorder/statements.ts';
import { createFakeRecorder } from './fake/recorder.ts';
import { event, isFailure, recorderContract } from './recorder.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-recorder-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

recorderContract('in memory, by hand', createFakeRecorder);
recorderContract('in memory, by SQL', () => openRecorder(':memory:'));
recorderContract('in a file', () => openRecorder(freshPath()));

function words(path: string): void {
  writeFileSync(path, 'words, not a database '.repeat(100));
}

async function damagedFile(path: string): Promise<void> {
  const recorder = openRecorder(path);
  const body = 'x'.repeat(3000);
  await recorder.append(Array.from({ length: 200 }, (_, index) => event(index, { body })));
  await recorder.close();
  const pages = readFileSync(path);
  writeFileSync(path, pages.fill(0xa5, 3 * 4096));
}

/** As version 1 of the schema was written, with three events. */
const VERSION_1 = `
  CREATE TABLE event (
    cluster TEXT NOT NULL, at_ms INTEGER NOT NULL, sequence INTEGER NOT NULL,
    subject TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (cluster, at_ms, sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE arrival (last INTEGER NOT NULL) STRICT;
  INSERT INTO arrival VALUES (3);
  CREATE INDEX event_of_subject ON event (cluster, subject, at_ms, sequence);
  INSERT INTO event VALUES ('two', 7, 1, 'node-a', 'node-deleted', 'test', '{"a":1}');
  INSERT INTO event VALUES ('one', 5, 3, 'i-0123456789abcdef0', 'second', 'test', '{}');
  INSERT INTO event VALUES ('one', 5, 2, 'i-0123456789abcdef0', 'first', 'test', '{}');
  PRAGMA user_version = 1;
`;

describe('the file of a recorder', () => {
  test('keeps its events, and two programs may write to it', async () => {
    const path = freshPath();
    const first = openRecorder(path);
    const second = openRecorder(path);
    await first.append([event(1, { kind: 'first' })]);
    await second.append([event(1, { kind: 'second' })]);
    await first.append([event(1, { kind: 'third' })]);
    await first.close();
    await second.close();
    const again = openRecorder(path);
    const kinds = (await again.read({ cluster: 'one', limit: 9 })).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['first', 'second', 'third']);
    await again.close();
  });

  test('is its owner’s alone, with what is beside it', async () => {
    const path = freshPath();
    const recorder = openRecorder(path);
    await recorder.append([event(1)]);
    for (const end of ['', '-wal', '-shm']) assert.equal(statSync(path + end).mode & 0o077, 0, end);
    await recorder.close();
  });

  test('that is invalid is reported by name and left unchanged', () => {
    const path = freshPath();
    writeFileSync(path, 'words, not a database '.repeat(100));
    const { size } = statSync(path);
    assert.throws(
      () => openRecorder(path),
      isFailure('malformed', /\.db is not a flight recorder/),
    );
    assert.equal(statSync(path).size, size);
  });

  test('that is damaged is reported when it is opened', async () => {
    const path = freshPath();
    await damagedFile(path);
    assert.throws(() => openRecorder(path), isFailure('malformed', /is damaged; move it away/));
  });

  test('that is kept in memory leaves nothing in the folder', async () => {
    await openRecorder(':memory:').close();
    assert.equal(existsSync(':memory:'), false);
  });

  test('of a newer program is left alone', () => {
    const path = freshPath();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    assert.throws(() => openRecorder(path), isFailure('unsupported', /newer version/));
  });

  test('in a folder that is missing or not writable is reported', () => {
    const path = join(folder, 'nowhere', 'a.db');
    assert.throws(() => openRecorder(path), isFailure('not-found', /folder is missing/));
    const below = join(freshPath(), 'a.db');
    assert.throws(() => openRecorder(below), isFailure('not-found', /not writable/));
    assert.throws(() => openRecorder('/proc/rollcall.db'), isFailure('not-found', /not writable/));
  });
});

describe('the file of something else', () => {
  test('of another program is left unchanged', () => {
    const path = freshPath();
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE event_of_theirs (a TEXT) STRICT; PRAGMA user_version = 1');
    other.close();
    const before = readFileSync(path);
    assert.throws(() => openRecorder(path), isFailure('malformed', /another program’s database/));
    assert.deepEqual(readFileSync(path), before);
  });

  for (const [what, sql] of [
    ['has a table of events and no version', 'CREATE TABLE event (a TEXT) STRICT'],
    [
      'bears its own mark and has a table of events',
      'CREATE TABLE event (a TEXT) STRICT; PRAGMA application_id = 7; PRAGMA user_version = 1',
    ],
    ['bears its own mark alone', 'PRAGMA application_id = 7'],
    [
      'has a later version of its own',
      'CREATE TABLE theirs (a TEXT) STRICT; PRAGMA application_id = 7; PRAGMA user_version = 99',
    ],
  ] as const)
    test(`of another program that ${what} is neither written nor read`, () => {
      const path = freshPath();
      const other = new DatabaseSync(path);
      other.exec(sql);
      other.close();
      const before = readFileSync(path);
      const refused = isFailure('malformed', /another program’s database/);
      assert.throws(() => openRecorder(path), refused);
      assert.throws(() => openRecording(path), refused);
      assert.deepEqual(readFileSync(path), before);
    });
});

describe('a file that is of no use', () => {
  for (const [name, make, what] of [
    ['damaged', damagedFile, /is damaged; it is now /],
    ['no database', words, /is not a flight recorder; it is now /],
  ] as const) {
    test(`(${name}) is moved aside with its time, and recording continues in a new one`, async () => {
      const path = freshPath();
      await make(path);
      const before = readFileSync(path);
      const { recorder, movedAside } = openOrReplace(path, Date.UTC(2026, 0, 2, 3, 4, 5));
      assert.match(movedAside ?? '', what);
      assert.match(movedAside ?? '', /\.unusable-2026-01-02T030405\.000Z, and recording continues/);
      assert.deepEqual(readFileSync(`${path}.unusable-2026-01-02T030405.000Z`), before);
      assert.equal(await recorder.append([event(1)]), 1);
      await recorder.close();
      const again = openOrReplace(path, 0);
      assert.equal(again.movedAside, null);
      assert.equal((await again.recorder.read({ cluster: 'one', limit: 9 })).length, 1);
      await again.recorder.close();
    });
  }

  test('stays where it is when a newer program wrote it', () => {
    const path = freshPath();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    assert.throws(() => openOrReplace(path, 0), isFailure('unsupported', /newer version/));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith(basename(path))),
      [basename(path)],
    );
  });
});

describe('a file of version 1', () => {
  test('is brought to the present version with all that it holds', async () => {
    const path = freshPath();
    const old = new DatabaseSync(path);
    old.exec(VERSION_1);
    old.close();
    const reader = openRecording(path);
    assert.deepEqual(await reader.read({ cluster: 'two', limit: 9 }), [
      event(7, { cluster: 'two', subject: 'node-a', subjectKind: 'Node', body: { a: 1 } }),
    ]);
    assert.deepEqual(
      (await reader.read({ cluster: 'one', limit: 9 })).map(({ kind }) => kind),
      ['first', 'second'],
    );
    await reader.close();
    const recorder = openRecorder(path);
    await recorder.append([event(9, { key: 'k' })]);
    assert.deepEqual(await recorder.clusters(), ['one', 'two']);
    await recorder.close();
    const brought = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual({ ...brought.prepare('PRAGMA auto_vacuum').get() }, { auto_vacuum: 2 });
    brought.close();
  });

  test('that cannot be brought forward whole stays as it was', () => {
    const path = freshPath();
    const old = new DatabaseSync(path);
    old.exec(`${VERSION_1} DROP TABLE arrival;`);
    old.close();
    const before = readFileSync(path);
    assert.throws(() => openRecorder(path), isFailure('unavailable', /could not be used/));
    assert.deepEqual(readFileSync(path), before);
  });
});

describe('reading one subject', () => {
  for (const [name, range, index] of [
    ['subject', { subject: 'node-a' }, 'event_of_subject'],
    ['subject, of a few kinds', { subject: 'node-a', kinds: ['link'] }, 'event_of_subject'],
    ['UID', { uid: 'u' }, 'event_of_uid'],
    ['time', {}, 'event_of_time'],
    ['verdicts', { kinds: ['verdict'] }, 'event_of_few'],
    ['ends', { kinds: ['node-deleted', 'machine-state', 'machine-gone'] }, 'event_of_few'],
    ['verdicts and Events', { kinds: ['verdict', 'event'] }, 'event_of_time'],
  ] as const) {
    test(`by ${name} searches ${index} and neither scans nor sorts`, async () => {
      const path = freshPath();
      await openRecorder(path).close();
      const database = new DatabaseSync(path);
      const { sql, values } = rangeQuestion(1, { cluster: 'one', limit: 10, ...range });
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map(({ detail }) => String(detail))
        .filter((detail) => /event|SORT|B-TREE/.test(detail));
      database.close();
      assert.equal(plan.length, 1, plan.join('\n'));
      assert.match(plan[0] ?? '', new RegExp(`^SEARCH event USING INDEX ${index} \\(cluster=\\?`));
      assert.match(plan[0] ?? '', /at_ms>\? AND at_ms<\?\)$/);
    });
  }
});

describe('a file that is only read', () => {
  test('is not made, and gives what a writer beside it adds', async () => {
    assert.throws(() => openRecording(freshPath()), isFailure('not-found', /could not be opened/));
    const path = freshPath();
    const writer = openRecorder(path);
    await writer.append([event(1)]);
    const reader = openRecording(path);
    await writer.append([event(2)]);
    assert.equal((await reader.read({ cluster: 'one', limit: 9 })).length, 2);
    await assert.rejects(reader.append([event(3)]), isFailure('denied', /may only be read/));
    await reader.close();
    await writer.close();
  });
});

test('a file gives room back to the disk when it is shrunk', async () => {
  const path = freshPath();
  const recorder = openRecorder(path);
  const body = 'several words '.repeat(100);
  await recorder.append(Array.from({ length: 5000 }, (_, index) => event(index, { body })));
  const { rows } = await recorder.shrinkTo(1_000_000);
  assert.ok(rows > 3000);
  await recorder.close();
  assert.ok(statSync(path).size <= 1_000_000, `${statSync(path).size} bytes`);
});

test('more rows than one transaction deletes are forgotten all the same', async () => {
  const recorder = openRecorder(':memory:');
  await recorder.append(Array.from({ length: 20_001 }, () => event(1)));
  await recorder.append([event(2)]);
  assert.equal(await recorder.forgetBefore('one', 2), 20_001);
  assert.equal(await recorder.forgetBefore('never seen', 9), 0);
  assert.equal((await recorder.read({ cluster: 'one', limit: 9 })).length, 1);
  assert.deepEqual(await recorder.shrinkTo(0), { rows: 1, untilMs: 2 });
  assert.deepEqual(await recorder.shrinkTo(0), { rows: 0, untilMs: null });
  await recorder.close();
});

describe('an append', () => {
  test('of nothing stores nothing, and is refused once the recorder is closed', async () => {
    const recorder = openRecorder(':memory:');
    assert.equal(await recorder.append([]), 0);
    assert.deepEqual(await recorder.clusters(), []);
    await recorder.close();
    await assert.rejects(recorder.append([]), isFailure('unavailable', /is already closed/));
  });

  test('stores all of its events or none, and the next one works as before', async () => {
    const path = freshPath();
    const recorder = openRecorder(path);
    const other = new DatabaseSync(path);
    other.exec(
      "CREATE TRIGGER full BEFORE INSERT ON event WHEN NEW.kind = 'last' BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    await assert.rejects(recorder.append([event(1), event(2, { kind: 'last' })]));
    other.exec('DROP TRIGGER full');
    other.close();
    await recorder.append([event(3, { kind: 'next' })]);
    const kept = await recorder.read({ cluster: 'one', limit: 9 });
    assert.deepEqual(
      kept.map(({ kind }) => kind),
      ['next'],
    );
    assert.deepEqual(await recorder.read({ cluster: 'one', limit: -1 }), []);
    await recorder.close();
  });
});
