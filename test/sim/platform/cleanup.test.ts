import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import { createCluster, Kubelets, must, podObject, type TestCluster, workload } from './cluster.ts';

function setUp() {
  const cluster = createCluster();
  startControllerManager(cluster.world);
  startScheduler(cluster.world);
  cluster.pass(1000);
  return { cluster, kubelets: new Kubelets(cluster) };
}

function isGone({ admin }: TestCluster, kind: string, name: string): boolean {
  return admin.get(kind, name) === null;
}

describe('pod garbage collection', () => {
  it('deletes the pods of a deleted node by force after 40 to 60 s', () => {
    const { cluster, kubelets } = setUp();
    const kubelet = kubelets.join('n1');
    must(cluster.admin.create(podObject('app', { nodeName: 'n1' })));
    cluster.pass(20_000);
    kubelet.stop();
    must(cluster.admin.delete('Node', 'n1'));
    const tookMs = cluster.until(() => isGone(cluster, 'Pod', 'default/app'), 90_000);
    assert.ok(tookMs >= 40_000 && tookMs <= 61_000, `${tookMs} ms`);
  });

  it('leaves them when the node comes back in time', () => {
    const { cluster, kubelets } = setUp();
    const kubelet = kubelets.join('n1');
    must(cluster.admin.create(podObject('app', { nodeName: 'n1' })));
    cluster.pass(20_000);
    kubelet.stop();
    must(cluster.admin.delete('Node', 'n1'));
    cluster.pass(30_000);
    kubelets.join('n1');
    cluster.pass(10 * 60_000);
    assert.equal(isGone(cluster, 'Pod', 'default/app'), false);
  });
});

describe('garbage collector', () => {
  it('removes the Lease of a deleted node, but not that of a node of the same name', () => {
    const { cluster, kubelets } = setUp();
    kubelets.join('n1');
    cluster.pass(5000);
    must(cluster.admin.delete('Node', 'n1'));
    cluster.until(() => isGone(cluster, 'Lease', 'kube-node-lease/n1'), 5000);
  });

  it('removes what a deleted Deployment owned, down to the pods', () => {
    const { cluster, kubelets } = setUp();
    must(cluster.admin.create(workload('Deployment', 'web', { replicas: 2 })));
    kubelets.join('n1');
    cluster.pass(10_000);
    assert.equal(cluster.admin.list('Pod').length, 2);
    must(cluster.admin.delete('Deployment', 'default/web', { propagationPolicy: 'Background' }));
    cluster.until(() => cluster.admin.list('Pod').length === 0, 40_000);
    assert.deepEqual(cluster.admin.list('ReplicaSet'), []);
  });

  it('orphans and foreground deletion keep their order', () => {
    const { cluster, kubelets } = setUp();
    must(cluster.admin.create(workload('Deployment', 'a', { replicas: 1 })));
    must(cluster.admin.create(workload('Deployment', 'b', { replicas: 1 })));
    kubelets.join('n1');
    cluster.pass(10_000);
    must(cluster.admin.delete('Deployment', 'default/a', { propagationPolicy: 'Orphan' }));
    must(cluster.admin.delete('Deployment', 'default/b', { propagationPolicy: 'Foreground' }));
    cluster.until(() => isGone(cluster, 'Deployment', 'default/b'), 40_000);
    const left = cluster.admin.list('ReplicaSet');
    assert.deepEqual(
      left.map((set) => textAt(set, 'metadata.labels.app')),
      ['a'],
    );
    assert.deepEqual(listAt(left[0], 'metadata.ownerReferences'), []);
    assert.equal(isGone(cluster, 'Deployment', 'default/a'), true);
  });

  it('removes an object that was born with an owner that is gone', () => {
    const { cluster } = setUp();
    const owner = {
      apiVersion: 'v1',
      kind: 'Node',
      name: 'n1',
      uid: 'b5d1c6f0-0000-4000-8000-000000000000',
    };
    must(
      cluster.admin.create({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n1', namespace: 'kube-node-lease', ownerReferences: [owner] },
        spec: { holderIdentity: 'n1' },
      }),
    );
    cluster.until(() => isGone(cluster, 'Lease', 'kube-node-lease/n1'), 5000);
  });
});

describe('namespaces', () => {
  it('get an account and the authority, and are emptied before they go', () => {
    const { cluster, kubelets } = setUp();
    must(cluster.admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }));
    cluster.pass(1000);
    assert.equal(isGone(cluster, 'ServiceAccount', 'shop/default'), false);
    assert.equal(isGone(cluster, 'ConfigMap', 'shop/kube-root-ca.crt'), false);
    kubelets.join('n1');
    const deployment = workload('Deployment', 'web', { replicas: 1 });
    must(cluster.admin.create({ ...deployment, metadata: { name: 'web', namespace: 'shop' } }));
    cluster.pass(10_000);
    assert.equal(cluster.admin.list('Pod', { namespace: 'shop' }).length, 1);
    must(cluster.admin.delete('Namespace', 'shop'));
    cluster.until(() => isGone(cluster, 'Namespace', 'shop'), 60_000);
    assert.deepEqual(cluster.admin.list('Pod', { namespace: 'shop' }), []);
  });
});
