/** What shows that a Pod came too early, and what does not. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { readNode } from '../../../src/controllers/gate/node-facts.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import { proofOf } from '../../../src/controllers/slip-ins/evidence.ts';
import { readPod } from '../../../src/controllers/slip-ins/pod.ts';
import type { GateStanding } from '../../../src/controllers/slip-ins/standing.ts';
import { gateObject, nodeObject, STARTUP } from '../gate/scene.ts';
import { layOpenNode, layPod, type PodParts, startSlipScene } from './scene.ts';

const OURS = { key: STARTUP, effect: 'NoSchedule' };
const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const NOW_MS = START_MS + 60 * MINUTE_MS;

function timeAt(ms: number): string {
  return new Date(ms).toISOString();
}

/** Lays Pods on a node that was just created without its taint, and says which are found. */
async function foundOf(context: TestContext, parts: PodParts): Promise<readonly string[]> {
  const scene = await startSlipScene(context, { gate: { slipIns: { mode: 'evict' } } });
  layOpenNode(scene);
  layPod(scene, 'cart-1', parts);
  await scene.clock.advance(15_000);
  return scene.told;
}

describe('on a node that no gate has opened', () => {
  const PASSED: readonly (readonly [string, PodParts])[] = [
    [
      'a Pod of a DaemonSet',
      { owner: { kind: 'DaemonSet', name: 'd', uid: 'd', controller: true } },
    ],
    ['a static Pod', { owner: { kind: 'Node', name: 'n1', uid: 'n', controller: true } }],
    ['a mirror of one', { annotations: { 'kubernetes.io/config.mirror': 'x' } }],
    ['a Pod that tolerates the taint', { tolerations: [{ key: STARTUP, operator: 'Exists' }] }],
    ['a Pod that tolerates everything', { tolerations: [{ operator: 'Exists' }] }],
    ['a Pod that is being deleted', { metadata: { deletionTimestamp: timeAt(START_MS) } }],
    ['a Pod that has finished', { phase: 'Succeeded' }],
    ['a Pod of another node', { node: 'n2' }],
    ['a Pod that is not bound', { node: '' }],
    ['a Pod of a former Node of this name', { boundMs: START_MS - MINUTE_MS }],
  ];
  for (const [what, parts] of PASSED)
    test(`I-09: ${what} is not a slip-in`, async (context) => {
      assert.deepEqual(await foundOf(context, parts), []);
    });

  const KEPT: readonly (readonly [string, PodParts])[] = [
    ['a Pod that nobody would make again', { owner: null }],
    [
      'a Pod that Karpenter may not disrupt',
      { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    ],
  ];
  for (const [what, parts] of KEPT)
    test(`${what} is found and not evicted`, async (context) => {
      assert.deepEqual(await foundOf(context, parts), ['found cart-1 bound-while-shut']);
    });

  test('a toleration of another effect does not count', async (context) => {
    const tolerations = [{ key: STARTUP, operator: 'Exists', effect: 'NoExecute' }];
    assert.equal((await foundOf(context, { tolerations }))[0], 'found cart-1 bound-while-shut');
  });
});

test('I-08: Pods of nodes that no gate selects are not looked at', async (context) => {
  const gate = { nodeSelector: { matchLabels: { group: 'workers' } } };
  const scene = await startSlipScene(context, { gate });
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(11 * MINUTE_MS);
  assert.deepEqual(scene.told, []);
});

test('a gate that ignores slip-ins asks for no Pods', async (context) => {
  const scene = await startSlipScene(context, { gate: { slipIns: { mode: 'ignore' } } });
  layOpenNode(scene);
  layPod(scene, 'cart-1');
  await scene.clock.advance(11 * MINUTE_MS);
  assert.deepEqual(scene.told, []);
});

test('Pods that were there long before a node came under the gate are not slip-ins', async (context) => {
  const gate = { nodeSelector: { matchLabels: { group: 'workers' } } };
  const scene = await startSlipScene(context, { gate });
  layOpenNode(scene);
  await scene.clock.advance(20 * MINUTE_MS);
  layPod(scene, 'cart-1');
  const metadata = { creationTimestamp: timeAt(START_MS), labels: { group: 'workers' } };
  scene.api.put(NODES, nodeObject('n1', { taints: [], metadata }));
  await scene.clock.advance(11 * MINUTE_MS);
  assert.deepEqual(scene.told, []);
});

test('Pods of nodes that are older than their gate are not slip-ins', async (context) => {
  const metadata = { creationTimestamp: '2025-06-01T00:00:00Z' };
  const scene = await startSlipScene(context, {
    nodes: [nodeObject('n1', { taints: [OURS], metadata })],
  });
  layPod(scene, 'cart-1');
  await scene.clock.advance(11 * MINUTE_MS);
  assert.deepEqual(scene.told, []);
});

interface Case {
  readonly standing?: Partial<GateStanding>;
  readonly conditions?: readonly JsonObject[];
  readonly pod?: JsonObject;
}

/** What shows that a Pod came early, which was bound and started in the first minute. */
function kindOf({ standing = {}, conditions = [], pod = {} }: Case): string | null {
  const metadata = { creationTimestamp: timeAt(START_MS), uid: 'n', resourceVersion: '1' };
  const node = readNode(nodeObject('n1', { taints: [], conditions, metadata }));
  const [policy] = readNodeGate(gateObject()).policies;
  const startedAt = timeAt(START_MS + MINUTE_MS);
  const facts = readPod({
    metadata: { namespace: 'shop', name: 'a', uid: 'a', resourceVersion: '1' },
    spec: { nodeName: 'n1' },
    status: {
      podIP: '10.1.0.7',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: startedAt }],
      containerStatuses: [{ name: 'c', state: { running: { startedAt } } }],
    },
    ...pod,
  });
  assert.ok(node !== null && policy !== undefined && facts !== null);
  const usual: GateStanding = {
    policy,
    node,
    isNeverOpened: false,
    isSeenFromBirth: false,
    beforeLoss: null,
    openedMs: START_MS + 5 * MINUTE_MS + 5_000,
    provenMs: START_MS + 5 * MINUTE_MS,
    agentMs: START_MS + 5 * MINUTE_MS,
  };
  return proofOf(facts, { ...usual, ...standing })?.kind ?? null;
}

describe('a Pod on a node that was opened since', () => {
  test('came early when its containers run since before the agent found the node good', () => {
    assert.equal(kindOf({}), 'started-early');
  });

  const NOTHING: readonly (readonly [string, Partial<GateStanding>])[] = [
    ['I-13: the gate asks the agent for nothing', { agentMs: null }],
    ['I-13: a proof does not hold now', { provenMs: null }],
    ['it started after the agent found the node good', { agentMs: START_MS + MINUTE_MS }],
    ['it was bound after the gate opened', { openedMs: START_MS + MINUTE_MS, provenMs: START_MS }],
    ['I-40: the clock of who opened it was an hour ahead', { openedMs: START_MS + 65 * MINUTE_MS }],
    ['I-40: the proofs turned again since', { provenMs: NOW_MS, agentMs: NOW_MS }],
    ['nothing says when it was opened', { openedMs: null }],
  ];
  for (const [why, standing] of NOTHING)
    test(`is not a slip-in where ${why}`, () => {
      assert.equal(kindOf({ standing }), null);
    });
});

function guard(message: string, change: JsonObject = {}): JsonObject {
  return {
    type: 'rollcall.dev/MetadataGuarded',
    status: 'False',
    reason: 'OldFlowBypassesRedirect',
    message,
    lastHeartbeatTime: timeAt(NOW_MS),
    ...change,
  };
}

describe('a Pod that the agent saw with the identity of the node', () => {
  const NEVER = { openedMs: null };
  const HEAD = "Connections still reach instance metadata, so their pods get the node's role: ";
  const OURS_SEEN = `${HEAD}10.1.0.9:1, 10.1.0.7:53156. Restart these pods.`;

  test('is a slip-in by its address', () => {
    const conditions = [guard(OURS_SEEN)];
    assert.equal(kindOf({ standing: NEVER, conditions }), 'wrong-identity');
  });

  test('is one among others that are only counted', () => {
    const conditions = [guard(`${HEAD}10.1.0.7:53156 and 3 more. Restart these pods.`)];
    assert.equal(kindOf({ standing: NEVER, conditions }), 'wrong-identity');
  });

  const NOT_SEEN: readonly (readonly [string, JsonObject])[] = [
    ['another address is named', guard(`${HEAD}10.1.0.70:1. Restart these pods.`)],
    ['its address is elsewhere in the message', guard('The redirect to 10.1.0.7:8181 is there.')],
    ['the message was cut within an address', guard(`${HEAD}10.1.0.7:53…`)],
    ['the condition says something else', guard(OURS_SEEN, { reason: 'NodeRoleExposed' })],
    ['the condition is true by now', guard(OURS_SEEN, { status: 'True' })],
    [
      'the condition is older than its containers',
      guard(OURS_SEEN, { lastHeartbeatTime: timeAt(START_MS) }),
    ],
  ];
  for (const [why, condition] of NOT_SEEN)
    test(`I-13: is not a slip-in where ${why}`, () => {
      assert.equal(kindOf({ standing: NEVER, conditions: [condition] }), null);
    });

  test('has no address of its own on the network of the machine', () => {
    const pod = { spec: { nodeName: 'n1', hostNetwork: true } };
    assert.equal(kindOf({ standing: NEVER, conditions: [guard(OURS_SEEN)], pod }), null);
  });
});
