/** The requests of the official JavaScript client (1.4.0), as it was seen to send them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, listAt, textAt, textsAt } from '../../../src/evidence/json.ts';
import { ask, eventsOf, open } from './ask.ts';
import { type Cluster, node, openCluster } from './fixture.ts';

const ACCEPT = { accept: 'application/json, */*;q=0.8' };
const CONFIGS = '/api/v1/namespaces/default/configmaps';

let cluster: Cluster;

before(async () => {
  cluster = await openCluster();
  assert.ok(cluster.admin.create(node('node-a', '10.0.0.1')).ok);
});

after(() => cluster.close());

test('it lists without a limit, and watches from the version of the list', async () => {
  const list = await ask(cluster.door, '/api/v1/nodes', { headers: ACCEPT });
  assert.equal(list.json['kind'], 'NodeList');
  assert.equal(textAt(listAt(list.json, 'items')[0], 'metadata.name'), 'node-a');
  const version = textAt(list.json, 'metadata.resourceVersion');
  const path = `/api/v1/nodes?watch=true&resourceVersion=${version}`;
  const watch = await open(cluster.door, path);
  const patched = await ask(cluster.door, '/api/v1/nodes/node-a', {
    method: 'PATCH',
    headers: { ...ACCEPT, 'content-type': 'application/json-patch+json' },
    body: [{ op: 'add', path: '/metadata/labels/added', value: '1' }],
  });
  assert.equal(patched.code, 200, patched.text);
  const events = eventsOf(await watch.until((text) => text.endsWith('\n')));
  watch.close();
  assert.equal(events.length, 1);
  assert.equal(textAt(events[0], 'type'), 'MODIFIED');
  assert.equal(textsAt(events[0], 'object.metadata.labels')['added'], '1');
});

test('it creates, replaces and deletes with plain JSON, and without a kind in the body', async () => {
  const headers = { ...ACCEPT, 'content-type': 'application/json' };
  const metadata = { name: 'settings' };
  const made = await ask(cluster.door, CONFIGS, {
    method: 'POST',
    headers,
    body: { metadata, data: { a: 'b' } },
  });
  assert.equal(made.code, 201, made.text);
  const path = `${CONFIGS}/settings`;
  const changed = await ask(cluster.door, path, {
    method: 'PUT',
    headers,
    body: { metadata, data: { a: 'c' } },
  });
  assert.deepEqual([changed.code, at(changed.json, 'data.a')], [200, 'c'], changed.text);
  const body = { propagationPolicy: 'Background' };
  const gone = await ask(cluster.door, path, { method: 'DELETE', headers, body });
  assert.equal(gone.code, 200, gone.text);
  const none = await ask(cluster.door, path, { headers: ACCEPT });
  assert.deepEqual([none.code, none.json['reason']], [404, 'NotFound']);
});

test('patches in the other ways on request', async () => {
  const types = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];
  for (const [index, type] of types.entries()) {
    const answer = await ask(cluster.door, '/api/v1/nodes/node-a', {
      method: 'PATCH',
      headers: { ...ACCEPT, 'content-type': type },
      body: { metadata: { labels: { way: String(index) } } },
    });
    assert.equal(textsAt(answer.json, 'metadata.labels')['way'], String(index), answer.text);
  }
});
