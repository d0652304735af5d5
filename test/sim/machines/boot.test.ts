import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, listAt, textAt } from '../../../src/evidence/json.ts';
import { conditionOf, eksWorld, kubeadmWorld, kubeletLines, openLab } from './lab.ts';

test('nodeadm looks its name up, says so in JSON, and the node is initialized', async () => {
  const lab = await openLab(eksWorld());
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const lines = machine
    .journal()
    .filter(({ unit }) => unit === 'nodeadm')
    .map(({ message }) => message);
  const messages = lines
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  assert.deepEqual(
    [
      'Checking user is root..',
      'Fetching instance details..',
      'Instance details populated',
      'done!',
    ].filter((one) => messages.includes(one)).length,
    4,
  );
  assert.equal(
    machine.nodeName(),
    lab.simulated.cloud.instance(lab.machine('workers-0').instanceId)?.privateDnsName,
  );
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
  const console = lab.simulated.cloud.answer(lab.simulated.admin.identity, {
    service: 'ec2',
    operation: 'GetConsoleOutput',
    input: { InstanceId: machine.instanceId, Latest: true },
  });
  assert.ok(console.ok);
});

test('nodeadm ends when its role may not describe instances', async () => {
  const lab = await openLab(eksWorld());
  lab.simulated.cloud.controls.denyRole('lab-node', 'ec2:DescribeInstances');
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const text = machine.journalText({ units: ['nodeadm', 'systemd'] });
  assert.match(
    text,
    /"msg":"Command failed","error":"operation error EC2: DescribeInstances, https response error StatusCode: 403, .*api error UnauthorizedOperation: /,
  );
  assert.match(text, /nodeadm-run\.service: Main process exited, code=exited, status=1\/FAILURE/);
  assert.equal(machine.nodeName(), null);
  assert.equal(machine.unit('kubelet'), 'stopped');
});

test('nodeadm waits ten minutes for an EC2 that does not answer', async () => {
  const lab = await openLab(eksWorld());
  await lab.until(10);
  lab.machine('workers-0').break({ kind: 'black-hole', destination: 'aws-api' });
  await lab.until(700);
  const text = lab.machine('workers-0').journalText({ units: ['nodeadm'] });
  assert.match(text, /DEBUG retrying request EC2\/DescribeInstances, attempt 2/);
  assert.match(
    text,
    /"error":"expected err to be of type smithy\.APIError, got operation error EC2: DescribeInstances, https response error StatusCode: 0/,
  );
});

test('bootstrap.sh of Amazon Linux 2 starts a kubelet under the name that EC2 gives', async () => {
  const lab = await openLab(eksWorld({}, { image: 'al2' }));
  await lab.until(120);
  const machine = lab.machine('workers-0');
  assert.equal(
    machine.nodeName(),
    lab.simulated.cloud.instance(lab.machine('workers-0').instanceId)?.privateDnsName,
  );
  const labels = at(lab.node('workers-0') ?? {}, 'metadata.labels') as Record<string, string>;
  assert.equal(labels['node-role.example.com/pool'], 'workers');
  assert.match(
    machine.files().get('/var/log/cloud-init-output.log') ?? '',
    /\[eks-bootstrap\] INFO: complete!/,
  );
});

test('an unmapped role is Unauthorized everywhere, again and again, and let in once mapped', async () => {
  const lab = await openLab(eksWorld({ nodeRoleMapped: false }));
  await lab.until(200);
  const machine = lab.machine('workers-0');
  assert.deepEqual(lab.client.list('Node'), []);
  assert.match(
    kubeletLines(machine, 'Unable to register node with API server')[0] ?? '',
    /kubelet_node_status\.go:108\] .*err="Unauthorized"/,
  );
  assert.ok(kubeletLines(machine, 'Failed to ensure lease exists, will retry').length > 1);
  assert.ok(kubeletLines(machine, 'failed to list *v1.Node: Unauthorized').length > 1);
  const mapRoles = `- rolearn: ${lab.simulated.infrastructure.nodeRoleArn}\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:bootstrappers, system:nodes]\n`;
  lab.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'aws-auth', namespace: 'kube-system' },
    data: { mapRoles },
  });
  await lab.until(260);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
});

test('a removed mapping takes effect within the time the server caches tokens', async () => {
  const lab = await openLab(eksWorld());
  await lab.until(120);
  lab.client.delete('ConfigMap', 'kube-system/aws-auth');
  await lab.until(300);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'Unknown');
  assert.match(
    kubeletLines(lab.machine('workers-0'), 'Failed to update lease')[0] ?? '',
    /err="Unauthorized"/,
  );
});

test('a clock that is off by more than a quarter of an hour makes tokens worthless', async () => {
  const lab = await openLab(eksWorld());
  await lab.until(10);
  const machine = lab.machine('workers-0');
  machine.break({ kind: 'clock-skew', skewMs: 3_600_000 });
  await lab.until(120);
  assert.deepEqual(lab.client.list('Node'), []);
  assert.ok(machine.nowMs() - lab.simulated.kernel.nowMs() === 3_600_000);
  assert.match(machine.journalText({ units: ['kubelet'] }), /^2026-03-02T10:0\d/);
});

test('the console shows the boot', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(400);
  const answer = lab.simulated.cloud.answer(lab.simulated.admin.identity, {
    service: 'ec2',
    operation: 'GetConsoleOutput',
    input: { InstanceId: lab.machine('workers-0').instanceId, Latest: true },
  });
  assert.ok(answer.ok);
  const text = textAt(answer.output, 'Output') ?? '';
  const shown = text.includes('Linux version') ? text : atob(text);
  assert.match(shown, /\[ {4}0\.000000\] Linux version 6\.14/);
  assert.match(shown, /cloud-init\[\d+\]: This node has joined the cluster:/);
});

test('terminated machines are off, and their files stay', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(60);
  const machine = lab.machine('workers-0');
  lab.simulated.cloud.controls.terminate(machine.instanceId);
  await lab.until(200);
  assert.equal(machine.isOn(), false);
  assert.equal(machine.unit('kubelet'), 'stopped');
  assert.ok(machine.files().has('/var/log/cloud-init-output.log'));
  assert.equal((await lab.run(machine, 'hostname')).exitCode, 255);
});

test('commands on a machine', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(60);
  const machine = lab.machine('workers-0');
  assert.equal((await lab.run(machine, 'hostname')).stdout, `${machine.hostname()}\n`);
  assert.equal((await lab.run(machine, 'systemctl is-active kubelet')).stdout, 'active\n');
  assert.match(
    (await lab.run(machine, 'journalctl -u kubelet | grep "Successfully registered"')).stdout,
    /Successfully registered node/,
  );
  assert.equal(
    (await lab.run(machine, 'curl -s http://169.254.169.254/latest/meta-data/instance-id')).stdout,
    machine.instanceId,
  );
  assert.match(
    (await lab.run(machine, `kubectl get node ${machine.nodeName()} --no-headers`)).stdout,
    /^\S+ {3}Ready/,
  );
  assert.match(
    (await lab.run(machine, 'kubectl get node other')).stderr,
    /^Error from server \((?:Forbidden|NotFound)\): /,
  );
  assert.equal((await lab.run(machine, 'make-coffee')).exitCode, 127);
  assert.equal(listAt(lab.node('workers-0') ?? {}, 'spec.taints').length, 0);
});
