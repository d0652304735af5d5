/** The real controller in a small world, under faults that a seed draws. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  failureText,
  loadCauses,
  repeatLine,
  runControllerSeed,
} from '../../../src/apps/sim/controllers/seed-run.ts';

const SEEDS = 1_000;
const OF_A_TEST = 100;
/** One in so many runs once more without its faults. */
const TWIN_ONE_IN = 20;

before(loadCauses);

describe('controllers keep their rules under the faults of a seed', () => {
  for (let from = 0; from < SEEDS; from += OF_A_TEST)
    test(`seeds ${from + 1} to ${from + OF_A_TEST}`, async () => {
      for (let seed = from + 1; seed <= from + OF_A_TEST; seed++) {
        const isTwinned = seed % TWIN_ONE_IN === 0;
        const { violations } = await runControllerSeed(seed, { isTwinned });
        const again = repeatLine(`--from ${seed} --seeds 1`);
        assert.ok(violations.length === 0, failureText(violations, again));
      }
    });
});

test('a seed happens in the same way again', async () => {
  const lines = async (): Promise<string> =>
    JSON.stringify((await runControllerSeed(7)).result, (_, value) =>
      value instanceof Map ? [...value] : value,
    );
  assert.equal(await lines(), await lines());
});
