/** Pods that came too early, on a real API server with scheduler and controllers, with the rights of the manifests. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { kubeWriter } from '../../src/adapters/kubernetes/writes.ts';
import { kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../src/adapters/kubernetes/system-environment.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { readNodeGate } from '../../src/controllers/gate/policies/node-gate.ts';
import { evictionOf } from '../../src/controllers/slip-ins/eviction.ts';
import { readPod } from '../../src/controllers/slip-ins/pod.ts';
import type { SlipInReport } from '../../src/controllers/slip-ins/report.ts';
import { at, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { perform } from '../../src/runtime/perform.ts';
import { endOf, rollcall, startRollcall, type Surroundings } from '../live/rollcall.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyManifests } from './controller-manifests.ts';
import type { KubeEvent } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';
import { untilServed } from './served.ts';

const USER = 'slips';
const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';

const skip = missing(...CONTROL_PLANE, 'kube-scheduler', 'kube-controller-manager');
const WITH_PARTS = { skip, timeout: 180_000 };
let plane: ControlPlane;
/** With the rights of the manifests and no others. */
let env: Surroundings;
let admin: Surroundings;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane({ controllers: true, scheduler: true });
  const { client } = plane;
  await applyManifests(client, ['node-gates.yaml', 'gate-rbac.yaml'], USER);
  await untilServed(client, GATES);
  await until('the account of Pods', async () =>
    client.find('/api/v1/namespaces/default/serviceaccounts/default'),
  );
  const kubeconfig = await plane.writeKubeconfig(USER);
  env = { HOME: plane.dir, KUBECONFIG: kubeconfig, AWS_EC2_METADATA_DISABLED: 'true' };
  admin = { ...env, KUBECONFIG: plane.kubeconfigPath };
});
after(async () => {
  if (skip === false) await plane.stop();
});

async function patch(path: string, change: JsonObject): Promise<void> {
  await plane.client.patch(path, change);
}

/** A Node on which the scheduler places Pods. */
async function layNode(name: string, group: string): Promise<void> {
  await plane.client.create(NODES, { metadata: { name, labels: { group } } });
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now };
  const room = { cpu: '4', memory: '4Gi', pods: '20' };
  const status = { capacity: room, allocatable: room, conditions: [ready] };
  await patch(`${NODES}/${name}/status`, { status });
}

/** A gate over nodes that were created since, and which nobody kept from taking Pods. */
async function layGate(name: string, slipIns: JsonObject): Promise<JsonObject> {
  const gate = await plane.client.create(GATES, {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { group: name } },
      taint: { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' },
      proofs: [{ condition: { type: 'example.com/Proven' } }],
      slipIns,
    },
  });
  return gate as unknown as JsonObject;
}

/** Pods that the scheduler may place on the nodes of these groups. */
async function laySet(name: string, groups: readonly string[], replicas = 1): Promise<void> {
  const labels = { app: name };
  const expressions = [{ key: 'group', operator: 'In', values: groups }];
  const terms = { nodeSelectorTerms: [{ matchExpressions: expressions }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const spec = { affinity, containers: [{ name: 'c', image: 'example.org/c' }] };
  await plane.client.create(SETS, {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

async function podsOf(name: string): Promise<readonly JsonObject[]> {
  const pods = await plane.client.list(`${PODS}?labelSelector=app%3D${name}`);
  return pods as unknown as readonly JsonObject[];
}

function nodeOf(pod: JsonObject): string {
  return textAt(pod, 'spec.nodeName') ?? '';
}

function isLeaving(pod: JsonObject): boolean {
  return at(pod, 'metadata.deletionTimestamp') !== undefined;
}

function podName(pod: JsonObject): string {
  return textAt(pod, 'metadata.name') ?? '';
}

async function untilBound(name: string, count: number): Promise<readonly JsonObject[]> {
  return await until(`${count} Pods of ${name} to be bound`, async () => {
    const bound = (await podsOf(name)).filter((pod) => nodeOf(pod) !== '' && !isLeaving(pod));
    return bound.length === count ? bound : null;
  });
}

/** As a kubelet says it. */
async function setRunning(pod: JsonObject): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: now };
  const container = { name: 'c', image: 'c', imageID: 'c', ready: true, restartCount: 0 };
  const conditions = [...listAt(pod, 'status.conditions'), ready];
  const containerStatuses = [{ ...container, state: { running: { startedAt: now } } }];
  const status = { phase: 'Running', conditions, containerStatuses };
  await patch(`${PODS}/${podName(pod)}/status`, { status });
}

interface Running {
  readonly said: () => string;
  readonly kill: () => Promise<void>;
}

function start(t: TestContext): Running {
  const args = ['controller', '--only', 'gate', '--listen', '127.0.0.1:0'];
  // A second start is the same holder of the Lease, as a container that starts again.
  const child = startRollcall(args, { ...env, POD_UID: 'c0ffee00-0000-4000-8000-000000000001' });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => {
      said += String(text);
    });
  const ended = endOf(child);
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return {
    said: () => said,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function untilSaid({ said }: Running, what: RegExp): Promise<void> {
  await until(`${what}`, async () => (what.test(said()) ? true : null)).catch((error: unknown) => {
    throw new Error(said(), { cause: error });
  });
}

async function eventsOf(pod: string): Promise<readonly KubeEvent[]> {
  const all = await plane.client.list<KubeEvent>('/api/v1/namespaces/default/events');
  return all.filter(({ involvedObject }) => involvedObject.name === pod);
}

async function untilEvent(pod: string, reason: string): Promise<KubeEvent> {
  return await until(`the Event ${reason} of ${pod}`, async () => {
    const events = await eventsOf(pod);
    return events.find((event) => event.reason === reason) ?? null;
  });
}

test(
  'a Pod that the scheduler placed in an open window is reported, which needs no right to evict',
  WITH_PARTS,
  async (t) => {
    await layGate('told', { mode: 'report' });
    await layNode('told-1', 'told');
    await laySet('told', ['told']);
    const [pod = {}] = await untilBound('told', 1);
    const running = start(t);
    await untilSaid(running, /told-1: GateNotEnforced/);
    await untilSaid(running, /Pod default\/told-\S+ slipped in on told-1: bound at/);
    const event = await untilEvent(podName(pod), 'SlipInFound');
    assert.match(event.message, /NodeGate told only reports; set spec\.slipIns\.mode to evict/);
    const listed = await rollcall(['gate', 'slip-ins', 'told-1', '-o', 'json'], admin);
    assert.equal(listed.code, 1, listed.stderr);
    const { slipIns } = JSON.parse(listed.stdout) as SlipInReport;
    assert.deepEqual(
      slipIns.map((one) => [one.pod, one.proof, one.madeBy, one.gate]),
      [[podName(pod), 'bound-while-shut', 'ReplicaSet told', 'NodeGate told']],
    );
    assert.equal((await podsOf('told')).some(isLeaving), false);
  },
);

test(
  'without the right to evict, nothing is evicted and the missing right is named',
  WITH_PARTS,
  async (t) => {
    await layGate('denied', { mode: 'evict' });
    await layNode('denied-1', 'denied');
    await laySet('denied', ['denied']);
    await untilBound('denied', 1);
    const running = start(t);
    await untilSaid(running, /Pod default\/denied-\S+: Not evicted: .*get pods/);
    assert.equal((await podsOf('denied')).some(isLeaving), false);
  },
);

test('with it, the Pod is evicted and the one that replaced it is shown', WITH_PARTS, async (t) => {
  await applyManifests(plane.client, ['gate-evict-rbac.yaml'], USER);
  await layGate('moved', { mode: 'evict' });
  await layNode('moved-1', 'moved');
  await laySet('moved', ['moved', 'moved-free']);
  const [old = {}] = await untilBound('moved', 1);
  await setRunning(old);
  await layNode('free-1', 'moved-free');
  const running = start(t);
  await untilSaid(running, /Pod default\/moved-\S+: Evicted, as it slipped in on moved-1/);
  const [fresh = {}] = await untilBound('moved', 1);
  assert.equal(nodeOf(fresh), 'free-1');
  await setRunning(fresh);
  const names = [podName(old), podName(fresh)];
  await untilSaid(
    running,
    new RegExp(
      `Pod default/${names[0]} of moved-1 was replaced by default/${names[1]} on free-1, ready`,
    ),
  );
  await untilEvent(podName(fresh), 'SlipInReplaced');
  const listed = await rollcall(['gate', 'slip-ins'], admin);
  assert.match(
    listed.stdout,
    new RegExp(`^Replaced by the controller:\\n.*${names[1]} on free-1`, 'm'),
  );
});

test(
  'a PodDisruptionBudget that forbids is named, and nothing is evicted',
  WITH_PARTS,
  async (t) => {
    await plane.client.create(BUDGETS, {
      metadata: { name: 'kept' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
    });
    await layGate('kept', { mode: 'evict' });
    await layNode('kept-1', 'kept');
    await laySet('kept', ['kept']);
    const [pod = {}] = await untilBound('kept', 1);
    await setRunning(pod);
    await until('the budget to count', async () => {
      const budget = await plane.client.get(`${BUDGETS}/kept`);
      return at(budget as unknown as JsonObject, 'status.currentHealthy') === 1 ? true : null;
    });
    const running = start(t);
    await untilSaid(running, /Pod default\/kept-\S+: A budget forbids it:/);
    await untilEvent(podName(pod), 'SlipInBudgetForbids');
    assert.equal((await podsOf('kept')).some(isLeaving), false);
  },
);

test(
  'a controller that is killed while it evicts evicts one Pod once when it is back',
  WITH_PARTS,
  async (t) => {
    await layGate('killed', { mode: 'evict', perHour: 1 });
    await layNode('killed-1', 'killed');
    await laySet('killed', ['killed', 'spare']);
    const [pod = {}] = await untilBound('killed', 1);
    await layNode('spare-1', 'spare');
    const first = start(t);
    await untilSaid(first, /Pod default\/killed-\S+: evicts it/);
    await first.kill();
    const second = start(t);
    await until('the Pod to be evicted', async () => {
      const own = (await podsOf('killed')).find((one) => podName(one) === podName(pod));
      return own === undefined || isLeaving(own) ? true : null;
    });
    const [fresh = {}] = await untilBound('killed', 1);
    assert.equal(nodeOf(fresh), 'spare-1');
    await untilSaid(second, /leads as/);
    const said = first.said() + second.said();
    assert.ok(said.split(`${podName(pod)}: Evicted`).length <= 2, said);
  },
);

test('an eviction of a Pod that was made again meanwhile is a conflict', WITH_PARTS, async () => {
  const [policy] = readNodeGate(await layGate('swapped', { mode: 'evict' })).policies;
  const body = {
    metadata: { name: 'web-0' },
    spec: { containers: [{ name: 'c', image: 'example.org/c' }] },
  };
  const made = await plane.client.create(PODS, body);
  const pod = readPod(made as unknown as JsonObject);
  await plane.client.remove(`${PODS}/web-0?gracePeriodSeconds=0`);
  await plane.client.create(PODS, body);
  assert.ok(pod !== null && policy !== undefined);
  const environment = systemKubeEnvironment(systemClock);
  const target = await loadKubeTarget(environment, { kubeconfig: plane.kubeconfigPath });
  const options = { environment, clock: systemClock };
  const [api, writes] = [kubeClient(target, options), kubeWriter(target, options)];
  const proof = { kind: 'bound-while-shut', says: 'bound' } as const;
  const tools = { api, writes, recorder: null, clock: systemClock, cluster: '' };
  const { outcome } = await perform(evictionOf({ pod, policy, proof }), tools, { isDryRun: false });
  await Promise.all([api.close(), writes.close()]);
  assert.equal(outcome, 'conflict');
  const left = await plane.client.get(`${PODS}/web-0`);
  assert.equal(isLeaving(left as unknown as JsonObject), false);
});
