import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, listAt, textAt } from '../../../src/evidence/json.ts';
import { conditionOf, kubeadmWorld, kubeletLines, openLab } from './lab.ts';

const NOT_FOUND = 'Error updating node status, will retry';

test('a kubelet registers once in its life, and a restart registers again', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const name = machine.nodeName() ?? '';
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
  lab.client.delete('Node', name);
  await lab.until(400);
  assert.equal(lab.node('workers-0'), null);
  assert.equal(machine.unit('kubelet'), 'running');
  assert.equal(kubeletLines(machine, 'Successfully registered node').length, 1);
  const refused = kubeletLines(machine, NOT_FOUND);
  assert.ok(refused.length >= 5 * 20, `${refused.length} lines`);
  assert.match(refused[0] ?? '', /kubelet_node_status\.go:479\] .* not found"$/);
  assert.equal(
    kubeletLines(machine, 'update node status exceeds retry count').length * 5,
    refused.length,
  );
  machine.restartKubelet();
  await lab.until(410);
  assert.equal(kubeletLines(machine, 'Successfully registered node').length, 2);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
});

test('the Lease of a deleted Node is complained about and not made again', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const name = machine.nodeName() ?? '';
  lab.client.delete('Node', name);
  await lab.until(180);
  assert.equal(lab.client.get('Lease', `kube-node-lease/${name}`), null);
  assert.ok(kubeletLines(machine, 'Failed to get node when trying to set owner ref').length > 0);
  assert.match(
    kubeletLines(machine, 'Failed to update lease')[0] ?? '',
    /StorageError: invalid object/,
  );
});

test('a Lease is renewed every ten seconds and belongs to the Node', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(120);
  const name = lab.machine('workers-0').nodeName() ?? '';
  const renewals: string[] = [];
  lab.client.follow('Lease', (_type, lease) => {
    if (textAt(lease, 'metadata.name') === name)
      renewals.push(textAt(lease, 'spec.renewTime') ?? '');
  });
  await lab.until(220.5);
  const [first = '', ...later] = renewals;
  assert.ok(later.length >= 9 && later.length <= 10, `${later.length} renewals in 100 s`);
  assert.ok(first < (later.at(-1) ?? ''));
  const lease = lab.client.get('Lease', `kube-node-lease/${name}`);
  assert.equal(
    textAt(listAt(lease ?? {}, 'metadata.ownerReferences')[0], 'uid'),
    textAt(lab.node('workers-0') ?? {}, 'metadata.uid'),
  );
});

test('a steady kubelet costs one event per heartbeat and two of its watchers', async () => {
  const lab = await openLab(kubeadmWorld({}, [{ name: 'web', replicas: 20 }]));
  await lab.until(600);
  const before = lab.simulated.kernel.events();
  const logged = lab.machine('workers-0').journal().length;
  await lab.until(900);
  const perSecond = (lab.simulated.kernel.events() - before) / 300;
  assert.ok(perSecond < 2, `${perSecond} events a second`);
  assert.equal(lab.machine('workers-0').journal().length, logged);
});

test('a node is not ready until a network plugin is configured', async () => {
  const ready = await openLab(kubeadmWorld({ podNetwork: 'ready-made' }));
  await ready.until(60);
  assert.equal(conditionOf(ready.node('workers-0'), 'Ready'), 'True');
  const bare = await openLab(kubeadmWorld());
  await bare.until(10);
  bare.machine('workers-0').break({ kind: 'image-pull', message: 'not found', only: 'calico' });
  await bare.until(90);
  const node = bare.node('workers-0');
  assert.equal(conditionOf(node, 'Ready'), 'False');
  const conditions = listAt(node ?? {}, 'status.conditions');
  const unready = conditions.find((one) => textAt(one, 'type') === 'Ready');
  assert.match(textAt(unready, 'message') ?? '', /cni plugin not initialized$/);
  assert.equal(kubeletLines(bare.machine('workers-0'), 'Fast updating node status').length, 0);
  assert.equal(kubeletLines(ready.machine('workers-0'), 'Starting kubelet main sync').length, 1);
});

test('labels, taints and the provider id are those of the flags', async () => {
  const lab = await openLab(
    kubeadmWorld({ cloudController: 'none', gate: 'nidhogg', podIdentity: 'kiam' }),
  );
  await lab.until(60);
  const created = lab.client.get('Node', lab.machine('workers-0').nodeName() ?? '');
  const node = created ?? {};
  assert.equal(
    textAt(node, 'spec.providerID'),
    `aws:///us-west-2a/${lab.machine('workers-0').instanceId}`,
  );
  const labels = at(node, 'metadata.labels') as Record<string, string>;
  assert.equal(labels['node-role.example.com/pool'], 'workers');
  assert.equal(labels['kubernetes.io/hostname'], lab.machine('workers-0').hostname());
});

test('an external cloud provider leaves the taint that waits for it', async () => {
  const lab = await openLab(kubeadmWorld());
  lab.simulated.platform.setCloudController('none');
  await lab.until(60);
  const taints = listAt(lab.node('workers-0') ?? {}, 'spec.taints').map((taint) =>
    textAt(taint, 'key'),
  );
  assert.ok(taints.includes('node.cloudprovider.kubernetes.io/uninitialized'), taints.join(' '));
});

test('another hostname meets the old certificate: refused, and the old Node stays', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const old = machine.nodeName() ?? '';
  await lab.run(
    machine,
    'hostnamectl set-hostname renamed.example.com && systemctl restart kubelet',
  );
  assert.equal(machine.nodeName(), 'renamed.example.com');
  assert.equal(lab.client.get('Node', 'renamed.example.com'), null);
  assert.notEqual(lab.client.get('Node', old), null);
  const [line = ''] = kubeletLines(machine, 'error getting existing node');
  assert.ok(line.includes(`User \\"system:node:${old}\\" cannot get resource \\"nodes\\"`), line);
});

test('a kubelet that cannot reach the API server continues and catches up afterwards', async () => {
  const lab = await openLab(kubeadmWorld({}, [{ name: 'web', replicas: 1 }]));
  await lab.until(150);
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'black-hole', destination: 'api-server' });
  await lab.until(260);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'Unknown');
  assert.match(kubeletLines(machine, 'Failed to update lease')[0] ?? '', /request canceled/);
  assert.equal(conditionOf(lab.pod('web'), 'Ready'), 'False');
  mend();
  await lab.until(300);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
  assert.equal(conditionOf(lab.pod('web'), 'Ready'), 'True');
});

test('a hung runtime makes the node not ready, and it heals with it', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'containerd-hung' });
  await lab.until(140);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'False');
  assert.equal(machine.unit('containerd'), 'hung');
  mend();
  await lab.until(160);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
});

test('a kubelet with a reserved label ends at its start and is started again', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(60);
  const machine = lab.machine('workers-0');
  await lab.run(
    machine,
    'echo KUBELET_EXTRA_ARGS=--node-labels=node-role.kubernetes.io/worker=true > /etc/default/kubelet; systemctl restart kubelet; sleep 25',
  );
  const ended = kubeletLines(machine, "unknown 'kubernetes.io' or 'k8s.io' labels");
  assert.ok(ended.length >= 3, `${ended.length} ends`);
  const text = machine.journalText({ units: ['systemd'] });
  assert.match(text, /kubelet\.service: Scheduled restart job, restart counter is at 2\./);
});
