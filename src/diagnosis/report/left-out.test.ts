import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOutLine, lossSentences } from './left-out.ts';

function loss(locator: string, what = `${locator} was refused.`) {
  return { locator, what };
}

test('facts about all machines come first, without repetition', () => {
  const losses = [
    loss('list pods'),
    loss('iam:GetRole', 'AWS is throttled.'),
    loss('iam:GetPolicy', 'AWS is throttled.'),
    loss('ec2:DescribeInstances'),
    loss('pile.tar.gz'),
  ];
  assert.deepEqual(lossSentences(losses), [
    'pile.tar.gz was refused.',
    'ec2:DescribeInstances was refused.',
    'list pods was refused.',
    'AWS is throttled.',
  ]);
});

test('a single loss gets one sentence, several get their places', () => {
  const all = 'rollcall status -o json';
  assert.equal(leftOutLine([], all), null);
  assert.equal(
    leftOutLine([loss('a'), loss('b', 'a was refused.')], all),
    'Left out: a was refused.',
  );
  assert.equal(
    leftOutLine(
      ['list pods', 'list csinodes', 'list nodes', 'aws'].map((one) => loss(one)),
      all,
    ),
    'Left out: aws, list nodes, list pods and 1 more; why: rollcall status -o json',
  );
});
