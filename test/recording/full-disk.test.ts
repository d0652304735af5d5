/** A recording whose disk is full for a while. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const PROGRAM = join(import.meta.dirname, 'full-disk-program.ts');
/** A disk of 3 MB of its own, seen by this program alone. */
const ON_SMALL_DISK = 'mount -t tmpfs -o size=3m none /mnt && exec "$0" "$1" /mnt';

function onSmallDisk(command: string) {
  return spawnSync('unshare', ['-Urm', 'sh', '-c', command, process.execPath, PROGRAM], {
    encoding: 'utf8',
  });
}

const CANNOT =
  onSmallDisk('mount -t tmpfs -o size=3m none /mnt').status === 0
    ? false
    : 'needs user namespaces: unshare -Urm';

interface Outcome {
  readonly said: readonly string[];
  readonly before: number;
  readonly looks: number;
  readonly counts: readonly number[];
  readonly gaps: number;
  readonly each: number;
}

test('a full disk is reported once, and what was seen meanwhile is written when there is room', {
  skip: CANNOT,
}, () => {
  const { stdout, stderr } = onSmallDisk(ON_SMALL_DISK);
  assert.equal(stderr, '');
  const { said, before, looks, counts, gaps, each } = JSON.parse(stdout) as Outcome;
  assert.equal(before, 1);
  assert.match(
    said[0] ?? '',
    /^Recording is interrupted: \/mnt\/flight\.db .*disk is full\. What is seen waits\.$/,
  );
  assert.match(said[1] ?? '', /^Recording continues: [\d,]+ rows that waited are written\.$/);
  assert.equal(said.length, 2);
  assert.deepEqual(
    counts,
    Array.from({ length: looks }, () => each),
  );
  assert.equal(gaps, 0);
});
