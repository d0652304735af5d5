/** The official JavaScript client itself, with a kubeconfig of the lab. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, before, test } from 'node:test';
import {
  ApiException,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Node,
  VersionApi,
} from '@kubernetes/client-node';
import { type Cluster, node, openCluster, pod, TOKEN } from './fixture.ts';

let cluster: Cluster;
let config: KubeConfig;

before(async () => {
  cluster = await openCluster({ podLog: () => ({ ok: true, text: 'a line\n' }) });
  assert.ok(cluster.admin.create(node('node-a', '10.0.0.1')).ok);
  config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
});

after(() => cluster.close());

test('it asks for the version, and what it may do', async () => {
  const { gitVersion } = await config.makeApiClient(VersionApi).getCode();
  assert.equal(gitVersion, 'v1.36.3');
  const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } } },
  });
  assert.equal(review.status?.allowed, true);
});

test('it creates, reads, changes and deletes', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const namespace = 'default';
  const name = 'settings';
  await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name }, data: { a: 'b' } },
  });
  const read = await core.readNamespacedConfigMap({ namespace, name });
  assert.ok(read.metadata?.creationTimestamp instanceof Date);
  const body = { metadata: read.metadata, data: { a: 'c' } };
  const changed = await core.replaceNamespacedConfigMap({ namespace, name, body });
  assert.deepEqual(changed.data, { a: 'c' });
  const stale = core.replaceNamespacedConfigMap({ namespace, name, body });
  await assert.rejects(stale, (error) => error instanceof ApiException && error.code === 409);
  await core.deleteNamespacedConfigMap({ namespace, name });
  const none = core.readNamespacedConfigMap({ namespace, name });
  await assert.rejects(none, (error) => error instanceof ApiException && error.code === 404);
});

test('it patches a node in three ways', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const name = 'node-a';
  await core.patchNode({
    name,
    body: [{ op: 'add', path: '/metadata/labels/one', value: '1' }],
  });
  const taints = [{ key: 'gate', value: 'shut', effect: 'NoSchedule' }];
  await core.patchNode(
    { name, body: { spec: { taints } } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  const { metadata, spec } = await core.patchNode(
    { name, body: { metadata: { labels: { two: '2' } } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  assert.deepEqual([metadata?.labels?.['one'], metadata?.labels?.['two']], ['1', '2']);
  assert.ok(spec?.taints?.some(({ key, effect }) => key === 'gate' && effect === 'NoSchedule'));
});

test('it applies objects of any kind by what the server says of itself', async () => {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const labels = { app: 'web' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] },
  };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  };
  await objects.patch(deployment, undefined, undefined, 'me', true, PatchStrategy.ServerSideApply);
  const listed = await config
    .makeApiClient(AppsV1Api)
    .listNamespacedDeployment({ namespace: 'default', labelSelector: '' });
  assert.deepEqual(
    listed.items.map(({ metadata, spec }) => [metadata?.name, spec?.replicas]),
    [['web', 2]],
  );
});

test('its informer lists and then watches', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1Node>(config, '/api/v1/nodes', async () => core.listNode());
  const heard: string[] = [];
  const told = new EventEmitter();
  for (const verb of ['add', 'delete'] as const)
    informer.on(verb, ({ metadata }) => {
      heard.push(`${verb} ${metadata?.name}`);
      told.emit(`${verb} ${metadata?.name}`);
    });
  const [added, deleted] = [once(told, 'add node-b'), once(told, 'delete node-b')];
  await informer.start();
  assert.ok(cluster.admin.create(node('node-b', '10.0.0.2')).ok);
  await added;
  await core.deleteNode({ name: 'node-b' });
  await deleted;
  await informer.stop();
  assert.deepEqual(heard, ['add node-a', 'add node-b', 'delete node-b']);
});

test('it reads the log of a pod, and evicts it', async () => {
  const core = config.makeApiClient(CoreV1Api);
  assert.ok(cluster.admin.create(pod('talker', 'node-a')).ok);
  const place = { namespace: 'default', name: 'talker' };
  assert.equal(await core.readNamespacedPodLog(place), 'a line\n');
  await core.createNamespacedPodEviction({ ...place, body: { metadata: place } });
  const { metadata } = await core.readNamespacedPod(place);
  assert.ok(metadata?.deletionTimestamp instanceof Date);
});

test('explains why a request is denied', async () => {
  const stranger = new KubeConfig();
  stranger.loadFromString(config.exportConfig().replaceAll(TOKEN, 'of-nobody'));
  const refused = stranger.makeApiClient(CoreV1Api).listNode();
  await assert.rejects(refused, (error) => error instanceof ApiException && error.code === 401);
});
