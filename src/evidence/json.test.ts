import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authoritySumOf, checksumOf, markOfAuthority } from './checksum.ts';
import { absent, locatorAt, seen, unknown } from './fact.ts';
import { factValues, isListed } from './fact-values.ts';
import { at, isObject, listAt, textAt, textsAt } from './json.ts';
import type { Observations } from './observations.ts';
import { isStage, stageIndex } from './stage.ts';

describe('paths into JSON', () => {
  const value = { a: { b: [1, 2], text: 'x', yes: true, five: 5, none: null }, list: [{ a: 1 }] };

  test('lead through objects, not through lists, texts or inherited members', () => {
    assert.equal(at(value, 'a.text'), 'x');
    assert.deepEqual(at(value, 'a.b'), [1, 2]);
    assert.equal(at(value, 'a.none'), null);
    for (const path of ['a.c', 'a.text.length', 'a.b.length', 'list.0', 'toString', 'a.none.x'])
      assert.equal(at(value, path), undefined, path);
    assert.equal(at(undefined, 'a'), undefined);
    assert.equal(at('text', 'length'), undefined);
    assert.equal(at(value, 'a.text'), 'x', 'a path is the same when it is asked again');
  });

  test('end at texts, numbers and truths as printed, or at none', () => {
    assert.deepEqual(
      ['a.text', 'a.five', 'a.yes', 'a.none', 'a.b', 'a', 'b'].map((path) => textAt(value, path)),
      ['x', '5', 'true', null, null, null, null],
    );
  });

  test('end at lists, or at nothing', () => {
    assert.deepEqual(listAt(value, 'a.b'), [1, 2]);
    assert.deepEqual(listAt(value, 'a'), []);
    assert.deepEqual(listAt(undefined, 'a'), []);
  });

  test('end at the texts of an object, without its other entries', () => {
    assert.deepEqual(textsAt(value, 'a'), { text: 'x' });
    assert.deepEqual(textsAt(value, 'a.b'), {});
    assert.deepEqual(textsAt(value, 'c'), {});
  });

  test('an object is neither null nor a list', () => {
    assert.deepEqual([{}, null, [], 'x', undefined].map(isObject), [
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('checksums', () => {
  // FNV-1a of 32 bits, by its definition (draft-eastlake-fnv) for the first sum.
  test('are those of FNV-1a, with all their digits', () => {
    assert.equal(checksumOf('').slice(0, 8), '811c9dc5');
    assert.equal(checksumOf('a').slice(0, 8), 'e40c292c');
    assert.equal(checksumOf('foobar').slice(0, 8), 'bf9cf968');
    for (const text of ['', 'a', 'foobar', 'x'.repeat(500)])
      assert.match(checksumOf(text), /^[0-9a-f]{16}$/);
  });

  test('tell texts apart by both halves', () => {
    const sums = Array.from({ length: 2000 }, (_, index) => checksumOf(`certificate ${index}`));
    assert.equal(new Set(sums.map((sum) => sum.slice(8))).size, sums.length);
    assert.equal(new Set(sums.map((sum) => sum.slice(0, 8))).size, sums.length);
  });

  test('replace authorities in base64 and no other text', () => {
    const authority = 'QUJD'.repeat(25);
    const mark = markOfAuthority(authority);
    assert.match(mark, /^‹checksum [0-9a-f]{16}›$/);
    assert.equal(authoritySumOf(mark), authoritySumOf(authority));
    assert.equal(authoritySumOf(authority), checksumOf(authority));
    for (const text of [
      authority.slice(1),
      `${authority} `,
      ` ${authority}`,
      `${authority}-`,
      'A'.repeat(8193),
      `x${mark}`,
      `${mark}x`,
    ]) {
      assert.equal(markOfAuthority(text), text);
      assert.equal(authoritySumOf(text), null);
    }
    assert.notEqual(authoritySumOf('A'.repeat(8192)), null);
  });
});

test('a fact is seen, absent or unknown, and says where or why', () => {
  assert.deepEqual(seen(1, 'by', 'a:1'), { state: 'seen', value: 1, by: 'by', locator: 'a:1' });
  assert.deepEqual(absent('by'), { state: 'absent', by: 'by' });
  const why = { reason: 'denied', detail: 'why', collect: null };
  assert.deepEqual(unknown('denied', 'why'), { state: 'unknown', why });
  assert.deepEqual(unknown('denied', 'why', 'ls'), {
    state: 'unknown',
    why: { ...why, collect: 'ls' },
  });
  assert.deepEqual([locatorAt('a', 0), locatorAt('a', 3)], ['a', 'a:3']);
});

test('returns facts of one kind in order, and knows a complete list by its kind', () => {
  const observations = {
    facts: [
      { kind: 'aws/vpc', value: 1 },
      { kind: 'aws/role', value: 2 },
      { kind: 'aws/vpc', value: 3 },
    ],
    listings: [{ kind: 'aws/role' }, { kind: 'aws/vpc' }],
  } as unknown as Observations;
  assert.deepEqual(factValues(observations, 'aws/vpc'), [1, 3]);
  assert.deepEqual(factValues(observations, 'aws/subnet'), []);
  assert.equal(isListed(observations, 'aws/vpc'), true);
  assert.equal(isListed(observations, 'aws/subnet'), false);
});

test('lists exactly the stages in their order', () => {
  assert.deepEqual([stageIndex('launched'), stageIndex('usable')], [0, 10]);
  assert.ok(stageIndex('authenticated') < stageIndex('registered'));
  assert.deepEqual(['usable', 'Usable', ''].map(isStage), [true, false, false]);
});
