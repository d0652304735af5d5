/** The gate controller on an API server in memory: kubelets that restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRestarted } from '../../../src/controllers/gate/kubelet-run.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES, readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import { KUBELET_CONDITION, kubeletRunReason } from '../../../src/domain/nodes/kubelet-run.ts';
import { type JsonObject, listAt, textAt, textsAt } from '../../../src/evidence/json.ts';
import {
  DWELL_MS,
  gateObject,
  type GateScene,
  nodeObject,
  REGRESS,
  setPod,
  startKeeper,
  startScene,
  taintKeys,
} from './scene.ts';

function gate(kubeletRestart: string): JsonObject {
  return gateObject({ regress: { kubeletRestart } });
}

/** What the gate noted of the kubelet's run. */
function noteOn(node: JsonObject): string | undefined {
  const all = Object.entries(textsAt(node, 'metadata.annotations'));
  return all.find(([key]) => /^gate\.rollcall\.dev\/[^/]+\.kubelet$/.test(key))?.[1];
}

function runs(startedMs: number | null): readonly JsonObject[] {
  const at = '2026-01-01T00:00:00Z';
  const seen = startedMs !== null;
  return [
    {
      type: KUBELET_CONDITION,
      status: seen ? 'True' : 'Unknown',
      reason: seen ? kubeletRunReason(startedMs) : 'NoFreshAnswer',
      lastHeartbeatTime: at,
      lastTransitionTime: at,
    },
  ];
}

function nodeOf({ api }: Pick<GateScene, 'api'>, name: string): JsonObject {
  return api.objects(NODES).find((one) => textAt(one, 'metadata.name') === name) ?? {};
}

/** The agent sees another run of the kubelet of a node, or none for null. */
function restart(scene: Pick<GateScene, 'api'>, name: string, startedMs: number | null): void {
  const node = nodeOf(scene, name);
  const others = listAt(node, 'status.conditions').filter(
    (one) => textAt(one, 'type') !== KUBELET_CONDITION,
  );
  const status = { ...(node['status'] as JsonObject), conditions: [...others, ...runs(startedMs)] };
  scene.api.put(NODES, { ...node, status });
}

function newNodes(...names: readonly string[]): readonly JsonObject[] {
  return names.map((name) => nodeObject(name, { conditions: runs(40_000) }));
}

test('a restart of the kubelet shuts a node until all is proven again where the gate says so', async (context) => {
  const scene = await startScene(context, { gates: [gate('shut')], nodes: newNodes('n1') });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  const opened = noteOn(nodeOf(scene, 'n1'));
  assert.equal(opened, 'boot=boot-1 Started40000msAfterBoot');
  restart(scene, 'n1', 300_000);
  await scene.clock.advance(0);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  await scene.clock.advance(DWELL_MS - 1);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  await scene.clock.advance(1);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  const noted = noteOn(nodeOf(scene, 'n1'));
  assert.equal(noted, 'boot=boot-1 Started300000msAfterBoot');
  await scene.clock.advance(60_000);
  assert.deepEqual(
    scene.done.filter((one) => one.includes('Gate')),
    ['n1 GateOpened done', 'n1 GateKubeletRestarted done', 'n1 GateOpened done'],
  );
});

test('a restart of the kubelet is known to a controller that was not there', async (context) => {
  const scene = await startScene(context, { gates: [gate('shut')], nodes: newNodes('n1') });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  await scene.stop();
  restart(scene, 'n1', 300_000);
  const next = startKeeper(scene);
  await scene.clock.advance(1_000);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  await next.stop();
});

test('a restart of the kubelet changes nothing where the gate does not say so', async (context) => {
  const scene = await startScene(context, { gates: [gate('ignore')], nodes: newNodes('n1') });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  restart(scene, 'n1', 300_000);
  await scene.clock.advance(60_000);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  assert.equal(noteOn(nodeOf(scene, 'n1')), undefined);
});

test('an agent that has lost sight of the kubelet does not count as a restart', async (context) => {
  const scene = await startScene(context, { gates: [gate('shut')], nodes: newNodes('n1') });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  for (const startedMs of [null, 40_000]) {
    restart(scene, 'n1', startedMs);
    await scene.clock.advance(4_000);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
  }
  assert.ok(!scene.done.some((one) => one.includes('GateKubeletRestarted')));
});

test('kubelets that restart everywhere shut no more nodes than the budget allows', async (context) => {
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
  const scene = await startScene(context, { gates: [gate('shut')], nodes: newNodes(...names) });
  for (const name of names) setPod(scene, name, true);
  await scene.clock.advance(DWELL_MS);
  for (const name of names) restart(scene, name, 300_000);
  await scene.clock.advance(1_000);
  const shut = names.filter((name) => taintKeys(scene, name).includes(REGRESS));
  assert.ok(shut.length <= 2, shut.join());
  await scene.clock.advance(60_000);
  const left = names.filter((name) => taintKeys(scene, name).length > 0);
  assert.deepEqual(left, []);
  const shutTwice = scene.done.filter((one) => one.includes('GateKubeletRestarted'));
  assert.equal(shutTwice.length, shut.length);
});

test('a node that was open before its gate counted restarts is noted, and shut by the next one', async (context) => {
  const scene = await startScene(context, { gates: [gate('ignore')], nodes: newNodes('n1') });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  const metadata = { ...(gate('shut')['metadata'] as JsonObject), generation: 2 };
  scene.api.put(NODE_GATES, { ...gate('shut'), metadata });
  await scene.clock.advance(2 * DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  restart(scene, 'n1', 300_000);
  await scene.clock.advance(1_000);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
});

test('only another run of the same boot, noted and seen, counts as a restart', () => {
  const run = `boot=b ${kubeletRunReason(5)}`;
  assert.equal(isRestarted(`boot=b ${kubeletRunReason(4)}`, run), true);
  for (const [noted, now] of [
    [run, run],
    [`boot=a ${kubeletRunReason(4)}`, run],
    [undefined, run],
    [run, null],
  ] as const)
    assert.equal(isRestarted(noted, now), false);
});

test('a gate that counts restarts asks for what shows them, once', () => {
  const [asked] = readNodeGate(gate('shut')).policies;
  assert.equal(JSON.stringify(asked?.needs).split(KUBELET_CONDITION).length, 2);
  const proofs = [{ condition: { type: KUBELET_CONDITION } }];
  const [given] = readNodeGate(
    gateObject({ proofs, regress: { kubeletRestart: 'shut' } }),
  ).policies;
  assert.equal(JSON.stringify(given?.needs).split(KUBELET_CONDITION).length, 2);
});
