import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSeed, type SeedRun } from '../../src/apps/sim/one-seed.ts';
import type { Wishes } from '../../src/sim/swarm/swarm.ts';

const WISHES: Wishes = { nodes: 2, hours: 0.3, faults: 'all' };

async function runOf(seed: number, wishes: Wishes = WISHES): Promise<SeedRun> {
  return runSeed({ seed, wishes, bug: null });
}

describe('a run', () => {
  test('of the same seed says and does the same, and of another one something else', async () => {
    const [one, again, other] = [await runOf(5), await runOf(5), await runOf(6)];
    assert.equal(again.hash, one.hash);
    assert.deepEqual(again.result, one.result);
    assert.notEqual(other.hash, one.hash);
  });

  test('looks, counts what it checked, and lets machines join', async () => {
    const { counts } = (await runOf(5)).result;
    assert.ok(counts.looks >= 2);
    assert.ok(counts.joins >= 2);
    assert.ok((counts.evaluations.get('I-25') ?? 0) >= 2);
    assert.ok((counts.evaluations.get('I-31') ?? 0) >= 4);
  });

  test('in which something throws has failed, and says where', async () => {
    const document = (): never => {
      throw new RangeError('no such document');
    };
    const bug = { id: 'P00', caughtBy: [], document };
    const { result } = await runSeed({ seed: 5, wishes: WISHES, bug });
    const told = result.violations.map(({ rule, what }) => `${rule}: ${what}`);
    assert.equal(told.length, 1);
    assert.match(
      told[0] ?? '',
      /^thrown: RangeError: no such document, in src\/apps\/sim\/look\.ts:\d+$/,
    );
  });

  test('ends every fault before the calm', async () => {
    const { swarm, result } = await runOf(5, {
      ...WISHES,
      hours: 1,
      faults: ['F35', 'F47', 'F72'],
    });
    assert.ok(result.happened.length > 0);
    for (const { endedMs } of result.happened)
      assert.ok(endedMs !== null && endedMs <= swarm.chaosMs);
  });
});
