/** The admission policy of gates on a real API server: a Node is tainted as it is created. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyManifests } from './controller-manifests.ts';
import type { KubeObject } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';
import { untilServed } from './served.ts';

const NODES = '/api/v1/nodes';
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';
const KEY = 'readiness.k8s.io/admitted';
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 120_000 };
let plane: ControlPlane;
let probes = 0;

interface NewNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonObject[];
}

/** The taints of the Node as the API server answers its creation. */
async function created({ name, labels = {}, taints }: NewNode): Promise<readonly string[]> {
  const spec = taints === undefined ? {} : { taints };
  const node = await plane.client.create<KubeObject>(NODES, { metadata: { name, labels }, spec });
  return taintsOf(node as unknown as JsonObject);
}

function taintsOf(node: JsonObject): readonly string[] {
  return listAt(node, 'spec.taints')
    .map((one) => `${textAt(one, 'key')}=${textAt(one, 'value') ?? ''}:${textAt(one, 'effect')}`)
    .filter((one) => !one.startsWith('node.kubernetes.io/'));
}

async function layGate(name: string, spec: JsonObject): Promise<void> {
  await plane.client.create(GATES, {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name },
    spec: { proofs: [{ condition: { type: 'a.example/B' } }], ...spec },
  });
}

/** The API server takes policies and their parameters in a moment after they were stored. */
async function untilTainted(labels: Readonly<Record<string, string>>): Promise<void> {
  await until('new Nodes to be tainted', async () => {
    probes++;
    const taints = await created({ name: `probe-${probes}`, labels });
    return taints.length > 0 ? true : null;
  });
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  await applyManifests(plane.client, ['node-gates.yaml'], 'nobody');
  await untilServed(plane.client, GATES);
  await applyManifests(plane.client, ['gate-admission.yaml'], 'nobody');
  await layGate('by-labels', {
    nodeSelector: { matchLabels: { group: 'a' } },
    taint: { key: KEY, value: 'x', effect: 'NoSchedule' },
  });
  await untilTainted({ group: 'a' });
});
after(async () => {
  if (skip === false) await plane.stop();
});

test('a Node is created with the taint of the gate that selects it', WITH_PARTS, async () => {
  const taints = await created({ name: 'plain', labels: { group: 'a' } });
  assert.deepEqual(taints, [`${KEY}=x:NoSchedule`]);
});

test('taints that a kubelet brings stay, and ours is there once', WITH_PARTS, async () => {
  const labels = { group: 'a' };
  const other = { key: 'b.example/c', value: 'd', effect: 'NoExecute' };
  const own = { key: KEY, value: 'x', effect: 'NoSchedule' };
  assert.deepEqual(await created({ name: 'with-other', labels, taints: [other] }), [
    'b.example/c=d:NoExecute',
    `${KEY}=x:NoSchedule`,
  ]);
  assert.deepEqual(await created({ name: 'with-own', labels, taints: [own] }), [
    `${KEY}=x:NoSchedule`,
  ]);
});

test('a Node that no gate selects is created as it is', WITH_PARTS, async () => {
  assert.deepEqual(await created({ name: 'other-label', labels: { group: 'b' } }), []);
  assert.deepEqual(await created({ name: 'no-label' }), []);
});

test('a taint that the gate removed is not put back by an update', WITH_PARTS, async () => {
  await created({ name: 'opened', labels: { group: 'a' } });
  await plane.client.patch(`${NODES}/opened`, { spec: { taints: null } });
  const updated = await plane.client.patch<KubeObject>(`${NODES}/opened`, {
    metadata: { labels: { more: 'y' } },
  });
  assert.deepEqual(taintsOf(updated as unknown as JsonObject), []);
});

test('gates select by expressions too, and several taint the same Node', WITH_PARTS, async () => {
  await layGate('by-expressions', {
    nodeSelector: {
      matchExpressions: [
        { key: 'zone', operator: 'In', values: ['z1', 'z2'] },
        { key: 'kind', operator: 'NotIn', values: ['virtual'] },
        { key: 'role', operator: 'Exists' },
        { key: 'spare', operator: 'DoesNotExist' },
      ],
    },
    taint: { key: `${KEY}-2`, effect: 'NoSchedule' },
  });
  const fits = { zone: 'z1', role: 'worker' };
  await untilTainted(fits);
  const both = await created({ name: 'both', labels: { ...fits, group: 'a' } });
  assert.deepEqual(both.toSorted(), [`${KEY}-2=:NoSchedule`, `${KEY}=x:NoSchedule`]);
  const misfits: readonly Readonly<Record<string, string>>[] = [
    { zone: 'z3', role: 'worker' },
    { ...fits, kind: 'virtual' },
    { zone: 'z1' },
    { ...fits, spare: '' },
  ];
  for (const [index, labels] of misfits.entries())
    assert.deepEqual(await created({ name: `misfit-${index}`, labels }), []);
});

test('a gate in dry run taints nothing', WITH_PARTS, async () => {
  await layGate('dry', {
    nodeSelector: { matchLabels: { group: 'dry' } },
    taint: { key: `${KEY}-dry`, effect: 'NoSchedule' },
    dryRun: true,
  });
  await layGate('dry-witness', {
    nodeSelector: { matchLabels: { group: 'witness' } },
    taint: { key: `${KEY}-witness`, effect: 'NoSchedule' },
  });
  await untilTainted({ group: 'witness' });
  assert.deepEqual(await created({ name: 'dry', labels: { group: 'dry' } }), []);
});
