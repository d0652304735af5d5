/** What the client sends, and how it reads answers that are right. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import {
  type KubeClient,
  type KubeClientOptions,
  kubeClient,
} from '../../src/adapters/kubernetes/client.ts';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import type { KubeTarget } from '../../src/adapters/kubernetes/target.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemRandom } from '../../src/adapters/system/random.ts';
import { textAt } from '../../src/evidence/json.ts';
import { fakeEnvironment } from './fake/kube-environment.ts';
import { NODES } from './fake/kube-reflector-scene.ts';
import {
  type FakeKubeServer,
  fakeKubeServer,
  json,
  listening,
  type Reply,
  type Seen,
} from './fake/kube-server.ts';

function open(
  context: TestContext,
  server: FakeKubeServer,
  change: Partial<KubeTarget> = {},
  options: Partial<KubeClientOptions> = {},
): KubeClient {
  const whole = { environment: fakeEnvironment(), clock: systemClock, ...options };
  const client = kubeClient(server.target(change), whole);
  context.after(() => client.close());
  return client;
}

function page(name: string, token = ''): Reply {
  const metadata = { resourceVersion: '9', continue: token };
  return json({ kind: 'NodeList', metadata, items: [{ metadata: { name } }] });
}

async function pages(client: KubeClient, options = {}): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { items } of client.list(NODES, options))
    names.push(...items.map((item) => textAt(item, 'metadata.name') ?? ''));
  return names;
}

test('the answer that was least on its way tells how far the clock here is ahead', async (context) => {
  const dates = ['never', '2026-03-01T12:00:00Z', '2026-03-01T12:00:58Z', '2026-03-01T11:00:00Z'];
  const server = await fakeKubeServer(context, {
    answer: () => {
      const date = new Date(dates.shift() ?? '');
      const headers = { date: Number.isNaN(date.getTime()) ? 'never' : date.toUTCString() };
      return { ...page('n1'), headers };
    },
  });
  const clock = { ...systemClock, nowMs: () => Date.parse('2026-03-01T12:02:00Z') };
  const client = open(context, server, {}, { clock });
  const seen: (number | null)[] = [client.skewMs()];
  for (let look = 0; look < 4; look++) {
    await pages(client);
    seen.push(client.skewMs());
  }
  assert.deepEqual(seen, [null, null, 120_000, 62_000, 62_000]);
});

test('pages are continued by their token, and counted', async (context) => {
  const answer = ({ query }: Seen): Reply =>
    query.has('continue') ? page('n2') : page('n1', 'token&1');
  const server = await fakeKubeServer(context, { answer });
  const client = open(context, server);
  assert.deepEqual(await pages(client, { resourceVersion: '0', labelSelector: 'a=b,c' }), [
    'n1',
    'n2',
  ]);
  const [first, second] = server.seen.map(({ query }) => Object.fromEntries(query));
  assert.deepEqual(first, { labelSelector: 'a=b,c', limit: '500', resourceVersion: '0' });
  assert.deepEqual(second, { labelSelector: 'a=b,c', limit: '500', continue: 'token&1' });
  assert.deepEqual([...client.requests()], [['list nodes', 2]]);
  assert.equal(server.seen[0]?.headers.accept, 'application/json');
  assert.equal(server.seen[0].headers['accept-encoding'], 'identity');
});

test('a server that gives the same page for ever is left', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => page('n1', 'same') });
  await assert.rejects(pages(open(context, server)), /the same page again and again/);
});

test('a watch asks for bookmarks, and WatchList for a version not older', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => ({ body: '' }) });
  const client = open(context, server);
  for await (const event of client.watch(NODES, { sendInitialEvents: true, timeoutSeconds: 7 }))
    assert.fail(event.type);
  assert.deepEqual(Object.fromEntries(server.seen[0]?.query ?? []), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    timeoutSeconds: '7',
  });
});

test('a server below a path keeps it, groups and namespaces follow', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => json({ metadata: {} }) });
  const client = open(context, server, { server: `${server.url}/k8s/clusters/c-1` });
  const leases = {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    isNamespaced: true,
  };
  await client.get(leases, { namespace: 'kube-node-lease', name: 'n1' });
  const path = '/k8s/clusters/c-1/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1';
  assert.equal(server.seen[0]?.path, path);
});

for (const name of ['', '.', '..', 'a/b', 'a%2fb', 'a b', '../../secrets'])
  test(`the name ${JSON.stringify(name)} is never sent`, async (context) => {
    const server = await fakeKubeServer(context, { answer: () => json({}) });
    const client = open(context, server);
    await assert.rejects(client.get(NODES, { name }), { failure: 'invalid' });
    await assert.rejects(client.kubeletHealth(name), { failure: 'invalid' });
    assert.equal(server.seen.length, 0);
  });

test('of a log the last bytes are kept', async (context) => {
  const body = `${'x'.repeat(300_000)}the end`;
  const headers = { 'content-type': 'text/plain' };
  const server = await fakeKubeServer(context, { answer: () => ({ headers, body }) });
  const options = { tailLines: 10, bytesMax: 7, previous: true, container: 'app' };
  const log = await open(context, server).logs({ namespace: 'x', name: 'p' }, options);
  assert.equal(new TextDecoder().decode(log), 'the end');
  assert.deepEqual(Object.fromEntries(server.seen[0]?.query ?? []), {
    container: 'app',
    tailLines: '10',
    previous: 'true',
  });
});

test('passes the trouble of a kubelet through the proxy', async (context) => {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const body = '[-]syncloop failed';
  const server = await fakeKubeServer(context, { answer: () => ({ status: 500, headers, body }) });
  assert.equal(await open(context, server).kubeletHealth('n1'), body);
  assert.equal(server.seen[0]?.path, '/api/v1/nodes/n1/proxy/healthz');
});

test('what the identity may is asked by a SelfSubjectAccessReview', async (context) => {
  const answer = (): Reply => json({ status: { allowed: true } });
  const server = await fakeKubeServer(context, { answer });
  const access = { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: 'x' };
  assert.equal(await open(context, server).mayI(access), true);
  assert.deepEqual(JSON.parse(server.seen[0]?.body ?? '').spec, { resourceAttributes: access });
});

test('gzip is asked for when wanted, and unpacked', async (context) => {
  const server = createServer((incoming, outgoing) => {
    assert.equal(incoming.headers['accept-encoding'], 'gzip');
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    outgoing.end(gzipSync('{"gitVersion":"v1.36.3"}'));
  });
  const url = `http://127.0.0.1:${await listening(context, server)}`;
  const plain = await fakeKubeServer(context, { answer: () => json({}) });
  const client = open(context, plain, { server: url }, { isCompressed: true });
  assert.equal(await client.version(), 'v1.36.3');
});

test('an answer over its limit is malformed', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => page('x'.repeat(5_000)) });
  const client = open(context, server, {}, { limits: { answerBytesMax: 4_096 } });
  await assert.rejects(pages(client), { failure: 'malformed' });
});

test('requests go through the tunnel of an HTTP proxy with its password', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => json({ gitVersion: 'v1.36.3' }) });
  const asked: unknown[] = [];
  const proxy = createServer();
  proxy.on('connect', (incoming, socket: Socket) => {
    asked.push(incoming.url, incoming.headers['proxy-authorization']);
    const inner = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      inner.pipe(socket).pipe(inner);
    });
    inner.on('error', () => socket.destroy());
  });
  const port = await listening(context, proxy);
  const client = open(context, server, { proxyUrl: `http://me:pw@127.0.0.1:${port}` });
  assert.equal(await client.version(), 'v1.36.3');
  assert.deepEqual(asked, [new URL(server.url).host, `Basic ${btoa('me:pw')}`]);
});

function line(type: string, name: string, version: string, annotations = {}): string {
  const metadata = { name, resourceVersion: version, uid: name, annotations };
  return `${JSON.stringify({ type, object: { kind: 'Node', metadata } })}\n`;
}

test('F17 over real sockets: a half-open watch is replaced by one that brings the news', async (context) => {
  const end = { 'k8s.io/initial-events-end': 'true' };
  const answer = ({ query }: Seen): Reply =>
    query.has('sendInitialEvents')
      ? { body: line('ADDED', 'n1', '5') + line('BOOKMARK', '', '6', end), after: 'stay' }
      : { body: line('ADDED', 'n2', '8'), after: 'stay' };
  const server = await fakeKubeServer(context, { answer });
  const arrived = Promise.withResolvers<void>();
  const reflector = new Reflector<string>({
    api: open(context, server),
    clock: systemClock,
    random: systemRandom,
    resource: NODES,
    project: (object) => textAt(object, 'metadata.name'),
    onChange: ({ key }) => {
      if (key === 'n2') arrived.resolve();
    },
    limits: { silenceMs: 50, probeMs: 200 },
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await arrived.promise;
  assert.equal(reflector.state().counts.deadWatches, 1);
  stop.abort();
  await running;
});
