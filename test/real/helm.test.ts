/** The chart on a real API server: rights of its accounts, pod security, upgrade, rollback, uninstall. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PERMISSIONS } from '../../src/collection/permissions.generated.ts';
import {
  featuresNamed,
  joined,
  type KubePermission,
  resourceText,
} from '../../src/collection/permissions.ts';
import { at, isObject, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { rollcall } from '../live/rollcall.ts';
import { until } from './bench.ts';
import { CHART, Helm, installed } from './chart-cases.ts';
import { startControlPlane } from './control-plane.ts';
import { InstallSite, ruleText, untilSaid } from './install-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'kubectl', 'helm');
const WITH_PARTS = { skip, timeout: 240_000 };
const helm = new Helm();
let site: InstallSite;

async function helmRun(...args: readonly string[]): Promise<string> {
  return await helm.run([...args, '--kubeconfig', site.plane.kubeconfigPath]);
}

async function served(): Promise<void> {
  await until('NodeGates to be served', async () => site.get('nodegates').catch(() => null));
}

before(async () => {
  if (skip !== false) return;
  site = new InstallSite(await startControlPlane());
  await helmRun('install', 'rc', CHART, '-n', 'gates', '--create-namespace');
  await served();
});
after(async () => {
  helm.end();
  if (skip === false) await site.plane.stop();
});

/** What the table of permissions gives some features in the whole cluster, and in one namespace. */
function tableOf(names: readonly string[], namespaces: readonly string[]): readonly string[] {
  const { kubernetes } = joined(featuresNamed(PERMISSIONS, names));
  const isThere = ({ namespace }: KubePermission): boolean =>
    namespace === null || namespaces.includes(namespace);
  return kubernetes
    .filter(isThere)
    .map((one) => ruleText({ verb: one.verb, group: one.group, resource: resourceText(one) }))
    .toSorted();
}

async function rightsOf(account: string, namespace: string): Promise<readonly string[]> {
  const kubeconfig = await site.kubeconfigOf('gates', account);
  const rules = await site.rulesOf(kubeconfig, namespace);
  return [...new Set(rules.map(ruleText))].toSorted();
}

function withoutRules(rights: readonly string[]): readonly string[] {
  return rights.filter((one) => !one.includes('nodereadinessrules'));
}

describe('each account has the rights of its features and no others:', () => {
  test('the controller', WITH_PARTS, async () => {
    const names = ['status', 'details', 'watch', 'controller'];
    const own = await rightsOf('rollcall-controller', 'gates');
    assert.deepEqual(own, tableOf(names, ['rollcall']));
    const system = await rightsOf('rollcall-controller', 'kube-system');
    assert.deepEqual(system, tableOf(names, ['kube-system']));
    assert.equal(
      own.some((one) => one.endsWith(' secrets')),
      false,
    );
  });

  test('the gate, without NodeReadinessRules', WITH_PARTS, async () => {
    assert.deepEqual(
      await rightsOf('rollcall-gate', 'gates'),
      withoutRules(tableOf(['gate'], ['rollcall'])),
    );
    assert.deepEqual(
      await rightsOf('rollcall-gate', 'default'),
      withoutRules(tableOf(['gate'], [])),
    );
  });

  test('the agent, and its half without any', WITH_PARTS, async () => {
    const node = ['get nodes', 'patch nodes/status'];
    const slices = 'list endpointslices.discovery.k8s.io';
    assert.deepEqual(await rightsOf('rollcall-agent', 'gates'), ['get nodes', slices, node[1]]);
    assert.deepEqual(await rightsOf('rollcall-agent', 'kube-system'), node);
    assert.deepEqual(await rightsOf('rollcall-agent-machine', 'gates'), []);
  });
});

async function layGatedNode(name: string): Promise<void> {
  const gate = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { group: name } },
      taint: { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' },
      proofs: [{ label: { key: 'proven' } }],
      dwell: '0s',
    },
  };
  await site.kubectl('create', '-f', site.file('gate.json', gate));
  const taints = [{ key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' }];
  await site.plane.client.create('/api/v1/nodes', {
    metadata: { name, labels: { group: name } },
    spec: { taints },
  });
}

describe('with the token of its account', () => {
  test('the gate opens a node, and is denied nothing', WITH_PARTS, async (t) => {
    await layGatedNode('opened');
    const said = await site.startAs(t, 'gates', 'rollcall-gate');
    await untilSaid(said, /leads as/);
    assert.deepEqual(await site.taintsOf('opened'), ['readiness.k8s.io/opened']);
    await site.kubectl('label', 'node', 'opened', 'proven=1');
    await untilSaid(said, /opened: GateOpened/);
    assert.deepEqual(await site.taintsOf('opened'), []);
    assert.doesNotMatch(said(), /forbidden|denied/i);
  });

  test('the controller keeps its roll call and reports', WITH_PARTS, async (t) => {
    const said = await site.startAs(t, 'gates', 'rollcall-controller');
    await untilSaid(said, /leads as/);
    await until('a report', async () => {
      const { items } = await site.get('nodereports');
      return (items as readonly JsonObject[]).length > 0 ? true : null;
    });
    assert.doesNotMatch(said(), /forbidden|may not/i);
  });
});

const PODS = {
  'rollcall-controller': 'Deployment',
  'rollcall-gate': 'Deployment',
  'rollcall-agent': 'DaemonSet',
  'rollcall-agent-machine': 'DaemonSet',
} as const;

/** Has the API server check a pod of the chart in a namespace that enforces a level. */
async function refusalOf(
  name: keyof typeof PODS,
  level: string,
  values: JsonObject = {},
): Promise<string> {
  const namespace = `level-${level}`;
  const objects = installed({ title: '', namespace, values });
  const workload = objects.get(`${PODS[name]} ${namespace} ${name}`) ?? assert.fail(name);
  const spec = at(workload, 'spec.template.spec');
  if (!isObject(spec)) assert.fail('no pod');
  const { serviceAccountName, priorityClassName, ...bare } = spec;
  assert.equal(serviceAccountName, name);
  assert.equal(typeof priorityClassName, 'string');
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: bare };
  const file = site.file('pod.json', {
    ...pod,
    spec: { ...bare, automountServiceAccountToken: false },
  });
  return await site.kubectl('create', '--dry-run=server', '-f', file).then(
    () => '',
    (error: unknown) => String(error),
  );
}

describe('pod security', () => {
  before(async () => {
    if (skip !== false) return;
    for (const level of ['restricted', 'privileged']) {
      const name = `level-${level}`;
      await site.kubectl('create', 'namespace', name);
      await site.kubectl('-n', name, 'create', 'serviceaccount', 'default');
      await site.kubectl('label', 'namespace', name, `pod-security.kubernetes.io/enforce=${level}`);
    }
  });

  test('takes controller and gate at the restricted level', WITH_PARTS, async () => {
    assert.equal(await refusalOf('rollcall-controller', 'restricted'), '');
    assert.equal(await refusalOf('rollcall-gate', 'restricted'), '');
  });

  test(
    'takes an agent whose probes need nothing of the machine there too',
    WITH_PARTS,
    async () => {
      const values = { agent: { probes: ['api-server', 'dns', 'pod-network', 'clock', 'disk'] } };
      assert.equal(await refusalOf('rollcall-agent', 'restricted', values), '');
    },
  );

  test(
    'takes an agent that mounts folders of the machine at the privileged level only',
    WITH_PARTS,
    async () => {
      assert.match(await refusalOf('rollcall-agent', 'restricted'), /hostPath/);
      assert.match(
        await refusalOf('rollcall-agent-machine', 'restricted'),
        /hostNetwork|host namespaces/,
      );
      assert.equal(await refusalOf('rollcall-agent', 'privileged'), '');
      assert.equal(await refusalOf('rollcall-agent-machine', 'privileged'), '');
    },
  );
});

/** Says of the Job what its controller would. */
async function completeJob(): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const done = (type: string): JsonObject => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    lastProbeTime: now,
  });
  const conditions = [done('SuccessCriteriaMet'), done('Complete')];
  const status = { conditions, startTime: now, completionTime: now, succeeded: 1 };
  const patch = JSON.stringify({ status });
  const part = ['--subresource=status', '--type=merge', '-p', patch];
  await site.kubectl('-n', 'gates', 'patch', 'job', 'rollcall-uninstall', ...part);
}

/** The chart as it would be one version later. */
function nextChart(): string {
  const folder = join(site.plane.dir, 'next');
  cpSync(CHART, folder, { recursive: true });
  for (const name of ['Chart.yaml', 'values.yaml']) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(/0\.1\.0/g, '0.1.1'));
  }
  return folder;
}

async function imageOf(name: string): Promise<string | null> {
  const deployment = await site.get('-n', 'gates', 'deployment', name);
  return textAt(listAt(deployment, 'spec.template.spec.containers')[0], 'image');
}

describe('helm', () => {
  test('upgrades by a version and rolls back, in place', WITH_PARTS, async () => {
    const uid = textAt(
      await site.get('-n', 'gates', 'deployment', 'rollcall-gate'),
      'metadata.uid',
    );
    await helmRun('upgrade', 'rc', nextChart(), '-n', 'gates', '--set', 'gate.replicas=3');
    assert.equal(await imageOf('rollcall-gate'), 'rollcall:0.1.1');
    await helmRun('rollback', 'rc', '1', '-n', 'gates');
    assert.equal(await imageOf('rollcall-gate'), 'rollcall:0.1.0');
    const back = await site.get('-n', 'gates', 'deployment', 'rollcall-gate');
    assert.equal(textAt(back, 'metadata.uid'), uid);
    assert.equal(textAt(back, 'spec.replicas'), '2');
  });

  test('leaves no taint of ours behind an uninstall', WITH_PARTS, async () => {
    await layGatedNode('left');
    const gone = helmRun('uninstall', 'rc', '-n', 'gates', '--timeout', '120s');
    // Nobody here runs pods: what the Job's pod would do is done with its arguments and its account.
    const job = await until('the Job', async () =>
      site.get('-n', 'gates', 'job', 'rollcall-uninstall').catch(() => null),
    );
    const [container] = listAt(job, 'spec.template.spec.containers');
    const args = listAt(container, 'args').map(String);
    const kubeconfig = await site.kubeconfigOf('gates', 'rollcall-uninstall');
    const rights = await site.rulesOf(kubeconfig, 'gates');
    assert.deepEqual(
      new Set(rights.map(ruleText)),
      new Set([
        'get nodes',
        'list nodes',
        'patch nodes',
        'get nodegates.rollcall.dev',
        'list nodegates.rollcall.dev',
        'patch nodegates.rollcall.dev',
      ]),
    );
    const { code, stdout, stderr } = await rollcall([...args, '--kubeconfig', kubeconfig], {});
    assert.equal(code, 0, stdout + stderr);
    await completeJob();
    await gone;
    assert.deepEqual(await site.taintsOf('left'), []);
    const gates = listAt(await site.get('nodegates'), 'items');
    for (const gate of gates) assert.equal(at(gate, 'metadata.finalizers'), undefined);
    for (const kind of [
      'deployments',
      'daemonsets',
      'clusterroles',
      'clusterrolebindings',
      'validatingadmissionpolicies',
      'priorityclasses',
    ])
      assert.deepEqual(await site.names(kind), [], kind);
    assert.equal(gates.length > 0, true);
  });
});
