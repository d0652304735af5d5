/** A machine that is taken away for good leaves the others too small for its pods: that is true. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';

test('where every slot is full and every machine has a Node, the Nodes are too small (seed 170102)', async () => {
  const named = new Map<string, number>();
  const { result } = await runSeed({
    seed: 170102,
    wishes: { nodes: 2, hours: 0.536, faults: ['F50.1'] },
    bug: null,
    onJudged({ truths, named: causes }, { way }) {
      const isKnown = truths.some((truth) => truth.causes.includes('allocatable-too-small'));
      if (way !== 'live' || !causes.includes('allocatable-too-small')) return;
      const key = isKnown ? 'true' : 'not true';
      named.set(key, (named.get(key) ?? 0) + 1);
    },
  });
  assert.deepEqual([...named.keys()], ['true']);
  assert.deepEqual(result.violations, []);
});

test('nothing of the kind is true before a machine is removed', async () => {
  const known: string[] = [];
  await runSeed({
    seed: 170102,
    wishes: { nodes: 2, hours: 0.536, faults: [] },
    bug: null,
    onJudged({ truths, subject }) {
      if (truths.some(({ causes }) => causes.includes('allocatable-too-small')))
        known.push(subject);
    },
  });
  assert.deepEqual(known, []);
});
