import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { ask, eventsOf, open } from './ask.ts';
import { type Cluster, node, openCluster, pod } from './fixture.ts';

let cluster: Cluster;
let log = 'one\n';
let logError: Error | null = null;

before(async () => {
  cluster = await openCluster({
    podLog: () => {
      if (logError !== null) throw logError;
      return { ok: true, text: log };
    },
    limits: { logPollEveryMs: 20 },
  });
  assert.ok(cluster.admin.create(node('node-a', '10.0.0.1')).ok);
});

after(() => cluster.close());

function told(text: string): readonly string[] {
  return eventsOf(text).map(
    (event) => `${textAt(event, 'type')} ${textAt(event, 'object.metadata.name')}`,
  );
}

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

test('a watch sends the present objects, then each event at once', async () => {
  const watch = await open(cluster.door, '/api/v1/nodes?watch=true');
  await watch.until((text) => text.includes('"ADDED"'));
  assert.ok(cluster.admin.create(node('node-b', '10.0.0.2')).ok);
  await watch.until((text) => text.includes('node-b'));
  const patch = { metadata: { labels: { a: 'b' } } };
  assert.ok(cluster.admin.patch('Node', 'node-b', 'merge', patch).ok);
  await watch.until((text) => text.includes('"MODIFIED"'));
  assert.ok(cluster.admin.delete('Node', 'node-b').ok);
  const text = await watch.until((all) => all.includes('"DELETED"'));
  watch.close();
  assert.deepEqual(told(text), [
    'ADDED node-a',
    'ADDED node-b',
    'MODIFIED node-b',
    'DELETED node-b',
  ]);
});

test('a watch continues from a version without earlier events', async () => {
  const { json } = await ask(cluster.door, '/api/v1/nodes');
  const version = textAt(json, 'metadata.resourceVersion');
  const path = `/api/v1/nodes?watch=1&resourceVersion=${version}&labelSelector=kubernetes.io/hostname%3Dnode-c`;
  const watch = await open(cluster.door, path);
  assert.equal(watch.code, 200);
  for (const name of ['node-c', 'node-d'])
    assert.ok(cluster.admin.create(node(name, '10.0.0.3')).ok);
  const text = await watch.until((all) => all.includes('node-c'));
  watch.close();
  assert.deepEqual(told(text), ['ADDED node-c']);
});

test('answers a watch from a compacted version with an error', async () => {
  cluster.api.compact();
  const watch = await open(cluster.door, '/api/v1/nodes?watch=true&resourceVersion=1');
  if (watch.code !== 200) {
    assert.equal(watch.code, 410);
    return;
  }
  const text = await watch.until((all) => all.includes('\n'));
  const [event] = eventsOf(text);
  assert.equal(textAt(event, 'type'), 'ERROR');
  assert.equal(textAt(event, 'object.code'), '410');
  watch.close();
});

test('the server ends a watch after the time that was asked for, in the time of the world', async () => {
  const watch = await open(cluster.door, '/api/v1/nodes?watch=true&timeoutSeconds=300');
  await watch.until((text) => text.includes('ADDED'));
  cluster.advance(301_000);
  await watch.ended;
});

test('initial events end with a bookmark that says so', async () => {
  const path =
    '/api/v1/nodes?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const watch = await open(cluster.door, path);
  const text = await watch.until((all) => all.includes('BOOKMARK'));
  watch.close();
  const last = eventsOf(text).at(-1);
  const annotations = at(last, 'object.metadata.annotations') as JsonObject;
  assert.equal(annotations['k8s.io/initial-events-end'], 'true');
});

test('a watch of tables names its columns once', async () => {
  const watch = await open(cluster.door, '/api/v1/nodes?watch=true', { headers: TABLE });
  await watch.until((text) => text.includes('node-d'));
  const patch = { spec: { unschedulable: true } };
  assert.ok(cluster.admin.patch('Node', 'node-d', 'merge', patch).ok);
  const text = await watch.until((all) => all.includes('SchedulingDisabled'));
  watch.close();
  const tables = eventsOf(text).map((event) => at(event, 'object'));
  assert.ok(tables.length >= 4);
  assert.ok(tables.every((table) => textAt(table, 'kind') === 'Table'));
  assert.ok(listAt(tables[0], 'columnDefinitions').length > 5);
  assert.ok(tables.slice(1).every((table) => listAt(table, 'columnDefinitions').length === 0));
  const row = listAt(tables.at(-1), 'rows')[0];
  assert.equal(textAt(row, 'object.metadata.name'), 'node-d');
});

test('a client that goes away is forgotten', async () => {
  const path = '/api/v1/configmaps?watch=true';
  const watch = await open(cluster.door, path);
  const table = cluster.api.core.store.table('/configmaps');
  const during = table.listeners.size;
  watch.close();
  await cluster.untilWatches(0);
  assert.ok(table.listeners.size < during, 'the watch is still there');
});

test('returns a whole log, and follows one until its container ends', async () => {
  assert.ok(cluster.admin.create(pod('talker', 'node-a')).ok);
  const path = '/api/v1/namespaces/default/pods/talker/log';
  const whole = await ask(cluster.door, path);
  assert.deepEqual([whole.code, whole.text], [200, 'one\n']);
  assert.match(String(whole.headers['content-type']), /^text\/plain/);
  const followed = await open(cluster.door, `${path}?follow=true`);
  await followed.until((text) => text === 'one\n');
  log = 'one\ntwo\n';
  await followed.until((text) => text === 'one\ntwo\n');
  const ended = { name: 'main', image: 'i', imageID: '', ready: false, restartCount: 0 };
  const containerStatuses = [{ ...ended, state: { terminated: { exitCode: 0 } } }];
  log = 'one\ntwo\nthree\n';
  const patch = { status: { containerStatuses } };
  assert.ok(cluster.admin.patch('Pod', 'default/talker', 'merge', patch, 'status').ok);
  await followed.ended;
  assert.equal(followed.text(), 'one\ntwo\nthree\n');
});

test('an error of the world in a followed log ends it, and is reported as a bug', async () => {
  assert.ok(cluster.admin.create(pod('crasher', 'node-a')).ok);
  log = 'one\n';
  const path = '/api/v1/namespaces/default/pods/crasher/log?follow=true';
  const followed = await open(cluster.door, path);
  await followed.until((text) => text === 'one\n');
  const bug = new RangeError('of the world');
  logError = bug;
  await followed.ended;
  logError = null;
  assert.deepEqual(cluster.bugs.splice(0), [bug]);
});

test('the log of a pod or a container that is not there is refused', async () => {
  const root = '/api/v1/namespaces/default/pods';
  assert.equal((await ask(cluster.door, `${root}/none/log?follow=true`)).code, 404);
  assert.equal(
    (await ask(cluster.door, `${root}/talker/log?follow=true&container=none`)).code,
    400,
  );
});
