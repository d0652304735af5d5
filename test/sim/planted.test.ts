import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSimArguments } from '../../src/apps/sim/arguments.ts';
import { runSeed } from '../../src/apps/sim/one-seed.ts';
import { provePlanted } from '../../src/apps/sim/prove-planted.ts';
import { PLANTED_BUGS } from '../../src/sim/planted/bugs.ts';
import { PLANTED_SEEDS } from '../../src/sim/planted/seeds.ts';
import { shareOf, tellShare } from '../share.ts';

const BUGS_OF = 6;

test('there is a seed for every bug that can be planted', () => {
  assert.deepEqual(
    PLANTED_SEEDS.map(({ id }) => id),
    PLANTED_BUGS.map(({ id }) => id),
  );
});

describe('a planted bug is caught, shrunk, and caught again by the line that is printed', () => {
  const chosen = shareOf(PLANTED_SEEDS, BUGS_OF);
  tellShare('bugs planted in the simulator', chosen.length, PLANTED_SEEDS.length);
  for (const planted of chosen)
    test(planted.id, async () => {
      const proof = await provePlanted(planted);
      assert.ok(proof !== null, 'it is not caught');
      const { violation, small } = proof;
      assert.equal(small.run.injections.length, planted.left, small.repro);
      assert.ok(small.repro.endsWith(`--planted ${planted.id}`), small.repro);
      const { seed, wishes, bug } = readSimArguments(small.repro.split(' ').slice(2));
      const again = await runSeed({ seed, wishes, bug });
      assert.ok(again.result.violations.some(({ rule }) => rule === violation.rule));
      const without = await runSeed({ seed, wishes, bug: null });
      assert.deepEqual(without.result.violations, []);
    });
});
