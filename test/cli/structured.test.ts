import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonTexts } from '../../src/apps/cli/structured.ts';

const SEED = 20261122;

test('JSON in pieces is the JSON of the whole', () => {
  const value = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
    fc.array(fc.jsonValue()),
  );
  fc.assert(
    fc.property(value, (document) => {
      assert.equal([...jsonTexts(document)].join(''), `${JSON.stringify(document, null, 2)}\n`);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test('leaves out undefined values, and prints null where a list has it', () => {
  const document = { a: undefined, list: [undefined, { b: undefined }, []], empty: [], none: {} };
  assert.equal([...jsonTexts(document)].join(''), `${JSON.stringify(document, null, 2)}\n`);
});

test('a list of a document is never one text', () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({ name: `machine-${index}` }));
  const texts = [...jsonTexts({ kind: 'RollCall', rows })];
  assert.ok(texts.length > 100);
  assert.ok(Math.max(...texts.map(({ length }) => length)) < 60);
});
