/** The gate controller on an API server in memory: nodes that were opened. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { type JsonObject, textsAt } from '../../../src/evidence/json.ts';
import {
  DAEMON_SETS,
  DWELL_MS,
  gateObject,
  nodeObject,
  PODS,
  REGRESS,
  setPod,
  STARTUP,
  startScene,
  taintKeys,
} from './scene.ts';

test('a node in service is shut again with the regress taint, by the regress delay, and opened again', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  setPod(scene, 'n1', false);
  await scene.clock.advance(9_999);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  await scene.clock.advance(1);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
});

test('a node in service stays open when its proof can no longer be looked at', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  scene.api.remove(DAEMON_SETS, { namespace: 'kube-system', name: 'cni' });
  await scene.clock.advance(60_000);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  const [node] = scene.api.objects(NODES);
  assert.match(JSON.stringify(node?.['status']), /GateProofUnknown.*does not exist/);
});

test('a node in service waits longer for each loss of proof', async (context) => {
  const scene = await startScene(context, { gates: [gateObject({ regress: { after: '0s' } })] });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  for (const dwellMs of [DWELL_MS, DWELL_MS * 2, DWELL_MS * 4]) {
    setPod(scene, 'n1', false);
    await scene.clock.advance(1_000);
    assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
    setPod(scene, 'n1', true);
    await scene.clock.advance(dwellMs - 1);
    assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
    await scene.clock.advance(1);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
  }
});

test('a node in service is not shut again where more nodes lost the proof than the budget allows', async (context) => {
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
  const scene = await startScene(context, { nodes: names.map((name) => nodeObject(name)) });
  for (const name of names) setPod(scene, name, true);
  await scene.clock.advance(DWELL_MS);
  for (const name of names.slice(0, 3)) setPod(scene, name, false);
  await scene.clock.advance(60_000);
  assert.ok(names.every((name) => taintKeys(scene, name).length === 0));
  const suspected = scene.done.filter((one) => one.includes('GateProofSuspected'));
  assert.equal(suspected.length, 3);
  setPod(scene, 'n0', true);
  await scene.clock.advance(0);
  const again = names.filter((name) => taintKeys(scene, name).includes(REGRESS));
  assert.deepEqual(again, ['n1', 'n2']);
});

test('a node in service is shut again by a reboot until its Pods have started in the new boot', async (context) => {
  const beat = (at: string): JsonObject[] => [
    { type: 'Ready', status: 'True', lastHeartbeatTime: at, lastTransitionTime: at },
  ];
  const scene = await startScene(context, {
    nodes: [nodeObject('n1', { conditions: beat('2026-01-01T00:00:00Z') })],
  });
  const started = (at: string): JsonObject => {
    const [pod = {}] = scene.api.objects(PODS);
    const containerStatuses = [{ name: 'c', state: { running: { startedAt: at } } }];
    return { ...pod, status: { ...(pod['status'] as JsonObject), containerStatuses } };
  };
  setPod(scene, 'n1', true);
  scene.api.put(PODS, started('2025-12-31T23:59:59Z'));
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  const [open = {}] = scene.api.objects(NODES);
  const { status } = nodeObject('n1', {
    bootId: 'boot-2',
    conditions: beat('2026-01-01T00:01:00Z'),
  });
  scene.api.put(NODES, { ...open, status: status ?? null });
  await scene.clock.advance(60_000);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  scene.api.put(PODS, started('2026-01-01T00:00:30Z'));
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  assert.deepEqual(
    scene.done.filter((one) => /Opened|Rebooted/.test(one)),
    ['n1 GateOpened done', 'n1 GateRebooted done', 'n1 GateOpened done'],
  );
});

test('a node in service is another one when it is made again under its name', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  const [open = {}] = scene.api.objects(NODES);
  const annotations = { ...textsAt(open, 'metadata.annotations') };
  scene.api.remove(NODES, { name: 'n1' });
  scene.api.put(NODES, nodeObject('n1', { taints: [], metadata: { annotations } }));
  await scene.clock.advance(0);
  assert.deepEqual(taintKeys(scene, 'n1'), [STARTUP]);
});

test('a node in service stays open for a gate that only starts nodes up', async (context) => {
  const scene = await startScene(context, { gates: [gateObject({ mode: 'bootstrap-only' })] });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  setPod(scene, 'n1', false);
  await scene.clock.advance(120_000);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  assert.deepEqual(scene.done, ['n1 GateOpened done']);
});

test('a node that another gate still holds is not in service: a gate of another name holds it too', async (context) => {
  const scene = await startScene(context, { nodes: [nodeObject('held'), nodeObject('open')] });
  setPod(scene, 'open', true);
  setPod(scene, 'held', false);
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual([taintKeys(scene, 'open'), taintKeys(scene, 'held')], [[], [STARTUP]]);
  const next = 'readiness.k8s.io/next';
  const gate = gateObject({ taint: { key: next, effect: 'NoSchedule' } });
  scene.api.put(NODE_GATES, {
    ...gate,
    metadata: { name: 'next', creationTimestamp: '2026-02-01T00:00:00Z', generation: 1 },
  });
  await scene.clock.advance(0);
  scene.api.remove(NODE_GATES, { name: 'workers' });
  await scene.clock.advance(0);
  assert.deepEqual(taintKeys(scene, 'open'), []);
  assert.ok(taintKeys(scene, 'held').includes(next));
});
