import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';

interface Fixed {
  readonly seed: number;
  readonly nodes: number;
  readonly hours: number;
  readonly faults: readonly string[];
  /** What was taken for a failing. */
  readonly of: string;
}

/** Machines that were well and were once called not usable, each shrunk to what it takes. */
const ALARMS: readonly Fixed[] = [
  {
    seed: 224,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'sandboxes that wait for the first addresses, on a node of half a minute',
  },
  {
    seed: 146,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'such sandboxes on two machines, with gaps in what was collected',
  },
  {
    seed: 501,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'such sandboxes beside pods that run, with nothing missing',
  },
  {
    seed: 82,
    nodes: 4,
    hours: 0.46,
    faults: ['F68.1', 'F38.1'],
    of: 'pods that move to a machine all at once when a Node is deleted',
  },
  {
    seed: 137,
    nodes: 4,
    hours: 0.4,
    faults: ['F38.1', 'F39.1'],
    of: 'pods that move so to a machine whose agent of kiam has just come back',
  },
  {
    seed: 316,
    nodes: 4,
    hours: 0.5,
    faults: ['F52.1', 'F47.1'],
    of: 'a machine without any address for a pod, which the oracle took for well',
  },
  {
    seed: 40,
    nodes: 4,
    hours: 0.4,
    faults: ['F36.1'],
    of: 'a Node that was deleted, and initialised again after a reboot',
  },
  {
    seed: 3,
    nodes: 3,
    hours: 0.498,
    faults: ['F38.1', 'F38.2'],
    of: 'pods that find no slot on it, as the other machines have lost their Nodes',
  },
  {
    seed: 477,
    nodes: 4,
    hours: 0.549,
    faults: ['F41.2', 'F51.1', 'F69.2', 'F74.1', 'F54.1', 'F14.1', 'F49.1', 'F67.1'],
    of: 'the same, where nothing that was collected says whose the machines are',
  },
];

describe('a machine that is well is not called broken for', () => {
  for (const { seed, nodes, hours, faults, of } of ALARMS)
    test(of, async () => {
      const alarms: string[] = [];
      let judged = 0;
      await runSeed({
        seed,
        wishes: { nodes, hours, faults },
        bug: null,
        onJudged({ judgement, subject, named }, { way }) {
          judged++;
          if (judgement === 'alarm' || judgement === 'wrong')
            alarms.push(`${way}: ${subject} ${judgement} ${named.join()}`);
        },
      });
      assert.ok(judged > nodes, `${judged} judgements`);
      assert.deepEqual(alarms, []);
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
