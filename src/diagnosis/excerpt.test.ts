import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Collection } from '../evidence/observations.ts';
import { evaluate } from './evaluate.ts';
import { shownAround, timesNeeded } from './excerpt.ts';
import { causeOf, fileOf, hitOf, quoteOf, subjectOf } from './testing.ts';

const COLLECTION: Collection = {
  atMs: 0,
  cluster: null,
  asked: [],
  refusals: [],
  shortened: [],
};

/** How much is shown around a line of a document of so many lines. */
const shown = (line: number, lines: number, collection: Collection | null = null): string =>
  shownAround({ collection, documents: [fileOf({ linesRead: lines })], hits: [] })(
    hitOf('c', quoteOf(line)),
  );

describe('what is shown around a line', () => {
  test('is its log, unless somebody chose a few lines that end with it', () => {
    assert.equal(shown(10, 14), 'end');
    assert.equal(shown(40, 40), 'end');
    assert.equal(shown(41, 41), 'whole');
    assert.equal(shown(8, 20), 'end');
    assert.equal(shown(7, 20), 'whole');
  });

  test('is hardly more than the line itself in a paste of five lines', () => {
    assert.equal(shown(1, 5), 'alone');
    assert.equal(shown(1, 6), 'end');
  });

  test('is a whole log when Rollcall collected it, or when other files are long', () => {
    assert.equal(shown(1, 1, COLLECTION), 'whole');
    const documents = [fileOf({ linesRead: 1 }), fileOf({ linesRead: 40 })];
    const beside = { collection: null, documents, hits: [] };
    assert.equal(shownAround(beside)(hitOf('c', quoteOf(1))), 'whole');
  });

  test('does not grow by the log of a machine that it does not name', () => {
    const documents = [fileOf({ linesRead: 1 }), fileOf({ linesRead: 10_000 })];
    const about = { kind: 'node', value: 'web-2' } as const;
    const hits = [{ ...hitOf('milestone:node-ready', quoteOf(1)), document: 1, about }];
    const beside = { collection: null, documents, hits };
    assert.equal(shownAround(beside)(hitOf('c', quoteOf(1))), 'alone');
  });
});

describe('a sign that is to be seen often', () => {
  const sign = { in: [], anchors: [], pattern: /x/, weight: 'likely', atLeast: 3 } as const;

  test('counts at once only where its cause says that so little is enough', () => {
    assert.equal(timesNeeded(sign, ['alone']), 3);
    assert.equal(timesNeeded({ ...sign, enoughOnce: 'end' }, ['end']), 1);
    assert.equal(timesNeeded({ ...sign, enoughOnce: 'end' }, ['whole', 'alone']), 1);
    assert.equal(timesNeeded({ ...sign, enoughOnce: 'end' }, ['whole']), 3);
    assert.equal(timesNeeded({ ...sign, enoughOnce: 'alone' }, ['end']), 3);
    assert.equal(timesNeeded({ ...sign, enoughOnce: 'alone' }, ['alone']), 1);
  });

  test('is likely and never definite when it was seen fewer times', () => {
    const cause = causeOf('c', 'reachable', {
      signs: { often: { ...sign, weight: 'definite', enoughOnce: 'end' } },
    });
    const confidence = (count: number, lines: number): string | null => {
      const subject = subjectOf({ hits: [hitOf('c', quoteOf(1), { sign: 'often', count })] });
      const documents = [fileOf({ linesRead: lines })];
      const { match } = evaluate(cause, subject, {
        listings: [],
        collection: null,
        documents,
        hits: [],
      });
      return match.verdict === 'found' ? match.confidence : null;
    };
    assert.deepEqual(
      [confidence(1, 9), confidence(3, 9), confidence(1, 50)],
      ['likely', 'definite', null],
    );
  });
});
