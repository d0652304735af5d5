/** Worlds in which what the APIs show is enough to name the cause, and once was not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';

const NAMED = [
  {
    seed: 130100,
    hours: 0.7,
    fault: 'F47.1',
    cause: 'hanging-container-runtime',
    of: 'a condition of a Node that was Ready before',
  },
  {
    seed: 130025,
    hours: 0.25,
    fault: 'F49.1',
    cause: 'unapproved-client-csr',
    of: 'requests of several machines, none of which has a Node',
  },
] as const;

describe('a live look leaves no machine without a name for', () => {
  for (const { seed, hours, fault, cause, of } of NAMED)
    test(`${of} (seed ${seed})`, async () => {
      const open: string[] = [];
      const named = new Set<string>();
      const { result } = await runSeed({
        seed,
        wishes: { nodes: 4, hours, faults: [fault] },
        bug: null,
        onJudged(judged, { way, atMs }) {
          if (way !== 'live' || !judged.truths.some((truth) => truth.of === fault)) return;
          if (judged.judgement === 'open') open.push(`${judged.subject} at ${atMs}`);
          for (const one of judged.named) named.add(one);
        },
      });
      assert.deepEqual(open, []);
      assert.ok(named.has(cause), [...named].join());
      assert.deepEqual(result.violations, []);
    });
});
