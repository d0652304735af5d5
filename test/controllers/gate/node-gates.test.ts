import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { NodeGateKeeper } from '../../../src/controllers/gate/node-gates/keeper.ts';
import { GATE_FINALIZER } from '../../../src/controllers/gate/node-gates/gate-object.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import type { GatePolicy } from '../../../src/controllers/gate/policy.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { createFakeRecorder } from '../../ports/fake/recorder.ts';
import {
  gateObject,
  type GateScene,
  isShut,
  nodeObject,
  setPod,
  startScene,
  taintKeys,
} from './scene.ts';

const WHILE_MS = 15_000;

interface KeptScene extends GateScene {
  /** What was written to NodeGates. */
  readonly kept: string[];
}

/** What the keeper of the objects is told that the gate follows. */
type Follows = (now: readonly GatePolicy[]) => readonly GatePolicy[];

/** The gate and the keeper of its objects, each told what the other needs. */
async function startKept(
  context: TestContext,
  gates: readonly JsonObject[],
  follows: Follows = (now) => now,
): Promise<KeptScene> {
  const kept: string[] = [];
  const held: { keeper: NodeGateKeeper | null } = { keeper: null };
  const names = ['n1', 'n2', 'n3'];
  const scene = await startScene(context, {
    gates,
    nodes: names.map((name) => nodeObject(name)),
    onLook: (look) => held.keeper?.look(look),
    onGone: (node) => held.keeper?.gone(node),
  });
  const { api, writes, clock, keeper } = scene;
  held.keeper = new NodeGateKeeper({
    api,
    writes,
    clock,
    recorder: createFakeRecorder(),
    random: { next: () => 0.5 },
    cluster: 'shop',
    isDryRun: false,
    isReady: () => keeper.caches.isReady(),
    policies: () => follows(keeper.caches.policies()),
    nodeCount: () => keeper.caches.nodeNames().length,
    onPerformed: ({ why }, { outcome }) => kept.push(`${why.text}: ${outcome}`),
  });
  const ending = new AbortController();
  const running = held.keeper.lead({
    stop: ending.signal,
    lost: new AbortController().signal,
    isLeading: () => true,
  });
  context.after(async () => {
    ending.abort();
    await clock.advance(0);
    await running;
  });
  for (const name of names) setPod(scene, name, false);
  await clock.advance(WHILE_MS);
  return { ...scene, kept };
}

function gateOf({ api }: GateScene): JsonObject {
  return api.objects(NODE_GATES)[0] ?? assert.fail('no NodeGate');
}

function conditionOf(scene: GateScene, type: string): JsonObject | undefined {
  const all = listAt(gateOf(scene), 'status.conditions') as readonly JsonObject[];
  return all.find((one) => one['type'] === type);
}

test('a NodeGate says that it is followed, and how many nodes it selects and holds', async (context) => {
  const scene = await startKept(context, [gateObject()]);
  assert.deepEqual(listAt(gateOf(scene), 'metadata.finalizers'), [GATE_FINALIZER]);
  assert.equal(conditionOf(scene, 'Accepted')?.['status'], 'True');
  assert.match(textAt(conditionOf(scene, 'Accepted'), 'message') ?? '', /selects every node/);
  const written = scene.kept.length;
  await scene.clock.advance(WHILE_MS);
  for (const name of ['n1', 'n2', 'n3']) setPod(scene, name, true);
  await scene.clock.advance(60_000);
  // Joins alone lead to no write of the gate.
  assert.equal(scene.kept.length, written);
  await scene.clock.advance(300_000);
  assert.deepEqual(at(gateOf(scene), 'status.nodes'), {
    selected: 3,
    held: 0,
    expired: 0,
    notEnforced: 0,
  });
  assert.equal(scene.kept.length, written + 1);
});

test('a NodeGate says that a node came without its taint, until the node is gone', async (context) => {
  const scene = await startKept(context, [gateObject()]);
  assert.equal(conditionOf(scene, 'NotEnforced'), undefined);
  scene.api.put(NODES, nodeObject('n4', { taints: [] }));
  await scene.clock.advance(WHILE_MS);
  assert.equal(conditionOf(scene, 'NotEnforced')?.['status'], 'True');
  assert.equal(at(gateOf(scene), 'status.nodes.notEnforced'), 1);
  scene.api.remove(NODES, { name: 'n4' });
  await scene.clock.advance(WHILE_MS);
  assert.equal(conditionOf(scene, 'NotEnforced')?.['status'], 'False');
});

test('a NodeGate that cannot be followed says why', async (context) => {
  const scene = await startKept(context, [gateObject({ dwell: 'soon' })]);
  assert.equal(conditionOf(scene, 'Accepted')?.['status'], 'False');
  assert.match(
    textAt(conditionOf(scene, 'Accepted'), 'message') ?? '',
    /stay shut\. spec\.dwell is/,
  );
  assert.equal(isShut(scene, 'n1'), true);
});

test('a NodeGate says when its proof is suspected, and when that is over', async (context) => {
  const scene = await startKept(context, [gateObject({ regress: { after: '0s' } })]);
  for (const name of ['n1', 'n2', 'n3']) setPod(scene, name, true);
  await scene.clock.advance(WHILE_MS);
  for (const name of ['n1', 'n2', 'n3']) setPod(scene, name, false);
  await scene.clock.advance(WHILE_MS);
  assert.equal(conditionOf(scene, 'ProofSuspected')?.['status'], 'True');
  for (const name of ['n1', 'n2', 'n3']) setPod(scene, name, true);
  await scene.clock.advance(60_000);
  assert.equal(conditionOf(scene, 'ProofSuspected')?.['status'], 'False');
});

function deleteGate(scene: GateScene): void {
  const gate = gateOf(scene);
  const metadata = {
    ...(gate['metadata'] as JsonObject),
    deletionTimestamp: '2026-01-01T01:00:00Z',
  };
  scene.api.put(NODE_GATES, { ...gate, metadata });
}

test('a NodeGate that is deleted stays while the gate still follows it, as events may be late', async (context) => {
  let late: readonly GatePolicy[] | null = null;
  const scene = await startKept(context, [gateObject()], (now) => late ?? now);
  late = scene.keeper.caches.policies();
  deleteGate(scene);
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(listAt(gateOf(scene), 'metadata.finalizers'), [GATE_FINALIZER]);
  late = null;
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(scene.api.objects(NODE_GATES), []);
});

test('a NodeGate that is deleted goes as soon as its taints are gone from every node', async (context) => {
  const scene = await startKept(context, [gateObject()]);
  deleteGate(scene);
  await scene.clock.advance(3_000);
  for (const name of ['n1', 'n2', 'n3']) assert.deepEqual(taintKeys(scene, name), []);
  assert.deepEqual(scene.api.objects(NODE_GATES), []);
  assert.equal(scene.api.objects(NODES).length, 3);
});
