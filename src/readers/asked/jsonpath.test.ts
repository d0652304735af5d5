import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { printedBy, putAt } from './jsonpath.ts';

describe('what a template of kubectl printed', () => {
  const read = (template: string, text: string): unknown =>
    printedBy(template, text.split('\n'))?.map(({ path, text: value }) => [path.join('.'), value]);

  test('is taken apart by the words between the fields', () => {
    assert.deepEqual(read('{.metadata.name}{"\\t"}{.spec.a\\.b/c}', 'x   y'), [
      ['metadata.name', 'x'],
      ['spec.a.b/c', 'y'],
    ]);
    assert.deepEqual(read('{.spec.taints}{"\\n"}{.metadata.name}', '[{"a":"b\\n"}]\nx'), [
      ['spec.taints', '[{"a":"b\\n"}]'],
      ['metadata.name', 'x'],
    ]);
  });

  test('has each item of a range, and an empty list where none is printed', () => {
    const each = '{range .status.conditions[*]}{.type}={.status}{"\\n"}{end}';
    assert.deepEqual(read(each, 'Ready=True'), [
      ['status.conditions.[0].type', 'Ready'],
      ['status.conditions.[0].status', 'True'],
    ]);
    assert.deepEqual(read(each, ''), [['status.conditions', '[]']]);
  });

  test('has a word an item of a list whose one member was printed', () => {
    const keys = '{.spec.taints[*].key}{"\\n"}';
    assert.deepEqual(read(keys, 'a/b c'), [
      ['spec.taints.[0].key', 'a/b'],
      ['spec.taints.[1].key', 'c'],
    ]);
    assert.deepEqual(read(keys, ''), [['spec.taints', '[]']]);
    assert.deepEqual(read('{.status.conditions[*].message}', 'one message'), [
      ['status.conditions.[*].message', 'one message'],
    ]);
  });

  test('parts variables from the names behind them, and leaves other ranges alone', () => {
    const names = (list: string): string => `{range ${list}[*]}{.name}{"\\n"}{end}`;
    assert.deepEqual(
      read(`${names('.spec.containers[0].env')}${names('.spec.volumes')}`, 'A_B\nc-d'),
      [
        ['spec.containers.[0].env.[0].name', 'A_B'],
        ['spec.volumes.[0].name', 'c-d'],
      ],
    );
    assert.equal(read(`${names('.spec.a')}${names('.spec.b')}`, 'x\ny'), undefined);
  });

  test('is left alone where the template computes or the text is of another form', () => {
    assert.equal(read('{.status.conditions[?(@.type=="Ready")].status}', 'True'), undefined);
    assert.equal(read('{.a}{.b}', 'xy'), undefined);
    assert.equal(read('{.a} is {.b}', 'x was y'), undefined);
  });
});

test('a value is put at its path, through lists', () => {
  assert.deepEqual(putAt({ a: { b: 1 } }, ['a', 'c', '[1]', 'd'], 2), {
    a: { b: 1, c: [{}, { d: 2 }] },
  });
});
