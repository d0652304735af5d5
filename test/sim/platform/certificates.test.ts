import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { fromBase64, toBase64 } from '../../../src/sim/platform/certificates/base64.ts';
import { requestOf } from '../../../src/sim/platform/certificates/pkcs10.ts';
import { bootstrapUser } from '../../../src/sim/platform/certificates/bootstrap-tokens.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { createCluster, must, START_MS } from './cluster.ts';

const BOOTSTRAP = {
  name: 'system:bootstrap:abcdef',
  groups: [
    'system:bootstrappers',
    'system:bootstrappers:kubeadm:default-node-token',
    'system:authenticated',
  ],
};

function setUp(isApproving = true) {
  const cluster = createCluster({ isAuthorizing: false });
  startControllerManager(cluster.world, { isApproving });
  cluster.pass(1000);
  const request = requestOf({ commonName: 'system:node:n1', organizations: ['system:nodes'] });
  const ask = (signerName: string) =>
    must(
      cluster.world.client(BOOTSTRAP).create({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'node-csr-1' },
        spec: { request, signerName, usages: ['digital signature', 'client auth'] },
      }),
    );
  const found = () => cluster.admin.get('CertificateSigningRequest', 'node-csr-1') ?? {};
  return { cluster, ask, found };
}

const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';

describe('certificate requests of kubelets', () => {
  it('are approved and signed within a moment', () => {
    const { cluster, ask, found } = setUp();
    ask(CLIENT);
    cluster.until(() => textAt(found(), 'status.certificate') !== null, 1000);
    const [approved] = listAt(found(), 'status.conditions');
    assert.equal(textAt(approved, 'reason'), 'AutoApproved');
    assert.equal(
      textAt(approved, 'message'),
      'Auto approving kubelet client certificate after SubjectAccessReview.',
    );
    const pem = fromBase64(textAt(found(), 'status.certificate') ?? '') ?? '';
    const body = pem.replaceAll(/-----[A-Z ]+-----|\n/g, '');
    assert.equal(textAt(JSON.parse(fromBase64(body) ?? ''), 'commonName'), 'system:node:n1');
  });

  it('stay pending without an approver, and when they are for serving', () => {
    const idle = setUp(false);
    idle.ask(CLIENT);
    idle.cluster.pass(60_000);
    assert.deepEqual(listAt(idle.found(), 'status.conditions'), []);
    const serving = setUp();
    serving.ask('kubernetes.io/kubelet-serving');
    serving.cluster.pass(60_000);
    assert.deepEqual(listAt(serving.found(), 'status.conditions'), []);
  });
});

function secret(expiresMs: number | null) {
  const values: Record<string, string> = {
    'token-id': toBase64('abcdef'),
    'token-secret': toBase64('0123456789abcdef'),
    'usage-bootstrap-authentication': toBase64('true'),
    'usage-bootstrap-signing': toBase64('true'),
    'auth-extra-groups': toBase64('system:bootstrappers:kubeadm:default-node-token'),
  };
  if (expiresMs !== null) values['expiration'] = toBase64(new Date(expiresMs).toISOString());
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    data: values,
  };
}

describe('bootstrap tokens', () => {
  it('sign the cluster-info and go when their time is over', () => {
    const { cluster } = setUp();
    const metadata = { name: 'cluster-info', namespace: 'kube-public' };
    must(
      cluster.admin.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { kubeconfig: 'x' },
      }),
    );
    must(cluster.admin.create(secret(cluster.kernel.nowMs() + 60_000)));
    const signature = () =>
      textAt(
        cluster.admin.get('ConfigMap', 'kube-public/cluster-info') ?? {},
        'data.jws-kubeconfig-abcdef',
      );
    cluster.until(() => signature() !== null, 1000);
    cluster.pass(55_000);
    assert.notEqual(signature(), null);
    cluster.until(
      () => cluster.admin.get('Secret', 'kube-system/bootstrap-token-abcdef') === null,
      6000,
    );
    cluster.until(() => signature() === null, 1000);
  });

  it('are valid only with their secret and in their time', () => {
    const known = [secret(START_MS + 1000)];
    const token = 'abcdef.0123456789abcdef';
    assert.deepEqual(bootstrapUser(token, known, START_MS), BOOTSTRAP);
    assert.equal(bootstrapUser(token, known, START_MS + 1000), null);
    assert.equal(bootstrapUser('abcdef.fedcba9876543210', known, START_MS), null);
    assert.equal(bootstrapUser('bbbbbb.0123456789abcdef', known, START_MS), null);
  });
});

describe('base64', () => {
  it('gives back every text, of any length and alphabet', () => {
    for (const text of ['', 'a', 'ab', 'abc', 'Grüße, 世界', 'x'.repeat(1001)])
      assert.equal(fromBase64(toBase64(text)), text);
    assert.equal(toBase64('any carnal pleas'), 'YW55IGNhcm5hbCBwbGVhcw==');
    assert.equal(fromBase64('YW55IGNhcm5hbCBwbGVhcw'), 'any carnal pleas');
    assert.equal(fromBase64('no*base64'), null);
  });
});
