/** Rollcall in place of `/manager` of other programs: their flags, their rights, on a real API server. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/evidence/json.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite, type RunningGate } from './gate-site.ts';
import { RULE_DEFINITION } from './node-readiness-rule-definition.ts';
import { CONTROL_PLANE, missing } from './parts.ts';
import { RULES, RuleSite, taintOf } from './rule-site.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };
const ANYWHERE = '127.0.0.1:0';

interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function right(group: string, resources: string, verbs: string): Right {
  return { apiGroups: group.split(' '), resources: resources.split(' '), verbs: verbs.split(' ') };
}

const LEASES = right('coordination.k8s.io', 'leases', 'get list watch create update patch delete');
const GROUP = 'readiness.node.x-k8s.io';

/** What the charts of the two programs give them; the group of core objects is written as nothing. */
const RIGHTS_OF: Readonly<Record<string, readonly Right[]>> = {
  nrc: [
    { ...right('events.k8s.io', 'events', 'create patch'), apiGroups: ['', 'events.k8s.io'] },
    right('', 'nodes', 'get list patch update watch'),
    right('', 'nodes/status', 'get'),
    right(GROUP, 'nodereadinessrules', 'get list patch update watch'),
    right(GROUP, 'nodereadinessrules/finalizers', 'update'),
    right(GROUP, 'nodereadinessrules/status', 'get patch update'),
  ],
  nidhogg: [
    right('', 'nodes', 'get list watch update patch'),
    right('', 'pods', 'get list watch'),
    right('apps', 'daemonsets', 'get list watch'),
    right('', 'events', 'create update patch'),
  ],
};

let plane: ControlPlane;
let site: GateSite;
const endings: (() => void)[] = [];
const context = { after: (end: () => void) => void endings.push(end) };

/** A user with these rights, and with Leases in a namespace of its own. */
async function allow(user: string): Promise<GateSite> {
  const { client } = plane;
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
  const roleRef = (kind: string): JsonObject => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind,
    name: user,
  });
  const metadata = { name: user };
  await client.create('/api/v1/namespaces', { metadata });
  await client.create(`${RBAC}/clusterroles`, { metadata, rules: RIGHTS_OF[user] ?? [] });
  const bound = { metadata, subjects, roleRef: roleRef('ClusterRole') };
  await client.create(`${RBAC}/clusterrolebindings`, bound);
  await client.create(`${RBAC}/namespaces/${user}/roles`, { metadata, rules: [LEASES] });
  const own = { metadata, subjects, roleRef: roleRef('Role') };
  await client.create(`${RBAC}/namespaces/${user}/rolebindings`, own);
  return new GateSite(plane, await plane.writeKubeconfig(user));
}

/** What the API server refused it. */
function refusals(gate: RunningGate): readonly string[] {
  return gate
    .said()
    .split('\n')
    .filter((line) => /forbidden|denied|may not/i.test(line));
}

async function statusOf(gate: RunningGate, path: string): Promise<number> {
  const port = /on port (\d+)/.exec(gate.said())?.[1] ?? '';
  return (await fetch(`http://127.0.0.1:${port}/${path}`)).status;
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  await site.openNamespace();
  await site.define(RULE_DEFINITION, RULES);
});
after(async () => {
  for (const end of endings) end();
  if (skip === false) await plane.stop();
});

describe('in place of the Node Readiness Controller', WITH_PARTS, () => {
  test('follows rules with the flags and the rights of its chart', async () => {
    const own = await allow('nrc');
    const rules = new RuleSite(site);
    const gate = await own.startAs(context, [
      '__manager',
      '--leader-elect',
      '--leader-election-namespace=nrc',
      `--health-probe-bind-address=${ANYWHERE}`,
      '--enable-webhook=false',
      '--metrics-bind-address=0',
      '--node-concurrent-reconciles=4',
    ]);
    assert.match(gate.said(), /Replaces the manager of Node Readiness Controller/);
    await rules.rule('moved');
    await rules.node('moved', false);
    await site.untilTaints('moved', [taintOf('moved')], gate);
    await site.setCondition('moved', 'example.com/Ready', 'True');
    await site.untilTaints('moved', [], gate);
    await rules.where('moved', 'its node', (object) =>
      JSON.stringify(object).includes('"appliedNodes":["moved"]'),
    );
    await site.untilEvent('moved', /^TaintRemoved/);
    for (const path of ['healthz', 'readyz']) assert.equal(await statusOf(gate, path), 200, path);
    assert.deepEqual(refusals(gate), []);
    await gate.stop();
  });
});

describe('in place of nidhogg', WITH_PARTS, () => {
  test('keeps its taints with its flags and its rights', async () => {
    const own = await allow('nidhogg');
    const path = join(plane.dir, 'config.json');
    const daemonsets = [{ name: 'cni', namespace: 'kube-system' }];
    writeFileSync(path, JSON.stringify({ daemonsets }));
    const uid = await site.daemonSet('cni', { pool: 'workers' });
    const gate = await own.startAs(context, [
      '__manager',
      '-config-file',
      path,
      '--leader-election',
      '--leader-configmap=nidhogg-election',
      '--leader-namespace=nidhogg',
      '--metrics-addr',
      ANYWHERE,
      '--kube-api-qps=20',
    ]);
    assert.match(gate.said(), /Without effect here: --leader-election, --leader-configmap, --kube/);
    await site.node('worker', { labels: { pool: 'workers' } });
    await site.untilTaints('worker', ['nidhogg.uswitch.com/kube-system.cni:NoSchedule'], gate);
    await site.daemonPod('cni', uid, 'worker');
    await site.setPodReady('cni-worker', true);
    await site.untilTaints('worker', [], gate);
    assert.match(await gate.metrics(), /^taint_operations\{operation="removed",taint="nidhogg/m);
    assert.deepEqual(refusals(gate), []);
    await gate.stop();
  });
});
