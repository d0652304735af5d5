import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseObservations, diagnoseTexts } from '../../../src/engine/diagnose.ts';
import { readPile } from '../../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import type { SimulatedMachine } from '../../../src/sim/machines/contract.ts';
import { eksWorld, kubeadmWorld, openLab } from './lab.ts';

/** What `rollcall diagnose eks_….tar.gz` says of what this machine has written. */
async function diagnosed(machine: SimulatedMachine): Promise<DiagnosisDocument> {
  const container = `eks_${machine.instanceId}_2026-03-02_0910-UTC_0.7.9.tar.gz`;
  const encoder = new TextEncoder();
  const documents = machine.collect().map(({ name, text }) => ({
    locator: `${container}/${name}`,
    container,
    chunks: [encoder.encode(text)],
  }));
  return diagnoseObservations(await readPile(documents));
}

function roots(document: DiagnosisDocument): readonly string[] {
  const all = document.subjects.flatMap(({ findings }) => findings);
  return [...new Set(all.filter(({ role }) => role === 'root').map(({ cause }) => cause))];
}

function certain(document: DiagnosisDocument): readonly string[] {
  const all = document.subjects.flatMap(({ findings }) => findings);
  return all.filter(({ confidence }) => confidence !== 'possible').map(({ cause }) => cause);
}

test('a healthy machine gives no cause', async () => {
  for (const world of [eksWorld(), kubeadmWorld(), kubeadmWorld({ podNetwork: 'ready-made' })]) {
    const lab = await openLab(world);
    await lab.until(300);
    const document = await diagnosed(lab.machine('workers-0'));
    assert.deepEqual(certain(document), []);
    assert.ok(
      document.subjects.every(({ verdict }) => verdict !== 'not-usable'),
      JSON.stringify(document.subjects.map(({ stage }) => stage)),
    );
  }
});

test('story 1: the node that changed its name', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(120);
  const machine = lab.machine('workers-0');
  await lab.run(
    machine,
    'hostnamectl set-hostname ip-10-0-0-9.us-west-2.compute.internal && systemctl restart kubelet',
  );
  const document = await diagnosed(machine);
  assert.equal(document.headline?.cause, 'node-name-differs-from-certificate');
});

test('story 2: the node that joined and was gone', async () => {
  const lab = await openLab(kubeadmWorld({ cloudController: 'none' }));
  await lab.until(60);
  const machine = lab.machine('workers-0');
  lab.client.delete('Node', machine.nodeName() ?? '');
  await lab.until(200);
  const document = await diagnosed(machine);
  assert.equal(document.headline?.cause, 'no-reregistration-after-deletion');
  const pasted = await diagnoseTexts([
    { name: 'kubelet.log', text: machine.journalText({ units: ['kubelet'] }) },
  ]);
  assert.equal(pasted.headline?.cause, 'no-reregistration-after-deletion');
});

test('story 3: the node that said it was ready', async () => {
  const lab = await openLab({
    cluster: {
      kind: 'kubeadm',
      version: '1.34.3',
      podNetwork: 'calico',
      podNetworkWarmUp: '70s',
      podIdentity: 'kiam',
      gate: 'nidhogg',
    },
    groups: [
      { name: 'servers', count: 1, boot: '2s' },
      { name: 'workers', count: 1, boot: '30s' },
    ],
    workloads: [{ name: 'shop', replicas: 3, role: 'shop-role' }],
  });
  await lab.until(300);
  const document = await diagnosed(lab.machine('workers-0'));
  assert.equal(document.headline?.cause, 'kiam-agent-undoes-redirect');
  const accounts = lab.simulated.hypervisor.identities();
  const wrong = accounts.filter(({ seconds }) => seconds['node-role'] > 0);
  assert.ok(wrong.length > 0, 'no pod acted as the node');
  for (const { requestsLost, seconds } of wrong)
    assert.ok(Math.abs(requestsLost - 5 * (seconds['node-role'] + seconds.none)) <= 1);
});

test('story 4: never let in, and then without addresses', async () => {
  const shut = await openLab(eksWorld({ nodeRoleMapped: false }));
  await shut.until(200);
  const locked = await diagnosed(shut.machine('workers-0'));
  assert.ok(locked.subjects.some(({ stage }) => stage === 'authenticated'));
  assert.ok(
    roots(locked).includes('node-role-not-in-aws-auth') &&
      roots(locked).includes('aws-auth-missing'),
  );
  assert.ok(!certain(locked).includes('cni-configuration-missing'));
  const dry = await openLab(eksWorld({}, { subnetPrefix: 28 }, [{ name: 'web', replicas: 14 }]));
  await dry.until(300);
  const empty = await diagnosed(dry.machine('workers-0'));
  assert.equal(empty.headline?.cause, 'subnet-out-of-pod-addresses');
});

test('an instance type that an old CNI does not know', async () => {
  const lab = await openLab(eksWorld());
  const container = { name: 'aws-node', image: 'example.com/amazon-k8s-cni:v1.5.7' };
  lab.client.patch('DaemonSet', 'kube-system/aws-node', 'strategic', {
    spec: { template: { spec: { containers: [container] } } },
  });
  await lab.until(200);
  const document = await diagnosed(lab.machine('workers-0'));
  assert.equal(document.headline?.cause, 'instance-type-unknown-to-cni');
});

test('the same seed writes the same journal, another one another', async () => {
  const journal = async (seed: number): Promise<string> => {
    const lab = await openLab(kubeadmWorld({}, [{ name: 'web', replicas: 3 }]), seed);
    await lab.until(200);
    return lab.machine('workers-0').journalText({ format: 'short-precise' }) + lab.lines.join('\n');
  };
  const first = await journal(11);
  assert.equal(await journal(11), first);
  assert.notEqual(await journal(12), first);
});
