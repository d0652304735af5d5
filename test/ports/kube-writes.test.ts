import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from './fake/clock.ts';
import { FakeKubeApi } from './fake/kube-api.ts';
import { fault } from './fake/kube-fault.ts';
import { FakeKubeWrites } from './fake/kube-writes.ts';
import { CONFIG_MAPS } from './kube-api.contract.ts';
import { kubeWritesContract } from './kube-writes.contract.ts';
import type { KubeWritesHarness } from './kube-writes.harness.ts';
import { ACCOUNTS, BUDGETS, DEPLOYMENTS, PODS } from './kube-writes-pods.contract.ts';

const NAMESPACE = 'team';

interface InMemory extends KubeWritesHarness {
  readonly writes: FakeKubeWrites;
}

function inMemory(): InMemory {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  const closed = new FakeKubeApi({ clock });
  for (const resource of [CONFIG_MAPS, PODS, ACCOUNTS, BUDGETS, DEPLOYMENTS]) {
    api.serve(resource);
    closed.serve(resource);
  }
  for (const verb of ['create', 'update', 'patch', 'delete']) closed.forbid(`${verb} configmaps`);
  closed.forbid('create pods/eviction');
  const stranger = new FakeKubeWrites(closed);
  return { api, writes: new FakeKubeWrites(api), stranger, namespace: NAMESPACE };
}

kubeWritesContract('the server in memory', () => Promise.resolve(inMemory()));

test('a write to the server in memory takes effect though its answer is lost', async () => {
  const { api, writes } = inMemory();
  writes.loseNext(fault('unclear', 'create configmaps'));
  const metadata = { namespace: NAMESPACE, name: 'a' };
  await assert.rejects(writes.create(CONFIG_MAPS, { metadata }), /with unclear/);
  await api.get(CONFIG_MAPS, metadata);
});
