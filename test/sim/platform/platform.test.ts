import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import { toBase64 } from '../../../src/sim/platform/certificates/base64.ts';
import { blocksOf } from '../../../src/sim/platform/nodes/node-ipam.ts';
import { type PlatformOptions, startPlatform } from '../../../src/sim/platform/platform.ts';
import {
  CLUSTER,
  createCluster,
  eventTexts,
  Kubelets,
  must,
  nodeObject,
  workload,
} from './cluster.ts';
import { createFleet } from './machines.ts';

const KUBEADM: PlatformOptions = { clusterName: CLUSTER, kind: 'kubeadm' };

/** A sum over all that the store holds at the end of a busy minute, with a crash in it. */
function played(seed: number): string {
  const cluster = createCluster({ seed });
  const platform = startPlatform(cluster.world, { ...KUBEADM, cloudController: '1.37' });
  const kubelets = new Kubelets(cluster);
  const fleet = createFleet(cluster);
  cluster.pass(1000);
  must(cluster.admin.create(workload('Deployment', 'web', { replicas: 6 })));
  must(
    cluster.admin.create(
      workload('DaemonSet', 'cni', {}, { tolerations: [{ operator: 'Exists' }] }),
    ),
  );
  for (let index = 0; index < 5; index++) {
    const { id, name, providerId } = fleet.launch();
    if (index === 2) cluster.world.aws.controls.hideInstance(id, 20_000);
    kubelets.join(name, { providerId, isReady: index !== 2 });
    cluster.pass(3000);
  }
  platform.stopProgram('kube-controller-manager');
  cluster.pass(15_000);
  platform.startProgram('kube-controller-manager');
  cluster.pass(30_000);
  const kinds = ['Node', 'Pod', 'Event', 'ReplicaSet', 'DaemonSet', 'Lease'];
  const found = kinds.map((kind) => JSON.stringify(cluster.admin.list(kind)));
  const log = platform.cloudControllerLog().map(({ text }) => text);
  return createHash('sha256')
    .update([...found, ...log].join('\n'))
    .digest('hex');
}

it('platform: the same seed gives the same objects, events and log lines', () => {
  assert.equal(played(7), played(7));
  assert.notEqual(played(7), played(8));
});

it('platform: a program that is stopped does nothing until it is started', () => {
  const cluster = createCluster();
  const platform = startPlatform(cluster.world, { ...KUBEADM, cloudController: 'none' });
  const kubelets = new Kubelets(cluster);
  cluster.pass(1000);
  platform.stopProgram('kube-scheduler');
  kubelets.join('n1');
  must(cluster.admin.create(workload('Deployment', 'web', { replicas: 1 })));
  cluster.pass(60_000);
  const bound = (): boolean =>
    cluster.admin.list('Pod').some((pod) => textAt(pod, 'spec.nodeName') === 'n1');
  assert.equal(bound(), false);
  assert.equal(platform.isRunning('kube-scheduler'), false);
  platform.startProgram('kube-scheduler');
  cluster.until(bound, 2000);
});

it('platform: a controller manager that comes back sees what happened meanwhile', () => {
  const cluster = createCluster();
  const platform = startPlatform(cluster.world, { ...KUBEADM, cloudController: 'none' });
  const kubelets = new Kubelets(cluster);
  cluster.pass(1000);
  must(
    cluster.admin.create(
      workload('DaemonSet', 'cni', {}, { tolerations: [{ operator: 'Exists' }] }),
    ),
  );
  kubelets.join('n1');
  cluster.pass(10_000);
  platform.stopProgram('kube-controller-manager');
  kubelets.join('n2');
  cluster.pass(10_000);
  assert.equal(cluster.admin.list('Pod').length, 1);
  platform.startProgram('kube-controller-manager');
  cluster.until(() => cluster.admin.list('Pod').length === 2, 1000);
  cluster.pass(60_000);
  assert.equal(cluster.admin.list('Pod').length, 2);
});

it('platform: tokens are those of the cluster kind', () => {
  const cluster = createCluster();
  const token = 'abcdef.0123456789abcdef';
  must(
    cluster.admin.create({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      data: {
        'token-id': toBase64('abcdef'),
        'token-secret': toBase64('0123456789abcdef'),
        'usage-bootstrap-authentication': toBase64('true'),
      },
    }),
  );
  const platform = startPlatform(cluster.world, KUBEADM);
  assert.equal(platform.authenticate(token)?.name, 'system:bootstrap:abcdef');
  assert.equal(platform.authenticate('k8s-aws-v1.aHR0cHM'), null);
  assert.deepEqual(platform.authenticatorLog(), []);
});

it('platform: an upgrade of the cloud controller is a new program with the same log', () => {
  const cluster = createCluster();
  const platform = startPlatform(cluster.world, { ...KUBEADM, cloudController: '1.34' });
  cluster.pass(1000);
  must(cluster.admin.create(nodeObject('short', cluster.kernel.nowMs(), { isReady: false })));
  cluster.pass(20_000);
  const before = platform.cloudControllerLog().length;
  assert.ok(before > 0);
  platform.setCloudController('1.37');
  cluster.until(() => cluster.admin.get('Node', 'short') === null, 10_000);
  assert.ok(platform.cloudControllerLog().length > before);
  platform.setCloudController('none');
  assert.equal(platform.isRunning('cloud-controller-manager'), false);
});

it('node IPAM: gives each node a block until none are left', () => {
  assert.deepEqual(blocksOf('10.244.0.0/23'), ['10.244.0.0/24', '10.244.1.0/24']);
  assert.deepEqual(blocksOf('10.244.0.0'), []);
  const cluster = createCluster();
  startPlatform(cluster.world, { ...KUBEADM, cloudController: 'none', podCidr: '10.244.0.0/23' });
  cluster.pass(1000);
  for (const name of ['a', 'b', 'c'])
    must(cluster.admin.create(nodeObject(name, cluster.kernel.nowMs())));
  cluster.pass(1000);
  const blocks = ['a', 'b', 'c'].map((name) =>
    textAt(cluster.admin.get('Node', name) ?? {}, 'spec.podCIDR'),
  );
  assert.deepEqual(blocks, ['10.244.0.0/24', '10.244.1.0/24', null]);
  assert.ok(
    eventTexts(cluster.admin).includes('CIDRNotAvailable Node c status is now: CIDRNotAvailable'),
  );
});
