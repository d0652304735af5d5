import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { type Written, writtenBy } from '../testing.ts';
import { readAwsAnswer } from './answer.ts';

function read(answer: JsonObject): Written & { readonly understood: boolean } {
  let understood = false;
  const written = writtenBy((passage) => {
    understood = readAwsAnswer(passage, answer, 7);
  });
  return { ...written, understood };
}

const DATED_SENTENCES = [
  [
    'an activity',
    {
      Activities: [
        {
          AutoScalingGroupName: 'web',
          StatusCode: 'Failed',
          StatusMessage: 'no capacity',
          Description: 'Launching',
          Cause: 'desired',
          StartTime: '2026-11-22T10:00:00Z',
        },
      ],
    },
    'Auto Scaling group web activity Failed no capacity Launching desired',
  ],
  [
    'an event of a stack',
    {
      StackEvents: [
        {
          ResourceStatus: 'CREATE_FAILED',
          LogicalResourceId: 'NG',
          ResourceStatusReason: 'denied',
          Timestamp: '2026-11-22T10:00:00Z',
        },
      ],
    },
    'CREATE_FAILED NG denied',
  ],
] as const;

const SENTENCES = [
  [
    { nodegroup: { nodegroupName: 'ng', health: { issues: [{ code: 'C', message: 'words' }] } } },
    'node group ng issue C words',
  ],
  [
    { cluster: { name: 'shop', health: { issues: [{ code: 'C', message: 'words' }] } } },
    'cluster shop issue C words',
  ],
  [
    { addon: { addonName: 'cni', health: { issues: [{ code: 'C', message: 'words' }] } } },
    'add-on cni issue C words',
  ],
  [{ update: { errors: [{ errorCode: 'C', errorMessage: 'words' }] } }, 'C words'],
  [{ Activities: [{ StatusCode: 'Failed' }] }, 'Auto Scaling group  activity Failed'],
] as const;

describe('sentences of an answer', () => {
  for (const [title, answer, sentence] of DATED_SENTENCES)
    test(`${title} is a line with its time`, () => {
      const { said, understood } = read(answer);
      assert.deepEqual(
        said.map(({ text, source, line, when, about, host, isState }) => [
          text,
          source,
          line,
          when?.ms,
          about,
          host,
          isState,
        ]),
        [[sentence, 'aws-message', 7, Date.parse('2026-11-22T10:00:00Z'), null, null, false]],
      );
      assert.equal(understood, true);
    });

  for (const [answer, sentence] of SENTENCES)
    test(sentence, () => {
      const { said } = read(answer);
      assert.deepEqual(
        said.map(({ text, when }) => [text, when]),
        [[sentence, null]],
      );
    });

  test('of one of several updates of a group yields nothing', () => {
    const update = { id: 'u', status: 'Failed', errors: [{ errorCode: 'C' }] };
    assert.deepEqual(read({ nodegroupName: 'ng', update }).said, []);
    assert.equal(read({ nodegroupName: 'ng', update }).facts.length, 1);
  });

  test('an empty list is understood and gives no message', () => {
    for (const answer of [{ Activities: [] }, { StackEvents: [] }])
      assert.deepEqual([read(answer).said, read(answer).understood], [[], true]);
  });
});
