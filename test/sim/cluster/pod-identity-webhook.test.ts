/** What the pod identity webhook makes of pods, and what it misses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, type Json, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { ADMIN } from '../../../src/sim/cluster/simulated-cluster.ts';
import { eksWorld, kubeadmWorld, type Lab, openLab } from '../machines/lab.ts';

const ROLE = 'arn:aws:iam::123456789012:role/orders-role';
const ORDERS: Json = { name: 'orders', replicas: 1, role: 'orders-role' };
const PLAIN: Json = { name: 'plain', replicas: 1 };
const SELF_HOSTED = kubeadmWorld({ podIdentity: 'irsa', podNetwork: 'ready-made' }, [ORDERS]);

function environment(pod: JsonObject | null): Readonly<Record<string, string>> {
  const [container] = listAt(pod ?? {}, 'spec.containers');
  const pairs = listAt(container, 'env').map((one) => [
    textAt(one, 'name') ?? '',
    textAt(one, 'value') ?? '',
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Audience and lifetime of the token in a volume of the pod, and where the volume is mounted. */
function tokenVolume(pod: JsonObject | null, name: string): readonly unknown[] {
  const volume = listAt(pod ?? {}, 'spec.volumes').find((one) => textAt(one, 'name') === name);
  const [source] = listAt(volume, 'projected.sources');
  const [container] = listAt(pod ?? {}, 'spec.containers');
  const mounts = listAt(container, 'volumeMounts').filter((one) => textAt(one, 'name') === name);
  return [
    textAt(source, 'serviceAccountToken.audience'),
    at(source, 'serviceAccountToken.expirationSeconds'),
    ...mounts.map((one) => textAt(one, 'mountPath')),
  ];
}

function makePod({ client }: Lab, name: string, account: string, more: JsonObject = {}) {
  const made = client.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'production' },
    spec: { serviceAccountName: account, containers: [{ name, image: 'shop:1', ...more }] },
  });
  assert.ok(made.ok);
  return made.object;
}

function makeAccount({ client }: Lab, name: string): void {
  const annotations = { 'eks.amazonaws.com/role-arn': ROLE };
  const metadata = { name, namespace: 'production', annotations };
  assert.ok(client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }).ok);
}

/** Sets the replicas of the webhook and waits until that is so. */
async function scaleWebhook(lab: Lab, replicas: number, untilSeconds: number): Promise<void> {
  const name = 'kube-system/pod-identity-webhook';
  assert.ok(lab.client.patch('Deployment', name, 'merge', { spec: { replicas } }).ok);
  await lab.until(untilSeconds);
}

describe('with IRSA on EKS', () => {
  test('a pod of an annotated account gets the variables, the volume and its mount', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'irsa' }, {}, [ORDERS, PLAIN]));
    await lab.until(5);
    const pod = lab.pod('orders-');
    assert.equal(textAt(pod, 'spec.serviceAccountName'), 'orders');
    assert.deepEqual(environment(pod), {
      AWS_STS_REGIONAL_ENDPOINTS: 'regional',
      AWS_DEFAULT_REGION: 'us-west-2',
      AWS_REGION: 'us-west-2',
      AWS_ROLE_ARN: ROLE,
      AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/eks.amazonaws.com/serviceaccount/token',
    });
    assert.deepEqual(tokenVolume(pod, 'aws-iam-token'), [
      'sts.amazonaws.com',
      86_400,
      '/var/run/secrets/eks.amazonaws.com/serviceaccount',
    ]);
    assert.deepEqual(environment(lab.pod('plain-')), {});
  });

  test('no pod of the webhook is to be seen, and its failure policy is Ignore', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'irsa' }, {}, [ORDERS]));
    await lab.until(60);
    assert.equal(lab.pod('pod-identity-webhook'), null);
    const found = lab.client.get('MutatingWebhookConfiguration', 'pod-identity-webhook');
    assert.equal(textAt(listAt(found ?? {}, 'webhooks')[0], 'failurePolicy'), 'Ignore');
  });

  test('a pod that comes with its account is let through, one a little later is not', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'irsa' }, {}, [ORDERS]));
    await lab.until(5);
    const leftAlone: (string | null)[] = [];
    lab.simulated.webhook?.onLeftAlone((pod) => leftAlone.push(textAt(pod, 'metadata.name')));
    makeAccount(lab, 'late');
    assert.deepEqual(environment(makePod(lab, 'first', 'late')), {});
    await lab.until(10);
    assert.equal(environment(makePod(lab, 'second', 'late'))['AWS_ROLE_ARN'], ROLE);
    assert.deepEqual(leftAlone, ['first']);
    const lines = lab.simulated.webhook?.log().map(({ text }) => text.replace(/^.*\] /, '')) ?? [];
    assert.ok(
      lines.includes('Service account production/late not found in the cache. Not mutating'),
    );
    assert.ok(
      lines.includes('Pod was mutated. Pod=second, ServiceAccount=late, Namespace=production'),
    );
  });

  test('a variable that a container has stays as it is', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'irsa' }, {}, [ORDERS]));
    const env = [{ name: 'AWS_REGION', value: 'eu-north-1' }];
    const pod = makePod(lab, 'own', 'orders', { env });
    assert.equal(environment(pod)['AWS_REGION'], 'eu-north-1');
    assert.equal(environment(pod)['AWS_DEFAULT_REGION'], 'us-west-2');
  });

  test('without its configuration nothing is asked of it', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'irsa' }, {}, [ORDERS]));
    assert.ok(lab.client.delete('MutatingWebhookConfiguration', 'pod-identity-webhook').ok);
    assert.deepEqual(environment(makePod(lab, 'bare', 'orders')), {});
  });
});

describe('with IRSA on a cluster of kubeadm', () => {
  test('pods are mutated while a pod of the webhook is ready, and not without', async () => {
    const lab = await openLab(SELF_HOSTED);
    assert.equal(environment(makePod(lab, 'before', 'orders'))['AWS_ROLE_ARN'], ROLE);
    await scaleWebhook(lab, 0, 60);
    assert.deepEqual(environment(makePod(lab, 'between', 'orders')), {});
    await scaleWebhook(lab, 1, 120);
    assert.equal(environment(makePod(lab, 'after', 'orders'))['AWS_ROLE_ARN'], ROLE);
  });

  test('a pod that was let through uses the node role, others use theirs', async () => {
    const lab = await openLab(SELF_HOSTED);
    await scaleWebhook(lab, 0, 60);
    makePod(lab, 'between', 'orders');
    await lab.until(180);
    const [first, last] = lab.simulated.hypervisor.identities();
    assert.match(first?.pod ?? '', /^production\/orders-/);
    assert.equal(first?.now, 'own-role');
    assert.deepEqual([last?.pod, last?.now], ['production/between', 'node-role']);
  });

  test('the log of the webhook is what a kubelet shows of it', async () => {
    const lab = await openLab(SELF_HOSTED);
    await lab.until(30);
    const name = textAt(lab.pod('pod-identity-webhook'), 'metadata.name') ?? '';
    const core = { group: '', version: 'v1', plural: 'pods', namespace: 'kube-system' };
    const { object } = lab.simulated.api.answer({
      user: ADMIN,
      verb: 'get',
      path: { ...core, name, subresource: 'log' },
      query: {},
      body: null,
      patchType: null,
    });
    assert.match(JSON.stringify(object), /Pod was mutated\. Pod=orders-/);
  });
});

describe('with EKS Pod Identity', () => {
  test('a pod of an associated account gets the address of the agent and its token', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'pod-identity' }, {}, [ORDERS, PLAIN]));
    await lab.until(5);
    const path = '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount';
    const pod = lab.pod('orders-');
    const variables = environment(pod);
    assert.equal(
      variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
      'http://169.254.170.23/v1/credentials',
    );
    assert.equal(
      variables['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'],
      `${path}/eks-pod-identity-token`,
    );
    assert.equal(variables['AWS_ROLE_ARN'], undefined);
    assert.deepEqual(tokenVolume(pod, 'eks-pod-identity-token'), [
      'pods.eks.amazonaws.com',
      86_400,
      path,
    ]);
    assert.deepEqual(environment(lab.pod('plain-')), {});
  });

  test('an association takes some seconds until pods get it', async () => {
    const lab = await openLab(eksWorld({ podIdentity: 'pod-identity' }, {}, [ORDERS]));
    const whose = { namespace: 'production', serviceAccount: 'default' };
    lab.simulated.cloud.controls.createPodIdentity({ cluster: 'lab', ...whose, roleArn: ROLE });
    assert.deepEqual(environment(makePod(lab, 'early', 'default')), {});
    await lab.until(10);
    assert.notDeepEqual(environment(makePod(lab, 'later', 'default')), {});
  });
});
