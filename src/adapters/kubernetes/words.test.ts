import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, nearest, quoted, reasonOf, shown } from './words.ts';

test('a name from outside is one printable line of limited length', () => {
  assert.equal(shown('prod'), 'prod');
  assert.doesNotMatch(shown('a\nb\u001B[31m'), /[\n\u001B]/);
  assert.ok(shown('x'.repeat(500)).length <= 201);
  assert.equal(reasonOf(new Error('no route')), 'no route');
  assert.equal(reasonOf('text'), 'text');
});

test('a word of a shell is quoted when it must be', () => {
  for (const plain of ['prod', '/etc/a_b/config', 'arn:aws:eks', 'a=1,b=2', 'x@y%+-'])
    assert.equal(quoted(plain), plain);
  assert.equal(quoted('two words'), "'two words'");
  assert.equal(quoted('$(reboot)'), "'$(reboot)'");
  assert.equal(quoted("it's 'so'"), String.raw`'it'\''s '\''so'\'''`);
  assert.equal(quoted(''), "''");
});

test('a list names eight, and counts the rest', () => {
  const names = 'abcdefghij'.split('');
  assert.equal(listed([]), 'none');
  assert.equal(listed(['a']), 'a');
  assert.equal(listed(names.slice(0, 8)), 'a, b, c, d, e, f, g, h');
  assert.equal(listed(names), 'a, b, c, d, e, f, g, h and 2 more');
});

test('a mistyped name means the nearest one that is near', () => {
  assert.equal(nearest('prd', ['dev', 'proof', 'prod']), 'prod');
  assert.equal(nearest('PRODD', ['dev', 'prod']), 'prod');
  assert.equal(nearest('staging', ['production', 'stagingg']), 'stagingg');
  assert.equal(nearest('a', ['b']), 'b');
  assert.equal(nearest('abcdef', ['abcxyz', 'uvwxyz']), null);
  assert.equal(nearest('prod', []), null);
});

test('a part of one name alone means that name', () => {
  assert.equal(nearest('west', ['eks-us-west-2', 'eks-us-east-1']), 'eks-us-west-2');
  assert.equal(nearest('eks', ['eks-us-west-2', 'eks-us-east-1']), null);
  assert.equal(nearest('', ['eks-us-west-2']), null);
});
