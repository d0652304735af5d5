/** How programs in pods come by their roles from STS and EKS Auth, and what they say when refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { observeCluster } from '../../../src/apps/sim/observe-cluster.ts';
import { type Json, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { SeenIdentity } from '../../../src/sim/machines/contract.ts';
import { eksWorld, kubeadmWorld, type Lab, openLab } from './lab.ts';

const ORDERS: JsonObject = { name: 'orders', replicas: 1, role: 'orders-role' };
const FRAGILE: readonly Json[] = [{ ...ORDERS, endsWithoutRole: true }];
const NOBODY: JsonObject = { Version: '2012-10-17', Statement: [] };

async function openIrsa(workloads: readonly Json[] = [ORDERS]): Promise<Lab> {
  return openLab(eksWorld({ podIdentity: 'irsa' }, {}, workloads));
}

async function openPodIdentity(workloads: readonly Json[] = [ORDERS]): Promise<Lab> {
  return openLab(eksWorld({ podIdentity: 'pod-identity' }, {}, workloads));
}

function orders({ client }: Lab): JsonObject {
  const pods = client.list('Pod', { namespace: 'production' });
  const found = pods.findLast((pod) => textAt(pod, 'status.phase') !== 'Succeeded');
  assert.ok(found !== undefined);
  return found;
}

function identityOf(lab: Lab): SeenIdentity | undefined {
  const uid = textAt(orders(lab), 'metadata.uid');
  return lab.simulated.hypervisor.identities().find(({ podUid }) => podUid === uid)?.now;
}

/** The texts of what the program has printed as JSON. */
function complaints(lab: Lab): readonly string[] {
  const name = `production/${textAt(orders(lab), 'metadata.name')}`;
  const lines = lab.machine('workers-0').podLogs(name, 'orders') ?? [];
  return lines
    .filter(({ text }) => text.startsWith('{'))
    .map(({ text }) => textAt(JSON.parse(text) as Json, 'msg') ?? '');
}

function agentLines(lab: Lab): readonly string[] {
  const name = `kube-system/${textAt(lab.pod('eks-pod-identity-agent'), 'metadata.name')}`;
  const lines = lab.machine('workers-0').podLogs(name, 'eks-pod-identity-agent') ?? [];
  return lines.map(({ text }) => text);
}

/** What Rollcall names of the one machine, and how sure it is. */
async function named({ simulated }: Lab): Promise<readonly string[]> {
  const { document } = await observeCluster(simulated);
  return document.subjects
    .flatMap(({ findings }) => findings)
    .filter(({ confidence }) => confidence !== 'possible')
    .map(({ cause }) => cause);
}

function dropAssociations({ simulated }: Lab): void {
  const known = simulated.cloud.controls.account.plain['pod-identity'];
  for (const id of known.ids()) known.delete(id, simulated.kernel.nowMs());
}

describe('a program with a web identity', () => {
  test('gets its role once STS accepts its token, also from a custom issuer', async () => {
    const own = await openLab(
      kubeadmWorld({ podIdentity: 'irsa', podNetwork: 'ready-made' }, [ORDERS]),
    );
    for (const lab of [await openIrsa(), own]) {
      await lab.until(90);
      assert.equal(identityOf(lab), 'own-role');
      assert.deepEqual(complaints(lab), []);
    }
  });

  test('says what STS refuses it for a role that trusts others, and has none', async () => {
    const lab = await openIrsa();
    lab.simulated.cloud.controls.setTrust('orders-role', NOBODY);
    await lab.until(90);
    assert.equal(identityOf(lab), 'none');
    assert.match(
      complaints(lab)[0] ?? '',
      /^WebIdentityErr: failed to retrieve credentials\ncaused by: AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity\n\tstatus code: 403, request id: [0-9a-f-]{36}$/,
    );
  });

  test('tries again while STS is throttled, and has its role after that', async () => {
    const lab = await openIrsa();
    lab.simulated.cloud.controls.throttle('sts:AssumeRoleWithWebIdentity');
    await lab.until(90);
    assert.equal(identityOf(lab), 'none');
    assert.ok(complaints(lab).length > 2);
    assert.match(
      complaints(lab)[0] ?? '',
      /caused by: Throttling: Rate exceeded\n\tstatus code: 400/,
    );
    lab.simulated.cloud.controls.unrefuse('sts:AssumeRoleWithWebIdentity');
    await lab.until(150);
    assert.equal(identityOf(lab), 'own-role');
  });

  test('hears nothing where no way leads to AWS', async () => {
    const lab = await openIrsa();
    await lab.until(60);
    const undo = lab.machine('workers-0').break({ kind: 'black-hole', destination: 'aws-api' });
    lab.client.delete('Pod', `production/${textAt(orders(lab), 'metadata.name')}`);
    await lab.until(150);
    assert.match(complaints(lab)[0] ?? '', /https:\/\/sts\.us-west-2\.amazonaws\.com\/": dial tcp/);
    assert.equal(identityOf(lab), 'none');
    undo();
    await lab.until(210);
    assert.equal(identityOf(lab), 'own-role');
  });

  test('asks again before its session ends, and loses its role when STS refuses it then', async () => {
    const lab = await openIrsa();
    await lab.until(600);
    lab.simulated.cloud.controls.setTrust('orders-role', NOBODY);
    await lab.until(3000);
    assert.equal(identityOf(lab), 'own-role');
    await lab.until(4200);
    assert.equal(identityOf(lab), 'none');
  });
});

describe('what Rollcall says of programs that end without their role', () => {
  test('the trust policy, where it trusts others', async () => {
    const lab = await openIrsa(FRAGILE);
    lab.simulated.cloud.controls.setTrust('orders-role', NOBODY);
    await lab.until(200);
    assert.deepEqual(await named(lab), ['irsa-trust-policy-mismatch']);
  });

  test('no cause, while STS is throttled', async () => {
    const lab = await openIrsa(FRAGILE);
    lab.simulated.cloud.controls.throttle('sts:AssumeRoleWithWebIdentity');
    await lab.until(200);
    const [status] = listAt(orders(lab), 'status.containerStatuses');
    assert.ok(Number(textAt(status, 'restartCount')) >= 3);
    assert.deepEqual(await named(lab), []);
  });

  test('the webhook, of pods that it has let through', async () => {
    const lab = await openIrsa(FRAGILE);
    await lab.until(5);
    lab.client.delete('MutatingWebhookConfiguration', 'pod-identity-webhook');
    lab.client.delete('Pod', `production/${textAt(orders(lab), 'metadata.name')}`);
    await lab.until(200);
    assert.deepEqual(await named(lab), ['irsa-webhook-did-not-mutate']);
  });

  test('the association, where EKS has none by now', async () => {
    const lab = await openPodIdentity(FRAGILE);
    dropAssociations(lab);
    await lab.until(200);
    assert.deepEqual(await named(lab), ['pod-identity-not-authorized']);
  });

  test('the agent, where it does not listen', async () => {
    const lab = await openPodIdentity(FRAGILE);
    lab.client.delete('DaemonSet', 'kube-system/eks-pod-identity-agent');
    await lab.until(200);
    assert.deepEqual(await named(lab), ['pod-identity-agent-down']);
  });
});

describe('a program with EKS Pod Identity', () => {
  test('gets its role from the agent on its node', async () => {
    const lab = await openPodIdentity();
    await lab.until(90);
    assert.equal(identityOf(lab), 'own-role');
  });

  test('gets the error that EKS Auth gives the agent without an association', async () => {
    const lab = await openPodIdentity();
    dropAssociations(lab);
    await lab.until(90);
    assert.equal(identityOf(lab), 'none');
    const said = /No Pod Identity Association found for service account orders/;
    assert.match(complaints(lab).at(-1) ?? '', said);
    assert.ok(agentLines(lab).some((line) => said.test(line)));
  });

  test('asks nothing else while the agent is missing, and gets its role once it is there', async () => {
    const lab = await openPodIdentity();
    const agents = 'kube-system/eks-pod-identity-agent';
    await lab.until(20);
    const agent = lab.client.get('DaemonSet', agents);
    lab.client.delete('DaemonSet', agents);
    await lab.until(90);
    assert.equal(identityOf(lab), 'none');
    assert.match(
      complaints(lab)[0] ?? '',
      /dial tcp 169\.254\.170\.23:80: connect: connection refused/,
    );
    const { metadata: _, status: _old, ...rest } = agent ?? {};
    const metadata = { name: 'eks-pod-identity-agent', namespace: 'kube-system' };
    assert.ok(lab.client.create({ ...rest, metadata }).ok);
    await lab.until(180);
    assert.equal(identityOf(lab), 'own-role');
  });

  test('made without the webhook, it takes the role of the node', async () => {
    const lab = await openPodIdentity();
    await lab.until(5);
    lab.client.delete('MutatingWebhookConfiguration', 'pod-identity-webhook');
    lab.client.delete('Pod', `production/${textAt(orders(lab), 'metadata.name')}`);
    await lab.until(90);
    assert.equal(identityOf(lab), 'node-role');
  });
});
