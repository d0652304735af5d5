import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Verdict, worstOf } from './verdict.ts';

const ROWS: readonly (readonly [readonly Verdict[], Verdict])[] = [
  [[], 'cannot-tell'],
  [['usable'], 'usable'],
  [['usable', 'cannot-tell'], 'cannot-tell'],
  [['cannot-tell', 'not-usable', 'usable'], 'not-usable'],
];

for (const [verdicts, expected] of ROWS)
  test(`of [${verdicts.join(', ')}] the worst is ${expected}`, () => {
    assert.equal(worstOf(verdicts), expected);
  });
