import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
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

  test('that is damaged is reported when it is read', async () => {
    const path = freshPath();
    const recorder = openRecorder(path);
    const body = 'x'.repeat(3000);
    await recorder.append(Array.from({ length: 200 }, (_, index) => event(index, { body })));
    await recorder.close();
    const pages = readFileSync(path);
    writeFileSync(path, pages.fill(0xa5, 3 * 4096));
    const damaged = openRecorder(path);
    await assert.rejects(
      damaged.read({ cluster: 'one', limit: 500 }),
      isFailure('malformed', /is damaged; move it away/),
    );
    await damaged.close();
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

describe('an append', () => {
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
