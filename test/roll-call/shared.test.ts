import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fisherGreater, logFactorials } from '../../src/diagnosis/roll-call/fisher.ts';
import {
  type Compared,
  sharedAttributes,
  sharedSentence,
} from '../../src/diagnosis/roll-call/shared.ts';

/** n over k in whole numbers, by Pascal's rule along one row. */
function choose(n: number, k: number): bigint {
  let value = 1n;
  for (let index = 1; index <= k; index++) value = (value * BigInt(n - k + index)) / BigInt(index);
  return k < 0 || k > n ? 0n : value;
}

/** The tail of the hypergeometric distribution, every term counted out in whole numbers. */
function countedTail(having: number, all: number, failing: number, least: number): number {
  let ways = 0n;
  for (let both = least; both <= failing; both++)
    ways += choose(having, both) * choose(all - having, failing - both);
  const total = choose(all, failing);
  return Number((ways * 10n ** 18n) / total) / 1e18;
}

const count = fc.integer({ min: 0, max: 40 });
const TABLE = fc.record({
  failingWith: count,
  failingWithout: count,
  usableWith: count,
  usableWithout: count,
});

describe("Fisher's exact test", () => {
  test('is the counted tail of the hypergeometric distribution', () => {
    fc.assert(
      fc.property(TABLE, (table) => {
        const failing = table.failingWith + table.failingWithout;
        const having = table.failingWith + table.usableWith;
        const all = failing + table.usableWith + table.usableWithout;
        const exact = countedTail(having, all, failing, table.failingWith);
        const found = fisherGreater(table, logFactorials(all));
        assert.ok(Math.abs(found - exact) <= 1e-9 * exact + 1e-15, `${found} is not ${exact}`);
      }),
    );
  });

  test('knows the tea that was tasted: 3 of 4 cups by chance in 17 of 70 cases', () => {
    const table = { failingWith: 3, failingWithout: 1, usableWith: 1, usableWithout: 3 };
    assert.ok(Math.abs(fisherGreater(table, logFactorials(8)) - 17 / 70) < 1e-12);
  });

  test('stays between 0 and 1 with thousands of machines', () => {
    const table = { failingWith: 900, failingWithout: 100, usableWith: 100, usableWithout: 3900 };
    const found = fisherGreater(table, logFactorials(5000));
    assert.ok(found >= 0 && found < 1e-100);
  });
});

function machines(
  length: number,
  verdict: Compared['verdict'],
  attributes: Compared['attributes'],
  cause: string | null = null,
): readonly Compared[] {
  return Array.from({ length }, () => ({ verdict, cause, attributes }));
}

const BAD = { subnet: 'subnet-0bad', zone: 'eu-west-1b' };
const GOOD = { subnet: 'subnet-0good', zone: 'eu-west-1a' };

describe('what failures share', () => {
  test('a subnet in which 11 of 14 fail and none is usable', () => {
    const [first] = sharedAttributes([
      ...machines(11, 'not-usable', { subnet: 'subnet-0bad', zone: 'eu-west-1a' }, 'no-nat'),
      ...machines(3, 'not-usable', GOOD, 'other'),
      ...machines(40, 'usable', GOOD),
    ]);
    assert.deepEqual(first, {
      attribute: 'subnet',
      value: 'subnet-0bad',
      failing: 11,
      failingOfAll: 14,
      usable: 0,
      cause: 'no-nat',
    });
  });

  test('the claim in words', () => {
    const claim = {
      attribute: 'subnet',
      value: 'subnet-0bad',
      failing: 11,
      failingOfAll: 14,
    } as const;
    assert.equal(
      sharedSentence({ ...claim, usable: 0, cause: null }, 40),
      '11 of 14 failures share subnet-0bad (0 of 40 usable machines have it)',
    );
    assert.match(
      sharedSentence({ ...claim, attribute: 'zone', usable: 0, cause: 'no-nat' }, 40),
      /share zone subnet-0bad .*; cause: no-nat$/,
    );
  });

  test('nothing under four failures, however clear', () => {
    const clear = (failures: number): number =>
      sharedAttributes([...machines(failures, 'not-usable', BAD), ...machines(100, 'usable', GOOD)])
        .length;
    assert.deepEqual([clear(3), clear(4)], [0, 2]);
  });

  test('nothing that usable machines have as often, and nothing without usable ones', () => {
    const same = [...machines(10, 'not-usable', GOOD), ...machines(50, 'usable', GOOD)];
    assert.deepEqual(sharedAttributes(same), []);
    assert.deepEqual(sharedAttributes(machines(10, 'not-usable', BAD)), []);
  });

  test('what failures lack is not claimed', () => {
    const lacking = [...machines(10, 'not-usable', {}), ...machines(10, 'usable', BAD)];
    assert.deepEqual(sharedAttributes(lacking), []);
  });

  test('counts machines with an unknown verdict on neither side', () => {
    const known = [...machines(5, 'not-usable', BAD), ...machines(20, 'usable', GOOD)];
    const withUnknown = [...known, ...machines(100, 'cannot-tell', BAD)];
    assert.deepEqual(sharedAttributes(withUnknown), sharedAttributes(known));
    assert.equal(sharedAttributes(known).length, 2);
  });

  test('the more values are tried, the surer a claim must be', () => {
    const base = [...machines(4, 'not-usable', BAD), ...machines(12, 'usable', GOOD)];
    const many = base.map((machine, index) => ({
      ...machine,
      attributes: { ...machine.attributes, image: `ami-${index}` },
    }));
    assert.equal(sharedAttributes(base).length, 2);
    assert.deepEqual(sharedAttributes(many), []);
  });
});

describe('claims of shared attributes', () => {
  test('a cause is named only when all of them are named it', () => {
    const causeOf = (causes: readonly (string | null)[]): string | null | undefined =>
      sharedAttributes([
        ...causes.flatMap((cause) => machines(1, 'not-usable', { subnet: 'subnet-0bad' }, cause)),
        ...machines(40, 'usable', { subnet: 'subnet-0good' }),
      ])[0]?.cause;
    assert.equal(causeOf(['a', 'a', 'a', 'a']), 'a');
    assert.equal(causeOf(['a', 'b', 'a', 'a']), null);
    assert.equal(causeOf(['a', 'a', 'a', null]), null);
    assert.equal(causeOf([null, 'a', 'a', 'a']), null);
  });

  test('by chance alone a claim is rare, whatever the machines are like', () => {
    const machine = fc.record({
      verdict: fc.constantFrom('usable' as const, 'not-usable' as const),
      cause: fc.constant(null),
      attributes: fc.record({
        subnet: fc.constantFrom('a', 'b', 'c'),
        image: fc.constantFrom('x', 'y'),
      }),
    });
    const found = fc
      .sample(fc.array(machine, { minLength: 20, maxLength: 60 }), { numRuns: 500, seed: 7 })
      .filter((all) => sharedAttributes(all).length > 0);
    assert.ok(found.length <= 20, `${found.length} of 500 piles of chance have a claim`);
  });
});
