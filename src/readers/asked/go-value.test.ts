import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { goValue } from './go-value.ts';

describe('what Go prints of a value', () => {
  const cases: readonly (readonly [string, string, unknown])[] = [
    [
      'a list of maps',
      '[map[effect:NoSchedule key:node.cilium.io/agent-not-ready value:true] map[effect:NoExecute key:a/b]]',
      [
        { effect: 'NoSchedule', key: 'node.cilium.io/agent-not-ready', value: 'true' },
        { effect: 'NoExecute', key: 'a/b' },
      ],
    ],
    ['a list of words', '[10.0.0.1 10.0.0.2]', ['10.0.0.1', '10.0.0.2']],
    [
      'a value with blanks',
      'map[message:is not ready yet reason:Gone]',
      { message: 'is not ready yet', reason: 'Gone' },
    ],
    ['a map in a map', 'map[limits:map[cpu:2] name:web]', { limits: { cpu: '2' }, name: 'web' }],
    ['an empty list', '[]', []],
    ['a plain word', 'Ready', 'Ready'],
    ['an unfinished list', '[map[key:a', [{ key: 'a' }]],
  ];
  for (const [what, text, value] of cases)
    test(what, () => {
      assert.deepEqual(goValue(text), value);
    });

  test('ends on deep and on long text', () => {
    goValue('['.repeat(5000));
    goValue(`[${'map[a:'.repeat(5000)}`);
    goValue(`map[${'a:b '.repeat(20_000)}]`);
  });
});
