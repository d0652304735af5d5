import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { conditionOf, eksWorld, kubeadmWorld, kubeletLines, openLab } from './lab.ts';

test('a node of EKS says that it goes down, and its pods fail with it', async () => {
  const lab = await openLab(eksWorld({}, {}, [{ name: 'web', replicas: 2 }]));
  await lab.until(150);
  const machine = lab.machine('workers-0');
  const { nodeName } = { nodeName: machine.nodeName() ?? '' };
  lab.simulated.cloud.controls.terminate(machine.instanceId);
  await lab.until(153);
  const node = lab.client.get('Node', nodeName) ?? {};
  const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  assert.equal(textAt(ready, 'message'), 'node is shutting down');
  const failed = lab.client
    .list('Pod')
    .filter((pod) => textAt(pod, 'status.reason') === 'Terminated');
  assert.ok(failed.length >= 2);
  assert.ok(kubeletLines(machine, 'Shutdown manager detected new shutdown event').length === 1);
  await lab.until(160);
  assert.equal(machine.isOn(), false);
});

test('a machine without grace goes off at once', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(60);
  const machine = lab.machine('workers-0');
  lab.simulated.cloud.controls.terminate(machine.instanceId);
  await lab.until(62);
  assert.equal(machine.isOn(), false);
  assert.equal(kubeletLines(machine, 'Shutdown manager').length, 0);
});

test('kubelets of EKS ask for a serving certificate, those of kubeadm do not', async () => {
  const serving = 'kubernetes.io/kubelet-serving';
  for (const [world, count] of [
    [eksWorld(), 1],
    [kubeadmWorld(), 0],
  ] as const) {
    const lab = await openLab(world);
    await lab.until(90);
    const requests = lab.client
      .list('CertificateSigningRequest')
      .filter((request) => textAt(request, 'spec.signerName') === serving);
    assert.equal(requests.length, count);
  }
});

test('a kubelet that hangs is missed, and finds its pods when it continues', async () => {
  const lab = await openLab(kubeadmWorld({ podNetwork: 'ready-made' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'kubelet-hung' });
  assert.equal(machine.unit('kubelet'), 'hung');
  await lab.until(160);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'Unknown');
  lab.client.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'late', namespace: 'default' },
    spec: {
      nodeName: machine.nodeName() ?? '',
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'app', image: 'registry.example.com/app:1' }],
    },
  });
  await lab.until(170);
  assert.equal(conditionOf(lab.pod('late'), 'Ready'), null);
  mend();
  await lab.until(200);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
  assert.equal(conditionOf(lab.pod('late'), 'Ready'), 'True');
  const told = lab.client
    .list('Event')
    .filter((event) => textAt(event, 'involvedObject.name') === machine.nodeName())
    .filter((event) => /^Node(?:Not)?Ready$/.test(textAt(event, 'reason') ?? ''))
    .map((event) => `${textAt(event, 'reason')} ${JSON.stringify(event['count'])}`);
  assert.deepEqual(told, ['NodeReady 2', 'NodeNotReady 1']);
});

test('a full disk is pressure, and images are refused for it', async () => {
  const lab = await openLab(kubeadmWorld({ podNetwork: 'ready-made' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'disk-full' });
  await lab.until(72);
  assert.equal(conditionOf(lab.node('workers-0'), 'DiskPressure'), 'True');
  mend();
  await lab.until(84);
  assert.equal(conditionOf(lab.node('workers-0'), 'DiskPressure'), 'False');
});

test('runtime, kubelet and event report a refused sandbox', async () => {
  const lab = await openLab(eksWorld({}, { subnetPrefix: 28 }, [{ name: 'web', replicas: 14 }]));
  await lab.until(200);
  const machine = lab.machine('workers-0');
  assert.match(
    kubeletLines(machine, 'RunPodSandbox from runtime service failed')[0] ?? '',
    /log\.go:32\] .* err="rpc error: code = Unknown desc = failed to setup network for sandbox/,
  );
  assert.match(
    machine.journalText({ units: ['containerd'] }),
    /level=error msg="RunPodSandbox for &PodSandboxMetadata\{Name:web-[^,]+,Uid:[^,]+,Namespace:production,Attempt:0,\} failed, error" error="failed to setup network/,
  );
  assert.match(kubeletLines(machine, 'CreatePodSandboxError')[0] ?? '', /pod="production\/web-/);
});

test('a manifest on the machine becomes a pod, and its mirror comes back when it is deleted', async () => {
  const lab = await openLab(kubeadmWorld({ podNetwork: 'ready-made' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const spec = { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] };
  const pod = { kind: 'Pod', metadata: { name: 'static', namespace: 'kube-system' }, spec };
  machine.run(`cat > /etc/kubernetes/manifests/static.json <<'EOF'\n${JSON.stringify(pod)}\nEOF`);
  await lab.until(90);
  const mirror = lab.pod('static-');
  assert.equal(textAt(mirror ?? {}, 'metadata.name'), `static-${machine.nodeName()}`);
  assert.equal(conditionOf(mirror, 'Ready'), 'True');
  lab.client.delete('Pod', `kube-system/static-${machine.nodeName()}`, { gracePeriodSeconds: 0 });
  await lab.until(120);
  const again = lab.pod('static-');
  assert.notEqual(textAt(again ?? {}, 'metadata.uid'), textAt(mirror ?? {}, 'metadata.uid'));
  assert.equal(conditionOf(again, 'Ready'), 'True');
});

test('a kubelet whose Node was deleted does not report that it became ready', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none', podNetwork: 'ready-made' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'containerd-hung' });
  await lab.until(75);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'False');
  const reports = kubeletLines(machine, 'Fast updating node status').length;
  lab.client.delete('Node', machine.nodeName() ?? '');
  await lab.until(76);
  mend();
  await lab.until(77);
  assert.equal(kubeletLines(machine, 'Fast updating node status').length, reports);
  assert.equal(kubeletLines(machine, 'Error getting the current node from lister').length, 1);
});
