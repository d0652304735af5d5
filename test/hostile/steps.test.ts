import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startCounting } from './steps/counting.ts';
import { growthOf, wrongWith } from './steps/growth.ts';
import { INPUTS, type Make } from './steps/inputs.ts';
import { loadReaders, type Read } from './steps/readers.ts';

const counter = startCounting();
const readers = await loadReaders();
const { PLANTED } = await import('./steps/planted.ts');

const SIZES = { first: 1000, last: 32_000 };
/** Whole documents take a thousand steps for each character. */
const LARGE_SIZES = { first: 500, last: 16_000 };

function faultsOf(read: Read, sizes: typeof SIZES): readonly string[] {
  // What a reader makes once is not counted with its first input.
  counter.stepsOf(() => read(''));
  return Object.entries(INPUTS).flatMap(([name, make]) => {
    const wrong = wrongWith(growthOf(counter, read, make, sizes));
    return wrong === null ? [] : [`${name}: ${wrong}`];
  });
}

describe('every reader takes twice the steps for twice the input, whatever the input', () => {
  for (const [name, read] of Object.entries(readers)) {
    test(name, { timeout: 120_000 }, () => {
      const sizes = /^(?:document|reading|saved\/user)/.test(name) ? LARGE_SIZES : SIZES;
      assert.deepEqual(faultsOf(read, sizes), []);
    });
  }
});

describe('the judge of steps finds quadratic steps', () => {
  const open: Make = (size) => '{\n'.repeat(size / 2);
  for (const [name, read] of Object.entries(PLANTED)) {
    test(name, () => {
      const growth = growthOf(counter, read, open, { first: 1000, last: 8000 });
      assert.match(wrongWith(growth) ?? 'nothing', /^steps grow [34]\.\d\d times/);
    });
  }

  test('and accepts linear ones', () => {
    const growth = growthOf(
      counter,
      (text) => text.split('\n').map((line) => line.trim()),
      open,
      SIZES,
    );
    assert.equal(wrongWith(growth), null);
  });
});
