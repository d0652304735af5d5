import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycles, dead, missing } from './graph.ts';
import { type Check, planted } from './sources.ts';

function found(check: Check, texts: Readonly<Record<string, string>>): readonly string[] {
  return check.run(planted(texts)).map(({ where }) => where);
}

test('an import of a file that is not there is named', () => {
  const texts = { 'src/a/b.ts': "import './c.ts';\nimport '../a/d.ts';", 'src/a/c.ts': '' };
  assert.deepEqual(found(missing, texts), ['src/a/b.ts:2']);
});

test('a file that only its test imports is dead', () => {
  const texts = {
    'src/apps/cli/main.ts': "import '../../evidence/used.ts';",
    'src/evidence/used.ts': "import './below.ts';",
    'src/evidence/below.ts': '',
    'src/evidence/lonely.ts': '',
    'src/evidence/lonely.test.ts': "import './lonely.ts';",
    'src/evidence/orphan.ts': "import './lonely.ts';",
  };
  assert.deepEqual(found(dead, texts), ['src/evidence/lonely.ts:1', 'src/evidence/orphan.ts:1']);
});

test('causes, tools and whole-product tests keep what they use alive', () => {
  const texts = {
    'src/causes/launched/x/cause.ts': "import '../../../evidence/a.ts';",
    'tools/generate.ts': "const b = await import('../src/evidence/b.ts');",
    'test/all.test.ts': "import '../src/evidence/c.ts';",
    'src/evidence/a.ts': '',
    'src/evidence/b.ts': '',
    'src/evidence/c.ts': '',
  };
  assert.deepEqual(found(dead, texts), []);
});

test('what tests share is alive as long as a test uses it', () => {
  const texts = {
    'src/adapters/a/testing.ts': '',
    'src/adapters/a/b.test.ts': "import './testing.ts';",
    'src/ports/contract/clock.ts': '',
  };
  assert.deepEqual(found(dead, texts), ['src/ports/contract/clock.ts:1']);
});

test('names a cycle once with its path and accepts a diamond', () => {
  const cycle = {
    'src/a/one.ts': "import type { A } from './two.ts';",
    'src/a/two.ts': "\nimport './three.ts';",
    'src/a/three.ts': "import './one.ts'; import './leaf.ts';",
    'src/a/leaf.ts': '',
  };
  const all = cycles.run(planted(cycle));
  assert.equal(all.length, 1);
  assert.match(
    all[0]?.what ?? '',
    /one\.ts → src\/a\/two\.ts → src\/a\/three\.ts → src\/a\/one\.ts/,
  );
  assert.deepEqual(found(cycles, { 'src/a/self.ts': "import './self.ts';" }), ['src/a/self.ts']);
  const diamond = {
    'src/a/top.ts': "import './left.ts'; import './right.ts';",
    'src/a/left.ts': "import './leaf.ts';",
    'src/a/right.ts': "import './leaf.ts';",
    'src/a/leaf.ts': '',
  };
  assert.deepEqual(found(cycles, diamond), []);
});
