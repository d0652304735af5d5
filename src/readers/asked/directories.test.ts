import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writtenBy } from '../testing.ts';
import { readDirectories } from './directories.ts';

function saidOf(lines: readonly string[]): readonly string[] {
  const { said } = writtenBy((passage) => {
    readDirectories(passage, lines);
  });
  return said.map(({ text }) => text);
}

const EMPTY = ['The directory /etc/cni/net.d is empty'];

test('a directory is empty where the next prompt follows its list', () => {
  assert.deepEqual(saidOf(['$ ls /etc/cni/net.d', '$']), EMPTY);
  assert.deepEqual(saidOf(['root@a:~# ls -la /etc/cni/net.d/', 'root@a:~# hostname']), EMPTY);
});

test('no directory is empty where names follow, or the text ends', () => {
  assert.deepEqual(saidOf(['$ ls /etc/cni/net.d', '10-aws.conflist', '$']), []);
  assert.deepEqual(saidOf(['$ ls /etc/cni/net.d']), []);
  assert.deepEqual(saidOf(['$ ls /etc/cni', '$']), []);
});
