import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, grouped, lengthText, shellWord, shown } from './words.ts';

test('a word of a shell command is quoted unless it is plain', () => {
  const words: readonly (readonly [string, string])[] = [
    ['ip-10-0-0-1.ec2.internal', 'ip-10-0-0-1.ec2.internal'],
    ['a:b/c@d=e+f_g', 'a:b/c@d=e+f_g'],
    ['a-', 'a-'],
    ['-rf', "'-rf'"],
    ['a b', "'a b'"],
    ['$(id)', "'$(id)'"],
    ["it's", `'it'\\''s'`],
    ['', "''"],
    ['a\nb', 'ab'],
  ];
  for (const [value, word] of words) assert.equal(shellWord(value), word);
});

test('what comes from outside is shown without control characters, and bounded', () => {
  assert.equal(shown('a\u0000b\u001B[2J\u200Bc'), 'ab[2Jc');
  assert.equal(shown('a'.repeat(253)), 'a'.repeat(253));
  assert.equal(shown('a'.repeat(254)), `${'a'.repeat(253)}…`);
});

test('things are counted with their plural', () => {
  assert.equal(counted(1, 'address'), '1 address');
  assert.equal(counted(0, 'interface'), '0 interfaces');
  assert.equal(counted(2, 'address'), '2 addresses');
  assert.equal(counted(3, 'prefix'), '3 prefixes');
  assert.equal(counted(11_762, 'pod'), '11,762 pods');
});

test('numbers have their thousands apart', () => {
  assert.deepEqual([0, 999, 1000, 1_234_567].map(grouped), ['0', '999', '1,000', '1,234,567']);
});

test('a length of time is in minutes, hours or days', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const lengths: readonly (readonly [number, string])[] = [
    [0, '1 minute'],
    [1.6 * minute, '2 minutes'],
    [2 * hour - 1, '120 minutes'],
    [2 * hour, '2 hours'],
    [30 * hour, '30 hours'],
    [2 * day - 1, '48 hours'],
    [2 * day, '2 days'],
    [9 * day, '9 days'],
  ];
  for (const [ms, text] of lengths) assert.equal(lengthText(ms), text);
});
