/** What every Random does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Random } from '../../src/ports/random.ts';

const MANY = 20_000;
const PARTS = 10;

function drawn(random: Random, count: number): readonly number[] {
  return Array.from({ length: count }, () => random.next());
}

/**
 * @param name of the implementation
 * @param open makes one that no other test draws from
 */
export function randomContract(name: string, open: () => Random): void {
  test(`${name}: draws in [0, 1)`, () => {
    const all = drawn(open(), MANY);
    assert.ok(all.every((one) => one >= 0 && one < 1));
  });

  test(`${name}: hardly ever draws a number twice`, () => {
    assert.ok(new Set(drawn(open(), 1_000)).size > 990);
  });

  test(`${name}: draws from every part alike`, () => {
    const counts = Array.from({ length: PARTS }, () => 0);
    for (const one of drawn(open(), MANY)) {
      const part = Math.floor(one * PARTS);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    // Ten standard deviations of a binomial with n = 20,000 and p = 0.1.
    const most = 10 * Math.sqrt(MANY * 0.1 * 0.9);
    for (const count of counts) assert.ok(Math.abs(count - MANY / PARTS) < most, String(counts));
  });

  test(`${name}: what was drawn says nothing about what comes next`, () => {
    const all = drawn(open(), MANY);
    const products = all.slice(1).map((one, index) => (one - 0.5) * ((all[index] ?? 0) - 0.5));
    const mean = products.reduce((sum, one) => sum + one, 0) / products.length;
    // The deviation of one product is 1/12; of their mean, 1/12 by the root of their number.
    assert.ok(Math.abs(mean) < 10 / 12 / Math.sqrt(MANY), String(mean));
  });

  test(`${name}: two of them draw apart`, () => {
    const [one, other] = [open(), open()];
    const [first, second] = [drawn(one, 100), drawn(other, 100)];
    assert.equal(first.filter((value) => second.includes(value)).length, 0);
  });
}
