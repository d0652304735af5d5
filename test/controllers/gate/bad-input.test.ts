/** The gate controller on an API server in memory: what people and clocks do to its input. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import type { Scene } from '../../../src/controllers/gate/proofs/saying.ts';
import { say } from '../../../src/controllers/gate/proofs/say.ts';
import { readNode } from '../../../src/controllers/gate/node-facts.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import {
  DAEMON_SETS,
  DWELL_MS,
  gateObject,
  type GateScene,
  nodeObject,
  setPod,
  startScene,
  STARTUP,
  taintKeys,
} from './scene.ts';

/** The DaemonSet has another name from now on; its Pods run on, and are those of the old one. */
function rename({ api }: GateScene): void {
  const [set = {}] = api.objects(DAEMON_SETS);
  api.remove(DAEMON_SETS, { namespace: 'kube-system', name: 'cni' });
  const metadata = { name: 'cni-2', namespace: 'kube-system' };
  api.put(DAEMON_SETS, { metadata, spec: set['spec'] ?? {} });
}

function statusOf({ api }: GateScene, name: string): string {
  const node = api.objects(NODES).find((one) => textAt(one, 'metadata.name') === name);
  return JSON.stringify(node?.['status']);
}

describe('a DaemonSet that is renamed', () => {
  test('opens no node, though its Pods are ready, and the Node says why', async (context) => {
    const scene = await startScene(context);
    rename(scene);
    setPod(scene, 'n1', true);
    await scene.clock.advance(60_000);
    assert.deepEqual(taintKeys(scene, 'n1'), [STARTUP]);
    assert.match(statusOf(scene, 'n1'), /DaemonSet kube-system\/cni does not exist/);
  });

  test('shuts no node that is open, and the Node says why', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    rename(scene);
    await scene.clock.advance(60_000);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    assert.match(statusOf(scene, 'n1'), /GateProofUnknown.*kube-system\/cni does not exist/);
  });
});

function gateNamed(name: string, spec: JsonObject): JsonObject {
  const object = gateObject(spec);
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), name } };
}

describe('gates with overlapping taints', () => {
  test('of one key and two effects each take their own', async (context) => {
    const label = { label: { key: 'never' } };
    const gates = [
      gateNamed('a', {}),
      gateNamed('b', { taint: { key: STARTUP, effect: 'NoExecute' }, proofs: [label] }),
    ];
    const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: STARTUP, effect }));
    const scene = await startScene(context, { gates, nodes: [nodeObject('n1', { taints })] });
    setPod(scene, 'n1', true);
    await scene.clock.advance(60_000);
    const [node] = scene.api.objects(NODES);
    assert.deepEqual(node?.['spec'], { taints: [{ key: STARTUP, effect: 'NoExecute' }] });
  });

  test('of one key and one effect open when both are proven', async (context) => {
    const label = { label: { key: 'never' } };
    const gates = [gateNamed('a', {}), gateNamed('b', { proofs: [label] })];
    const scene = await startScene(context, { gates });
    setPod(scene, 'n1', true);
    await scene.clock.advance(60_000);
    assert.deepEqual(taintKeys(scene, 'n1'), [STARTUP]);
  });
});

describe('a gate of a newer release', () => {
  const newer = { regress: { batteryLevel: 3 }, probes: [{ kind: 'x' }] };

  test('is refused by its unknown fields, each by its name', () => {
    const { policies, refusals } = readNodeGate(gateObject(newer));
    const whys = refusals.map(({ why }) => why).join('\n');
    assert.match(whys, /^spec\.probes is unknown/m);
    assert.match(whys, /^spec\.regress\.batteryLevel is unknown/m);
    assert.notEqual(policies[0]?.refusedWhy, null);
  });

  test('keeps its nodes shut, shuts none that is open, and stops no other gate', async (context) => {
    const of = (group: string): JsonObject => ({ nodeSelector: { matchLabels: { group } } });
    const other = { key: 'readiness.k8s.io/other', effect: 'NoSchedule' };
    const gates = [
      gateNamed('newer', { ...newer, ...of('a') }),
      gateNamed('other', { taint: other, ...of('b') }),
    ];
    const node = (name: string, group: string, taints: readonly JsonObject[]): JsonObject =>
      nodeObject(name, { taints, metadata: { labels: { group } } });
    const old = { creationTimestamp: '2025-12-30T00:00:00Z', labels: { group: 'a' } };
    const nodes = [
      node('n1', 'a', [{ key: STARTUP, effect: 'NoSchedule' }]),
      nodeObject('n2', { taints: [], metadata: old }),
      node('n3', 'b', [other]),
    ];
    const scene = await startScene(context, { gates, nodes });
    for (const name of ['n1', 'n2', 'n3']) setPod(scene, name, true);
    await scene.clock.advance(60_000);
    const keys = ['n1', 'n2', 'n3'].map((name) => taintKeys(scene, name));
    assert.deepEqual(keys, [[STARTUP], [], []]);
  });
});

describe('a clock that jumps', () => {
  const AT_MS = Date.parse('2026-01-01T00:00:00Z');
  const TYPE = 'example.com/Ready';
  const at = new Date(AT_MS).toISOString();
  const condition = { type: TYPE, status: 'True', lastHeartbeatTime: at, lastTransitionTime: at };
  const node = readNode({
    metadata: { name: 'n', uid: 'u', resourceVersion: '1' },
    status: { conditions: [condition] },
  });
  const proof = { kind: 'condition', type: TYPE, status: 'True', whenMissing: null } as const;

  function stateAt(nowMs: number): string {
    const scene = { node, nowMs, bootFloorMs: null, formerHolds: new Set(), freshnessMs: 60_000 };
    return say(proof, scene as unknown as Scene).state;
  }

  test('an hour ahead makes a fresh proof unknown, which shuts nothing and opens nothing', () => {
    assert.deepEqual([stateAt(AT_MS), stateAt(AT_MS + 3_600_000)], ['proven', 'unknown']);
  });

  test('an hour back leaves what was just confirmed proven', () => {
    assert.equal(stateAt(AT_MS - 3_600_000), 'proven');
  });

  test('shuts no node that is open', async (context) => {
    const gates = [gateObject({ freshness: '1m', proofs: [{ condition: { type: TYPE } }] })];
    const nodes = [nodeObject('n1', { conditions: [condition] })];
    const scene = await startScene(context, { gates, nodes });
    await scene.clock.advance(DWELL_MS);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    for (const byMs of [3_600_000, -7_200_000]) {
      scene.clock.stepWall(byMs);
      await scene.clock.advance(30_000);
      assert.deepEqual(taintKeys(scene, 'n1'), []);
    }
  });
});
