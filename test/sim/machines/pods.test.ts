import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { conditionOf, kubeadmWorld, kubeletLines, type Lab, openLab } from './lab.ts';

function podManifest(name: string, more: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...more },
    spec: {
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'app', image: 'registry.example.com/app:1' }],
      ...spec,
    },
  };
}

/** Bound by hand, so that it is this machine's pod. */
function create(lab: Lab, pod: JsonObject): void {
  const nodeName = lab.machine('workers-0').nodeName() ?? '';
  const spec = { ...(pod['spec'] as JsonObject), nodeName };
  const made = lab.client.create({ ...pod, spec });
  assert.ok(made.ok, JSON.stringify(made));
}

function status(lab: Lab, name: string): JsonObject {
  const pod = lab.client.get('Pod', `default/${name}`);
  return (listAt(pod ?? {}, 'status.containerStatuses')[0] ?? {}) as JsonObject;
}

function events(lab: Lab, reason: string): readonly JsonObject[] {
  return lab.client.list('Event').filter((event) => event['reason'] === reason);
}

async function readyLab(more: JsonObject = {}): Promise<Lab> {
  const lab = await openLab(kubeadmWorld({ podNetwork: 'ready-made', ...more }));
  await lab.until(60);
  return lab;
}

test('reports a status lost between two heartbeats 10 s later', async () => {
  const lab = await readyLab();
  const machine = lab.machine('workers-0');
  const renewed = (): string | null =>
    textAt(
      lab.client.get('Lease', `kube-node-lease/${machine.nodeName() ?? ''}`) ?? {},
      'spec.renewTime',
    );
  create(lab, podManifest('one'));
  let second = 60;
  for (const before = renewed(); renewed() === before; ) await lab.until((second += 0.5));
  create(lab, podManifest('two'));
  await lab.until((second += 0.5));
  const heard = renewed();
  const mend = machine.break({ kind: 'black-hole', destination: 'api-server' });
  await lab.until((second += 8));
  assert.equal(conditionOf(lab.pod('two'), 'Ready'), 'False');
  assert.equal(renewed(), heard);
  mend();
  await lab.until(second + 12);
  assert.equal(conditionOf(lab.pod('two'), 'Ready'), 'True');
});

test('a pod is pulled, created, started, ready, and has an address', async () => {
  const lab = await readyLab();
  create(lab, podManifest('one'));
  await lab.until(90);
  const pod = lab.client.get('Pod', 'default/one');
  assert.equal(textAt(pod ?? {}, 'status.phase'), 'Running');
  assert.equal(conditionOf(pod, 'Ready'), 'True');
  assert.match(textAt(pod ?? {}, 'status.podIP') ?? '', /^10\.\d+\.\d+\.\d+$/);
  assert.equal(
    textAt(pod ?? {}, 'status.hostIP'),
    lab.simulated.cloud.instance(lab.machine('workers-0').instanceId)?.privateIp,
  );
  for (const reason of ['Pulling', 'Pulled', 'Created', 'Started'])
    assert.equal(
      events(lab, reason).filter((one) => textAt(one, 'involvedObject.name') === 'one').length,
      1,
      reason,
    );
  const lines = lab.machine('workers-0').podLogs('default/one', 'app') ?? [];
  assert.equal(lines[0]?.text, 'listening on :8080');
});

test('a container that ends again and again waits ten seconds, then twice as long', async () => {
  const lab = await readyLab();
  create(lab, podManifest('crash', { annotations: { 'lab/exit-after-ms': '1000' } }));
  await lab.until(200);
  const state = status(lab, 'crash');
  const restarts = Number(state['restartCount']);
  // Runs of 1 s with pauses of 0, 10, 20, 40 and 80 s fit into 140 s.
  assert.ok(restarts >= 4 && restarts <= 5, `${restarts} restarts`);
  assert.equal(textAt(state, 'state.waiting.reason'), 'CrashLoopBackOff');
  assert.match(
    textAt(state, 'state.waiting.message') ?? '',
    /^back-off (?:40s|1m20s) restarting failed container=app pod=crash_default\(/,
  );
  assert.equal(textAt(state, 'lastState.terminated.exitCode'), '1');
  assert.ok(events(lab, 'BackOff').length > 0);
});

test('an image that cannot be had is asked for with a growing pause', async () => {
  const lab = await readyLab();
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'image-pull', message: 'not found', only: 'app' });
  create(lab, podManifest('pull'));
  await lab.until(72);
  const reason = textAt(status(lab, 'pull'), 'state.waiting.reason') ?? '';
  assert.ok(['ErrImagePull', 'ImagePullBackOff'].includes(reason), reason);
  assert.match(
    kubeletLines(machine, 'ErrImagePull')[0] ?? '',
    /pod_workers\.go:\d+\] "Error syncing pod, skipping"/,
  );
  await lab.until(200);
  const failed = events(lab, 'Failed').find((one) =>
    textAt(one, 'message')?.startsWith('Failed to pull'),
  );
  const count = Number(failed?.['count']);
  assert.ok(count >= 4 && count <= 5, `${count} pulls`);
  mend();
  await lab.until(400);
  assert.equal(textAt(status(lab, 'pull'), 'ready'), 'true');
});

test('a readiness probe starts after its delay and holds back an unready pod', async () => {
  const lab = await readyLab();
  const probe = { httpGet: { path: '/', port: 8080 }, initialDelaySeconds: 20, periodSeconds: 5 };
  create(
    lab,
    podManifest(
      'slow',
      {},
      { containers: [{ name: 'app', image: 'registry.example.com/app:1', readinessProbe: probe }] },
    ),
  );
  await lab.until(75);
  assert.equal(textAt(status(lab, 'slow'), 'state.running.startedAt') === null, false);
  assert.equal(status(lab, 'slow')['ready'], false);
  await lab.until(100);
  assert.equal(status(lab, 'slow')['ready'], true);
  assert.ok(
    kubeletLines(
      lab.machine('workers-0'),
      '"SyncLoop (probe)" probe="readiness" status="ready" pod="default/slow"',
    ).length === 1,
  );
});

test('reports a deleted pod, whose object goes when its containers are gone', async () => {
  const lab = await readyLab();
  create(lab, podManifest('gone'));
  await lab.until(90);
  lab.client.delete('Pod', 'default/gone');
  assert.notEqual(
    textAt(lab.client.get('Pod', 'default/gone') ?? {}, 'metadata.deletionTimestamp'),
    null,
  );
  await lab.until(100);
  assert.equal(lab.client.get('Pod', 'default/gone'), null);
  assert.equal(events(lab, 'Killing').length, 1);
});

test('a job runs to its end and stays ended', async () => {
  const lab = await readyLab();
  const spec = {
    restartPolicy: 'Never',
    containers: [{ name: 'app', image: 'registry.example.com/job:1' }],
  };
  create(lab, podManifest('job', { annotations: { 'lab/exit-after-ms': '3000' } }, spec));
  await lab.until(120);
  const pod = lab.client.get('Pod', 'default/job');
  assert.equal(textAt(pod ?? {}, 'status.phase'), 'Failed');
  assert.equal(status(lab, 'job')['restartCount'], 0);
});

test('containers live on while the kubelet is stopped', async () => {
  const lab = await readyLab();
  create(lab, podManifest('stays'));
  await lab.until(90);
  const machine = lab.machine('workers-0');
  machine.stopKubelet();
  await lab.until(200);
  machine.startKubelet();
  await lab.until(230);
  assert.equal(status(lab, 'stays')['restartCount'], 0);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
});

test('a reboot starts every container again, once', async () => {
  const lab = await readyLab();
  create(lab, podManifest('again'));
  await lab.until(90);
  const before = textAt(lab.node('workers-0') ?? {}, 'status.nodeInfo.bootID');
  lab.machine('workers-0').reboot();
  await lab.until(180);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
  assert.equal(status(lab, 'again')['restartCount'], 1);
  assert.equal(textAt(status(lab, 'again'), 'ready'), 'true');
  assert.notEqual(textAt(lab.node('workers-0') ?? {}, 'status.nodeInfo.bootID'), before);
});

test('pods wait for their network, and say so', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(13);
  const mend = lab
    .machine('workers-0')
    .break({ kind: 'image-pull', message: 'not found', only: 'calico' });
  await lab.until(60);
  create(lab, podManifest('early'));
  await lab.until(80);
  const [event] = events(lab, 'NetworkNotReady');
  assert.match(
    textAt(event, 'message') ?? '',
    /^network is not ready: container runtime network not ready: NetworkReady=false/,
  );
  mend();
  await lab.until(400);
  assert.equal(textAt(status(lab, 'early'), 'ready'), 'true');
});

test('init containers come first, one after another', async () => {
  const lab = await readyLab();
  const init = (name: string): JsonObject => ({ name, image: `registry.example.com/${name}:1` });
  const spec = {
    initContainers: [init('first'), init('second')],
    containers: [{ name: 'app', image: 'registry.example.com/app:1' }],
  };
  create(lab, podManifest('ordered', {}, spec));
  await lab.until(61.5);
  const young = lab.client.get('Pod', 'default/ordered') ?? {};
  assert.equal(conditionOf(young, 'Initialized'), 'False');
  assert.equal(textAt(status(lab, 'ordered'), 'state.waiting.reason'), 'PodInitializing');
  await lab.until(90);
  const pod = lab.client.get('Pod', 'default/ordered') ?? {};
  const [first, second] = listAt(pod, 'status.initContainerStatuses').map((one) => ({
    from: textAt(one, 'state.terminated.startedAt') ?? '',
    to: textAt(one, 'state.terminated.finishedAt') ?? '',
  }));
  assert.ok((first?.to ?? 'z') <= (second?.from ?? ''), JSON.stringify([first, second]));
  assert.equal(textAt(status(lab, 'ordered'), 'ready'), 'true');
});

test('a pod that names a node without a slot is refused, and takes none when one is free', async () => {
  const lab = await readyLab();
  const nodeName = lab.machine('workers-0').nodeName() ?? '';
  const capacity = Number(textAt(lab.client.get('Node', nodeName) ?? {}, 'status.capacity.pods'));
  for (let number = 0; number < capacity; number++) create(lab, podManifest(`one-${number}`));
  await lab.until(70);
  const refused = lab.client.list('Pod').filter((pod) => textAt(pod, 'status.phase') === 'Failed');
  // Those of the DaemonSets were there before.
  const others = lab.client
    .list('Pod')
    .filter((pod) => textAt(pod, 'metadata.namespace') !== 'default')
    .filter((pod) => textAt(pod, 'spec.nodeName') === nodeName);
  assert.ok(others.length > 0);
  assert.equal(refused.length, others.length);
  const words = `Node didn't have enough resource: pods, requested: 1, used: ${capacity}, capacity: ${capacity}`;
  for (const pod of refused) {
    assert.equal(textAt(pod, 'status.reason'), 'OutOfpods');
    assert.equal(textAt(pod, 'status.message'), `Pod was rejected: ${words}`);
  }
  const told = events(lab, 'OutOfpods').map((event) => textAt(event, 'message'));
  assert.deepEqual(new Set(told), new Set([words]));
  lab.client.delete('Pod', 'default/one-0');
  await lab.until(130);
  create(lab, podManifest('late'));
  await lab.until(200);
  const phases = [...refused, { metadata: { name: 'late' } }].map((pod) =>
    textAt(lab.client.get('Pod', `default/${textAt(pod, 'metadata.name')}`) ?? {}, 'status.phase'),
  );
  assert.deepEqual(phases, [...refused.map(() => 'Failed'), 'Running']);
});
