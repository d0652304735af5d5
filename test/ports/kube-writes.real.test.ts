/** The writer against a real kube-apiserver. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../src/adapters/kubernetes/system-environment.ts';
import { type KubeWriter, kubeWriter } from '../../src/adapters/kubernetes/writes.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { type ControlPlane, startControlPlane } from '../real/control-plane.ts';
import { missing } from '../real/parts.ts';
import { performContract } from '../runtime/perform.contract.ts';
import { CONFIG_MAPS } from './kube-api.contract.ts';
import { kubeWritesContract } from './kube-writes.contract.ts';
import { failureOf, type KubeWritesHarness } from './kube-writes.harness.ts';

const skip = missing('kube-apiserver', 'etcd');
let plane: ControlPlane | null = null;
let namespaces = 0;

before(async () => {
  if (skip === false) plane = await startControlPlane();
});

after(async () => {
  await plane?.stop();
});

const environment = systemKubeEnvironment(systemClock);
const options = { environment, clock: systemClock };

async function writerAt(context: TestContext, kubeconfig: string): Promise<KubeWriter> {
  const writer = kubeWriter(await loadKubeTarget(environment, { kubeconfig }), options);
  context.after(() => writer.close());
  return writer;
}

async function onServer(context: TestContext): Promise<KubeWritesHarness> {
  assert.ok(plane !== null);
  const { client, kubeconfigPath: kubeconfig, writeKubeconfig } = plane;
  const namespace = `writes-${++namespaces}`;
  await client.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const api = kubeClient(await loadKubeTarget(environment, { kubeconfig }), options);
  context.after(() => api.close());
  return {
    api,
    writes: await writerAt(context, kubeconfig),
    stranger: await writerAt(context, await writeKubeconfig('stranger')),
    namespace,
  };
}

kubeWritesContract('kube-apiserver', onServer, skip);
performContract('kube-apiserver', onServer, skip);

test('a real server refuses a field that it does not know', { skip }, async (context) => {
  const { writes, namespace } = await onServer(context);
  const metadata = { namespace, name: 'a' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, date: { k: 'v' } };
  assert.equal(await failureOf(writes.create(CONFIG_MAPS, object)), 'invalid');
});
