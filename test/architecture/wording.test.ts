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

test('every habit is found', () => {
  const sentences = [
    'that is none',
    'x is no host',
    'its name is not known',
    'pods, of which one runs',
    'nothing says whose it is',
    'the name cannot be told',
    'the kubelet comes to run',
    'in own user data',
    'the join goes on',
    'it stands for the others',
    'it ends without a word',
    'the Node is initialised',
    'EC2 would tell',
  ];
  for (const sentence of sentences) {
    assert.equal(found('src/apps/lab/a.ts', `print('${sentence}');`).length, 1, sentence);
    assert.equal(found('docs/decisions/a.md', sentence).length, 1, sentence);
  }
});

test('good sentences near a habit pass', () => {
  for (const sentence of [
    'there is no kubeconfig',
    'There is none.',
    'it is no longer there',
    'two machines, of which 2 run',
  ])
    assert.deepEqual(found('SECURITY.md', sentence), [], sentence);
});

test('names of tests are checked, and nothing else in a test', () => {
  const text = "test('a host that is none', () => {\n  a('is none');\n});";
  assert.deepEqual(found('test/a.test.ts', text), ['test/a.test.ts:1']);
  assert.deepEqual(found('src/a/a.test.ts', "describe('made anew', f);"), ['src/a/a.test.ts:1']);
});

test('comments, tests and what programs printed may be worded in any way', () => {
  assert.deepEqual(found('src/apps/cli/a.ts', '// made anew'), []);
  assert.deepEqual(found('src/apps/cli/a.test.ts', "a('made anew twice');"), []);
  assert.deepEqual(found('src/sim/kube/a.ts', "a('it is said so');"), []);
  assert.deepEqual(found('docs/a.md', '```\nstarted anew\n```\nand `x is said`'), []);
  assert.deepEqual(found('src/causes/a/b/examples/found-a.txt', 'is said'), []);
});
