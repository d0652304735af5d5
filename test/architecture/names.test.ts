import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bannedWord, names } from './names.ts';
import { planted } from './sources.ts';

function found(path: string, text: string): readonly string[] {
  return names.run(planted({ [path]: text })).map(({ where, what }) => `${where} ${what}`);
}

test('a declared name with an empty word is named', () => {
  const text = 'const nodeInfo2 = 1;\nclass PodManager {}\nfunction handle() {}\ntype RawData = 1;';
  assert.deepEqual(
    found('src/a/b.ts', text).map((line) => line.split(' ')[0]),
    ['src/a/b.ts:2', 'src/a/b.ts:3', 'src/a/b.ts:4'],
  );
  assert.match(found('src/a/b.ts', 'function* processAll() {}')[0] ?? '', /says "process"/);
});

test('a path with an empty word is named', () => {
  assert.match(found('src/a/utils.ts', '')[0] ?? '', /says "utils"/);
  assert.match(found('src/helper/b.ts', '')[0] ?? '', /says "helper"/);
  assert.deepEqual(found('src/causes/launched/user-process-killed/cause.ts', ''), []);
  assert.deepEqual(found('docs/causes/user-process-killed.md', ''), []);
});

test('accepts terms of the field, longer words and the keys of others', () => {
  for (const name of ['userData', 'decodeUserData', 'kubeControllerManager', 'metadata', 'handler'])
    assert.equal(bannedWord(name), null, name);
  assert.deepEqual(found('src/a/b.ts', 'const a = { data: b.data, info: process.env };'), []);
});
