import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftovers } from './leftovers.ts';
import { planted } from './sources.ts';

function found(path: string, text: string): readonly string[] {
  return leftovers.run(planted({ [path]: text })).map(({ where }) => where);
}

test('notes in comments and prose are named', () => {
  assert.deepEqual(found('src/a/b.ts', 'a;\n// TODO: b'), ['src/a/b.ts:2']);
  assert.deepEqual(found('test/a.test.ts', '/* FIXME */'), ['test/a.test.ts:1']);
  assert.deepEqual(found('docs/a.md', '# A\nXXX b'), ['docs/a.md:2']);
  assert.deepEqual(found('bin/rollcall', '# HACK'), ['bin/rollcall:1']);
});

test('a product that says it is unfinished is named', () => {
  assert.deepEqual(found('src/a/b.ts', "throw new Error('Not implemented');"), ['src/a/b.ts:1']);
});

test('ignores quoted notes', () => {
  assert.deepEqual(found('src/a/b.ts', "const a = 'TODO';"), []);
  assert.deepEqual(found('src/a/b.ts', "const a = ['API is not implemented for endpoint'];"), []);
  assert.deepEqual(found('src/causes/a/b/examples/found-a.txt', 'TODO'), []);
});
