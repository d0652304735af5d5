/** The client against a real kube-apiserver, and where the server in memory differs from it. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type KubeClient, kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../src/adapters/kubernetes/system-environment.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { textAt } from '../../src/evidence/json.ts';
import { type ControlPlane, startControlPlane } from '../real/control-plane.ts';
import { missing } from '../real/parts.ts';
import { virtualClock } from './fake/clock.ts';
import { FakeKubeApi } from './fake/kube-api.ts';
import { CONFIG_MAPS, type KubeApiHarness, kubeApiContract } from './kube-api.contract.ts';
import { assertReflectorFollows } from './reflector-follows.ts';

const skip = missing('kube-apiserver', 'etcd');
let plane: ControlPlane | null = null;
let namespaces = 0;

before(async () => {
  if (skip === false) plane = await startControlPlane();
});

after(async () => {
  await plane?.stop();
});

async function clientAt(context: TestContext, kubeconfig: string): Promise<KubeClient> {
  const environment = systemKubeEnvironment(systemClock);
  const target = await loadKubeTarget(environment, { kubeconfig });
  const client = kubeClient(target, { environment, clock: systemClock });
  context.after(() => client.close());
  return client;
}

async function onServer(context: TestContext): Promise<KubeApiHarness> {
  assert.ok(plane !== null);
  const { client, kubeconfigPath, writeKubeconfig } = plane;
  const namespace = `contract-${++namespaces}`;
  await client.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return {
    api: await clientAt(context, kubeconfigPath),
    stranger: await clientAt(context, await writeKubeconfig('stranger')),
    namespace,
    put: async (name, labels = {}) => {
      const object = { metadata: { name, labels } };
      const found = await client.find(`${path}/${name}`);
      if (found === null) await client.create(path, object);
      else await client.patch(`${path}/${name}`, object);
    },
    remove: async (name) => await client.remove(`${path}/${name}`),
    during: (waited) => waited,
  };
}

kubeApiContract('kube-apiserver', onServer, skip);

test('a reflector follows a real server', { skip }, async (context) => {
  await assertReflectorFollows(await onServer(context));
});

async function stored(harness: KubeApiHarness): Promise<string> {
  await harness.put('a');
  const { api, namespace } = harness;
  return JSON.stringify(await api.get(CONFIG_MAPS, { namespace, name: 'a' }));
}

test('difference: a real server notes when an object was made, the one in memory does not', {
  skip,
}, async (context) => {
  assert.match(await stored(await onServer(context)), /creationTimestamp/);
  const api = new FakeKubeApi({ clock: virtualClock() });
  assert.doesNotMatch(
    JSON.stringify(api.put(CONFIG_MAPS, { metadata: { name: 'a' } })),
    /creationTimestamp/,
  );
});

test('difference: a real server refuses names that the one in memory takes', {
  skip,
}, async (context) => {
  const { put } = await onServer(context);
  await assert.rejects(put('Not_A_Name'), /422/);
  const api = new FakeKubeApi({ clock: virtualClock() });
  assert.equal(
    textAt(api.put(CONFIG_MAPS, { metadata: { name: 'Not_A_Name' } }), 'metadata.name'),
    'Not_A_Name',
  );
});

test('difference: versions of a real server count the changes of all resources', {
  skip,
}, async (context) => {
  const { api, namespace, put } = await onServer(context);
  const versions: number[] = [];
  for (const name of ['a', 'b']) {
    await put(name);
    const object = await api.get(CONFIG_MAPS, { namespace, name });
    versions.push(Number(textAt(object, 'metadata.resourceVersion')));
    await plane?.client.create('/api/v1/namespaces', {
      metadata: { name: `${namespace}-${name}` },
    });
  }
  assert.ok((versions[1] ?? 0) - (versions[0] ?? 0) > 1);
});
