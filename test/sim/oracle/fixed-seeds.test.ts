import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Violation } from '../../../src/sim/invariants/contract.ts';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';
import { shareOf, tellShare } from '../../share.ts';
import { ALARMS, WRONG } from './fixed-seeds.ts';

const SEEDS_OF = 12;
const alarms = shareOf(ALARMS, SEEDS_OF);
const wrong = shareOf(WRONG, SEEDS_OF);
tellShare(
  'seeds that were once judged wrongly',
  alarms.length + wrong.length,
  ALARMS.length + WRONG.length,
);

/** Causes in what I-29 says, each once. */
function wrongNames(violations: readonly Violation[]): readonly string[] {
  const named = violations.flatMap(({ what }) => /: named ([\w-]+)/.exec(what)?.[1] ?? []);
  return [...new Set(named)].toSorted();
}

function besideNames(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter(({ what }) => !/: named [\w-]+/.test(what));
}

describe('a healthy machine must not be reported broken', () => {
  for (const { seed, nodes, hours, faults, of, still = [] } of alarms)
    test(of, async () => {
      const raised: string[] = [];
      let judged = 0;
      const { result } = await runSeed({
        seed,
        wishes: { nodes, hours, faults },
        bug: null,
        onJudged({ judgement, subject }, { way }) {
          judged++;
          if (judgement === 'alarm') raised.push(`${way}: ${subject}`);
        },
      });
      assert.ok(judged > nodes, `${judged} judgements`);
      assert.deepEqual(raised, []);
      assert.deepEqual(wrongNames(result.violations), still);
    });
});

test('L-08: a restarted watcher owes nothing of pods that came and went while its watch had ended', async () => {
  const wishes = { nodes: 3, hours: 0.486, faults: ['F49.1', 'F29.1', 'F22.1'] };
  const { result } = await runSeed({ seed: 492, wishes, bug: null });
  assert.deepEqual(
    result.happened.map(({ name }) => name),
    wishes.faults,
  );
  assert.deepEqual(result.violations, []);
});

describe('nothing else wrong is named for', () => {
  for (const { seed, nodes, hours, faults, of, still = [] } of wrong)
    test(`${of} (seed ${seed})`, async () => {
      const { result } = await runSeed({ seed, wishes: { nodes, hours, faults }, bug: null });
      assert.deepEqual(
        result.happened.map(({ name }) => name),
        faults,
      );
      assert.ok(result.counts.looks > 1);
      assert.deepEqual(wrongNames(result.violations), still);
      assert.deepEqual(besideNames(result.violations), []);
    });
});
