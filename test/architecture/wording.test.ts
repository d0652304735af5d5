import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planted } from './sources.ts';
import { wording } from './wording.ts';

function found(path: string, text: string): readonly string[] {
  return wording.run(planted({ [path]: text })).map(({ where }) => where);
}

test('habits in messages and pages are named with their line', () => {
  assert.deepEqual(found('src/apps/cli/a.ts', "\nprint('start it anew');"), [
    'src/apps/cli/a.ts:2',
  ]);
  assert.deepEqual(found('src/causes/a/b/cause.ts', 'a(`the ${name} is said to run`);'), [
    'src/causes/a/b/cause.ts:1',
  ]);
  assert.deepEqual(found('docs/a.md', '# A\nits time line'), ['docs/a.md:2']);
  assert.deepEqual(found('README.md', 'what mends it'), ['README.md:1']);
});

test('comments, tests and what programs printed may be worded in any way', () => {
  assert.deepEqual(found('src/apps/cli/a.ts', '// made anew'), []);
  assert.deepEqual(found('src/apps/cli/a.test.ts', "a('made anew twice');"), []);
  assert.deepEqual(found('src/sim/kube/a.ts', "a('it is said so');"), []);
  assert.deepEqual(found('docs/a.md', '```\nstarted anew\n```\nand `x is said`'), []);
  assert.deepEqual(found('src/causes/a/b/examples/found-a.txt', 'is said'), []);
});
