import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { capacityOf } from '../../../src/capacity/capacity.ts';
import { textAt } from '../../../src/evidence/json.ts';
import type { FaultScene } from '../../../src/sim/faults/contract.ts';
import { createLooking } from '../../../src/sim/faults/looking.ts';
import type { Heard } from '../../../src/sim/faults/wire.ts';
import { startInvariants } from '../../../src/sim/invariants/invariants.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import { Marks } from '../../../src/sim/marks/marks.ts';
import { drawWorld } from '../../../src/sim/swarm/setting.ts';
import { ADMIN, buildCluster } from '../../../src/sim/cluster/simulated-cluster.ts';

interface Watched {
  readonly stage: FaultScene;
  readonly found: string[];
  readonly evaluated: () => number;
  readonly pass: (seconds: number) => void;
}

/** A small world in which one rule is watched. */
function watched(rule: string, capacity?: typeof capacityOf): Watched {
  const simulated = buildCluster({ setting: drawWorld(1, 1), seed: 1 });
  const { kernel } = simulated;
  const stage = { simulated, people: simulated.world.client(ADMIN), looking: createLooking() };
  const found: string[] = [];
  let count = 0;
  const bug = capacity === undefined ? null : { id: 'P39', caughtBy: [rule], capacity };
  const invariant = startInvariants(bug).find((one) => one.rule === rule);
  invariant?.watch?.({
    stage,
    marks: new Marks(),
    evaluated: () => count++,
    violated: (subject, what) => found.push(`${subject}: ${what}`),
  });
  const pass = (seconds: number): void => {
    const untilMs = kernel.nowMs() + seconds * 1000;
    while ((kernel.nextAtMs() ?? Infinity) <= untilMs) kernel.step();
    kernel.passTo(untilMs);
  };
  return { stage, found, evaluated: () => count, pass };
}

function heard(given: Partial<Heard>): Heard {
  const plain = { plural: 'nodes', key: 'n1', type: 'updated', version: 5, before: 4 } as const;
  return { ...plain, size: 1, listings: 1, ...given };
}

describe('invariants of the watchers', () => {
  test('I-24: a version in memory goes back, but not by a new list', () => {
    const { stage, found } = watched('I-24');
    const { wire } = stage.looking;
    wire.tell(heard({}));
    wire.tell(heard({ version: 3, before: 5, listings: 2 }));
    assert.deepEqual(found, []);
    wire.tell(heard({ version: 2, before: 3, listings: 2 }));
    assert.match(found.join('; '), /nodes n1: .*go back to an older version/);
  });

  test('I-32: more is in memory than there is', () => {
    const { stage, found } = watched('I-32');
    stage.looking.wire.tell(heard({ size: 2 }));
    assert.deepEqual(found, []);
    stage.looking.wire.tell(heard({ size: 500 }));
    assert.equal(found.length, 1);
  });

  test('I-33: sixty requests in a minute, and no more', async () => {
    const { stage, found } = watched('I-33');
    const kube = stage.looking.wire.through({
      list: async function* () {},
    } as never);
    const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false };
    for (let count = 0; count < 12; count++) for await (const _ of kube.list(nodes)) continue;
    assert.deepEqual(found, []);
    for await (const _ of kube.list(nodes)) continue;
    assert.match(found.join('; '), /asked for too often/);
  });

  test('L-08: a change is not in memory after two minutes', async () => {
    const { stage, found, pass, evaluated } = watched('L-08');
    pass(200);
    assert.equal(evaluated(), 0, 'nobody watches yet');
    const kube = stage.looking.wire.through({ list: async function* () {} } as never);
    const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false };
    for await (const _ of kube.list(nodes)) continue;
    pass(100);
    assert.deepEqual(found, []);
    pass(40);
    assert.match(found.join('; '), /nodes .*behind by two minutes/);
  });
});

describe('what watchers owe', () => {
  test('L-08: nothing is owed of what came and went between two lists', async () => {
    const { of, pass, hear, come, go } = await watchedPods();
    come('passing');
    go('passing');
    pass(200);
    assert.deepEqual(of('passing'), []);
    come('passing');
    hear('passing');
    pass(200);
    assert.deepEqual(of('passing'), [], 'one of the same name that is heard');
    go('passing');
    come('passing');
    pass(100);
    assert.deepEqual(of('passing'), []);
    pass(100);
    assert.match(of('passing').join('; '), /behind by two minutes/);
  });

  test('L-08: deleted objects leave the memory and do not return', async () => {
    const { of, pass, tell, hear, come, go } = await watchedPods();
    come('old');
    hear('old');
    go('old');
    tell('old', { type: 'deleted', version: 1e9 });
    pass(200);
    assert.deepEqual(of('old'), []);
    tell('old', { type: 'added', version: 1e9, before: null });
    pass(200);
    assert.match(of('old').join('; '), /behind by two minutes/);
  });

  test('L-08: watchers that restart have to hear of everything again', async () => {
    const { stage, of, pass, hear, come } = await watchedPods();
    come('steady');
    hear('steady');
    stage.looking.wire.restart();
    hear('steady');
    pass(200);
    assert.deepEqual(of('steady'), []);
    stage.looking.wire.restart();
    pass(200);
    assert.match(of('steady').join('; '), /behind by two minutes/);
  });
});

interface WatchedPods {
  readonly stage: FaultScene;
  readonly pass: Watched['pass'];
  /** What was found of a pod. */
  readonly of: (name: string) => readonly string[];
  readonly tell: (name: string, given: Partial<Heard>) => void;
  /** Tells of a pod as it is. */
  readonly hear: (name: string) => void;
  readonly come: (name: string) => void;
  readonly go: (name: string) => void;
}

const NAMESPACE = 'kube-system';

/** A pod that nothing changes but those who made it. */
function stillPod(name: string): KubeObject {
  const containers = [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }];
  const spec = { containers, schedulerName: 'nobody' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE }, spec };
}

/** Somebody follows the pods of kube-system. */
async function watchedPods(): Promise<WatchedPods> {
  const { stage, found, pass } = watched('L-08');
  const { people, looking } = stage;
  const kube = looking.wire.through({ list: async function* () {} } as never);
  const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
  for await (const _ of kube.list(pods)) continue;
  const tell: WatchedPods['tell'] = (name, given) =>
    looking.wire.tell(heard({ plural: 'pods', key: `${NAMESPACE}/${name}`, ...given }));
  return {
    stage,
    pass,
    of: (name) => found.filter((one) => one.startsWith(`pods ${NAMESPACE}/${name}:`)),
    tell,
    hear(name) {
      const pod = people.get('Pod', `${NAMESPACE}/${name}`);
      assert.ok(pod !== null);
      tell(name, { version: Number(textAt(pod, 'metadata.resourceVersion')) });
    },
    come(name) {
      const made = people.create(stillPod(name));
      assert.ok(made.ok, JSON.stringify(made));
      pass(1);
    },
    go(name) {
      const gone = people.delete('Pod', `${NAMESPACE}/${name}`, { gracePeriodSeconds: 0 });
      assert.ok(gone.ok, JSON.stringify(gone));
      pass(1);
    },
  };
}

describe('the invariant of capacity', () => {
  test('I-25: holds for the plan as it is, event by event', () => {
    const { found, pass, evaluated } = watched('I-25');
    pass(400);
    assert.deepEqual(found, []);
    assert.ok(evaluated() > 2, `${evaluated()} evaluations`);
  });

  test('I-25: a subnet is promised to more nodes than it can feed', () => {
    const { found, pass } = watched('I-25', (input) => {
      const plan = capacityOf(input);
      return plan.fit === null ? plan : { ...plan, fit: { ...plan.fit, nodes: 10_000 } };
    });
    pass(400);
    assert.ok(found.some((one) => /promised in a subnet in which \d+ are free/.test(one)));
  });
});
