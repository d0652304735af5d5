import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, target } from './imports.ts';
import { planted } from './sources.ts';

function specifiers(text: string): readonly (string | null)[] {
  return planted({ 'src/a/b.ts': text }).flatMap((file) =>
    importsOf(file).map(({ specifier }) => specifier),
  );
}

test('every form of import is seen', () => {
  const text = `
    import a from 'one';
    import type { B } from "two";
    import { type C,
      d } from 'three';
    import * as e from 'four';
    import './five.ts';
    export { f } from 'six';
    export * from 'seven';
    export type { G } from 'eight';
    const h = await import('nine');
    const i = await import(\`\${h}\`);
    new Worker(new URL('./ten.ts', import.meta.url));`;
  assert.deepEqual(specifiers(text), [
    'one',
    'two',
    'three',
    'four',
    './five.ts',
    'six',
    'seven',
    'eight',
    'nine',
    null,
    './ten.ts',
  ]);
});

test('ignores text that looks like an import', () => {
  const text = `
    // import x from 'comment';
    const s = "import y from 'string'";
    const u = import.meta.url;
    rule.import('method');
    new URL('./picture.svg', import.meta.url);
    export const from = 'value';
    export { local };`;
  assert.deepEqual(specifiers(text), []);
});

test('a relative import names a file of the checkout', () => {
  const [file] = planted({ 'src/a/b.ts': "import '../c/d.ts'; import 'node:fs';" });
  assert.ok(file !== undefined);
  assert.deepEqual(
    importsOf(file).map((found) => target(file, found)),
    ['src/c/d.ts', null],
  );
});
