import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phrase, sentence } from './sentence.ts';

const missing: string | undefined = undefined;

test('a sentence keeps every value that is there', () => {
  assert.equal(
    sentence`The subnet ${'subnet-1'} of ${'i-1'} is full.`,
    'The subnet subnet-1 of i-1 is full.',
  );
});

test('a missing value takes the blank before it along', () => {
  assert.equal(sentence`The subnet ${missing} is full.`, 'The subnet is full.');
  assert.equal(sentence`The pod ${''}, which waits, is new.`, 'The pod, which waits, is new.');
  assert.equal(sentence`Full: ${missing}`, 'Full:');
  assert.equal(sentence`${missing} is full.`, ' is full.');
});

test('a blank before a word that follows directly stays', () => {
  assert.equal(sentence`It is ${missing}full.`, 'It is full.');
});

test('a phrase is left out as a whole without one of its values', () => {
  assert.equal(
    sentence`The type${phrase` (${'m5.large'})`} is unknown.`,
    'The type (m5.large) is unknown.',
  );
  assert.equal(sentence`The type${phrase` (${missing})`} is unknown.`, 'The type is unknown.');
  assert.equal(phrase`${'a'} of ${''}`, '');
});
