/** Our own writer against the door, held to the contract of every `KubeWrites`. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { kubeClient } from '../../../src/adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../../src/adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../../src/adapters/kubernetes/system-environment.ts';
import type { KubeTarget } from '../../../src/adapters/kubernetes/target.ts';
import { type KubeWriter, kubeWriter } from '../../../src/adapters/kubernetes/writes.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { CONFIG_MAPS } from '../../ports/kube-api.contract.ts';
import { kubeWritesContract } from '../../ports/kube-writes.contract.ts';
import type { KubeWritesHarness } from '../../ports/kube-writes.harness.ts';
import { type Cluster, openCluster, strangersConfig } from './fixture.ts';

let cluster: Cluster;
let namespaces = 0;

before(async () => {
  cluster = await openCluster();
});

after(() => cluster.close());

const environment = systemKubeEnvironment(systemClock);
const options = { environment, clock: systemClock };

function writerAt(context: TestContext, target: KubeTarget): KubeWriter {
  const writer = kubeWriter(target, options);
  context.after(() => writer.close());
  return writer;
}

async function onDoor(context: TestContext): Promise<KubeWritesHarness & { writes: KubeWriter }> {
  const namespace = `contract-${++namespaces}`;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  assert.ok(cluster.admin.create(object).ok);
  const target = await loadKubeTarget(environment, { kubeconfig: cluster.kubeconfig });
  const strangers = await loadKubeTarget(environment, {
    kubeconfig: await strangersConfig(cluster),
  });
  const api = kubeClient(target, options);
  context.after(() => api.close());
  return {
    api,
    writes: writerAt(context, target),
    stranger: writerAt(context, strangers),
    namespace,
  };
}

kubeWritesContract('door', onDoor);

test('what is written belongs to rollcall, and is counted', async (context) => {
  const { writes, namespace } = await onDoor(context);
  const metadata = { namespace, name: 'a' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v' } };
  const answer = await writes.create(CONFIG_MAPS, object);
  assert.deepEqual(
    listAt(answer, 'metadata.managedFields').map((one) => textAt(one, 'manager')),
    ['rollcall'],
  );
  assert.deepEqual([...writes.requests()], [['create configmaps', 1]]);
});

test('a field that the server does not know is refused', async (context) => {
  const { writes, namespace } = await onDoor(context);
  const metadata = { namespace, name: 'a' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, date: { k: 'v' } };
  await assert.rejects(writes.create(CONFIG_MAPS, object), /unknown field "date"/);
});
