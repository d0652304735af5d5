import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { testFiles } from './files.ts';

const ROOT = mkdtempSync(join(tmpdir(), 'rollcall-files-'));
after(() => rmSync(ROOT, { recursive: true }));
for (const file of ['src/evidence/a', 'test/live/b', 'test/live/c', 'test/sim/d']) {
  const path = join(ROOT, `${file}.test.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "import { test } from 'node:test';\n");
}

function sorted(wanted: readonly string[]): readonly (readonly string[])[] {
  const { together, inTurn, alone } = testFiles(
    ROOT,
    wanted.map((path) => join(ROOT, path)),
  );
  const named = (files: readonly string[]) => files.map((file) => relative(ROOT, file));
  return [named(together), named(inTurn), named(alone)];
}

test('suites that need a real API server run in turn in one process', () => {
  assert.deepEqual(sorted([]), [
    ['src/evidence/a.test.ts'],
    ['test/live/b.test.ts', 'test/live/c.test.ts'],
    ['test/sim/d.test.ts'],
  ]);
});

test('a single one of them runs by itself', () => {
  assert.deepEqual(sorted(['test/live/c.test.ts', 'test/sim']), [
    [],
    [],
    ['test/live/c.test.ts', 'test/sim/d.test.ts'],
  ]);
});
