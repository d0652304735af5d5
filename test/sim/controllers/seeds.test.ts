/** The real controller in a small world, under faults that a seed draws. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { shareButInCi, tellShare } from '../../share.ts';
import { loadCauses, runControllerSeed } from '../../../src/apps/sim/controllers/seed-run.ts';

const SEEDS = 1_000;
const OF_A_TEST = 125;
const TESTS_OF = 8;
const TOOL = join(import.meta.dirname, '../../../tools/simulation-controllers.ts');

before(loadCauses);

/** Hundreds of runs, beside other tests. */
const LIMIT_MS = 600_000;

interface Outcome {
  readonly code: number | string;
  readonly text: string;
}

/** In a program of its own: the test runner follows each promise, which takes three times as long. */
async function runSeeds(from: number): Promise<Outcome> {
  const words = [TOOL, '--from', String(from), '--seeds', String(OF_A_TEST)];
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  execFile(process.execPath, words, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, text: `${stdout}${stderr}` }),
  );
  return promise;
}

describe('controllers keep their rules under the faults of a seed', { concurrency: 2 }, () => {
  const all = Array.from({ length: SEEDS / OF_A_TEST }, (_, at) => 1 + at * OF_A_TEST);
  const chosen = shareButInCi(all, TESTS_OF);
  tellShare('hundreds of seeds of the controller', chosen.length, all.length);
  for (const from of chosen)
    test(`seeds ${from} to ${from + OF_A_TEST - 1}`, { timeout: LIMIT_MS }, async () => {
      const { code, text } = await runSeeds(from);
      assert.equal(code, 0, text);
      assert.match(text, new RegExp(`^${OF_A_TEST} seeds, 0 fail$`, 'm'));
    });
});

test('a seed happens in the same way again', async () => {
  const lines = async (): Promise<string> =>
    JSON.stringify((await runControllerSeed(7)).result, (_, value: unknown) =>
      value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : value,
    );
  assert.equal(await lines(), await lines());
});
