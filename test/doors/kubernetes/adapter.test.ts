/** Our own client and reflector against the door, held to the contract of every `KubeApi`. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type KubeClient, kubeClient } from '../../../src/adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../../src/adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../../src/adapters/kubernetes/system-environment.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { type KubeApiHarness, kubeApiContract } from '../../ports/kube-api.contract.ts';
import { assertReflectorFollows } from '../../ports/reflector-follows.ts';
import { type Cluster, node, openCluster, pod, strangersConfig } from './fixture.ts';

let cluster: Cluster;
let namespaces = 0;

before(async () => {
  cluster = await openCluster({
    podLog: () => ({ ok: true, text: 'a line\n' }),
    kubelet: () => ({ code: 200, type: 'text/plain', text: 'ok' }),
  });
  assert.ok(cluster.admin.create(node('node-a', '10.0.0.1')).ok);
});

after(() => cluster.close());

async function clientAt(context: TestContext, kubeconfig: string): Promise<KubeClient> {
  const environment = systemKubeEnvironment(systemClock);
  const target = await loadKubeTarget(environment, { kubeconfig });
  const client = kubeClient(target, { environment, clock: systemClock });
  context.after(() => client.close());
  return client;
}

async function onDoor(context: TestContext): Promise<KubeApiHarness> {
  const { admin, kubeconfig } = cluster;
  const namespace = `contract-${++namespaces}`;
  assert.ok(
    admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }).ok,
  );
  return {
    api: await clientAt(context, kubeconfig),
    stranger: await clientAt(context, await strangersConfig(cluster)),
    namespace,
    put: (name, labels = {}) => {
      const metadata = { name, namespace, labels };
      const isThere = admin.get('ConfigMap', `${namespace}/${name}`) !== null;
      const done = isThere
        ? admin.patch('ConfigMap', `${namespace}/${name}`, 'merge', { metadata })
        : admin.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      assert.ok(done.ok, JSON.stringify(done));
      return Promise.resolve();
    },
    remove: (name) => {
      assert.ok(admin.delete('ConfigMap', `${namespace}/${name}`).ok);
      return Promise.resolve();
    },
    during: (waited) => waited,
  };
}

kubeApiContract('door', onDoor);

test('a reflector follows the door through one WatchList', async (context) => {
  await assertReflectorFollows(await onDoor(context));
});

test('logs, the health of kubelets, rights and the version are asked', async (context) => {
  const client = await clientAt(context, cluster.kubeconfig);
  assert.ok(cluster.admin.create(pod('talker', 'node-a')).ok);
  const name = { namespace: 'default', name: 'talker' };
  const log = await client.logs(name, { tailLines: 10, bytesMax: 1000 });
  assert.equal(Buffer.from(log).toString(), 'a line\n');
  assert.equal(await client.kubeletHealth('node-a'), 'ok');
  assert.equal(await client.version(), 'v1.36.3');
  const access = { verb: 'delete', group: '', resource: 'nodes' };
  assert.equal(await client.mayI(access), true);
  const stranger = await clientAt(context, await strangersConfig(cluster));
  assert.equal(await stranger.mayI(access), false);
});

test('the clock of a world that runs ahead is noticed', async (context) => {
  const client = await clientAt(context, cluster.kubeconfig);
  cluster.advance(600_000);
  await client.version();
  const skewMs = client.skewMs() ?? 0;
  // Dates of HTTP are whole seconds.
  assert.ok(skewMs < -598_000 && skewMs > -640_000, String(skewMs));
});
