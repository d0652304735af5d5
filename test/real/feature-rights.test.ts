/** Every combination of features on a real API server: exactly its rights, and programs that run with them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { at, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type Case, installed } from './chart-cases.ts';
import { startControlPlane } from './control-plane.ts';
import { featureCases, type Part, rightsGiven } from './feature-cases.ts';
import { InstallSite, ruleText, untilSaid } from './install-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'kubectl');
const WITH_PARTS = { skip, timeout: 120_000 };
const NAMESPACES = ['rollcall', 'kube-system', 'kube-public', 'nrr-system', 'default'];
const ROLES = 'clusterroles,clusterrolebindings,roles,rolebindings';
let site: InstallSite;

async function apply(objects: readonly JsonObject[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  const file = site.file('objects.json', list);
  await site.kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
}

function isKind(object: JsonObject): boolean {
  return textAt(object, 'kind') === 'CustomResourceDefinition';
}

before(async () => {
  if (skip !== false) return;
  site = new InstallSite(await startControlPlane());
  for (const name of ['rollcall', 'nrr-system']) await site.kubectl('create', 'namespace', name);
  const all = [...installed({ title: '', values: {} }).values()];
  await apply(all.filter(isKind));
  await until('NodeGates to be served', async () => site.get('nodegates').catch(() => null));
});
after(async () => {
  if (skip === false) await site.plane.stop();
});

/** With nothing left of the combination before. */
async function applyAlone(one: Case): Promise<void> {
  const label = 'app.kubernetes.io/part-of=rollcall';
  await site.kubectl('delete', ROLES, '-A', '-l', label);
  await apply([...installed(one).values()].filter((object) => !isKind(object)));
}

async function mustHaveRights(one: Case, account: string): Promise<void> {
  const given = rightsGiven(one, account);
  const kubeconfig = await site.kubeconfigOf('rollcall', account);
  for (const namespace of NAMESPACES) {
    const rules = await site.rulesOf(kubeconfig, namespace);
    const expected = [...(given.get('') ?? []), ...(given.get(namespace) ?? [])];
    const seen = [...new Set(rules.map(ruleText))].toSorted();
    assert.deepEqual(seen, [...new Set(expected)].toSorted(), namespace);
  }
}

/** Whether the way in which it runs differs from that of another combination. */
function isRun({ values }: Case, part: Part): boolean {
  if (part === 'gate') return at(values, 'gate.taintAtCreate') === false;
  return part === 'controller' && at(values, 'controller.eniJanitor') === '';
}

/** A controller that only looks and tells needs no Lease. */
function writes({ values }: Case): boolean {
  const { reports, events, auth } = at(values, 'controller') as JsonObject;
  return reports !== false || events !== false || auth === 'restore';
}

let nodes = 0;

async function mustOpen(said: () => string): Promise<void> {
  const name = `opened-${nodes++}`;
  const taint = { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' };
  const spec = {
    nodeSelector: { matchLabels: { group: name } },
    taint,
    proofs: [{ label: { key: 'group' } }],
    dwell: '0s',
  };
  const metadata = { name };
  await apply([{ apiVersion: 'rollcall.dev/v1alpha1', kind: 'NodeGate', metadata, spec }]);
  await site.plane.client.create('/api/v1/nodes', {
    metadata: { name, labels: { group: name } },
    spec: { taints: [taint] },
  });
  await untilSaid(said, new RegExp(`${name}: GateOpened`));
}

for (const part of ['controller', 'gate', 'agent'] as const)
  describe(`the ${part} has its rights and no others with`, () => {
    const account = `rollcall-${part}`;
    for (const one of featureCases(part))
      test(one.title, WITH_PARTS, async (t) => {
        await applyAlone(one);
        await mustHaveRights(one, account);
        if (!isRun(one, part)) return;
        const said = await site.startAs(t, 'rollcall', account);
        await untilSaid(said, writes(one) ? /leads as/ : /serves \/metrics/);
        if (part === 'gate') await mustOpen(said);
        assert.doesNotMatch(said(), /forbidden|denied|may not/i);
      });
  });
