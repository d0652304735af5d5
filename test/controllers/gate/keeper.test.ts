/** The gate controller on an API server in memory: nodes that join. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import {
  DAEMON_SETS,
  DWELL_MS,
  FOREIGN,
  gateObject,
  isShut,
  layDaemonSet,
  nodeObject,
  setPod,
  setTaints,
  STARTUP,
  startScene,
  taintKeys,
} from './scene.ts';

const OURS = { key: STARTUP, effect: 'NoSchedule' };

function requests(scene: { readonly api: { requests(): ReadonlyMap<string, number> } }): number {
  return [...scene.api.requests()]
    .filter(([name]) => !/^(?:list|watch) /.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
}

test('the gate opens with one patch when the proof has held for the dwell', async (context) => {
  const scene = await startScene(context, {
    nodes: [nodeObject('n1', { taints: [FOREIGN, OURS] })],
  });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS - 1);
  assert.equal(isShut(scene, 'n1'), true);
  await scene.clock.advance(1);
  assert.deepEqual(taintKeys(scene, 'n1'), [FOREIGN.key]);
  await scene.clock.advance(120_000);
  assert.deepEqual(scene.done, ['n1 GateOpened done']);
  assert.equal(requests(scene), 1);
});

test('the gate begins the dwell again after a flap of 50 ms', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(4_000);
  setPod(scene, 'n1', false);
  await scene.clock.advance(50);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS - 1);
  assert.equal(isShut(scene, 'n1'), true);
  await scene.clock.advance(1);
  assert.equal(isShut(scene, 'n1'), false);
});

test('the gate begins the dwell again when a flap is only seen by its transition time', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(4_000);
  scene.api.loseEvents(1);
  setPod(scene, 'n1', false);
  await scene.clock.advance(50);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS - 1);
  assert.equal(isShut(scene, 'n1'), true);
});

test('the gate stays shut without its DaemonSet, and without a Pod of it', async (context) => {
  const scene = await startScene(context, { hasDaemonSet: false });
  await scene.clock.advance(60_000);
  assert.equal(isShut(scene, 'n1'), true);
  layDaemonSet(scene.api);
  await scene.clock.advance(60_000);
  assert.equal(isShut(scene, 'n1'), true);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.equal(isShut(scene, 'n1'), false);
});

test('the gate does not count the Pods of a DaemonSet that was deleted and made again', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  scene.api.remove(DAEMON_SETS, { namespace: 'kube-system', name: 'cni' });
  layDaemonSet(scene.api);
  await scene.clock.advance(60_000);
  assert.equal(isShut(scene, 'n1'), true);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.equal(isShut(scene, 'n1'), false);
});

test('the gate puts a taint back at once that somebody removed', async (context) => {
  const scene = await startScene(context);
  setTaints(scene, 'n1', () => [FOREIGN]);
  await scene.clock.advance(0);
  assert.deepEqual(taintKeys(scene, 'n1'), [FOREIGN.key, STARTUP]);
  assert.deepEqual(scene.done, ['n1 GateRestored done']);
});

test('the gate taints a node at once that was created without the taint', async (context) => {
  const scene = await startScene(context);
  scene.api.put(NODES, nodeObject('n2', { taints: [] }));
  await scene.clock.advance(0);
  assert.deepEqual(taintKeys(scene, 'n2'), [STARTUP]);
  assert.deepEqual(scene.done, ['n2 GateNotEnforced done']);
});

test('the gate leaves a node in service alone that is older than the gate and proven', async (context) => {
  const old = { creationTimestamp: '2025-06-01T00:00:00Z' };
  const scene = await startScene(context, {
    nodes: [nodeObject('n1', { taints: [], metadata: old })],
  });
  setPod(scene, 'n1', true);
  await scene.clock.advance(60_000);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
  // Only the record that it was proven is written.
  assert.deepEqual(scene.done, ['n1  done']);
});

test('the gate changes nothing in a dry run', async (context) => {
  const scene = await startScene(context, { isDryRun: true });
  setPod(scene, 'n1', true);
  await scene.clock.advance(60_000);
  assert.equal(isShut(scene, 'n1'), true);
  assert.deepEqual(scene.done, ['n1 GateOpened done']);
});

test('the gate changes nothing for a gate that is a dry run', async (context) => {
  const scene = await startScene(context, { gates: [gateObject({ dryRun: true })] });
  setPod(scene, 'n1', true);
  await scene.clock.advance(60_000);
  assert.equal(isShut(scene, 'n1'), true);
  assert.deepEqual(scene.done, []);
});

test('the gate keeps a node shut whose gate cannot be followed, and opens others', async (context) => {
  const other = { key: 'example.com/other', effect: 'NoSchedule' };
  const broken = {
    ...gateObject({ taint: other, dwell: 'soon' }),
    metadata: { name: 'broken', creationTimestamp: '2025-12-31T00:00:00Z' },
  };
  const scene = await startScene(context, {
    gates: [gateObject(), broken],
    nodes: [nodeObject('n1', { taints: [OURS, other] })],
  });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), [other.key]);
  const [node] = scene.api.objects(NODES);
  assert.match(JSON.stringify(node?.['status']), /GatePolicyRefused.*spec\.dwell is/);
});

test('the gate removes the taint of several gates with one patch, and only when all agree', async (context) => {
  const second = {
    ...gateObject({ proofs: [{ label: { key: 'example.com/done' } }] }),
    metadata: { name: 'second', creationTimestamp: '2025-12-31T00:00:00Z' },
  };
  const scene = await startScene(context, { gates: [gateObject(), second] });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS * 2);
  assert.equal(isShut(scene, 'n1'), true);
  const [node = {}] = scene.api.objects(NODES);
  const metadata = { ...(node['metadata'] as JsonObject), labels: { 'example.com/done': 'y' } };
  scene.api.put(NODES, { ...node, metadata });
  await scene.clock.advance(DWELL_MS);
  assert.equal(isShut(scene, 'n1'), false);
});

test('tells once what keeps a node shut, and that it is over', async (context) => {
  const scene = await startScene(context, { gates: [gateObject({ expiry: '5m' })] });
  setPod(scene, 'n1', false);
  await scene.clock.advance(600_000);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(scene.done, [
    'n1 GateHeld done',
    'n1 GateExpired done',
    'n1 GateOpened done',
    'n1 GateWell done',
  ]);
});

test('follows the Pods of no DaemonSet but those that are proofs', async (context) => {
  const scene = await startScene(context, {
    gates: [gateObject({ proofs: [{ condition: { type: 'example.com/Ok' } }] })],
  });
  await scene.clock.advance(1_000);
  const kinds = [...scene.api.requests()].map(([name]) => name);
  assert.ok(kinds.some((name) => name.endsWith(' nodes')));
  assert.deepEqual(
    kinds.filter((name) => /pods|daemonsets|csinodes/.test(name)),
    [],
  );
});

test('a Node that is being deleted is left alone', async (context) => {
  const scene = await startScene(context, {
    nodes: [
      nodeObject('n1', { taints: [], metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ],
  });
  await scene.clock.advance(60_000);
  assert.deepEqual(scene.done, []);
  assert.equal(textAt(scene.api.objects(NODES)[0], 'metadata.name'), 'n1');
});

test('I-16: writes nothing for policies that it follows no longer, before anything says so', async (context) => {
  let isOn = true;
  const scene = await startScene(context, { isOn: () => isOn });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS - 1);
  isOn = false;
  await scene.clock.advance(10_000);
  assert.equal(isShut(scene, 'n1'), true);
  assert.equal(scene.done[0], 'n1 GateOpened refused');
});
