import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { eventTexts, must, podObject } from './cluster.ts';
import { claims, launched, setUp, STARTUP, status, UNREGISTERED } from './karpenter-cluster.ts';

it('Karpenter: launches a machine for pods that fit nowhere, registers its Node and calls it initialized', () => {
  const { cluster, kubelets } = setUp();
  const providerId = textAt(launched(cluster), 'status.providerID') ?? '';
  assert.equal(cluster.world.aws.instances().length, 1);
  assert.ok(
    eventTexts(cluster.admin).some((text) =>
      text.startsWith('Nominated Pod should schedule on: nodeclaim/default-'),
    ),
  );
  const kubelet = kubelets.join('n1', { providerId, isReady: false, taints: [UNREGISTERED] });
  cluster.until(() => status(claims(cluster)[0], 'Registered') === 'True Registered', 5000);
  const node = (): JsonObject => cluster.admin.get('Node', 'n1') ?? {};
  const labels = (node()['metadata'] as JsonObject)['labels'] as JsonObject;
  assert.equal(labels['karpenter.sh/nodepool'], 'default');
  assert.equal(labels['team'], 'a');
  const keys = listAt(node(), 'spec.taints').map((taint) => textAt(taint, 'key'));
  assert.ok(keys.includes(STARTUP.key) && !keys.includes(UNREGISTERED.key), keys.join());
  kubelet.setReady(true);
  cluster.pass(10_000);
  assert.equal(status(claims(cluster)[0], 'Initialized'), 'Unknown StartupTaintsExist');
  must(cluster.admin.patch('Node', 'n1', 'merge', { spec: { taints: null } }));
  cluster.until(() => status(claims(cluster)[0], 'Initialized') === 'True Initialized', 10_000);
  cluster.until(
    () => textAt(cluster.admin.get('Pod', 'default/app') ?? {}, 'spec.nodeName') === 'n1',
    15_000,
  );
  cluster.pass(20 * 60_000);
  assert.equal(claims(cluster).length, 1);
});

it('Karpenter: gives a machine that does not register up after 15 min, and tries another', () => {
  const { cluster, karpenter } = setUp();
  const first = textAt(launched(cluster), 'metadata.name');
  const isGone = (): boolean =>
    claims(cluster).every((claim) => textAt(claim, 'metadata.name') !== first);
  const tookMs = cluster.until(isGone, 20 * 60_000);
  assert.ok(tookMs > 890_000 && tookMs < 905_000, `${tookMs} ms`);
  assert.ok(
    karpenter
      .log()
      .some(({ text }) => text.includes('"message":"terminating due to registration timeout"')),
  );
  cluster.until(() => claims(cluster).length === 1, 60_000);
  const [dead] = cluster.world.aws.instances();
  assert.notEqual(dead?.state, 'running');
});

it('Karpenter: a Node without the taint it expects is never registered', () => {
  const { cluster, kubelets } = setUp();
  const providerId = textAt(launched(cluster), 'status.providerID') ?? '';
  kubelets.join('n1', { providerId });
  cluster.pass(60_000);
  assert.equal(status(claims(cluster)[0], 'Registered'), 'Unknown UnregisteredTaintNotFound');
});

it('Karpenter: without capacity the claim goes at once; without a right to launch it after 5 min', () => {
  const short = setUp();
  const { controls } = short.cluster.world.aws;
  const refusal = { code: 'InsufficientInstanceCapacity', message: 'none', status: 500 };
  controls.refuse('ec2:RunInstances', refusal);
  must(short.cluster.admin.create(podObject('app')));
  short.cluster.until(
    () =>
      eventTexts(short.cluster.admin).some((text) => text.startsWith('InsufficientCapacityError')),
    30_000,
  );
  short.cluster.pass(1000);
  assert.equal(claims(short.cluster).length, 0);
  const denied = setUp();
  denied.cluster.world.aws.controls.denyRole('karpenter-controller', 'ec2:RunInstances');
  must(denied.cluster.admin.create(podObject('app')));
  denied.cluster.until(() => claims(denied.cluster).length === 1, 30_000);
  const first = textAt(claims(denied.cluster)[0], 'metadata.name');
  denied.cluster.pass(60_000);
  assert.match(status(claims(denied.cluster)[0], 'Launched'), /Unknown LaunchFailed/);
  const isGone = (): boolean =>
    claims(denied.cluster).every((claim) => textAt(claim, 'metadata.name') !== first);
  const tookMs = denied.cluster.until(isGone, 10 * 60_000);
  assert.ok(tookMs > 200_000 && tookMs < 320_000, `${tookMs} ms`);
});

it('Karpenter: a deleted Node takes its machine with it', () => {
  const { cluster, kubelets } = setUp();
  const providerId = textAt(launched(cluster), 'status.providerID') ?? '';
  kubelets.join('n1', { providerId, taints: [UNREGISTERED] });
  cluster.until(() => status(claims(cluster)[0], 'Registered') === 'True Registered', 5000);
  must(cluster.admin.delete('Node', 'n1'));
  cluster.until(() => cluster.admin.get('Node', 'n1') === null, 5000);
  const [machine] = cluster.world.aws.instances();
  assert.ok(['shutting-down', 'terminated'].includes(machine?.state ?? ''));
});
