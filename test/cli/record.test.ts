import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { emptyHome, rollcall } from '../live/rollcall.ts';
import { capture } from './capture.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-record-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [args, words] of [
  [['record'], /record needs a file: rollcall record --record flight\.db/],
  [['record', 'x.db'], /unexpected argument "x\.db"/],
  [['record', '--record', 'postgres://[', '--for', '1s'], /takes a file or postgres:\/\/USER@HOST/],
  [['record', '--record', 'x', '--max-size', '0'], /--max-size takes a whole number from 1/],
  [
    ['status', '--record', 'x.db'],
    /no such file: x\.db; record one: rollcall record --record x\.db/,
  ],
  [
    ['status', '--record', 'x.db', '-o', 'json'],
    /--record without --watch adds columns to a table/,
  ],
  [['status', '--events', '-o', 'json'], /--events is a table; for programs: rollcall timeline/],
  [['timeline', '--all'], /timeline needs a recording/],
] as const)
  test(`rollcall ${args.join(' ')} is refused with what to do`, async () => {
    const { code, err } = await capture(args);
    assert.equal(code, 64);
    assert.match(err, words);
  });

test('a recorder that cannot be opened ends the program before the cluster is asked', async () => {
  const path = join(folder, 'nowhere', 'flight.db');
  const { code, stderr } = await rollcall(['record', '--record', path], emptyHome(folder, 'a'));
  assert.equal(code, 69);
  assert.match(
    stderr,
    /flight\.db could not be opened; its folder is missing or not writable\.\n$/,
  );
});

test('a cluster that nothing names ends the program, and the recording is whole', async () => {
  const path = join(folder, 'flight.db');
  const { code, stderr } = await rollcall(
    ['record', '--record', path, '--for', '20s'],
    emptyHome(folder, 'b'),
  );
  assert.equal(code, 69, stderr);
  assert.ok(existsSync(path));
  const { err } = await capture(['timeline', '--all', '--record', path]);
  assert.match(err, /is empty; fill it: rollcall record --record FILE/);
});

test('a recording goes one version back by record --step-back', async () => {
  const path = join(folder, 'back.db');
  await openRecorder(path).close();
  const missing = await capture(['record', '--record', `${path}.not`, '--step-back']);
  assert.deepEqual([missing.code, missing.err.split(';')[0]?.endsWith('.not')], [64, true]);
  const { code, out } = await capture(['record', '--record', path, '--step-back']);
  assert.equal(code, 0);
  assert.match(out, /^The release before can open the recording now/);
  const database = new DatabaseSync(path, { readOnly: true });
  assert.deepEqual({ ...database.prepare('PRAGMA user_version').get() }, { user_version: 2 });
  database.close();
  const newer = new DatabaseSync(path);
  newer.exec('PRAGMA user_version = 4');
  newer.close();
  const refused = await capture(['timeline', '--all', '--record', path]);
  assert.equal(refused.code, 69);
  assert.match(refused.err, /newer version .*rollcall record --record .*back\.db --step-back\.\n/);
});
