import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CAUSES } from '../../src/causes/index.generated.ts';
import { PortError } from '../../src/ports/port-error.ts';
import type { Injected, FaultScene } from '../../src/sim/faults/contract.ts';
import { FAULT_IDS, FAULTS, faultOf } from '../../src/sim/faults/faults.ts';
import { FAULT_CLASSES, FAULT_KINDS } from '../../src/sim/faults/list.ts';
import { createLooking } from '../../src/sim/faults/looking.ts';
import { PARTS } from '../../src/sim/faults/parts.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { drawWorld } from '../../src/sim/swarm/setting.ts';
import { ADMIN, buildCluster } from '../../src/sim/cluster/simulated-cluster.ts';

const NODES = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false };
const MINUTES = 4;

/** The first seed whose world is of this kind. */
function seedOf(kind: 'kubeadm' | 'eks', podNetwork: string): number {
  for (let seed = 1; ; seed++) {
    const { cluster } = drawWorld(seed, 3);
    if (cluster.kind === kind && cluster.podNetwork === podNetwork) return seed;
  }
}

function stageOf(seed: number): FaultScene {
  const simulated = buildCluster({ setting: drawWorld(seed, 3), seed });
  passMinutes(simulated, MINUTES);
  return { simulated, people: simulated.world.client(ADMIN), looking: createLooking() };
}

function passMinutes({ kernel }: FaultScene['simulated'], minutes: number): void {
  const untilMs = kernel.nowMs() + minutes * 60_000;
  while ((kernel.nextAtMs() ?? Infinity) <= untilMs) kernel.step();
  kernel.passTo(untilMs);
}

function injectAll(stage: FaultScene): ReadonlyMap<string, Injected> {
  const injected = FAULTS.flatMap(({ id, inject }) => {
    const one = inject(stage, stage.simulated.kernel.random(`test/${id}`));
    passMinutes(stage.simulated, 1);
    one?.undo();
    return one === null ? [] : [[id, one] as const];
  });
  return new Map(injected);
}

describe('the list of faults', () => {
  test('has every class from F01 to F74 once', () => {
    const ids = Array.from({ length: 74 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`);
    assert.deepEqual(
      FAULT_CLASSES.map(({ id }) => id),
      ids,
    );
    for (const { kind, faces } of FAULT_CLASSES) {
      assert.ok(kind in FAULT_KINDS);
      assert.ok(faces.length > 0 && faces.every((part) => part in PARTS));
    }
  });

  test('has a class for each fault that can be put in, and each once', () => {
    const known = new Set(FAULT_CLASSES.map(({ id }) => id));
    assert.ok(FAULT_IDS.every((id) => known.has(id)));
    assert.equal(new Set(FAULT_IDS).size, FAULT_IDS.length);
    assert.equal(faultOf('F51')?.id, 'F51');
    assert.equal(faultOf('F26'), null);
  });
});

describe('faults in a world', () => {
  const stages = (['kubeadm calico', 'eks vpc-cni'] as const).map((words) => {
    const [kind, network] = words.split(' ') as ['kubeadm' | 'eks', string];
    return { words, injected: injectAll(stageOf(seedOf(kind, network))) };
  });

  test('are taken in by one of two worlds, all but those of rarer ones and of watchers', () => {
    const done = new Set(stages.flatMap(({ injected }) => [...injected.keys()]));
    // Spot Instances; kiam and its gate; watchers, which run only where a run has begun.
    const others = new Set(['F50', 'F39', 'F66', 'F10', 'F29']);
    const isOfWatches = (id: string): boolean =>
      FAULT_CLASSES.some((one) => one.id === id && one.kind === 'watch');
    const never = FAULT_IDS.filter((id) => !done.has(id) && !others.has(id) && !isOfWatches(id));
    assert.deepEqual(never, []);
  });

  test('say what was done, and which causes of the catalogue would be right', () => {
    const known = new Set(CAUSES.map(({ id }) => id));
    for (const { words, injected } of stages)
      for (const [id, { what, truths }] of injected) {
        assert.ok(what.length > 10, `${words} ${id}`);
        for (const cause of truths.flatMap(({ causes }) => causes))
          assert.ok(known.has(cause), `${words} ${id} names ${cause}`);
      }
  });

  test('strike only machines of the world', () => {
    const stage = stageOf(seedOf('eks', 'vpc-cni'));
    const ids = new Set(stage.simulated.hypervisor.machines().map(({ instanceId }) => instanceId));
    for (const { truths, breaks = [] } of injectAll(stage).values())
      for (const id of [...truths.flatMap(({ machines }) => machines ?? []), ...breaks])
        assert.ok(ids.has(id), id);
  });
});

describe('what is between Rollcall and the API server', () => {
  const { simulated, looking } = stageOf(seedOf('kubeadm', 'calico'));
  const clock = simulated.kernel.clock();
  const kube = looking.through(kubePort({ server: simulated.api, user: ADMIN, clock }));

  async function namesOf(): Promise<number> {
    let count = 0;
    for await (const { items } of kube.list(NODES)) count += items.length;
    return count;
  }

  test('lets everything through at first', async () => {
    assert.ok((await namesOf()) >= 3);
    assert.deepEqual(looking.takeRefused(), []);
  });

  test('refuses on request, records it, and lets it through again', async () => {
    const undo = looking.refuse('nodes', 'throttled');
    await assert.rejects(namesOf(), (error) => {
      assert.ok(error instanceof PortError);
      return error.failure === 'throttled' && error.message.includes('list nodes');
    });
    assert.deepEqual(looking.takeRefused(), [{ call: 'list nodes', failure: 'throttled' }]);
    undo();
    assert.ok((await namesOf()) >= 3);
    assert.deepEqual(looking.takeRefused(), []);
  });
});
