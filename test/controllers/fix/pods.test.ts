/** Pods that a fix has replaced: by what proof, one after the other, and what stays. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixPods, POD_NOTE } from '../../../src/controllers/fix/pods/fix-pods.ts';
import { podsNamedIn, slipInsOf } from '../../../src/controllers/fix/pods/target.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES, readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import type { PodToReplace } from '../../../src/diagnosis/repair.ts';
import { findingOf } from '../../../src/diagnosis/testing.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { CSI_NODES, DAEMON_SETS, gateObject, nodeObject, PODS, STARTUP } from '../gate/scene.ts';
import { layPod, type PodParts, podNames, REPLICA_SET } from '../slip-ins/scene.ts';
import { BUDGETS } from '../../ports/fake/kube-writes.ts';
import { type Scene, scene } from './scene.ts';

const CAUSE = 'irsa-webhook-did-not-mutate';
const START_MS = Date.parse('2026-01-01T00:00:00Z');

interface Own extends Scene {
  readonly lay: (name: string, parts?: PodParts) => string;
}

function withPods(): Own {
  const at = scene();
  for (const kind of [PODS, NODES, NODE_GATES, DAEMON_SETS, CSI_NODES]) at.api.serve(kind);
  const clock = { nowMs: () => START_MS };
  return { ...at, lay: (name, parts) => layPod({ api: at.api, clock }, name, parts) };
}

function named(uid: string, name = 'cart-1', change: Partial<PodToReplace> = {}): PodToReplace {
  const pod = { namespace: 'shop', name, uid, since: null, says: 'it has no token' };
  return { kind: 'replace-pod', by: 'new-pod', ...pod, ...change };
}

function documentWith(...repairs: readonly PodToReplace[]): DiagnosisDocument {
  const findings = [findingOf(CAUSE, 'credentialed', { repairs })];
  return { subjects: [{ findings }] } as unknown as DiagnosisDocument;
}

interface Asked {
  readonly most?: number;
  readonly isDryRun?: boolean;
}

async function fixed(
  at: Own,
  repairs: readonly PodToReplace[],
  { most = 20, isDryRun = false }: Asked = {},
): Promise<readonly FixStep[]> {
  const targets = podsNamedIn(documentWith(...repairs));
  const order = { id: 'pods-1', isDryRun, targets, most, waitMs: 10_000 };
  return await fixPods(order, at.tools(isDryRun));
}

function outcomes(steps: readonly FixStep[]): readonly string[] {
  return steps.map(({ object, outcome }) => `${object} ${outcome}`);
}

describe('a Pod that a finding names', () => {
  test('is evicted, and the ready Pod in its place is shown', async () => {
    const at = withPods();
    const uid = at.lay('cart-1');
    at.before.push(() => at.lay('cart-2'));
    const [step] = await fixed(at, [named(uid)]);
    assert.ok(step !== undefined);
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /It was evicted, and shop\/cart-2 is ready in its place\.$/);
    assert.equal(step.diff[1], '+ shop/cart-2 of ReplicaSet cart on n1, ready');
    assert.deepEqual(podNames(at), ['cart-2']);
    assert.equal(at.notes[0]?.['kind'], POD_NOTE);
  });

  test('is shown with its proof and its owner in a dry run, and stays', async () => {
    const at = withPods();
    const [step] = await fixed(at, [named(at.lay('cart-1'))], { isDryRun: true });
    assert.equal(step?.outcome, 'would-write');
    assert.match(step.why, /^irsa-webhook-did-not-mutate: it has no token\. The server/);
    assert.deepEqual(step.diff, ['- shop/cart-1 of ReplicaSet cart on n1']);
    assert.deepEqual([podNames(at), at.notes], [['cart-1'], []]);
  });

  test('that is another by its name stays', async () => {
    const at = withPods();
    at.lay('cart-1');
    assert.deepEqual(outcomes(await fixed(at, [named('former')])), ['Pod shop/cart-1 not-needed']);
    assert.deepEqual(podNames(at), ['cart-1']);
  });

  test('that needed only another start stays once it has started again', async () => {
    const at = withPods();
    const uid = at.lay('cart-1', { startedMs: 60_000 });
    const since = '1970-01-01T00:00:10Z';
    const start = await fixed(at, [named(uid, 'cart-1', { by: 'new-start', since })]);
    assert.deepEqual(outcomes(start), ['Pod shop/cart-1 not-needed']);
    const pod = await fixed(at, [named(uid, 'cart-1', { by: 'new-pod', since })]);
    assert.equal(pod[0]?.outcome, 'written');
  });
});

describe('a Pod that a finding names stays', () => {
  const STAYING: readonly (readonly [string, PodParts, string])[] = [
    ['nobody makes again', { owner: null }, 'refused'],
    [
      'Karpenter may not disrupt',
      { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      'refused',
    ],
    ['is of a DaemonSet', { owner: { ...REPLICA_SET, kind: 'DaemonSet' } }, 'not-needed'],
    ['is a mirror', { annotations: { 'kubernetes.io/config.mirror': 'x' } }, 'not-needed'],
    ['has finished', { phase: 'Succeeded' }, 'not-needed'],
  ];
  for (const [what, parts, outcome] of STAYING)
    test(`that ${what} stays`, async () => {
      const at = withPods();
      const [step] = await fixed(at, [named(at.lay('cart-1', parts))]);
      assert.equal(step?.outcome, outcome);
      assert.deepEqual(podNames(at), ['cart-1']);
    });

  test('stays where a PodDisruptionBudget forbids it, which is an answer of its own', async () => {
    const at = withPods();
    at.api.put(BUDGETS, {
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'cart' } } },
      status: { disruptionsAllowed: 0 },
    });
    const [step] = await fixed(at, [named(at.lay('cart-1'))]);
    assert.equal(step?.outcome, 'forbidden-by-budget');
    assert.deepEqual(podNames(at), ['cart-1']);
  });

  test('waits where the hour is used up', async () => {
    const at = withPods();
    const owners = ['a', 'b'].map((uid) => ({ ...REPLICA_SET, uid }));
    const uids = owners.map((owner, index) => at.lay(`cart-${index}`, { owner }));
    const all = uids.map((uid, index) => named(uid, `cart-${index}`));
    const steps = await fixed(at, all, { most: 1 });
    assert.deepEqual(outcomes(steps), ['Pod shop/cart-0 written', 'Pod shop/cart-1 refused']);
    assert.match(steps[1]?.why ?? '', /The budget of this hour is used up/);
  });

  test('stays while no Pod is ready in the place of another of its workload', async () => {
    const at = withPods();
    const all = [1, 2].map((one) => named(at.lay(`cart-${one}`), `cart-${one}`));
    const steps = await fixed(at, all);
    assert.deepEqual(outcomes(steps), ['Pod shop/cart-1 written', 'Pod shop/cart-2 refused']);
    assert.match(steps[1]?.why ?? '', /no Pod is ready in the place of shop\/cart-1/);
  });
});

describe('a Pod by which a gate was passed', () => {
  const SHUT = [{ key: STARTUP, effect: 'NoSchedule' }];

  async function targetsOf(at: Own, taints: readonly JsonObject[], slipIns: JsonObject) {
    at.api.put(NODE_GATES, gateObject({ slipIns }));
    at.api.put(NODES, nodeObject('n1', { taints }));
    const kinds = [{ resource: NODE_GATES, read: readNodeGate }];
    return await slipInsOf({ api: at.api, kinds, nowMs: () => START_MS + 60_000 }, null);
  }

  async function outcomeAt(taints: readonly JsonObject[], slipIns: JsonObject, parts?: PodParts) {
    const at = withPods();
    at.lay('cart-1', parts);
    const targets = await targetsOf(at, taints, slipIns);
    const order = { id: 'pods-1', isDryRun: false, targets, most: 20, waitMs: 10_000 };
    return outcomes(await fixPods(order, at.tools()));
  }

  test('is evicted, also where the gate itself only reports', async () => {
    assert.deepEqual(await outcomeAt(SHUT, { mode: 'report' }), ['Pod shop/cart-1 written']);
  });

  test('stays where the gate does not keep the next one away', async () => {
    assert.deepEqual(await outcomeAt([], { mode: 'report' }), ['Pod shop/cart-1 refused']);
  });

  test('is not looked for where the gate ignores them', async () => {
    assert.deepEqual(await outcomeAt(SHUT, { mode: 'ignore' }), []);
  });

  test('that tolerates its taint stays', async () => {
    const tolerations = [{ operator: 'Exists' }];
    assert.deepEqual(await outcomeAt(SHUT, { mode: 'evict' }, { tolerations }), []);
  });
});
