/** `rollcall controller --only gate` and `rollcall gate explain` against a real API server. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import type { GateExplanation } from '../../src/controllers/gate/explain.ts';
import { at, type JsonObject, listAt, textAt, textsAt } from '../../src/evidence/json.ts';
import { endOf, rollcall, type Run, startRollcall, type Surroundings } from '../live/rollcall.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyManifests } from './controller-manifests.ts';
import type { KubeEvent } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';
import { untilServed } from './served.ts';

const USER = 'gate';
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';
const SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';
const PODS = '/api/v1/namespaces/kube-system/pods';
const NODES = '/api/v1/nodes';
const EBS = 'ebs.csi.aws.com';
const FOREIGN = { key: 'other.example/x', value: '1', effect: 'NoSchedule' };

const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };
let plane: ControlPlane;
/** With the rights of the manifest and no others. */
let env: Surroundings;
let admin: Surroundings;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  const { client } = plane;
  await applyManifests(client, ['node-gates.yaml', 'gate-rbac.yaml'], USER);
  await untilServed(client, GATES);
  await client.create('/api/v1/namespaces/kube-system/serviceaccounts', {
    metadata: { name: 'default' },
  });
  const kubeconfig = await plane.writeKubeconfig(USER);
  env = { HOME: plane.dir, KUBECONFIG: kubeconfig, AWS_EC2_METADATA_DISABLED: 'true' };
  admin = { ...env, KUBECONFIG: plane.kubeconfigPath };
});
after(async () => {
  if (skip === false) await plane.stop();
});

/** A gate with nodes and a DaemonSet of its own, so that tests do not see one another. */
interface Own {
  readonly name: string;
  readonly key: string;
  readonly setUid: string;
}

async function layGate(name: string, spec: JsonObject = {}, hasSet = true): Promise<Own> {
  const { client } = plane;
  const key = `readiness.k8s.io/${name}`;
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: {
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'c', image: 'example.org/c' }],
    },
  };
  const set = hasSet
    ? await client.create(SETS, {
        metadata: { name },
        spec: { selector: { matchLabels: labels }, template },
      })
    : null;
  await client.create(GATES, {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { group: name } },
      taint: { key, effect: 'NoSchedule' },
      proofs: [{ daemonSet: { namespace: 'kube-system', name } }],
      dwell: '2s',
      ...spec,
    },
  });
  return { name, key, setUid: set?.metadata.uid ?? '' };
}

async function layNode(own: Own, name: string, taints?: readonly JsonObject[]): Promise<void> {
  await plane.client.create(NODES, {
    metadata: { name, labels: { group: own.name } },
    spec: { taints: taints ?? [{ key: own.key, effect: 'NoSchedule' }] },
  });
}

async function layPod({ name, setUid }: Own, node: string): Promise<void> {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: setUid, controller: true };
  await plane.client.create(PODS, {
    metadata: { name: `${name}-${node}`, labels: { app: name }, ownerReferences: [owner] },
    spec: {
      nodeName: node,
      automountServiceAccountToken: false,
      containers: [{ name: 'c', image: 'example.org/c' }],
    },
  });
}

async function setReady({ name }: Own, node: string, isReady: boolean): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime };
  const status = { phase: 'Running', conditions: [ready] };
  await plane.client.patch(`${PODS}/${name}-${node}/status`, { status });
}

async function nodeOf(name: string): Promise<JsonObject> {
  return (await plane.client.get(`${NODES}/${name}`)) as unknown as JsonObject;
}

async function keysOf(name: string): Promise<readonly string[]> {
  const keys = listAt(await nodeOf(name), 'spec.taints').map((taint) => textAt(taint, 'key') ?? '');
  // Nobody here removes what the API server puts on every new Node.
  return keys.filter((key) => key !== 'node.kubernetes.io/not-ready');
}

async function untilKeys(name: string, expected: readonly string[]): Promise<void> {
  await until(`${name} to have the taints ${expected.join()}`, async () => {
    const keys = await keysOf(name);
    return keys.join() === expected.join() ? true : null;
  });
}

async function eventsOf(name: string): Promise<readonly KubeEvent[]> {
  const all = await plane.client.list<KubeEvent>('/api/v1/namespaces/default/events');
  return all.filter(({ involvedObject }) => involvedObject.name === name);
}

async function untilEvent(name: string, reason: string): Promise<KubeEvent> {
  return await until(`the Event ${reason} of ${name}`, async () => {
    const events = await eventsOf(name);
    return events.find((event) => event.reason === reason) ?? null;
  });
}

interface Running {
  readonly said: () => string;
  readonly kill: (signal: NodeJS.Signals) => Promise<Run>;
}

async function start(t: TestContext, ...more: readonly string[]): Promise<Running> {
  const args = ['controller', '--only', 'gate', '--listen', '127.0.0.1:0', ...more];
  const child = startRollcall(args, env);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => {
      said += String(text);
    });
  const ended = endOf(child);
  // Ended in order, it gives the Lease back, and the next test need not wait for it.
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until('the port of the controller', async () => (/on port \d+/.test(said) ? true : null));
  return {
    said: () => said,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

async function untilSaid({ said }: Running, what: RegExp): Promise<void> {
  await until(`${what}`, async () => (what.test(said()) ? true : null)).catch((error: unknown) => {
    throw new Error(said(), { cause: error });
  });
}

test(
  'the gate controller opens a node when its Pod is ready, with one Event and no other taint changed',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('joins');
    await start(t);
    await layNode(own, 'joins-1', [FOREIGN, { key: own.key, effect: 'NoSchedule' }]);
    await layPod(own, 'joins-1');
    await setReady(own, 'joins-1', true);
    await untilKeys('joins-1', [FOREIGN.key]);
    const event = await untilEvent('joins-1', 'GateOpened');
    assert.match(event.message, /NodeGate joins opened this node.*DaemonSet kube-system\/joins/);
    const node = await nodeOf('joins-1');
    assert.deepEqual(
      listAt(node, 'spec.taints').filter((taint) => textAt(taint, 'key') === FOREIGN.key),
      [FOREIGN],
    );
    assert.equal(listAt(node, 'status.conditions').length, 0);
  },
);

test(
  'the gate controller taints nodes that were born without it, and again what others strip',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('strips');
    await start(t);
    await layNode(own, 'strips-1', []);
    await untilKeys('strips-1', [own.key]);
    await untilEvent('strips-1', 'GateNotEnforced');
    // As kubectl does that sends the whole list.
    await plane.client.patch(`${NODES}/strips-1`, { spec: { taints: [FOREIGN] } });
    await untilKeys('strips-1', [FOREIGN.key, own.key]);
    await untilEvent('strips-1', 'GateRestored');
  },
);

test(
  'the gate controller removes a startup taint that it adopts, and none whose owner is there',
  WITH_PARTS,
  async (t) => {
    const ebs = { key: 'ebs.csi.aws.com/agent-not-ready', effect: 'NoExecute' };
    const efs = { key: 'efs.csi.aws.com/agent-not-ready', effect: 'NoExecute' };
    const own = await layGate('adopts', { adoptTaints: [ebs, efs] });
    await layGate('efs-csi-node');
    const shut = { key: own.key, effect: 'NoSchedule' };
    const kept = { ...ebs, effect: 'NoSchedule' };
    await start(t);
    await layNode(own, 'adopted', [FOREIGN, ebs, kept, efs, shut]);
    await until('the taint to go', async () =>
      listAt(await nodeOf('adopted'), 'spec.taints').some(
        (taint) => JSON.stringify(taint) === JSON.stringify(ebs),
      )
        ? null
        : true,
    );
    assert.deepEqual(await keysOf('adopted'), [FOREIGN.key, ebs.key, efs.key, own.key]);
    const event = await untilEvent('adopted', 'GateAdoptedTaint');
    assert.match(
      event.message,
      /removed ebs\.csi\.aws\.com\/agent-not-ready:NoExecute, as the EBS/,
    );
  },
);

test(
  'the gate controller opens none of 20 nodes whose Pods are ready for less than the dwell',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('flaps', { dwell: '60s' });
    const names = Array.from({ length: 20 }, (_, index) => `flaps-${index}`);
    for (const name of names) {
      await layNode(own, name);
      await layPod(own, name);
    }
    const running = await start(t);
    await untilSaid(running, /leads as/);
    const watched = await layGate('flaps-end', { dwell: '0s' });
    for (const isReady of [true, false])
      for (const name of names) await setReady(own, name, isReady);
    // Another gate opens after the flap, so that the flap has been seen.
    await layNode(watched, 'flaps-end');
    await layPod(watched, 'flaps-end');
    await setReady(watched, 'flaps-end', true);
    await untilKeys('flaps-end', []);
    for (const name of names) {
      const node = await nodeOf(name);
      assert.deepEqual(await keysOf(name), [own.key]);
      assert.deepEqual(Object.keys(textsAt(node, 'metadata.annotations')), []);
    }
  },
);

test(
  'the gate controller keeps a node shut whose DaemonSet does not exist, and says so on the Node',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('absent', {}, false);
    await start(t);
    await layNode(own, 'absent-1');
    const event = await untilEvent('absent-1', 'GateProofUnknown');
    assert.match(event.message, /DaemonSet kube-system\/absent does not exist/);
    assert.deepEqual(await keysOf('absent-1'), [own.key]);
    const conditions = listAt(await nodeOf('absent-1'), 'status.conditions');
    const gate = conditions.find((one) => textAt(one, 'type') === 'rollcall.dev/Gate');
    assert.equal(textAt(gate, 'status'), 'False');
    assert.equal(textAt(gate, 'reason'), 'GateProofUnknown');
  },
);

test(
  'the gate controller continues where it was killed, and shuts again what lost its proof meanwhile',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('killed', { regress: { after: '0s' } });
    for (const name of ['killed-1', 'killed-2']) {
      await layNode(own, name);
      await layPod(own, name);
    }
    const first = await start(t);
    await setReady(own, 'killed-1', true);
    await untilKeys('killed-1', []);
    await first.kill('SIGKILL');
    await setReady(own, 'killed-1', false);
    await setReady(own, 'killed-2', true);
    await start(t);
    await untilKeys('killed-2', []);
    await untilKeys('killed-1', ['regress.rollcall.dev/killed']);
    const node = await nodeOf('killed-1');
    assert.equal(at(node, 'metadata.deletionTimestamp'), undefined);
  },
);

test(
  'of two gate controllers the second takes over when the first is gone',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('replicas');
    const first = await start(t);
    await untilSaid(first, /leads as/);
    const second = await start(t);
    await untilSaid(second, /_[0-9a-f]{8} leads/);
    await layNode(own, 'replicas-1');
    await layPod(own, 'replicas-1');
    await first.kill('SIGTERM');
    await setReady(own, 'replicas-1', true);
    await untilSaid(second, /replicas-1: GateOpened/);
    assert.deepEqual(await keysOf('replicas-1'), []);
    const opened = (await eventsOf('replicas-1')).filter(({ reason }) => reason === 'GateOpened');
    assert.equal(opened.length <= 1, true);
  },
);

test(
  'the gate controller opens nodes on both sides of a restart of the API server',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('restarts');
    for (const name of ['restarts-1', 'restarts-2']) {
      await layNode(own, name);
      await layPod(own, name);
    }
    await start(t);
    await setReady(own, 'restarts-1', true);
    await untilKeys('restarts-1', []);
    await plane.restartApiServer();
    assert.deepEqual(await keysOf('restarts-2'), [own.key]);
    await setReady(own, 'restarts-2', true);
    await untilKeys('restarts-2', []);
    assert.deepEqual(await keysOf('restarts-1'), []);
  },
);

test(
  'the gate controller waits for the CSI driver that its gate asks for',
  WITH_PARTS,
  async (t) => {
    const own = await layGate('csi', { proofs: [{ csiDriver: { name: EBS } }] }, false);
    await start(t);
    const path = '/apis/storage.k8s.io/v1/csinodes';
    const other = [{ name: 'efs.csi.aws.com', nodeID: 'i-1', topologyKeys: [] }];
    const both = [...other, { name: EBS, nodeID: 'i-1', topologyKeys: [] }];
    for (const [name, drivers] of [
      ['csi-1', other],
      ['csi-2', both],
    ] as const) {
      await layNode(own, name);
      await plane.client.create(path, { metadata: { name }, spec: { drivers } });
    }
    await untilKeys('csi-2', []);
    assert.deepEqual(await keysOf('csi-1'), [own.key]);
    await plane.client.patch(`${path}/csi-1`, { spec: { drivers: both } });
    await untilKeys('csi-1', []);
  },
);

test('the gate controller changes nothing in a dry run', WITH_PARTS, async (t) => {
  const own = await layGate('dry');
  await layNode(own, 'dry-1', []);
  const running = await start(t, '--dry-run');
  await untilSaid(running, /dry-1: would/);
  assert.deepEqual(await keysOf('dry-1'), []);
});

test('rollcall gate explain says what a node waits for', WITH_PARTS, async () => {
  const own = await layGate('explained');
  await layNode(own, 'explained-1', [FOREIGN, { key: own.key, effect: 'NoSchedule' }]);
  const explain = async (...more: readonly string[]): Promise<Run> =>
    await rollcall(['gate', 'explain', 'explained-1', ...more], admin);
  const shut = await explain();
  assert.equal(shut.code, 1, shut.stderr);
  assert.match(shut.stdout, /^Node explained-1: shut$/m);
  assert.match(shut.stdout, /- DaemonSet kube-system\/explained: .* has no Pod on this node yet$/m);
  assert.match(shut.stdout, /^ {2}other\.example\/x:NoSchedule$/m);
  await layPod(own, 'explained-1');
  await setReady(own, 'explained-1', true);
  const document = JSON.parse((await explain('-o', 'json')).stdout) as GateExplanation;
  assert.deepEqual(
    document.gates.map(({ name, state, proofs }) => [name, state, proofs[0]?.state]),
    [['explained', 'shut', 'proven']],
  );
  const unknown = await rollcall(['gate', 'explain', 'nobody'], admin);
  assert.equal(unknown.code, 69);
});
