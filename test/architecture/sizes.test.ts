import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionSizes, fileSizes, functionSizes, pathDepths } from './sizes.ts';
import { planted } from './sources.ts';

function functionOf(lines: number, name = 'long'): string {
  return `function ${name}() {\n${'  a();\n'.repeat(lines - 2)}}\n`;
}

test('a function over 70 lines is named, one of 70 is not', () => {
  const text = functionOf(70, 'short') + functionOf(71);
  const found = functionSizes.run(planted({ 'test/a.ts': text }));
  assert.deepEqual(
    found.map(({ where }) => where),
    ['test/a.ts:71'],
  );
  assert.match(found[0]?.what ?? '', /long has 71 lines/);
});

test('a median over 8 lines is a violation once there are functions enough', () => {
  const files = (lines: number, count: number) =>
    planted({ 'src/evidence/a.ts': functionOf(lines).repeat(count) });
  assert.deepEqual(functionSizes.run(files(8, 40)), []);
  assert.deepEqual(functionSizes.run(files(9, 20)), []);
  assert.match(functionSizes.run(files(9, 40))[0]?.what ?? '', /half of the 40 .* 9 lines/);
});

test('a file over 400 lines is named unless it is generated', () => {
  const text = 'a;\n'.repeat(401);
  const found = fileSizes.run(
    planted({ 'src/a/b.ts': text, 'src/a/c.generated.ts': text, 'src/a/d.ts': 'a;\n'.repeat(400) }),
  );
  assert.deepEqual(
    found.map(({ where }) => where),
    ['src/a/b.ts:401'],
  );
});

test('a decision of the gate over 80 lines is named', () => {
  const of = (lines: number) =>
    decisionSizes.run(planted({ 'src/controllers/gate/decide.ts': 'a;\n'.repeat(lines) }));
  assert.deepEqual(of(80), []);
  assert.match(of(81)[0]?.what ?? '', /has 81 lines/);
});

test('a path over four names is named unless it is an example', () => {
  const found = pathDepths.run(
    planted({
      'src/a/b/c/d.ts': '',
      'src/a/b/c/d/e.ts': '',
      'src/causes/launched/x/examples/found-a.txt': '',
    }),
  );
  assert.deepEqual(
    found.map(({ where }) => where),
    ['src/a/b/c/d/e.ts:1'],
  );
});
