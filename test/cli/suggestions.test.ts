import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from './capture.ts';

const MISTYPED: readonly (readonly [readonly string[], RegExp])[] = [
  [['diagnos'], /did you mean diagnose\?/],
  [['explain', 'aws-auth-misssing'], /did you mean aws-auth-missing\?/],
  [['diagnose', '--contxt', 'x'], /did you mean --context\? See: rollcall help diagnose/],
  [['causes', '--stage', 'retaind'], /did you mean retained\?/],
];

for (const [words, suggestion] of MISTYPED)
  test(`rollcall ${words.join(' ')} says what may have been meant`, async () => {
    const { code, err } = await capture([...words]);
    assert.equal(code, 64);
    assert.match(err, suggestion);
  });

test('a word that is like none gets no suggestion', async () => {
  const { code, err } = await capture(['causes', '--frobnicate']);
  assert.equal(code, 64);
  assert.doesNotMatch(err, /did you mean/i);
});
