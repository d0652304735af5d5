import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';

const TOOL = resolve(import.meta.dirname, '../mutate.ts');
const ROOM = mkdtempSync(join(tmpdir(), 'rollcall mutants '));
after(() => rmSync(ROOM, { recursive: true }));

const LIMIT = `const STEP = 2;
const KINDS: readonly string[] = ['node', 'machine'];

export function isOver(count: number): boolean {
  return count > 10;
}

export function isKind(kind: string): boolean {
  return KINDS.includes(kind);
}

export function stepsTo(end: number): number {
  let steps = 0;
  for (let at = 0; at < end; at += STEP) steps += 1;
  return steps;
}

export function climb(end: number): number {
  const step = end > 0 ? 1 : 0;
  let at = 0;
  while (at < 2) at += step;
  return at;
}

export function unused(): boolean {
  return true;
}

export function words(): string {
  return 'text for people';
}
`;

const TESTS = `import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { climb, isKind, isOver, stepsTo, words } from './limit.ts';

test('far from the limit', () => {
  assert.equal(isOver(20), true);
  assert.equal(isOver(1), false);
});

describe('with a hook', () => {
  let steps = 0;
  before(() => { steps = stepsTo(4); });
  test('steps', async () => assert.equal(steps, 2));
});

test('a loop ends', () => assert.equal(climb(5), 2));

test('kinds', { timeout: 1000 }, () => assert.ok(isKind('node') && !isKind('x') && words() !== ''));
`;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let count = 0;

/** Runs the tool on a checkout of one room, which holds these files. */
function runTool(files: Readonly<Record<string, string>>, ...args: readonly string[]): Ended {
  count += 1;
  const root = join(ROOM, String(count));
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const argv = ['--disable-warning=ExperimentalWarning', TOOL, '--root', root, '--workers', '1'];
  const options = { cwd: root, encoding: 'utf8', env } as const;
  const ended = spawnSync(process.execPath, [...argv, ...args], options);
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
}

const FILES = { 'src/toy/limit.ts': LIMIT, 'src/toy/limit.test.ts': TESTS };
const ENDED = runTool(FILES, 'toy');

test('a change that no test notices is listed with its line, one that a test fails on is not', () => {
  const { code, out, err } = ENDED;
  assert.equal(code, 0, err);
  assert.match(out, /limit\.ts:5: survived: count > 10 → count >= 10\n/);
  assert.doesNotMatch(out, /count > 10 → count <= 10/);
  assert.match(out, /limit\.ts:26: no coverage: true → false\n/);
  assert.match(out, /1 changes of wording were left out/);
  assert.doesNotMatch(out, /: 'text for people' →/);
});

test('a change that acts while its module loads, or makes a loop endless, is noticed', () => {
  const { out } = ENDED;
  assert.match(out, /limit\.ts:2: survived: 'machine' → ""\n/);
  assert.doesNotMatch(out, /limit\.ts:2: survived: 'node'/);
  assert.doesNotMatch(out, /survived: at [+]= STEP → at -= STEP/);
  assert.doesNotMatch(out, /survived: end > 0 → false/);
});

test('a change in a table is noticed by who reads it, beside a function that others call', () => {
  const source = `export const KINDS = ['node'];
export function isLong(text: string): boolean {
  return text.length > 3;
}
`;
  const head = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
  const calls = `import { isLong } from './table.ts';
test('long', () => assert.ok(isLong('long') && !isLong('one')));
`;
  const reads = `import { KINDS } from './table.ts';
test('kinds', () => assert.deepEqual(KINDS, ['node']));
`;
  const { out, err } = runTool(
    {
      'src/toy/table.ts': source,
      'src/toy/calls.test.ts': head + calls,
      'src/toy/reads.test.ts': head + reads,
    },
    'toy',
  );
  assert.match(out, /table\.ts .* 0 survived/, err);
});

test('a change is noticed after which a test, or what it asks for afterwards, waits for nothing', () => {
  const source = `export async function opened(count: number): Promise<number> {
  await new Promise<void>((resolve) => { if (count > 0) resolve(); });
  return count;
}
`;
  const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opened } from './door.ts';
test('opens', async (context) => {
  context.after(async () => { await opened(2); });
  assert.equal(await opened(1), 1);
});
`;
  const files = { 'src/toy/door.ts': source, 'src/toy/door.test.ts': tests };
  const { out, err } = runTool(files, 'toy', '--every', '2');
  assert.match(out, /door\.ts .* of 4: \d killed/, err);
  assert.doesNotMatch(out, /→ (?:false|count <= 0|;|\{\})/);
});

test('a survivor that is accepted is counted apart', () => {
  const reason = 'nothing has exactly ten';
  const one = { file: 'src/toy/limit.ts', original: 'count > 10', replacement: 'count >= 10' };
  const { out } = runTool(
    { ...FILES, 'tools/mutate/accepted.json': JSON.stringify([{ ...one, reason }]) },
    'toy',
    '--every',
    '2',
  );
  assert.doesNotMatch(out, /count > 10 → count >= 10/);
  assert.match(out, /\(and 1 accepted\)/);
});

test('a room whose tests fail as they are is not mutated, and the failure is named', () => {
  const failing = TESTS.replace('isOver(1), false', 'isOver(1), true');
  const files = { 'src/toy/limit.ts': LIMIT, 'src/toy/limit.test.ts': failing };
  const { code, out, err } = runTool(files, 'toy');
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /these tests fail without a mutant:\nsrc\/toy\/limit\.test\.ts: far from/);
});

test('what a module remembers of one mutant kills no other', () => {
  const source = `const KNOWN = new Map<string, number>();
export function lengthOf(text: string): number {
  const known = KNOWN.get(text) ?? text.length + 1;
  KNOWN.set(text, known);
  return known;
}
export function isLong(text: string): boolean {
  return lengthOf(text) > 3;
}
`;
  const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLong } from './length.ts';
test('long', () => assert.ok(isLong('abcdef')));
`;
  const { out } = runTool({ 'src/toy/length.ts': source, 'src/toy/length.test.ts': tests }, 'toy');
  assert.match(out, /length\.ts:8: survived: lengthOf\(text\) > 3 → lengthOf\(text\) >= 3\n/);
});

test('an unknown room, and one without a change, are refused', () => {
  assert.deepEqual(
    [runTool({}, 'nope'), runTool({ 'src/toy/a.ts': '' }, 'toy', '--only', 'b')].map((one) => [
      one.code,
      one.err,
    ]),
    [
      [64, 'npm run mutate: there is no src/nope\n'],
      [64, 'npm run mutate: nothing of src/toy is left to mutate\n'],
    ],
  );
});
