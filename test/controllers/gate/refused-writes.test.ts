/** The gate controller where its writes are refused: it tries again ever more rarely, whatever else changes. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { fault } from '../../ports/fake/kube-fault.ts';
import {
  DWELL_MS,
  type GateScene,
  isShut,
  nodeObject,
  REGRESS,
  setPod,
  setTaints,
  startScene,
  taintKeys,
} from './scene.ts';

const MINUTE_MS = 60_000;
const NAMES = Array.from({ length: 11 }, (_, index) => `n${index + 1}`);

function patches({ api }: GateScene): number {
  return api.requests().get('patch nodes') ?? 0;
}

/** Changes of Nodes that have nothing to do with gates, as of kubelets, twice a second each. */
async function beat(scene: GateScene, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 500) {
    for (const node of scene.api.objects(NODES)) {
      const labels = { beat: String(scene.clock.nowMs()) };
      const metadata = { ...(node['metadata'] as JsonObject), labels };
      scene.api.put(NODES, { ...node, metadata });
    }
    await scene.clock.advance(500);
  }
}

async function refusedScene(context: TestContext): Promise<GateScene> {
  const scene = await startScene(context, { nodes: NAMES.map((name) => nodeObject(name)) });
  scene.api.forbid('patch nodes');
  for (const name of NAMES) setPod(scene, name, true);
  await scene.clock.advance(DWELL_MS);
  return scene;
}

test('a write that is refused is tried again ever more rarely, however often its Node changes', async (context) => {
  const scene = await refusedScene(context);
  await beat(scene, 2 * MINUTE_MS);
  const before = patches(scene);
  assert.ok(before <= 12 * NAMES.length, `${before} patches in two minutes`);
  await beat(scene, 5 * MINUTE_MS);
  const later = patches(scene) - before;
  assert.ok(later >= 12 * NAMES.length && later <= 20 * NAMES.length, `${later} in five minutes`);
});

test('a write that was refused is done within half a minute of the right to do it', async (context) => {
  const scene = await refusedScene(context);
  await scene.clock.advance(10 * MINUTE_MS);
  scene.api.allow('patch nodes');
  await scene.clock.advance(30_000);
  assert.deepEqual(
    NAMES.filter((name) => isShut(scene, name)),
    [],
  );
  assert.equal(scene.done.filter((line) => line.endsWith('GateOpened done')).length, NAMES.length);
});

test('another change of a Node does not wait for one that was refused', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.equal(isShut(scene, 'n1'), false);
  scene.api.forbid('patch nodes');
  setPod(scene, 'n1', false);
  await scene.clock.advance(5 * MINUTE_MS);
  scene.api.allow('patch nodes');
  // Proven again: what was refused is no longer wanted, and what is wanted then was not refused.
  setPod(scene, 'n1', true);
  await scene.clock.advance(0);
  setTaints(scene, 'n1', () => [{ key: REGRESS, effect: 'NoSchedule' }]);
  await scene.clock.advance(2 * DWELL_MS);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
});

test('after a write that was done, the next refusal is one of few again', async (context) => {
  const scene = await refusedScene(context);
  await scene.clock.advance(10 * MINUTE_MS);
  scene.api.allow('patch nodes');
  await scene.clock.advance(2 * MINUTE_MS);
  setPod(scene, 'n1', false);
  await scene.clock.advance(MINUTE_MS / 2);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  scene.api.failNext('patch', fault('denied', 'patch'));
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS + 2_000);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
});

test('a server that asks to wait is not asked before, however often the Node changes', async (context) => {
  const scene = await startScene(context);
  scene.api.failNext('patch', fault('throttled', 'patch', 30_000));
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  await beat(scene, 29_000);
  assert.equal(patches(scene), 1);
  await beat(scene, 2_000);
  assert.equal(isShut(scene, 'n1'), false);
});
