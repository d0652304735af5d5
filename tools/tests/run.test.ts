import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';

const TOOLS = resolve(import.meta.dirname, '..');
const PROGRAM = [
  'test.ts',
  '../src/adapters/system/own-modules.ts',
  ...[
    'budgets.json',
    'costs.ts',
    'files.ts',
    'own-modules.ts',
    'tally.ts',
    'together/edges.ts',
    'together/inner.ts',
    'together/load.ts',
    'together/product.ts',
    'together/simulator.ts',
    'told-cost.ts',
    'unwatched-promises.ts',
  ].map((name) => `tests/${name}`),
];
const ROOM = mkdtempSync(join(tmpdir(), 'rollcall tests '));
after(() => rmSync(ROOM, { recursive: true }));

const PASSES = "import { test } from 'node:test';\ntest('good', () => {});\n";
const FAILS =
  "import { test } from 'node:test';\ntest('bad', () => { throw new Error('boom'); });\n";
const SKIPS = "import { test } from 'node:test';\ntest('one', { skip: 'no etcd' }, () => {});\n";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly last: string | undefined;
}

let count = 0;

/** Runs the test program in a checkout of its own that holds these files. */
function npmTest(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  ci = '',
  more: Readonly<Record<string, string>> = {},
): Ended {
  count += 1;
  const root = join(ROOM, String(count));
  const all = { 'package.json': '{"type":"module"}', '.ci/may-skip': '# reasons\n', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const name of PROGRAM) cpSync(join(TOOLS, name), join(root, 'tools', name));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { cwd: root, encoding: 'utf8', env: { ...env, CI: ci, ...more } } as const;
  const ended = spawnSync(process.execPath, ['tools/test.ts', ...args], options);
  return { code: ended.status, out: ended.stdout, last: ended.stdout.trimEnd().split('\n').at(-1) };
}

test('tests that share a process and tests that do not are counted together', () => {
  const { code, last } = npmTest({ 'src/evidence/a.test.ts': PASSES, 'test/b.test.ts': PASSES });
  assert.deepEqual([code, last], [0, '2 passed, 0 failed']);
});

test('a failure in either is named with its line and fails the run', () => {
  const { code, out, last } = npmTest({ 'src/evidence/a.test.ts': FAILS, 'test/b.test.ts': FAILS });
  assert.deepEqual([code, last], [1, '0 passed, 2 failed']);
  assert.match(out, /FAILED bad\n {2}src\/evidence\/a\.test\.ts:2\n {2}Error: boom/);
  assert.match(out, /FAILED bad\n {2}test\/b\.test\.ts:2\n/);
});

test('a rejection and an error that come after their test fail the file', () => {
  const late = (words: string): string =>
    `import { test } from 'node:test';
test('early', () => { ${words} });
test('waits', () => new Promise((wake) => { setTimeout(wake, 50); }));
`;
  const { code, last } = npmTest({
    'test/a.test.ts': late("void Promise.reject(new Error('late'));"),
    'test/b.test.ts': late("setTimeout(() => { throw new Error('late'); });"),
  });
  assert.deepEqual([code, last], [1, '4 passed, 2 failed']);
});

test('tests of nested groups keep their group and run its hooks around them', () => {
  const nested = `import { after, before, describe, test } from 'node:test';
describe('outer', () => {
  let open = 0;
  before(() => { open += 1; });
  after(() => { open -= 1; });
  describe('inner', () => {
    test('within', async (t) => {
      await null;
      await t.test('deeper', () => { if (open !== 1) throw new Error('no hook ran'); });
    });
    test('fails', async () => { await null; throw new Error('boom'); });
  });
});
`;
  const { out, last } = npmTest({ 'test/a.test.ts': nested });
  assert.match(out, /FAILED outer › inner › fails/);
  assert.match(last ?? '', /^[23] passed, 1 failed$/);
});

test('no promise of a test is watched', () => {
  const watched = `import { executionAsyncId } from 'node:async_hooks';
import { test } from 'node:test';
test('promises have no id of their own', async () => {
  const id = executionAsyncId();
  await null;
  if (executionAsyncId() !== 0 && executionAsyncId() !== id) throw new Error('watched');
});
`;
  assert.equal(npmTest({ 'test/a.test.ts': watched }).last, '1 passed, 0 failed');
});

test('ends and reports a file that a started program keeps alive', () => {
  const hangs = `import { spawn } from 'node:child_process';
import { test } from 'node:test';
test('starts', () => { spawn('sleep', ['20'], { stdio: ['ignore', 'pipe', 'ignore'] }); });
`;
  const { code, out, last } = npmTest({ 'test/a.test.ts': hangs }, [], '', {
    TEST_SILENCE_MS: '2000',
  });
  assert.deepEqual([code, last], [1, '1 passed, 1 failed']);
  assert.match(out, /FAILED test\/a\.test\.ts\n.*\n {2}Error: nothing was heard for 2 s/);
});

test('a file that does not load hides no other file', () => {
  const { code, last } = npmTest({
    'src/evidence/a.test.ts': `${PASSES}import './gone.ts';\n`,
    'src/evidence/b.test.ts': PASSES,
  });
  assert.deepEqual([code, last], [1, '1 passed, 2 failed']);
});

test('a run without tests fails', () => {
  const { code, out, last } = npmTest({});
  assert.deepEqual([code, last], [1, '0 passed, 0 failed']);
  assert.match(out, /no test ran/);
});

test('arguments choose files and folders, and one that names no test is a wrong command line', () => {
  const files = { 'test/a.test.ts': PASSES, 'test/b/c.test.ts': FAILS, 'src/x.ts': '' };
  assert.equal(npmTest(files, ['test/a.test.ts']).last, '1 passed, 0 failed');
  assert.equal(npmTest(files, ['test/b']).last, '0 passed, 1 failed');
  assert.equal(npmTest(files, ['src']).code, 64);
  assert.equal(npmTest(files, ['gone.test.ts']).code, 64);
});

test('reports a skip, and in CI fails unless its reason is listed', () => {
  const files = { 'test/a.test.ts': SKIPS, 'test/b.test.ts': PASSES };
  const local = npmTest(files);
  assert.deepEqual([local.code, local.last], [0, '1 passed, 0 failed, 1 skipped']);
  assert.match(local.out, /SKIPPED one \(test\/a\.test\.ts:2\): no etcd/);
  const inCi = npmTest(files, [], 'true');
  assert.deepEqual([inCi.code, inCi.last], [1, '1 passed, 1 failed']);
  const listed = npmTest({ ...files, '.ci/may-skip': 'no etcd\n' }, [], 'true');
  assert.deepEqual([listed.code, listed.last], [0, '1 passed, 0 failed, 1 skipped']);
});
