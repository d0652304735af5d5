import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldKey, hasWords, readable } from './fold.ts';

const VARIANTS: readonly (readonly [string, string])[] = [
  ['Failed to get node %q: %v', 'failed to get node %s'],
  ["couldn't find node '%s'", 'couldnt find node %v:  %w'],
  ['retried 3 times', 'retried 5 times'],
  ['cannot join,\n\tthe disk is full.', 'Cannot join, the disk is full'],
];

for (const [one, other] of VARIANTS)
  test(`counts "${one}" and "${other}" as one message`, () => {
    assert.equal(foldKey(one), foldKey(other));
  });

test('keeps messages apart that differ in a word', () => {
  assert.notEqual(foldKey('failed to get node %s'), foldKey('failed to get pod %s'));
});

test('keeps a percent sign that is not a verb', () => {
  assert.equal(
    readable('disk is 100%% full on %-10s after %.f min'),
    'disk is 100% full on {} after {} min',
  );
});

test('knows a message of values alone', () => {
  assert.equal(hasWords(foldKey('%s: %v')), false);
  assert.equal(hasWords(foldKey('gone: %v')), true);
});
