/** Pods that came to a node before its gate opened it: found, reported, replaced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { at, isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { DWELL_MS, gateObject, isShut, PODS, setPod } from '../gate/scene.ts';
import {
  layOpenNode,
  layPod,
  podNames,
  REPLICA_SET,
  type SlipScene,
  startSlips,
  startSlipScene,
  WHILE_MS,
} from './scene.ts';

const EVICT = { slipIns: { mode: 'evict' } };
const BUDGETS = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  isNamespaced: true,
};

function evictions({ api }: Pick<SlipScene, 'api'>): number {
  return api.requests().get('create pods/eviction') ?? 0;
}

function layBudget({ api }: Pick<SlipScene, 'api'>, disruptionsAllowed: number): void {
  api.put(BUDGETS, {
    metadata: { name: 'cart', namespace: 'shop' },
    spec: { selector: { matchLabels: { app: 'cart' } } },
    status: { disruptionsAllowed },
  });
}

test('a Pod that was bound before the taint came is reported once and stays', async (context) => {
  const scene = await startSlipScene(context);
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(WHILE_MS);
  assert.equal(isShut(scene, 'n1'), true);
  await scene.clock.advance(5 * 60_000);
  assert.deepEqual(scene.told, ['found cart-1 bound-while-shut']);
  assert.deepEqual(podNames(scene), ['cart-1']);
  assert.equal(evictions(scene), 0);
});

test('I-10: in mode evict the Pod is evicted as the one that was seen, and its successor shown', async (context) => {
  const scene = await startSlipScene(context, { gate: EVICT });
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  layPod(scene, 'cart-0', { node: 'elsewhere' });
  await scene.clock.advance(1_500);
  assert.deepEqual(podNames(scene), ['cart-0']);
  layPod(scene, 'cart-2', { node: 'n2', isReady: false });
  await scene.clock.advance(WHILE_MS);
  layPod(scene, 'cart-2', { node: 'n2' });
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(scene.told, [
    'found cart-1 bound-while-shut',
    'evicts cart-1',
    'cart-1 done',
    'replaced cart-1 by cart-2',
  ]);
  assert.equal(evictions(scene), 1);
  const recorded = await scene.recorder.read({ cluster: 'shop', limit: 10 });
  const kinds = recorded.map(({ kind }) => kind);
  // Of the note on its NodeGate, and of the eviction.
  assert.deepEqual(kinds, ['action-intended', 'action-ended', 'action-intended', 'action-ended']);
});

test('reports after 15 min that nothing replaced a Pod', async (context) => {
  const scene = await startSlipScene(context, { gate: EVICT });
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(16 * 60_000);
  assert.equal(scene.told.at(-1), 'replaced cart-1 by nothing');
});

test('I-12: a PodDisruptionBudget that forbids is an answer of its own, and is asked again later', async (context) => {
  const scene = await startSlipScene(context, { gate: EVICT });
  layBudget(scene, 0);
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(60_000);
  assert.deepEqual(scene.told.slice(1), ['evicts cart-1', 'cart-1 forbidden-by-budget']);
  assert.deepEqual(podNames(scene), ['cart-1']);
  layBudget(scene, 1);
  await scene.clock.advance(60_000);
  assert.deepEqual(podNames(scene), []);
  assert.equal(evictions(scene), 2);
});

test('I-09: a Pod of the same name that came meanwhile is not evicted', async (context) => {
  const held: { scene: SlipScene | null } = { scene: null };
  const scene = await startSlipScene(context, {
    gate: EVICT,
    onEvicts() {
      if (held.scene === null) return;
      held.scene.api.remove(PODS, { namespace: 'shop', name: 'web-0' });
      layPod(held.scene, 'web-0', { node: 'n2' });
      held.scene = null;
    },
  });
  held.scene = scene;
  layOpenNode(scene);
  layPod(scene, 'web-0');
  await scene.clock.advance(5 * 60_000);
  assert.deepEqual(scene.told, ['found web-0 bound-while-shut', 'evicts web-0', 'web-0 conflict']);
  assert.deepEqual(podNames(scene), ['web-0']);
});

test('I-14: a controller that starts again after an eviction evicts nothing twice', async (context) => {
  const scene = await startSlipScene(context);
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  const first = startSlips(context, scene);
  await scene.clock.advance(WHILE_MS);
  await first.kill();
  assert.deepEqual(first.told, ['found cart-1 bound-while-shut']);
  const metadata = { deletionTimestamp: '2026-01-01T00:00:30Z' };
  layPod(scene, 'cart-1', { metadata });
  const second = startSlips(context, scene);
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(second.told, []);
});

test('a controller that starts while the node is shut finds what the one before found', async (context) => {
  const scene = await startSlipScene(context, { gate: EVICT, isLeading: () => false });
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(scene.told, ['found cart-1 bound-while-shut']);
  const second = startSlips(context, scene);
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(second.told.slice(0, 3), [
    'found cart-1 bound-while-shut',
    'evicts cart-1',
    'cart-1 done',
  ]);
  assert.equal(evictions(scene), 1);
});

test('budgets of the gate and of each workload space the evictions', async (context) => {
  const slipIns = { mode: 'evict', perHour: 60, perWorkload: 2 };
  const scene = await startSlipScene(context, { gate: { slipIns } });
  layOpenNode(scene);
  const other = { ...REPLICA_SET, name: 'web', uid: 'set-2' };
  for (const name of ['cart-1', 'cart-2', 'cart-3']) layPod(scene, name);
  layPod(scene, 'web-1', { owner: other });
  await scene.clock.advance(5_000);
  assert.deepEqual(podNames(scene), ['cart-2', 'cart-3', 'web-1']);
  await scene.clock.advance(2 * 60_000);
  assert.deepEqual(podNames(scene), ['cart-2', 'cart-3']);
  await scene.clock.advance(31 * 60_000);
  assert.deepEqual(podNames(scene), ['cart-3']);
  await scene.clock.advance(31 * 60_000);
  assert.deepEqual(podNames(scene), []);
});

test('nothing is evicted while another replica leads, nor in a dry run', async (context) => {
  const follows = await startSlipScene(context, { gate: EVICT, isLeading: () => false });
  const dry = await startSlipScene(context, { gate: EVICT, isDryRun: true });
  for (const scene of [follows, dry]) {
    layOpenNode(scene);
    layPod(scene, 'cart-1');
    await scene.clock.advance(5 * 60_000);
    assert.deepEqual(podNames(scene), ['cart-1']);
  }
  assert.equal(evictions(follows), 0);
  assert.deepEqual(dry.told.slice(1), ['evicts cart-1', 'cart-1 done']);
});

test('reports an eviction that is not granted, and leaves the Pod', async (context) => {
  const scene = await startSlipScene(context, { gate: EVICT });
  scene.api.forbid('create pods/eviction');
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(scene.told.slice(1), ['evicts cart-1', 'cart-1 refused']);
  scene.api.forbid('get pods');
  await scene.clock.advance(2 * 60_000);
  assert.equal(scene.told.at(-1), 'cart-1 refused');
  assert.deepEqual(podNames(scene), ['cart-1']);
});

test('a Pod that was placed past the scheduler on a shut node is found by a look at all', async (context) => {
  const scene = await startSlipScene(context);
  layOpenNode(scene, 'n1', [{ key: 'readiness.k8s.io/workers', effect: 'NoSchedule' }]);
  await scene.clock.advance(60_000);
  layPod(scene, 'cart-1');
  await scene.clock.advance(11 * 60_000);
  assert.deepEqual(scene.told, ['found cart-1 bound-while-shut']);
});

test('a Pod that came after the gate opened is not a slip-in', async (context) => {
  const scene = await startSlipScene(context, { gate: EVICT });
  layOpenNode(scene);
  await scene.clock.advance(WHILE_MS);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS + 1_000);
  assert.equal(isShut(scene, 'n1'), false);
  layPod(scene, 'cart-1');
  await scene.clock.advance(11 * 60_000);
  assert.deepEqual(scene.told, []);
  assert.equal(textAt(scene.api.objects(PODS).at(-1), 'metadata.name'), 'cart-1');
});

test('a slip-in whose containers started again after the node was proven is forgotten', async (context) => {
  const scene = await startSlipScene(context);
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(WHILE_MS);
  setPod(scene, 'n1', true);
  await scene.clock.advance(WHILE_MS);
  assert.equal(scene.slips.slipIns().length, 1);
  layPod(scene, 'cart-1', { boundMs: scene.clock.nowMs() - 20_000 });
  await scene.clock.advance(60_000);
  assert.equal(scene.slips.slipIns().length, 0);
});

test('a Pod that was bound after a proof was lost is found, and those before it are not', async (context) => {
  const scene = await startSlipScene(context, { gate: { regress: { after: '10s' } } });
  layOpenNode(scene);
  await scene.clock.advance(1_000);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS + 1_000);
  layPod(scene, 'cart-1');
  await scene.clock.advance(20 * 60_000);
  setPod(scene, 'n1', false);
  await scene.clock.advance(5_000);
  layPod(scene, 'cart-2');
  await scene.clock.advance(WHILE_MS);
  assert.deepEqual(scene.told, ['found cart-2 bound-after-loss']);
});

function noted({ api }: Pick<SlipScene, 'api'>): string | null {
  const [gate] = api.objects(NODE_GATES);
  const annotations = at(gate, 'metadata.annotations');
  const text = isObject(annotations) ? annotations['gate.rollcall.dev/evictions'] : null;
  return typeof text === 'string' ? text : null;
}

test('I-12: a controller that leads next counts what another evicted', async (context) => {
  const slipIns = { mode: 'evict', perHour: 2, perWorkload: 2 };
  const scene = await startSlipScene(context, { gate: { slipIns }, isLeading: () => false });
  layOpenNode(scene);
  for (const name of ['cart-1', 'cart-2', 'cart-3']) layPod(scene, name);
  for (const left of [2, 1, 1, 1]) {
    const next = startSlips(context, scene);
    await scene.clock.advance(60_000);
    await next.kill();
    assert.equal(podNames(scene).length, left);
  }
  assert.equal(evictions(scene), 2);
  const list = JSON.parse(noted(scene) ?? '') as readonly JsonObject[];
  assert.deepEqual(
    list.map(({ workload }) => workload),
    ['set-1', 'set-1'],
  );
});

test('I-12: an eviction is noted before it is sent', async (context) => {
  const before: (string | null)[] = [];
  const held: { scene: SlipScene | null } = { scene: null };
  const onEvicts = (): void => void before.push(held.scene === null ? null : noted(held.scene));
  const scene = await startSlipScene(context, { gate: EVICT, onEvicts });
  held.scene = scene;
  layOpenNode(scene);
  const uid = layPod(scene, 'cart-1');
  await scene.clock.advance(WHILE_MS);
  assert.equal(before.length, 1);
  assert.ok(before[0]?.includes(uid), String(before[0]));
});

test('nothing is evicted while its note is refused, or cannot be read', async (context) => {
  const denied = await startSlipScene(context, { gate: EVICT });
  denied.api.forbid('patch nodegates.rollcall.dev');
  const gate = gateObject(EVICT);
  const annotations = { 'gate.rollcall.dev/evictions': '[{"at":"yesterday"}]' };
  const metadata = { ...(gate['metadata'] as JsonObject), annotations };
  const unread = await startSlipScene(context, { gate: EVICT });
  unread.api.put(NODE_GATES, { ...gate, metadata });
  for (const scene of [denied, unread]) {
    layOpenNode(scene);
    layPod(scene, 'cart-1');
    await scene.clock.advance(5 * 60_000);
    assert.equal(scene.told[1], 'cart-1 refused');
    assert.equal(evictions(scene), 0);
  }
});

test('I-12: of two controllers that note at once one evicts nothing', async (context) => {
  const slipIns = { mode: 'evict', perHour: 1, perWorkload: 1 };
  const scene = await startSlipScene(context, { gate: { slipIns }, isLeading: () => false });
  layOpenNode(scene);
  for (const name of ['cart-1', 'cart-2']) layPod(scene, name);
  startSlips(context, scene);
  startSlips(context, scene);
  await scene.clock.advance(20 * 60_000);
  assert.equal(evictions(scene), 1);
});
