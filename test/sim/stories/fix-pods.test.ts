/** The stories of Pods without their own role are over once `rollcall fix pods` has had its turn. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseSimulated } from '../../../src/apps/lab/look.ts';
import { runFast } from '../../../src/apps/lab/drive.ts';
import { loadScenario } from '../../../src/apps/lab/load.ts';
import { openPlay } from '../../../src/apps/lab/play.ts';
import { fixPods } from '../../../src/controllers/fix/pods/fix-pods.ts';
import { podsNamedIn } from '../../../src/controllers/fix/pods/target.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { fixToolsIn } from '../../../src/sim/cluster/fix-tools.ts';
import { textAt } from '../../../src/evidence/json.ts';
import { ADMIN, type SimulatedCluster } from '../../../src/sim/cluster/simulated-cluster.ts';

const MINUTE_MS = 60_000;

interface Mended {
  readonly before: number;
  readonly steps: readonly FixStep[];
  readonly after: number;
}

/** Pods that are there and act without the role that they are to have. */
function wrongIn({ hypervisor, world }: SimulatedCluster): number {
  const there = new Set(
    world
      .client(ADMIN)
      .list('Pod')
      .map((pod) => textAt(pod, 'metadata.uid')),
  );
  return hypervisor
    .identities()
    .filter(({ podUid, now }) => there.has(podUid) && now !== 'own-role').length;
}

/** Plays a story without its own repair up to a moment, and has its Pods replaced then. */
async function mended(name: string, atMs: number): Promise<Mended> {
  const whole = loadScenario(name);
  const moves = whole.moves.filter(({ does }) => does !== 'restart');
  const { simulated, story } = openPlay({
    scenario: { ...whole, moves },
    seed: whole.seed,
    nodes: null,
    onLine: () => undefined,
  });
  const { kernel } = simulated;
  const startMs = kernel.nowMs();
  await runFast(kernel, startMs + atMs, story);
  const before = wrongIn(simulated);
  const targets = podsNamedIn(await diagnoseSimulated(simulated));
  const order = { id: 'pods-story', isDryRun: false, targets, most: 200, waitMs: MINUTE_MS };
  let steps: readonly FixStep[] = [];
  kernel.spawn('fix pods', async () => {
    steps = await fixPods(order, fixToolsIn(simulated, 'fix pods'));
  });
  await runFast(kernel, startMs + atMs + 10 * MINUTE_MS, story);
  return { before, steps, after: wrongIn(simulated) };
}

describe('rollcall fix pods', () => {
  for (const [name, atMs] of [
    ['webhook-was-down', 8 * MINUTE_MS],
    ['said-it-was-ready', 124_000],
  ] as const)
    test(`mends ${name}`, async () => {
      const { before, steps, after } = await mended(name, atMs);
      assert.ok(before > 0, 'no Pod works without its role');
      for (const { object, outcome, why } of steps)
        assert.equal(outcome, 'written', `${object}: ${why}`);
      assert.equal(after, 0, JSON.stringify(steps, null, 1));
    });
});
