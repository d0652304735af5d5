/** `rollcall agent` on a real API server, with a token of a pod and the policy of its manifest. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { loadAll } from 'js-yaml';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { startRollcall } from '../live/rollcall.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const MANIFEST = join(import.meta.dirname, '../../deploy/agent.yaml');
const ACCOUNT = '/api/v1/namespaces/rollcall/serviceaccounts/rollcall-agent';
const OWN = 'node-a';
const OTHER = 'node-b';
const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' };

const METRIC =
  /^rollcall_agent_condition\{condition="rollcall\.dev\/ClockOffset",status="True"\} 1$/m;

const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 120_000 };
let plane: ControlPlane;
let token: string;

const PATHS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/namespaces/NAMESPACE/serviceaccounts',
  Service: '/api/v1/namespaces/NAMESPACE/services',
  DaemonSet: '/apis/apps/v1/namespaces/NAMESPACE/daemonsets',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding:
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
};

async function applyManifest(): Promise<void> {
  for (const object of loadAll(readFileSync(MANIFEST, 'utf8')) as JsonObject[]) {
    const kind = textAt(object, 'kind') ?? '';
    const namespace = textAt(object, 'metadata.namespace') ?? '';
    const path = (PATHS[kind] ?? assert.fail(kind)).replace('NAMESPACE', namespace);
    await plane.client.create(path, object);
  }
}

async function layNode(name: string): Promise<void> {
  await plane.client.create('/api/v1/nodes', { metadata: { name } });
  const capacity = { cpu: '2', memory: '4Gi', pods: '110' };
  const status = { conditions: [READY], capacity, allocatable: capacity };
  await plane.client.patch(`/api/v1/nodes/${name}/status`, { status });
}

/** A token as the kubelet gets it for a pod of its Node; without one it is bound to no Node. */
async function tokenOf(pod: JsonObject | null): Promise<string> {
  const bound = {
    kind: 'Pod',
    apiVersion: 'v1',
    name: textAt(pod ?? {}, 'metadata.name'),
    uid: textAt(pod ?? {}, 'metadata.uid'),
  };
  const spec = { expirationSeconds: 3600, ...(pod === null ? {} : { boundObjectRef: bound }) };
  const asked = (await plane.client.create(`${ACCOUNT}/token`, { spec })) as unknown as JsonObject;
  return textAt(asked, 'status.token') ?? assert.fail('no token');
}

async function layPod(): Promise<JsonObject> {
  const spec = {
    nodeName: OWN,
    serviceAccountName: 'rollcall-agent',
    containers: [{ name: 'agent', image: 'rollcall' }],
  };
  const pod = { metadata: { name: 'agent-a' }, spec };
  const path = '/api/v1/namespaces/rollcall/pods';
  return (await plane.client.create(path, pod)) as unknown as JsonObject;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Patches a Node as an agent does, with a token. */
function patch(path: string, change: object, bearer = token): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/strategic-merge-patch+json',
  };
  const options = { method: 'PATCH', headers, ca: readFileSync(plane.caPath) };
  const asked = request(new URL(path, plane.url), options, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  asked.once('error', reject);
  asked.end(JSON.stringify(change));
  return promise;
}

function conditionChange(type: string, status = 'False'): object {
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  return { status: { conditions: [{ type, status, reason: 'R', message: 'm', ...times }] } };
}

function statusOf(node: string): string {
  return `/api/v1/nodes/${node}/status`;
}

async function conditionOf(node: string, type: string): Promise<JsonObject | null> {
  const object = (await plane.client.get(`/api/v1/nodes/${node}`)) as unknown as JsonObject;
  const all = listAt(object, 'status.conditions') as readonly JsonObject[];
  return all.find((one) => one['type'] === type) ?? null;
}

/** A policy is in force some moments after it was made. */
async function untilGuarded(): Promise<void> {
  await until('the policy', async () => {
    const change = conditionChange('rollcall.dev/DnsWorks');
    const { status } = await patch(statusOf(OTHER), change);
    return status === 403 ? true : null;
  });
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  await layNode(OWN);
  await layNode(OTHER);
  await applyManifest();
  token = await tokenOf(await layPod());
  await untilGuarded();
});
after(async () => {
  if (skip === false) await plane.stop();
});

function kubeconfig(): string {
  const path = join(plane.dir, 'agent.kubeconfig');
  const cluster = { server: plane.url, 'certificate-authority': plane.caPath };
  const context = { cluster: 'c', user: 'agent' };
  const config = {
    clusters: [{ name: 'c', cluster }],
    contexts: [{ name: 'c', context }],
    users: [{ name: 'agent', user: { token } }],
    'current-context': 'c',
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

/** Starts the agent as the pod of a Node, whose service address is the API server's own. */
function start(t: TestContext, node: string, ...more: readonly string[]): () => string {
  const { hostname, port } = new URL(plane.url);
  const flags = `--conditions --node ${node} --kubeconfig ${kubeconfig()} --listen 127.0.0.1:0`;
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const child = startRollcall(['agent', ...flags.split(' '), ...more], env);
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => {
      said += String(text);
    });
  return () => said;
}

async function holds(
  said: () => string,
  node: string,
  type: string,
  status: string,
): Promise<JsonObject> {
  return until(`${type} ${status}`, async () => {
    const condition = await conditionOf(node, type);
    return condition?.['status'] === status ? condition : null;
  }).catch((error: unknown) => {
    throw new Error(said(), { cause: error });
  });
}

describe('the agent', () => {
  test(
    'writes the conditions of its own Node beside those of others, and its health',
    WITH_PARTS,
    async (t) => {
      const said = start(t, OWN, '--probes=api-server,clock', '--interval=1s');
      const condition = await holds(said, OWN, 'rollcall.dev/ApiServerReachable', 'True');
      assert.match(textAt(condition, 'message') ?? '', /connects in \d+ ms/);
      assert.equal(textAt(condition, 'reason'), 'Reachable');
      await holds(said, OWN, 'rollcall.dev/ClockOffset', 'True');
      assert.equal((await conditionOf(OWN, 'Ready'))?.['reason'], 'KubeletReady');
      const port = /on port (\d+)/.exec(said())?.[1];
      for (const path of ['livez', 'readyz', 'metrics']) {
        const response = await fetch(`http://127.0.0.1:${port}/${path}`);
        const text = await response.text();
        assert.equal(response.status, 200, text);
        if (path === 'metrics') assert.match(text, METRIC);
      }
    },
  );

  test('takes over after a restart what is proven and fresh', WITH_PARTS, async (t) => {
    const type = 'rollcall.dev/ApiServerReachable';
    const first = await conditionOf(OWN, type);
    const said = start(t, OWN, '--probes=api-server', '--interval=1s', '--heartbeat=2s');
    await until('a newer heartbeat', async () => {
      const now = await conditionOf(OWN, type);
      return now?.['lastHeartbeatTime'] === first?.['lastHeartbeatTime'] ? null : true;
    }).catch((error: unknown) => {
      throw new Error(said(), { cause: error });
    });
    const again = await conditionOf(OWN, type);
    assert.equal(first?.['status'], 'True');
    assert.equal(again?.['lastTransitionTime'], first['lastTransitionTime']);
  });

  test('says why it cannot write the Node of another', WITH_PARTS, async (t) => {
    const said = start(t, OTHER, '--probes=api-server', '--interval=1s');
    await until('the refusal', async () =>
      /the agent of Node node-a may not write Node node-b/.test(said()) ? true : null,
    ).catch((error: unknown) => {
      throw new Error(said(), { cause: error });
    });
    assert.equal(await conditionOf(OTHER, 'rollcall.dev/ApiServerReachable'), null);
  });
});

describe('the policy', () => {
  test('lets an agent write a condition of its own types', WITH_PARTS, async () => {
    const change = conditionChange('rollcall.dev/MetadataGuarded');
    assert.equal((await patch(statusOf(OWN), change)).status, 200);
  });

  const status = (change: object): object => ({ status: change });
  const refused: readonly (readonly [string, string, object, RegExp])[] = [
    ['another Node', OTHER, conditionChange('rollcall.dev/DnsWorks'), /may not write Node node-b/],
    ['the kubelet’s condition', OWN, conditionChange('Ready'), /conditions of rollcall.dev alone/],
    ['a foreign condition', OWN, conditionChange('example.org/Fine'), /of rollcall.dev alone/],
    ['an unknown own type', OWN, conditionChange('rollcall.dev/Else'), /of rollcall.dev alone/],
    ['its capacity', OWN, status({ capacity: { cpu: '64' } }), /conditions alone/],
    [
      'an address',
      OWN,
      status({ addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] }),
      /conditions alone/,
    ],
    ['a label', OWN, { metadata: { labels: { role: 'control' } } }, /conditions alone/],
    ['an annotation', OWN, { metadata: { annotations: { a: 'b' } } }, /conditions alone/],
  ];
  for (const [what, node, change, why] of refused)
    test(`keeps an agent from ${what}`, WITH_PARTS, async () => {
      const answer = await patch(statusOf(node), change);
      assert.equal(answer.status, 403, answer.text);
      assert.match(answer.text, why);
    });

  test('keeps a token that is bound to no Node from all of them', WITH_PARTS, async () => {
    const unbound = await tokenOf(null);
    const answer = await patch(statusOf(OWN), conditionChange('rollcall.dev/DnsWorks'), unbound);
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.text, /no node in its token/);
  });

  test('leaves taints to the rights, which have none for agents', WITH_PARTS, async () => {
    const change = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
    const answer = await patch(`/api/v1/nodes/${OWN}`, change);
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.text, /cannot patch resource/);
  });

  test('lets everybody else write', WITH_PARTS, async () => {
    await plane.client.patch(statusOf(OTHER), status({ conditions: [READY] }));
  });
});
