import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { featuresOf } from './features.ts';
import { type LikenessIndex, pack, postingsOf } from './likeness-index.ts';
import { rankAlike } from './rank-alike.ts';

type Features = Readonly<Record<number, number>>;

const indexOf = (causes: Readonly<Record<string, Features>>): LikenessIndex => ({
  causes: Object.keys(causes),
  reported: new Map(),
  packed: pack(
    Object.values(causes).map(
      (its) => new Map(Object.entries(its).map(([key, weight]) => [Number(key), weight])),
    ),
  ),
});

describe('an index of features', () => {
  const features = { 1: 0.5, 64: 0.02, 4096: 1, 4097: 0.04, 262_144: 1.26, 16_777_215: 0.1 };

  test('holds what was packed, by the step of weights', () => {
    const index = indexOf({ a: features });
    for (const [feature, weight] of Object.entries(features)) {
      const [posting, ...others] = postingsOf(index, Number(feature));
      assert.equal(posting?.cause, 0, feature);
      assert.ok(Math.abs(posting.weight - weight) < 1e-9, feature);
      assert.deepEqual(others, []);
    }
  });

  test('holds nothing else', () => {
    const index = indexOf({ a: features });
    for (const feature of [0, 2, 65, 4160, 8192, 16_777_214])
      assert.deepEqual(postingsOf(index, feature), [], String(feature));
    const cut = { ...index, packed: ['AAAA'] };
    assert.deepEqual(postingsOf(cut, 0), []);
  });

  test('is packed the same in any order, with weights within bounds', () => {
    const pairs = [1, 2].map((feature): [number, number] => [feature, 1]);
    const inOrder = pack([new Map(pairs)]);
    assert.deepEqual(pack([new Map(pairs.toReversed())]), inOrder);
    assert.equal(pack([new Map([[1, 99]])])[0]?.at(-1), '_');
    assert.equal(pack([new Map([[1, 0]])])[0]?.at(-1), 'B');
    assert.equal(inOrder.join('').length, 10);
  });

  test('names every cause of a feature, by its place among hundreds', () => {
    const causes = Array.from({ length: 300 }, (_, place): [string, Features] => [
      `cause-${place}`,
      place % 100 === 0 ? { 7: 0.5 } : { 8: 0.5 },
    ]);
    const found = postingsOf(indexOf(Object.fromEntries(causes)), 7);
    assert.deepEqual(
      found.map(({ cause }) => cause),
      [0, 100, 200],
    );
  });
});

describe('causes whose evidence lines resemble', () => {
  const weightsOf = (text: string) =>
    Object.fromEntries(featuresOf(text).map((feature) => [feature, 0.5]));
  const index = indexOf({
    disk: weightsOf('no space left on device'),
    dns: weightsOf('no such host'),
    clock: weightsOf('certificate is not yet valid'),
  });
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
