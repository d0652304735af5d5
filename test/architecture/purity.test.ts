import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purity } from './purity.ts';
import { planted } from './sources.ts';

function found(path: string, text: string): readonly string[] {
  return purity.run(planted({ [path]: text })).map(({ where, what }) => `${where} ${what}`);
}

const WORLDLY: readonly (readonly [string, RegExp])[] = [
  ['const a = Date.now();', /reads the clock; take the time from/],
  ["const a = Date['now']();", /reads the clock/],
  ['const a = new Date();', /reads the clock/],
  ['const a = new Date;', /reads the clock/],
  ['const a = Date();', /reads the clock/],
  ['const a = performance.now();', /reads the clock/],
  ['const a = `${Math.random()}`;', /draws by chance/],
  ['const a = crypto.randomUUID();', /draws by chance/],
  ['setTimeout(a, 1);', /waits/],
  ['const a = process.env;', /reaches outside/],
  ['const a = { b: process };', /reaches outside/],
  ["fetch('x');", /reaches outside/],
  ['console.log(a);', /reaches outside/],
  ['globalThis.x;', /reaches outside/],
  ["require('fs');", /reaches outside/],
  ['const a = (1).toLocaleString();', /locale/],
  ['const a: Buffer = b;', /Uint8Array/],
];

test('clock, chance, environment and network are seen in every inner room', () => {
  for (const room of ['evidence', 'causes/launched/x', 'readers', 'ports', 'controllers', 'sim'])
    for (const [text, message] of WORLDLY) {
      const all = found(`src/${room}/a.ts`, `\n${text}`);
      assert.equal(all.length, 1, `${room} ${text}`);
      assert.match(all[0] ?? '', message);
      assert.match(all[0] ?? '', /a\.ts:2 /);
    }
});

const WAITING = [
  'async function a() {}',
  'await b;',
  'const c: Promise<string> = d;',
  "const e = () => import('./f.ts');",
];

test('waiting is seen in the pure rooms, and allowed in those that read or act', () => {
  for (const text of WAITING) {
    assert.equal(found('src/diagnosis/a.ts', text).length, 1, text);
    assert.match(found('src/causes/launched/x/cause.ts', text)[0] ?? '', /not synchronous/);
    assert.deepEqual(found('src/readers/a.ts', text), [], text);
    assert.deepEqual(found('src/causes/index.generated.ts', text), [], text);
  }
});

test('accepts names, keys, comments and dates from numbers', () => {
  const text = `
    // Date.now() and process.env
    const a = 'fetch()'; const b = /setTimeout/;
    interface C { readonly process: string; console?: string }
    const d = { process: 'kubelet', performance: 1 };
    const e = d.process + d?.fetch;
    const f = new Date(0).toISOString() + Date.parse(a) + Math.max(1, 2);`;
  assert.deepEqual(found('src/diagnosis/a.ts', text), []);
});

test('adapters, apps and tests may reach out', () => {
  for (const path of ['src/adapters/a/b.ts', 'src/apps/a/b.ts', 'src/evidence/a.test.ts'])
    assert.deepEqual(found(path, 'await fetch(process.env.X, Date.now());'), []);
});
