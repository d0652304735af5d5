import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forms } from './forms.ts';
import { planted } from './sources.ts';

function found(path: string, text: string): readonly string[] {
  return forms.run(planted({ [path]: text })).map(({ where, what }) => `${where} ${what}`);
}

const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ['const a = 1;\nexport default a;', /:2 exports by default/],
  ["const a = 1;\nexport * from './b.ts';", /:2 exports everything/],
  ['enum A { B }', /union of strings/],
  ['const enum A { B }', /union of strings/],
  ['namespace A { }', /use a file/],
  ['let a = 1;', /declares let/],
  ['var a = 1;', /declares var/],
  ["describe('a', async () => {});", /wait above the group/],
  ["describe('a', { skip }, async () => {});", /wait above the group/],
  ["export { a } from './b.ts';\nexport type { C } from './d.ts';", /only exports/],
];

test('names forbidden forms with the allowed one', () => {
  for (const [text, message] of FORBIDDEN) {
    const all = found('src/evidence/a.ts', text);
    assert.equal(all.length, 1, text);
    assert.match(all[0] ?? '', message);
  }
});

test('what a cause, a function and a test need is allowed', () => {
  assert.deepEqual(found('src/causes/launched/x/cause.ts', 'export default defineCause({});'), []);
  assert.deepEqual(found('src/evidence/a.ts', 'function a() { let b = 1; return b; }'), []);
  assert.deepEqual(found('src/evidence/a.test.ts', 'let a = 1;'), []);
  assert.deepEqual(found('src/adapters/a/b.ts', 'let a = 1;'), []);
  assert.deepEqual(found('src/evidence/a.ts', "const namespace = 'kube-system';"), []);
  assert.deepEqual(
    found('src/evidence/a.ts', "export { a } from './b.ts'; export const c = 1;"),
    [],
  );
  assert.deepEqual(found('src/evidence/a.ts', 'const a = b(namespace);'), []);
  assert.deepEqual(
    found('test/a.test.ts', "describe('a', () => { test('b', async () => {}); });"),
    [],
  );
});
