/** Nodes that came without the taint of their gate: kept on the Node, explained, counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declareGateMetrics } from '../../../src/apps/gate/metrics.ts';
import { explanationPage } from '../../../src/apps/cli/pages/gate-explanation.ts';
import { explainNode } from '../../../src/controllers/gate/explain.ts';
import { readNode } from '../../../src/controllers/gate/node-facts.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES, readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import { at, isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { MetricsRegistry } from '../../../src/runtime/metrics/registry.ts';
import {
  DWELL_MS,
  type GateScene,
  nodeObject,
  setPod,
  setTaints,
  startKeeper,
  startScene,
} from './scene.ts';

function nodeOf({ api }: Pick<GateScene, 'api'>, name: string): JsonObject {
  const all = api.objects(NODES);
  return all.find((node) => textAt(node, 'metadata.name') === name) ?? assert.fail(name);
}

function marksOf(scene: Pick<GateScene, 'api'>, name: string): readonly string[] {
  const annotations = at(nodeOf(scene, name), 'metadata.annotations');
  return Object.keys(isObject(annotations) ? annotations : {}).filter((key) =>
    key.endsWith('.not-enforced'),
  );
}

/** One second after the beginning a Node comes without the taint. */
async function born(context: Parameters<typeof startScene>[0]): Promise<GateScene> {
  const scene = await startScene(context, { nodes: [] });
  const creationTimestamp = new Date(scene.clock.nowMs() - 1_000).toISOString();
  scene.api.put(NODES, nodeObject('n1', { taints: [], metadata: { creationTimestamp } }));
  await scene.clock.advance(0);
  return scene;
}

function explained(scene: GateScene): ReturnType<typeof explainNode> {
  const node = readNode(nodeOf(scene, 'n1')) ?? assert.fail('no Node');
  const { policies } = readNodeGate(scene.api.objects(NODE_GATES)[0] ?? {});
  const { caches } = scene.keeper;
  const nowMs = scene.clock.nowMs();
  const daemonSets = { state: 'unknown', why: 'not asked for' } as const;
  return explainNode({
    node,
    policies,
    refusals: [],
    notRead: [],
    around: caches,
    daemonSets,
    nowMs,
  });
}

test('the patch that taints a node which came without it keeps when that was', async (context) => {
  const scene = await born(context);
  const uid = textAt(scene.api.objects(NODE_GATES)[0], 'metadata.uid') ?? '';
  assert.deepEqual(marksOf(scene, 'n1'), [`gate.rollcall.dev/${uid}.not-enforced`]);
  assert.deepEqual(scene.done, ['n1 GateNotEnforced done']);
  assert.equal(scene.api.requests().get('patch nodes'), 1);
});

test('a node whose taint was removed keeps no word that it came without', async (context) => {
  const scene = await startScene(context);
  setTaints(scene, 'n1', () => []);
  await scene.clock.advance(0);
  assert.deepEqual(scene.done, ['n1 GateRestored done']);
  assert.deepEqual(marksOf(scene, 'n1'), []);
});

test('gate explain says that a node came without the taint, also after it was opened', async (context) => {
  const scene = await born(context);
  const expected = { at: '2026-01-01T00:00:01Z', ageSeconds: 1 };
  assert.deepEqual(explained(scene).gates[0]?.notEnforced, expected);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS + 1_000);
  assert.deepEqual(scene.done, ['n1 GateNotEnforced done', 'n1 GateOpened done']);
  const page = explanationPage(explained(scene)).join('\n');
  assert.match(page, /GateNotEnforced: the node came without the taint; the gate put it at 2026/);
  assert.match(page, /rollcall gate slip-ins n1/);
});

test('gate explain leaves it out for a node that came with the taint, and for a former Node', async (context) => {
  const scene = await startScene(context);
  assert.equal(explained(scene).gates[0]?.notEnforced, null);
  const uid = textAt(scene.api.objects(NODE_GATES)[0], 'metadata.uid') ?? '';
  const annotations = {
    [`gate.rollcall.dev/${uid}.not-enforced`]:
      'another at=2026-01-01T00:00:01Z taint=a/b:NoSchedule',
  };
  scene.api.put(NODES, nodeObject('n1', { metadata: { annotations } }));
  await scene.clock.advance(0);
  assert.equal(explained(scene).gates[0]?.notEnforced, null);
});

test('a metric counts the nodes of a gate that came without its taint, and forgets them', async (context) => {
  const scene = await born(context);
  const registry = new MetricsRegistry();
  const metrics = declareGateMetrics(registry, { caches: () => [], policies: () => [] });
  const second = startKeeper(scene, { onLook: (look) => metrics.look(look) });
  context.after(second.stop);
  await scene.clock.advance(1_000);
  assert.match(registry.text(), /^rollcall_gate_nodes_not_enforced\{gate="workers"\} 1$/m);
  metrics.gone('n1');
  assert.doesNotMatch(registry.text(), /^rollcall_gate_nodes_not_enforced\{/m);
});
