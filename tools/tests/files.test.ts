import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { GROUPS, shareOfReal, testFiles } from './files.ts';

const ROOT = mkdtempSync(join(tmpdir(), 'rollcall-files-'));
after(() => rmSync(ROOT, { recursive: true }));

const DECLARES = "import { test } from 'node:test';\n";
const FILES: Readonly<Record<string, string>> = {
  'src/evidence/a': DECLARES,
  'test/live/b': DECLARES,
  'test/live/c': DECLARES,
  'test/sim/d': DECLARES,
  'test/sim/long': DECLARES,
  'test/sim/contract': "import { after } from 'node:test';\n",
  'test/cli/chdir': `${DECLARES}process.chdir('/');\n`,
  'test/cli/hooks': `${DECLARES}beforeEach(() => {});\n`,
  'test/cli/plain': DECLARES,
};
for (const [file, text] of Object.entries(FILES)) {
  const path = join(ROOT, `${file}.test.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const named = (files: readonly string[]): readonly string[] =>
  files.map((file) => relative(ROOT, file).replace('.test.ts', ''));

function sorted(wanted: readonly string[]): readonly (readonly string[])[] {
  const paths = wanted.map((path) => join(ROOT, path));
  const { together, inTurn, alone } = testFiles(ROOT, paths, new Set(['test/sim/long.test.ts']));
  return [...GROUPS.map((group) => named(together[group])), named(inTurn), named(alone)];
}

test('suites that need a real API server run in turn, and most others share a process', () => {
  assert.deepEqual(sorted([]), [
    ['src/evidence/a'],
    [],
    ['test/cli/plain'],
    ['test/sim/d'],
    ['test/live/b', 'test/live/c'],
    ['test/cli/chdir', 'test/cli/hooks', 'test/sim/contract', 'test/sim/long'],
  ]);
});

test('a single one of them runs by itself', () => {
  assert.deepEqual(sorted(['test/live/c.test.ts']), [[], [], [], [], [], ['test/live/c']]);
});

test('as many turns as there are shares run each file of the shared site once', () => {
  const files = testFiles(ROOT, []);
  const ran = [3, 4, 5, 6, 7].flatMap((turn) => named(shareOfReal(ROOT, files, turn).inTurn));
  assert.deepEqual(ran.toSorted(), named(files.inTurn));
});

test('as many turns as there are shares run each file of real parts once', () => {
  const alone = Array.from({ length: 9 }, (_, at) => join(ROOT, `test/real/${at}.test.ts`));
  const files = { ...testFiles(ROOT, []), alone: [...alone, join(ROOT, 'test/packaging.test.ts')] };
  const turns = [7, 8, 9, 10, 11, 12, 13].map((turn) =>
    named(shareOfReal(ROOT, files, turn).alone),
  );
  assert.ok(turns.every((turn) => turn.includes('test/packaging')));
  const ran = turns.flat().filter((file) => file !== 'test/packaging');
  assert.deepEqual(ran.toSorted(), named(alone));
});
