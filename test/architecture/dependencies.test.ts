import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependencies } from './dependencies.ts';
import { planted } from './sources.ts';

function found(
  listed: readonly string[],
  texts: Readonly<Record<string, string>>,
): readonly string[] {
  const list = Object.fromEntries(listed.map((name) => [name, '1.0.0']));
  const files = planted({ 'package.json': JSON.stringify({ dependencies: list }), ...texts });
  return dependencies.run(files).map(({ where, what }) => `${where} ${what}`);
}

test('accepts imports that are listed, in every form', () => {
  const text =
    "import 'one'; const a = await import('two/part'); import type { B } from '@s/three/x';";
  assert.deepEqual(found(['one', 'two', '@s/three'], { 'src/apps/a/main.ts': text }), []);
});

test('a package that users do not get is named where it is imported', () => {
  const all = found([], { 'src/apps/a/main.ts': "import 'node:fs';\nimport '@s/one/x';" });
  assert.equal(all.length, 1);
  assert.match(all[0] ?? '', /main\.ts:2 imports @s\/one, which users do not get/);
});

test('does not count a package that only tests import as a runtime package', () => {
  const all = found(['one'], {
    'src/a/b.test.ts': "import 'one';",
    'test/c.test.ts': "import 'one';",
  });
  assert.equal(all.length, 1);
  assert.match(all[0] ?? '', /package\.json gives users one, which nothing imports/);
});
