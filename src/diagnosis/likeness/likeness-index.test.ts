import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { featuresOf } from './features.ts';
import { openIndex, pack } from './likeness-index.ts';
import { rankAlike } from './rank-alike.ts';

const entry = (cause: string, weights: Readonly<Record<number, number>>, reported = 0) => ({
  cause,
  reported,
  packed: pack(new Map(Object.entries(weights).map(([key, weight]) => [Number(key), weight]))),
});

describe('an index of features', () => {
  test('holds what was packed, by the step of weights', () => {
    const features = { 1: 0.5, 64: 0.02, 4096: 1, 262_144: 1.26, 16_777_215: 0.1 };
    const { postings, causes, reported } = openIndex([entry('a', features, 3)]);
    assert.deepEqual(causes, ['a']);
    assert.deepEqual([...reported], [['a', 3]]);
    for (const [feature, weight] of Object.entries(features)) {
      const [posting] = postings.get(Number(feature)) ?? [];
      assert.equal(posting?.cause, 0, feature);
      assert.ok(Math.abs(posting.weight - weight) < 1e-9, feature);
    }
    assert.equal(postings.size, 5);
  });

  test('is packed by numbers, with weights within bounds', () => {
    const pairs = [1, 2].map((feature): [number, number] => [feature, 1]);
    const inOrder = pack(new Map(pairs));
    assert.equal(pack(new Map(pairs.toReversed())), inOrder);
    assert.equal(pack(new Map([[1, 99]])).at(-1), '_');
    assert.equal(pack(new Map([[1, 0]])).at(-1), 'B');
    assert.equal(inOrder.length, 10);
  });

  test('names every cause of a feature', () => {
    const { postings } = openIndex([entry('a', { 7: 1 }), entry('b', { 7: 0.5 })]);
    assert.deepEqual(
      postings.get(7)?.map(({ cause }) => cause),
      [0, 1],
    );
    assert.equal(openIndex([{ cause: 'a', reported: 0, packed: 'AAA' }]).postings.size, 0);
  });
});

describe('causes whose evidence lines resemble', () => {
  const weightsOf = (text: string) =>
    Object.fromEntries(featuresOf(text).map((feature) => [feature, 0.5]));
  const index = openIndex([
    entry('disk', weightsOf('no space left on device')),
    entry('dns', weightsOf('no such host')),
    entry('clock', weightsOf('certificate is not yet valid')),
  ]);
  const ranked = (...lines: readonly string[]) => rankAlike(index, lines);

  test('come by likeness, with the line that resembles most', () => {
    const [first, second, ...others] = ranked(
      'unrelated',
      'no such host',
      'no space left on device',
    );
    assert.deepEqual(
      [first, second].map((one) => [one?.cause, one?.line]),
      [
        ['disk', 2],
        ['dns', 1],
      ],
    );
    assert.deepEqual(others, []);
    assert.ok((first?.likeness ?? 0) > (second?.likeness ?? 1));
  });

  test('are the first of equal lines, and more alike for another line', () => {
    const [twice] = ranked('no such host', 'no such host');
    const [once] = ranked('no such host');
    assert.equal(twice?.line, 0);
    assert.ok(twice.likeness > (once?.likeness ?? 1));
  });

  test('have words in common with the lines', () => {
    assert.deepEqual(ranked('entirely different', ''), []);
    assert.deepEqual(ranked(), []);
  });
});
