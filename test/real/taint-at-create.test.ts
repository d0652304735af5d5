/** The admission policy of the chart that taints Nodes while they are created, on a real API server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { startControlPlane } from './control-plane.ts';
import { InstallSite } from './install-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'kubectl');
const WITH_PARTS = { skip, timeout: 120_000 };
const FOREIGN = { key: 'other.example/x', effect: 'NoExecute' };
let site: InstallSite;

function gate(name: string, nodeSelector: JsonObject, spec: JsonObject = {}): JsonObject {
  const key = `readiness.k8s.io/${name}`;
  const proofs = [{ condition: { type: 'Ready' } }];
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name },
    spec: { nodeSelector, taint: { key, effect: 'NoSchedule' }, proofs, ...spec },
  };
}

const GATES = [
  gate('all', {}),
  gate('labels', { matchLabels: { role: 'worker' } }),
  gate('in', { matchExpressions: [{ key: 'role', operator: 'In', values: ['worker', 'b'] }] }),
  gate('not-in', { matchExpressions: [{ key: 'role', operator: 'NotIn', values: ['worker'] }] }),
  gate('exists', { matchExpressions: [{ key: 'role', operator: 'Exists' }] }),
  gate('absent', { matchExpressions: [{ key: 'role', operator: 'DoesNotExist' }] }),
  gate('tried', {}, { dryRun: true }),
  gate('placed', {}, { placedBy: { namespace: 'kube-system', name: 'a' } }),
];

let count = 0;

/** The taints of a Node as the answer to its creation has them, in the order of their keys. */
async function born(
  labels: JsonObject,
  taints: readonly JsonObject[] = [],
): Promise<readonly string[]> {
  const metadata = { name: `n${count++}`, labels };
  const spec = taints.length === 0 ? {} : { taints };
  const node = await site.plane.client.create('/api/v1/nodes', { metadata, spec });
  const all = listAt(node as unknown as JsonObject, 'spec.taints');
  const texts = all.map((taint) => `${textAt(taint, 'key')}:${textAt(taint, 'effect')}`);
  return texts
    .filter((text) => !text.startsWith('node.kubernetes.io/'))
    .map((text) => text.replace('readiness.k8s.io/', '').replace(':NoSchedule', ''))
    .toSorted();
}

before(async () => {
  if (skip !== false) return;
  site = new InstallSite(await startControlPlane());
  const off = ['controller', 'agent'].flatMap((name) => ['--set', `${name}.enabled=false`]);
  const { code, stdout, stderr } = await site.rollcall(
    'install',
    '--yes',
    ...off,
    '--set',
    'gate.taintAtCreate=true',
  );
  assert.equal(code, 0, stdout + stderr);
  await until('NodeGates to be served', async () => site.get('nodegates').catch(() => null));
  for (const one of GATES) await site.kubectl('create', '-f', site.file('gate.json', one));
  await until('the policy to know every gate', async () => {
    const seen = [await born({ role: 'worker' }), await born({})].flat();
    return seen.length === 7 ? true : null;
  });
});
after(async () => {
  if (skip === false) await site.plane.stop();
});

describe('a Node is created with the taints of the gates that select it', () => {
  test('by labels and expressions', WITH_PARTS, async () => {
    assert.deepEqual(await born({ role: 'worker' }), ['all', 'exists', 'in', 'labels']);
    assert.deepEqual(await born({ role: 'b' }), ['all', 'exists', 'in', 'not-in']);
    assert.deepEqual(await born({ role: '' }), ['all', 'exists', 'not-in']);
    assert.deepEqual(await born({}), ['absent', 'all', 'not-in']);
  });

  test('beside those of others, and none twice', WITH_PARTS, async () => {
    const own = { key: 'readiness.k8s.io/all', effect: 'NoSchedule' };
    const taints = await born({ role: 'worker' }, [FOREIGN, own]);
    assert.deepEqual(taints, ['all', 'exists', 'in', 'labels', 'other.example/x:NoExecute']);
  });

  test('until uninstall, which no Node born meanwhile escapes', WITH_PARTS, async () => {
    const { code, stdout } = await site.rollcall('uninstall', '--yes');
    assert.equal(code, 0, stdout);
    assert.deepEqual(await born({}), []);
    const left = listAt(await site.get('nodes'), 'items').flatMap((node) =>
      listAt(node, 'spec.taints').map((taint) => textAt(taint, 'key') ?? ''),
    );
    assert.deepEqual(
      left.filter((key) => key.startsWith('readiness.k8s.io/') && key !== 'readiness.k8s.io/tried'),
      [],
    );
  });
});
