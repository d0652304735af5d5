import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { commandOutputs, mayHoldOutput } from './command-output.ts';

const ID = 'i-0123456789abcdef0';
const texts = (value: Json): readonly string[] =>
  commandOutputs(value).map(({ machine, text }) => `${machine.kind} ${machine.value}: ${text}`);

describe('what a command of Systems Manager printed', () => {
  for (const [title, value, read] of [
    [
      'on one machine',
      { InstanceId: ID, StandardOutputContent: 'a', StandardErrorContent: 'b' },
      ['a\nb'],
    ],
    [
      'without errors',
      { InstanceId: ID, StandardOutputContent: 'a', StandardErrorContent: '' },
      ['a'],
    ],
    ['in errors alone', { InstanceId: ID, StandardErrorContent: 'b' }, ['b']],
    ['is nothing', { InstanceId: ID, StandardOutputContent: ' \n' }, []],
    ['on nobody', { StandardOutputContent: 'a' }, []],
    [
      'on several machines',
      {
        CommandInvocations: [
          { InstanceId: ID, CommandPlugins: [{ Output: 'a' }, { Output: '' }, { Output: 'b' }] },
          { InstanceId: ID, CommandPlugins: [] },
          { CommandPlugins: [{ Output: 'c' }] },
        ],
      },
      ['a\nb'],
    ],
  ] as const)
    test(title, () => {
      assert.deepEqual(
        texts(value as unknown as Json),
        read.map((text) => `instance-id ${ID}: ${text}`),
      );
    });

  test('is read of 200 machines at most', () => {
    const one = { InstanceId: ID, CommandPlugins: [{ Output: 'a' }] };
    assert.equal(texts({ CommandInvocations: Array.from({ length: 300 }, () => one) }).length, 200);
  });

  test('does not exist in other values', () => {
    for (const value of [null, 'a', [{ InstanceId: ID, StandardOutputContent: 'a' }], {}])
      assert.deepEqual(texts(value), []);
  });

  for (const [text, may] of [
    ['{"StandardOutputContent": "a"}', true],
    ['{"CommandPlugins": []}', true],
    ['StandardOutputContent', false],
    ['{"StandardErrorContent": "a"}', false],
  ] as const)
    test(`${text} ${may ? 'may hold it' : 'holds none'}`, () =>
      assert.equal(mayHoldOutput(text), may));
});
