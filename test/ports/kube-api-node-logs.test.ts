/** What kubelets serve of their machines' logs, through the API server's proxy. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KubeClient, kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { KubeNodeLogPlace } from '../../src/ports/kube-api.ts';
import { fakeEnvironment } from './fake/kube-environment.ts';
import {
  type FakeKubeServer,
  fakeKubeServer,
  json,
  type Reply,
  type Seen,
} from './fake/kube-server.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const FILE = { path: 'aws-routed-eni/ipamd.log' };
const JOURNAL = { unit: 'kubelet', tailLines: 50 };

function open(context: TestContext, server: FakeKubeServer): KubeClient {
  const client = kubeClient(server.target(), {
    environment: fakeEnvironment(),
    clock: systemClock,
  });
  context.after(() => client.close());
  return client;
}

/** The answer to one question, and what was sent. */
async function ask(
  context: TestContext,
  place: KubeNodeLogPlace,
  reply: Reply,
  bytesMax = 1000,
): Promise<{ readonly text: string; readonly isCut: boolean; readonly seen: Seen | undefined }> {
  const server = await fakeKubeServer(context, { answer: () => reply });
  const { bytes, isCut } = await open(context, server).nodeLog('n1', place, { bytesMax });
  return { text: new TextDecoder().decode(bytes), isCut, seen: server.seen[0] };
}

test('asks for the end of a file by a range', async (context) => {
  const headers = { ...TEXT, 'content-range': 'bytes 93-99/100' };
  const log = await ask(context, FILE, { status: 206, headers, body: 'the end' }, 7);
  assert.equal(log.seen?.path, '/api/v1/nodes/n1/proxy/logs/aws-routed-eni/ipamd.log');
  assert.equal(log.seen.headers['range'], 'bytes=-7');
  assert.deepEqual([log.text, log.isCut], ['the end', true]);
});

test('a file that is shorter than its range is whole', async (context) => {
  const headers = { ...TEXT, 'content-range': 'bytes 0-6/7' };
  const log = await ask(context, FILE, { status: 206, headers, body: 'all of it' });
  assert.deepEqual([log.text, log.isCut], ['all of it', false]);
});

test('an empty file has no range and does not fail', async (context) => {
  const body = 'invalid range: failed to overlap\n';
  const log = await ask(context, FILE, { status: 416, headers: TEXT, body });
  assert.deepEqual([log.text, log.isCut], ['', false]);
});

test('keeps the end where the range is not understood', async (context) => {
  const log = await ask(context, FILE, { headers: TEXT, body: 'first second' }, 6);
  assert.deepEqual([log.text, log.isCut], ['second', true]);
});

test('stops to listen to a log without end', async (context) => {
  const body = 'x'.repeat(3_000_000);
  const log = await ask(context, FILE, { headers: TEXT, body, after: 'stay' }, 1000);
  assert.deepEqual([log.text.length, log.isCut], [1000, true]);
});

test('a folder is asked for whole, by a path that ends with a slash', async (context) => {
  const log = await ask(context, { path: 'aws-routed-eni/' }, { headers: HTML, body: '<pre>' });
  assert.equal(log.seen?.path, '/api/v1/nodes/n1/proxy/logs/aws-routed-eni/');
  assert.equal(log.seen.headers['range'], undefined);
  assert.equal(log.text, '<pre>');
});

test('a journal is asked for by unit and number of lines', async (context) => {
  const log = await ask(context, JOURNAL, { headers: TEXT, body: 'a line\n' });
  assert.equal(log.seen?.path, '/api/v1/nodes/n1/proxy/logs/');
  assert.deepEqual(Object.fromEntries(log.seen.query), { query: 'kubelet', tailLines: '50' });
  assert.equal(log.text, 'a line\n');
});

function status(code: number, message: string): Reply {
  return json({ kind: 'Status', status: 'Failure', message, code }, code);
}

const FORBIDDEN = 'nodes "n1" is forbidden: User "jane" cannot get resource "nodes/proxy"';

for (const [what, place, reply, expected] of [
  [
    'the API server',
    FILE,
    status(403, FORBIDDEN),
    { failure: 'denied', permission: 'get nodes/proxy' },
  ],
  [
    'a proxy without a kubelet behind it',
    FILE,
    status(503, 'error trying to reach service: dial tcp 10.0.0.1:10250'),
    { failure: 'unavailable', message: /dial tcp/ },
  ],
  [
    'a kubelet without the file',
    FILE,
    { status: 404, headers: TEXT, body: '404 page not found\n' },
    { failure: 'not-found' },
  ],
  [
    'a kubelet that serves no logs',
    FILE,
    { status: 405, headers: TEXT, body: 'logs endpoint is disabled.\n' },
    { failure: 'unsupported', message: /enableSystemLogHandler: true/ },
  ],
  [
    'a kubelet that lists its folder instead of the journal',
    JOURNAL,
    { headers: HTML, body: '<pre>' },
    { failure: 'unsupported', message: /enableSystemLogQuery: true/ },
  ],
  [
    'a kubelet that does not take the query',
    JOURNAL,
    { status: 406, headers: TEXT, body: 'tailLines: Invalid value' },
    { failure: 'invalid' },
  ],
  [
    'a kubelet that does not trust the API server',
    FILE,
    {
      status: 403,
      headers: TEXT,
      body: 'Forbidden (user=kube-apiserver, verb=get, resource=nodes, subresource(s)=[log])',
    },
    { failure: 'unavailable', message: /system:kubelet-api-admin/, permission: null },
  ],
  [
    'a kubelet that does not know the API server',
    FILE,
    { status: 401, headers: TEXT, body: 'Unauthorized' },
    { failure: 'unavailable', message: /clientCAFile/ },
  ],
] as const)
  test(`tells the refusal of ${what} apart`, async (context) => {
    await assert.rejects(ask(context, place, reply), expected);
  });

test('no name leads out of the folder of logs', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => ({ headers: TEXT, body: '' }) });
  const client = open(context, server);
  for (const path of [
    '../secret',
    'a/../../pki',
    '/etc/shadow',
    'a//b',
    'a/%2e%2e/b',
    'a?b',
    '.',
    'a\\b',
  ])
    await assert.rejects(
      client.nodeLog('n1', { path }, { bytesMax: 9 }),
      { failure: 'invalid' },
      path,
    );
  for (const node of ['../n1', 'n1/proxy', ''])
    await assert.rejects(client.nodeLog(node, FILE, { bytesMax: 9 }), { failure: 'invalid' });
  assert.deepEqual(server.seen, []);
});
