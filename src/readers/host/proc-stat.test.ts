import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProcStat } from './proc-stat.ts';

const REST = 'S 1 812 812 0 -1 4194560 41 0 9 0 3 1 0 0 20 0 15 0 4187 1948 9031';

test('reads the name, the parent and the start of a process', () => {
  const kubelet = { name: 'kubelet', parent: 1, startedMs: 41_870 };
  assert.deepEqual(readProcStat(`812 (kubelet) ${REST}\n`), kubelet);
  assert.equal(readProcStat(`812 (a) b (c) ${REST}`)?.name, 'a) b (c');
});

test('reads nothing from any other text', () => {
  for (const text of ['', '812 kubelet S 1', '812 (kubelet) S 1', '812 (kubelet) S x y', ') ('])
    assert.equal(readProcStat(text), null, text);
});
