/** The gate controller on an API server in memory that fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { fault } from '../../ports/fake/kube-fault.ts';
import {
  DWELL_MS,
  isShut,
  nodeObject,
  REGRESS,
  setPod,
  setTaints,
  startKeeper,
  startScene,
  taintKeys,
} from './scene.ts';

test('the gate controller reads a Node again after a conflict', async (context) => {
  const scene = await startScene(context);
  scene.api.failNext('patch', fault('conflict', 'patch'));
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS + 2_000);
  assert.deepEqual(scene.done, ['n1 GateOpened conflict', 'n1 GateOpened done']);
  assert.equal(isShut(scene, 'n1'), false);
});

test('the gate controller does not write a second time when an answer is lost', async (context) => {
  const scene = await startScene(context);
  scene.writes.loseNext(fault('unclear', 'patch'));
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS + 10_000);
  assert.deepEqual(scene.done, ['n1 GateOpened unclear']);
  assert.equal(isShut(scene, 'n1'), false);
  assert.equal(scene.api.requests().get('patch nodes'), 1);
});

test('the gate controller finds a watch that was swallowed within 5 s', async (context) => {
  const scene = await startScene(context);
  scene.api.mute();
  setPod(scene, 'n1', true);
  await scene.clock.advance(5_000 + DWELL_MS);
  assert.equal(isShut(scene, 'n1'), false);
});

test('the gate controller opens nothing while Pods cannot be read', async (context) => {
  const scene = await startScene(context);
  await scene.stop();
  scene.api.forbid('list pods');
  scene.api.forbid('watch pods');
  setPod(scene, 'n1', true);
  const second = startKeeper(scene);
  context.after(second.stop);
  await scene.clock.advance(60_000);
  assert.equal(isShut(scene, 'n1'), true);
  const [node] = scene.api.objects(NODES);
  assert.match(JSON.stringify(node?.['status']), /GateProofUnknown/);
});

test('the gate controller continues after a restart from what the cluster has', async (context) => {
  const scene = await startScene(context, {
    nodes: [nodeObject('n1'), nodeObject('n2')],
  });
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  await scene.stop();
  setPod(scene, 'n1', false);
  setPod(scene, 'n2', true);
  const second = startKeeper(scene);
  context.after(second.stop);
  await scene.clock.advance(DWELL_MS + 1_000);
  assert.equal(isShut(scene, 'n2'), false);
  await scene.clock.advance(10_000);
  assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
});

test('the gate controller takes back nothing and opens nothing before all is listed', async (context) => {
  const scene = await startScene(context);
  await scene.stop();
  scene.api.forbid(`list ${NODE_GATES.plural}.rollcall.dev`);
  scene.api.forbid(`watch ${NODE_GATES.plural}.rollcall.dev`);
  setTaints(scene, 'n1', () => []);
  const second = startKeeper(scene);
  context.after(second.stop);
  await scene.clock.advance(60_000);
  assert.deepEqual(second.done, []);
  assert.deepEqual(taintKeys(scene, 'n1'), []);
});

test('a node in service is not written to while Pods cannot be read', async (context) => {
  const scene = await startScene(context);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  scene.api.forbid('list pods');
  scene.api.forbid('watch pods');
  scene.api.cut();
  await scene.clock.advance(120_000);
  assert.deepEqual(scene.done, ['n1 GateOpened done']);
  const pods = scene.keeper.caches.health().find(({ name }) => name.startsWith('pods'));
  assert.equal(pods?.state.phase, 'denied');
});
