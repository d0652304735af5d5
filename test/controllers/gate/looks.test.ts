/** How often the gate controller looks at Nodes, and what it writes while nothing happens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import {
  FOREIGN,
  gateObject,
  type GateScene,
  isShut,
  nodeObject,
  setPod,
  setTaints,
  startScene,
} from './scene.ts';

const NAMES = Array.from({ length: 40 }, (_, index) => `n${index}`);
const HOUR_MS = 3_600_000;
const AT_ONCE = gateObject({ dwell: '0s' });

/** Every Node says that its kubelet lives. */
function beat({ api, clock }: GateScene): void {
  const at = new Date(clock.nowMs()).toISOString();
  for (const node of api.objects(NODES)) {
    const others = listAt(node, 'status.conditions').filter(
      (one) => textAt(one, 'type') !== 'Ready',
    );
    const conditions = [...others, { type: 'Ready', status: 'True', lastHeartbeatTime: at }];
    api.put(NODES, { ...node, status: { ...(node['status'] as JsonObject), conditions } });
  }
}

function written({ api }: GateScene): Readonly<Record<string, number>> {
  const reads = /^(?:list|watch) /;
  return Object.fromEntries([...api.requests()].filter(([name]) => !reads.test(name)));
}

test('a Node is looked at once for each change of it or around it, and for its own write', async (context) => {
  const looks = new Map<string, number>();
  const scene = await startScene(context, {
    gates: [AT_ONCE],
    nodes: NAMES.map((name) => nodeObject(name)),
    onLook: ({ node }) => looks.set(node.name, (looks.get(node.name) ?? 0) + 1),
  });
  looks.clear();
  for (const name of NAMES) setPod(scene, name, true);
  await scene.clock.advance(0);
  assert.deepEqual(
    NAMES.filter((name) => isShut(scene, name)),
    [],
  );
  assert.deepEqual(looks, new Map(NAMES.map((name) => [name, 2])), 'the proof, and the patch');
});

test('a taint that is taken away is put back after one look', async (context) => {
  let looks = 0;
  const scene = await startScene(context, { onLook: () => (looks += 1) });
  looks = 0;
  setTaints(scene, 'n1', () => [FOREIGN]);
  await scene.clock.advance(0);
  assert.equal(isShut(scene, 'n1'), true);
  assert.equal(looks, 2, 'the loss, and the patch');
});

test('to a cluster at rest nothing is written, whatever its kubelets say', async (context) => {
  const scene = await startScene(context, {
    gates: [AT_ONCE],
    nodes: NAMES.map((name) => nodeObject(name)),
  });
  for (const name of NAMES.slice(1)) setPod(scene, name, true);
  // The one without its Pod is told of when that is known, and when it should have opened long ago.
  await scene.clock.advance(HOUR_MS);
  const before = written(scene);
  assert.deepEqual(before, { 'patch nodes': NAMES.length - 1, 'patch nodes/status': 2 });
  for (let passedMs = 0; passedMs < HOUR_MS; passedMs += 300_000) {
    beat(scene);
    await scene.clock.advance(300_000);
  }
  assert.deepEqual(written(scene), before);
});
