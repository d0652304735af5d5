import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate } from './evaluate.ts';
import { causeOf, hitOf, quoteOf, subjectOf } from './testing.ts';

test('a sign of the background does not keep a cause open that a success rules out', () => {
  const verdict = (isBackground: boolean): string => {
    const cause = causeOf('c', 'reachable', {
      withdrawnBy: ['node-ready'],
      signs: { told: { in: [], anchors: [], pattern: /x/, weight: 'context', isBackground } },
    });
    const ready = hitOf('milestone:node-ready', quoteOf(1, 10));
    const subject = subjectOf({ hits: [ready, hitOf('c', quoteOf(2, 20), { sign: 'told' })] });
    const observations = { listings: [], collection: null, documents: [], hits: [] };
    return evaluate(cause, subject, observations).match.verdict;
  };
  assert.deepEqual([verdict(true), verdict(false)], ['clear', 'unknown']);
});
