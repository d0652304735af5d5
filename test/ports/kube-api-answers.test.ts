/** Which answers count, how much of them is read, and what becomes of the connection. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import {
  type KubeClient,
  type KubeClientOptions,
  kubeClient,
} from '../../src/adapters/kubernetes/client.ts';
import { Lines } from '../../src/adapters/kubernetes/lines.ts';
import type { KubeTarget } from '../../src/adapters/kubernetes/target.ts';

import { virtualClock } from './fake/clock.ts';
import { fakeEnvironment } from './fake/kube-environment.ts';
import { NODES } from './fake/kube-reflector-scene.ts';
import {
  fakeKubeServer,
  json,
  listening,
  refusal,
  type Reply,
  targetOf,
} from './fake/kube-server.ts';

function open(
  context: TestContext,
  target: KubeTarget,
  options: Partial<KubeClientOptions> = {},
): KubeClient {
  const whole = { environment: fakeEnvironment(), clock: virtualClock(), ...options };
  const client = kubeClient(target, whole);
  context.after(() => client.close());
  return client;
}

async function read(pages: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const one of pages) if (one !== undefined) count += 1;
  return count;
}

const VERSION = { gitVersion: 'v1.36.3' };

for (const [status, isTaken] of [
  [200, true],
  [201, true],
  [299, true],
  [300, false],
  [302, false],
] as const)
  test(`an answer with status ${status} ${isTaken ? 'is' : 'is not'} taken`, async (context) => {
    const server = await fakeKubeServer(context, { answer: () => json(VERSION, status) });
    const version = open(context, server.target()).version();
    if (isTaken) assert.equal(await version, 'v1.36.3');
    else await assert.rejects(version, { failure: 'malformed' });
  });

test('of an endless answer that is an error only the beginning is read', async (context) => {
  const body = `no way${' '.repeat(4096)}`;
  const answer = (): Reply => ({ status: 500, body, after: 'stay' });
  const server = await fakeKubeServer(context, { answer });
  const client = open(context, server.target(), { limits: { errorBytesMax: 4096 } });
  await assert.rejects(client.version(), { failure: 'unavailable', message: /\(no way\)/ });
});

test('reports an error with a cut message by its status', async (context) => {
  const answer = (): Reply => ({ status: 503, body: '{"kind":', after: 'reset' });
  const server = await fakeKubeServer(context, { answer });
  await assert.rejects(open(context, server.target()).version(), { failure: 'unavailable' });
});

test('an answer may be as long as its limit and not a byte longer', async (context) => {
  const body = JSON.stringify(VERSION);
  const server = await fakeKubeServer(context, { answer: () => ({ body }) });
  const opened = (answerBytesMax: number): KubeClient =>
    open(context, server.target(), { limits: { answerBytesMax } });
  assert.equal(await opened(body.length).version(), 'v1.36.3');
  await assert.rejects(opened(body.length - 1).version(), {
    failure: 'malformed',
    message: /more than is read of one answer/,
  });
});

test('a watch that is left ends its connection, and is counted as a watch', async (context) => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_incoming, outgoing) => {
    outgoing.once('close', closed.resolve);
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    const object = { metadata: { name: 'n1', resourceVersion: '7' } };
    outgoing.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  });
  const port = await listening(context, server);
  const client = open(context, targetOf(`http://127.0.0.1:${port}`));
  for await (const { type } of client.watch(NODES, { resourceVersion: '6' })) {
    assert.equal(type, 'ADDED');
    break;
  }
  await closed.promise;
  assert.deepEqual(client.requests(), new Map([['watch nodes', 1]]));
});

test('requests a list page by page until there is no token', async (context) => {
  const tokens = ['t1', 't2', ''];
  const server = await fakeKubeServer(context, {
    answer: () => json({ metadata: { resourceVersion: '9', continue: tokens.shift() }, items: [] }),
  });
  let count = 0;
  const client = open(context, server.target());
  for await (const { items } of client.list(NODES)) count += 1 + items.length;
  assert.equal(count, 3);
  assert.deepEqual(
    server.seen.map(({ query }) => query.get('continue')),
    [null, 't1', 't2'],
  );
  assert.deepEqual(client.requests(), new Map([['list nodes', 3]]));
});

test('rejects a list without a version or items', async (context) => {
  for (const answer of [{ metadata: {}, items: [] }, { metadata: { resourceVersion: '1' } }]) {
    const server = await fakeKubeServer(context, { answer: () => json(answer) });
    const pages = open(context, server.target()).list(NODES);
    await assert.rejects(read(pages), { failure: 'malformed', message: /not a list/ });
  }
});

test('of a log that comes in pieces the last bytes are kept', async (context) => {
  const server = createServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/plain' });
    for (const piece of ['first ', 'second ', 'third ', 'fourth']) outgoing.write(piece);
    outgoing.end();
  });
  const port = await listening(context, server);
  const client = open(context, targetOf(`http://127.0.0.1:${port}`));
  const log = async (bytesMax: number): Promise<string> => {
    const options = { tailLines: 10, bytesMax };
    const bytes = await client.logs({ namespace: 'x', name: 'p' }, options);
    return new TextDecoder().decode(bytes);
  };
  assert.equal(await log(6), 'fourth');
  assert.equal(await log(12), 'third fourth');
  assert.equal(await log(1000), 'first second third fourth');
});

test('only plain text of a kubelet is its health, an answer in JSON is the API server’s', async (context) => {
  const replies: Reply[] = [
    refusal(500, 'InternalError', 'etcd is gone'),
    { status: 503, headers: { 'content-type': 'text/plain' }, body: 'no kubelet' },
    { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' },
  ];
  const server = await fakeKubeServer(context, { answer: () => replies.shift() ?? null });
  const client = open(context, server.target());
  await assert.rejects(client.kubeletHealth('n1'), { failure: 'unavailable' });
  await assert.rejects(client.kubeletHealth('n1'), { failure: 'unavailable' });
  assert.equal(await client.kubeletHealth('n1'), 'ok');
});

test('a right is asked for with all that narrows it, and only that', async (context) => {
  const answers = [{ status: { allowed: false } }, { status: {} }, { status: { allowed: true } }];
  const server = await fakeKubeServer(context, { answer: () => json(answers.shift() ?? {}, 201) });
  const client = open(context, server.target());
  const access = { verb: 'get', group: 'apps', resource: 'deployments' };
  assert.equal(await client.mayI(access), false);
  assert.equal(await client.mayI({ ...access, namespace: null }), false);
  assert.equal(await client.mayI({ ...access, name: 'web', namespace: 'shop' }), true);
  assert.deepEqual(
    server.seen.map(({ method, body }) => [method, JSON.parse(body).spec.resourceAttributes]),
    [
      ['POST', access],
      ['POST', access],
      ['POST', { ...access, name: 'web', namespace: 'shop' }],
    ],
  );
});

test('who is not impersonated by group or id is so by name alone', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => json(VERSION) });
  const impersonation = { user: 'bob', uid: null, groups: [], extra: {} };
  await open(context, server.target({ impersonation })).version();
  const names = Object.keys(server.seen[0]?.headers ?? {});
  assert.deepEqual(
    names.filter((name) => name.startsWith('impersonate')),
    ['impersonate-user'],
  );
  const strange = server.target({ impersonation: { ...impersonation, user: 'b\u00f6b' } });
  assert.throws(() => open(context, strange), { failure: 'not-configured', message: /--as=USER$/ });
});

test('lines are whole, whatever the pieces, and none is longer than the limit', async () => {
  const linesIn = async (bytesMax: number, ...pieces: readonly string[]): Promise<string[]> => {
    const lines = new Lines(bytesMax);
    const found = pieces.flatMap((piece) => [...lines.of(Buffer.from(piece))]);
    lines.end();
    return found;
  };
  assert.deepEqual(await linesIn(9, 'one\ntw', 'o', '\n\n', 'three\n'), ['one', 'two', 'three']);
  assert.deepEqual(await linesIn(4, 'ab', 'cd', '\n'), ['abcd']);
  await assert.rejects(linesIn(4, 'ab', 'cde', '\n'), { what: 'long' });
  await assert.rejects(linesIn(9, 'one\ntw'), { what: 'half' });
});

test('sends a content type only with a body', async (context) => {
  const answer = (): Reply => json({ ...VERSION, status: { allowed: true } }, 201);
  const server = await fakeKubeServer(context, { answer });
  const client = open(context, server.target());
  await client.version();
  await client.mayI({ verb: 'get', group: '', resource: 'pods' });
  assert.deepEqual(
    server.seen.map(({ method, headers }) => [method, headers['content-type'], headers.accept]),
    [
      ['GET', undefined, 'application/json'],
      ['POST', 'application/json', 'application/json'],
    ],
  );
});

test('of an answer that is an error the connection is ended once enough is read', async (context) => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_incoming, outgoing) => {
    outgoing.once('close', closed.resolve);
    outgoing.writeHead(500, { 'content-type': 'text/plain' });
    outgoing.write('no way'.padEnd(4096));
  });
  const port = await listening(context, server);
  const client = open(context, targetOf(`http://127.0.0.1:${port}`), {
    limits: { errorBytesMax: 1024 },
  });
  await assert.rejects(client.version(), { failure: 'unavailable' });
  await closed.promise;
});
