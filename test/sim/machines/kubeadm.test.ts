import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import type { SimulatedMachine } from '../../../src/sim/machines/contract.ts';
import { conditionOf, kubeadmWorld, kubeletLines, type Lab, openLab } from './lab.ts';

const JOIN = 'kubeadm join 10.0.250.10:6443 --discovery-token-unsafe-skip-ca-verification --token';

function tokenOf(machine: SimulatedMachine, lab: Lab): string {
  const userData = lab.simulated.cloud.instance(machine.instanceId)?.userData ?? '';
  return /--token (\S+)/.exec(userData)?.[1] ?? '';
}

test('a join prints its phases, and the log of cloud-init keeps them', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const log = machine.files().get('/var/log/cloud-init-output.log') ?? '';
  const phases = [
    '[preflight] Running pre-flight checks',
    '[preflight] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...',
    '[kubelet-start] Starting the kubelet',
    '[kubelet-check] The kubelet is healthy after 50',
    '[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap',
    'This node has joined the cluster:',
  ];
  const places = phases.map((phase) => log.indexOf(phase));
  assert.ok(
    places.every((place) => place >= 0),
    log,
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.match(
    log,
    /Cloud-init v\. \S+ finished at Mon, 02 Mar 2026 09:\d\d:\d\d \+0000\. Datasource DataSourceEc2Local\. {2}Up \d+\.\d\d seconds/,
  );
  const files = machine.files();
  assert.ok(files.has('/var/lib/kubelet/pki/kubelet-client-current.pem'));
  assert.ok(!files.has('/etc/kubernetes/bootstrap-kubelet.conf'));
});

test('a second join is refused by what the first one left', async () => {
  const lab = await openLab(kubeadmWorld());
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const { exitCode, stdout } = await lab.run(machine, `${JOIN} ${tokenOf(machine, lab)}`);
  assert.equal(exitCode, 1);
  assert.match(
    stdout,
    /\[ERROR FileAvailable--etc-kubernetes-kubelet\.conf\]: \/etc\/kubernetes\/kubelet\.conf already exists/,
  );
  assert.match(stdout, /\[ERROR Port-10250\]: Port 10250 is in use/);
});

test('reset and join bring a deleted node back', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(120);
  const machine = lab.machine('workers-0');
  const name = machine.nodeName() ?? '';
  const uid = textAt(lab.node('workers-0') ?? {}, 'metadata.uid');
  lab.client.delete('Node', name);
  await lab.until(130);
  const loop = `until kubectl get node ${name}; do kubeadm reset -f; ${JOIN} ${tokenOf(machine, lab)}; sleep 5; done`;
  const { exitCode, stdout } = await lab.run(machine, loop);
  assert.equal(exitCode, 0, stdout);
  assert.equal(stdout.split('This node has joined the cluster').length, 2);
  assert.notEqual(textAt(lab.node('workers-0') ?? {}, 'metadata.uid'), uid);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
});

test('an unsigned token ends after 5 min in the words of kubeadm', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const before = lab.simulated.kernel.nowMs();
  const ended: number[] = [];
  let text = '';
  machine.run(`kubeadm reset -f; ${JOIN} aaaaaa.0123456789abcdef`, ({ stdout }) => {
    ended.push(lab.simulated.kernel.nowMs() - before);
    text = stdout;
  });
  await lab.until(500);
  assert.match(
    text,
    /error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "aaaaaa"/,
  );
  const [tookMs = 0] = ended;
  assert.ok(tookMs > 300_000 && tookMs < 310_000, `${tookMs} ms`);
});

test('the right id with a wrong secret ends at once', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const [id = ''] = tokenOf(machine, lab).split('.');
  const { stdout } = await lab.run(machine, `kubeadm reset -f; ${JOIN} ${id}.wrongwrongwrong1`);
  assert.match(
    stdout,
    /failed to verify JWS signature of received cluster info object, can't trust this API Server/,
  );
});

test('a machine that loses its packets joins when they pass again', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const mend = machine.break({ kind: 'black-hole', destination: 'api-server' });
  const results: string[] = [];
  lab.client.delete('Node', machine.nodeName() ?? '');
  machine.run(`kubeadm reset -f; ${JOIN} ${tokenOf(machine, lab)}`, ({ stdout }) =>
    results.push(stdout),
  );
  await lab.until(120);
  assert.deepEqual(results, []);
  mend();
  await lab.until(180);
  assert.match(results.join('\n'), /This node has joined the cluster/);
});

test('a Ready node of the same name keeps another machine out', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  const command = `kubeadm reset -f; ${JOIN} ${tokenOf(machine, lab)}`;
  const { stdout } = await lab.run(machine, command);
  assert.match(
    stdout,
    /error execution phase kubelet-start: a Node with name "[^"]+" and status "Ready" already exists in the cluster/,
  );
  assert.equal(kubeletLines(machine, 'Successfully registered node').length, 1);
});

test('without an approver the join ends late, and the kubelet takes a later certificate', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(8);
  lab.simulated.platform.stopProgram('kube-controller-manager');
  await lab.until(340);
  const log = lab.machine('workers-0').files().get('/var/log/cloud-init-output.log') ?? '';
  assert.match(
    log,
    /kubelet-wait-bootstrap: failed while waiting for TLS bootstrap: context deadline exceeded/,
  );
  assert.match(log, /Failed to run module scripts-user/);
  assert.equal(lab.node('workers-0'), null);
  lab.simulated.platform.startProgram('kube-controller-manager');
  await lab.until(360);
  assert.notEqual(lab.node('workers-0'), null);
});
