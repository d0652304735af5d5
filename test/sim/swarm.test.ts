import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fault } from '../../src/sim/faults/contract.ts';
import { FAULT_IDS, FAULTS } from '../../src/sim/faults/faults.ts';
import { planInjections } from '../../src/sim/swarm/plan.ts';
import { drawSwarm, type Swarm, type Wishes } from '../../src/sim/swarm/swarm.ts';

const WISHES: Wishes = { nodes: null, hours: 2, faults: 'all' };
const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1);

function swarmOf(seed: number, wishes: Partial<Wishes> = {}): Swarm {
  return drawSwarm(seed, { ...WISHES, ...wishes }, FAULT_IDS);
}

function planOf(seed: number, wishes: Partial<Wishes> = {}): ReturnType<typeof planInjections> {
  return planInjections(swarmOf(seed, wishes), { ...WISHES, ...wishes }, FAULTS);
}

function nodesOf({ world }: Swarm): number {
  return world.groups.reduce((sum, { count }) => sum + count, 0);
}

describe('what a seed draws', () => {
  test('is the same every time, and another one for another seed', () => {
    assert.deepEqual(swarmOf(7), swarmOf(7));
    const worlds = new Set(SEEDS.map((seed) => JSON.stringify(swarmOf(seed).world)));
    assert.ok(worlds.size > SEEDS.length * 0.95, `${worlds.size} of ${SEEDS.length} differ`);
  });

  test('leaves out half of all faults', () => {
    const weights = SEEDS.flatMap((seed) => [...swarmOf(seed).weights.values()]);
    const share = weights.filter((weight) => weight === 0).length / weights.length;
    assert.ok(share > 0.45 && share < 0.55, `${share} are zero`);
    assert.ok(weights.every((weight) => weight >= 0 && weight <= 1));
  });

  test('has from 1 to 60 machines, small clusters as often as large ones', () => {
    const counts = SEEDS.map((seed) => nodesOf(swarmOf(seed)));
    assert.equal(Math.min(...counts), 1);
    assert.ok(Math.max(...counts) <= 60 && Math.max(...counts) > 50);
    const small = counts.filter((count) => count <= 8).length / counts.length;
    assert.ok(small > 0.4 && small < 0.6, `${small} are small`);
  });

  test('comes to every release, pod network and pod identity', () => {
    const clusters = SEEDS.map((seed) => swarmOf(seed).world.cluster);
    const seen = (key: keyof (typeof clusters)[number]): readonly string[] =>
      [...new Set(clusters.map((cluster) => String(cluster[key])))].toSorted();
    assert.deepEqual(seen('cloudController'), ['1.29', '1.34', '1.37']);
    assert.deepEqual(seen('podNetwork'), ['calico', 'ready-made', 'vpc-cni']);
    assert.deepEqual(seen('podIdentity'), ['irsa', 'kiam', 'kube2iam', 'none', 'pod-identity']);
    assert.deepEqual(seen('kind'), ['eks', 'kubeadm']);
  });

  test('stays the same when the number of machines is fixed', () => {
    const [whole, three] = [swarmOf(11), swarmOf(11, { nodes: 3 })];
    assert.equal(nodesOf(three), 3);
    assert.deepEqual(three.world.cluster, whole.world.cluster);
    assert.deepEqual(three.weights, whole.weights);
  });
});

describe('the plan of faults', () => {
  test('is in the order of time and within the chaos', () => {
    const plan = planOf(3);
    assert.ok(plan.length > 5);
    assert.deepEqual(
      plan.map(({ atMs }) => atMs),
      plan.map(({ atMs }) => atMs).toSorted((one, other) => one - other),
    );
    assert.ok(plan.every(({ atMs }) => atMs < swarmOf(3).chaosMs));
  });

  test('has an injection at the same moment when it is asked for alone', () => {
    for (const injection of planOf(5)) {
      const name = `${injection.fault}.${injection.ordinal}`;
      assert.deepEqual(planOf(5, { faults: [name] }), [injection]);
    }
  });

  test('has every injection of a class that is named, also of one that the seed leaves out', () => {
    const [left] = [...swarmOf(9).weights].find(([, weight]) => weight === 0) ?? [];
    assert.ok(left !== undefined);
    assert.equal(planOf(9, { hours: 24 }).filter(({ fault }) => fault === left).length, 0);
    const asked = planOf(9, { hours: 24, faults: [left] });
    assert.ok(asked.length > 0 && asked.every(({ fault }) => fault === left));
  });

  test('is a beginning of itself when the time is shorter', () => {
    const long = planOf(4, { hours: 4 });
    const short = planOf(4, { hours: 1 });
    assert.ok(short.length < long.length);
    assert.deepEqual(long.slice(0, short.length), short);
  });

  test('keeps as many injections as the weight says', () => {
    const fault: Fault = { id: 'F51', perHour: 60, lastsMs: 1000, inject: () => null };
    const swarm = { ...swarmOf(2, { hours: 24 }), weights: new Map([['F51', 0.25]]) };
    const kept = planInjections(swarm, { faults: 'all' }, [fault]).length;
    const all = planInjections(swarm, { faults: ['F51'] }, [fault]).length;
    assert.ok(kept / all > 0.2 && kept / all < 0.3, `${kept} of ${all}`);
  });
});
