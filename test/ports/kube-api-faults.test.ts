/** What the client makes of a server, a network and a wire that misbehave. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KubeClient, kubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { KubeClientLimits } from '../../src/adapters/kubernetes/limits.ts';
import type { KubeTarget } from '../../src/adapters/kubernetes/target.ts';
import type { KubeResource, KubeWatchEvent } from '../../src/ports/kube-api.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import { virtualClock } from './fake/clock.ts';
import { authority, type CertificateWanted } from './fake/kube-certificates.ts';
import {
  fakeKubeServer,
  json,
  muteServer,
  type Reply,
  refusal,
  targetOf,
} from './fake/kube-server.ts';
import { closedPort } from './free-port.ts';

const NODES: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};

const NO_ENVIRONMENT = {
  env: {},
  home: '/home/ubuntu',
  readFile: () => Promise.reject(new Error('no file is read here')),
  run: () => Promise.reject(new Error('nothing runs here')),
};

function clientOf(
  context: TestContext,
  target: KubeTarget,
  limits: Partial<KubeClientLimits> = {},
): KubeClient {
  const options = { environment: NO_ENVIRONMENT, clock: virtualClock(Date.now()), limits };
  const client = kubeClient(target, options);
  context.after(() => client.close());
  return client;
}

async function answering(context: TestContext, reply: Reply | null): Promise<KubeClient> {
  const server = await fakeKubeServer(context, { answer: () => reply });
  return clientOf(context, server.target(), { headersTimeoutMs: 300, bodyTimeoutMs: 300 });
}

async function listed(client: KubeClient): Promise<unknown> {
  const pages = [];
  for await (const page of client.list(NODES)) pages.push(page);
  return pages;
}

async function watched(client: KubeClient): Promise<readonly KubeWatchEvent[]> {
  const events = [];
  for await (const event of client.watch(NODES, { resourceVersion: '1' })) events.push(event);
  return events;
}

async function failureOf(call: Promise<unknown>): Promise<PortError> {
  const error: unknown = await call.then(
    (value) => new Error(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PortError, String(error));
  assert.match(error.message, /; [^;]+$/, 'the message ends with what to do');
  assert.doesNotMatch(error.message, /\n|please|failed to|!/i);
  return error;
}

const PAGE = '<!DOCTYPE html><html><title>Sign in</title></html>';

const ANSWERS: readonly (readonly [string, Reply | null, PortFailure, RegExp])[] = [
  ['400', refusal(400, 'BadRequest', 'bad'), 'invalid', /HTTP 400 \(bad\).*api-resources/],
  [
    '401',
    refusal(401, 'Unauthorized', 'Unauthorized'),
    'unauthenticated',
    /HTTP 401.*without a credential.*update-kubeconfig/,
  ],
  [
    '403',
    refusal(403, 'Forbidden', 'nodes is forbidden'),
    'denied',
    /nodes is forbidden.*--verb=list --resource=nodes/,
  ],
  [
    '404 of a resource',
    { status: 404, body: '404 page not found' },
    'unsupported',
    /does not know nodes .*api-resources/,
  ],
  ['409', refusal(409, 'Conflict', 'changed'), 'conflict', /HTTP 409/],
  ['410', refusal(410, 'Expired', 'too old'), 'expired', /HTTP 410 \(too old\)/],
  ['429', refusal(429, 'TooManyRequests', 'slow down'), 'throttled', /HTTP 429/],
  ['500', refusal(500, 'InternalError', 'oh'), 'unavailable', /HTTP 500.*readyz/],
  [
    '503 of a load balancer',
    { status: 503, headers: { 'content-type': 'text/html' }, body: PAGE },
    'unavailable',
    /HTTP 503/,
  ],
  [
    '504',
    refusal(504, 'Timeout', 'etcdserver: request timed out'),
    'timeout',
    /etcdserver: request timed out/,
  ],
  [
    'a redirect',
    { status: 302, headers: { location: 'https://login.test' }, body: '' },
    'malformed',
    /HTTP 302/,
  ],
  [
    'a web page',
    { headers: { 'content-type': 'text/html' }, body: PAGE },
    'malformed',
    /web page titled Sign in \(HTTP 200\).*curl/,
  ],
  [
    'a web page with 403',
    { status: 403, headers: { 'content-type': 'text/html' }, body: PAGE },
    'malformed',
    /web page titled Sign in \(HTTP 403\)/,
  ],
  ['half a JSON', { body: '{"items":[{"metadata"' }, 'malformed', /half a JSON/],
  ['JSON that is no list', json({ kind: 'Pod', metadata: {} }), 'malformed', /not a list/],
  ['JSON that is no object', { body: '[1]' }, 'malformed', /no JSON object/],
  [
    'a connection cut in the answer',
    { body: '{"items":[', after: 'reset' },
    'unreachable',
    /was cut/,
  ],
  ['no answer', null, 'timeout', /returned no answer within 0\.3 s.*readyz/],
  [
    'half an answer and silence',
    { body: '{"items":[', after: 'stay' },
    'timeout',
    /half an answer and then nothing within 0\.3 s/,
  ],
];

for (const [what, reply, failure, message] of ANSWERS)
  test(`a list answered by ${what} is ${failure}`, async (context) => {
    const error = await failureOf(listed(await answering(context, reply)));
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
    assert.equal(error.permission, failure === 'denied' ? 'list nodes' : null);
  });

test('404 that names the object is not-found', async (context) => {
  const reply = refusal(404, 'NotFound', 'nodes "n9" not found', { name: 'n9', kind: 'nodes' });
  const error = await failureOf((await answering(context, reply)).get(NODES, { name: 'n9' }));
  assert.equal(error.failure, 'not-found');
});

test('403 on a named group and subresource names them as RBAC does', async (context) => {
  const client = await answering(context, refusal(403, 'Forbidden', 'no'));
  const leases = { ...NODES, group: 'coordination.k8s.io', plural: 'leases' };
  const lease = await failureOf(client.get(leases, { name: 'x' }));
  assert.equal(lease.permission, 'get leases.coordination.k8s.io');
  const log = await failureOf(
    client.logs({ namespace: 'd', name: 'p' }, { tailLines: 1, bytesMax: 1 }),
  );
  assert.equal(log.permission, 'get pods/log');
  assert.equal((await failureOf(client.kubeletHealth('n1'))).permission, 'get nodes/proxy');
});

const WAITS: readonly (readonly [string, Reply, number | null])[] = [
  ['seconds', { ...refusal(429, 'TooManyRequests', 'x'), headers: { 'retry-after': '7' } }, 7_000],
  ['the Status', refusal(503, 'x', 'x', { retryAfterSeconds: 3 }), 3_000],
  ['an hour', { ...refusal(429, 'x', 'x'), headers: { 'retry-after': '3600' } }, 600_000],
  ['nonsense', { ...refusal(429, 'x', 'x'), headers: { 'retry-after': 'soon' } }, null],
];

for (const [what, reply, expectedMs] of WAITS)
  test(`Retry-After by ${what}`, async (context) => {
    const error = await failureOf(listed(await answering(context, reply)));
    assert.equal(error.retryAfterMs, expectedMs);
  });

const EVENT = JSON.stringify({
  type: 'ADDED',
  object: { kind: 'Node', metadata: { name: 'n1', resourceVersion: '7' } },
});
const GONE = JSON.stringify({
  type: 'ERROR',
  object: { kind: 'Status', code: 410, message: 'old' },
});

const WATCHES: readonly (readonly [string, Reply, PortFailure, RegExp])[] = [
  ['F22 410 as an ERROR event', { body: `${EVENT}\n${GONE}\n` }, 'expired', /HTTP 410 \(old\)/],
  ['F22 410 as a status', refusal(410, 'Gone', 'old'), 'expired', /HTTP 410/],
  [
    'F25 half a line at its end',
    { body: `${EVENT}\n${EVENT.slice(0, 20)}` },
    'malformed',
    /half an event/,
  ],
  ['F25 a line that is no JSON', { body: 'nonsense\n' }, 'malformed', /half an event/],
  [
    'F25 an event without a version',
    { body: '{"type":"ADDED","object":{"metadata":{}}}\n' },
    'malformed',
    /without a known type/,
  ],
  [
    'F25 an event over the limit',
    { body: `"${'x'.repeat(5_000)}"\n` },
    'malformed',
    /more than 4096 bytes/,
  ],
  ['a reset', { body: `${EVENT}\n`, after: 'reset' }, 'unreachable', /was cut/],
  [
    '500 in an ERROR event',
    { body: `${JSON.stringify({ type: 'ERROR', object: { code: 500 } })}\n` },
    'unavailable',
    /HTTP 500/,
  ],
];

for (const [what, reply, failure, message] of WATCHES)
  test(`a watch that brings ${what} is ${failure}`, async (context) => {
    const server = await fakeKubeServer(context, { answer: () => reply });
    const client = clientOf(context, server.target(), { lineBytesMax: 4096 });
    const error = await failureOf(watched(client));
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
  });

test('a watch outlives the limit between two pieces of an answer', async (context) => {
  const server = await fakeKubeServer(context, {
    answer: () => ({ body: `${EVENT}\n`, after: 'stay' }),
  });
  const client = clientOf(context, server.target(), { bodyTimeoutMs: 50 });
  const stop = new AbortController();
  const watch = client.watch(NODES, { signal: stop.signal })[Symbol.asyncIterator]();
  assert.equal((await watch.next()).value?.resourceVersion, '7');
  const next = watch.next();
  await listed(clientOf(context, server.target(), { bodyTimeoutMs: 50 })).catch(() => undefined);
  const reason = new Error('the test stops it');
  stop.abort(reason);
  await assert.rejects(next, reason);
});

test('an abort before and during a call rejects with its reason', async (context) => {
  const client = await answering(context, null);
  const reason = new Error('enough');
  await assert.rejects(client.version(AbortSignal.abort(reason)), reason);
  const stop = new AbortController();
  const call = client.version(stop.signal);
  setImmediate(() => stop.abort(reason));
  await assert.rejects(call, reason);
});

test('a port at which nothing listens', async (context) => {
  const client = clientOf(context, targetOf(`http://127.0.0.1:${await closedPort()}`));
  const error = await failureOf(client.version());
  assert.equal(error.failure, 'unreachable');
  assert.match(error.message, /Nothing listens at http:\/\/127\.0\.0\.1:\d+.*curl -vk/);
});

test('a name that does not resolve', async (context) => {
  const error = await failureOf(clientOf(context, targetOf('https://api.invalid')).version());
  assert.equal(error.failure, 'unreachable');
  assert.match(error.message, /api\.invalid .* is not resolved .*nslookup api\.invalid/);
});

test('a port that takes connections and never shakes hands', async (context) => {
  const target = targetOf(`https://127.0.0.1:${await muteServer(context)}`);
  const error = await failureOf(clientOf(context, target, { connectTimeoutMs: 200 }).version());
  assert.equal(error.failure, 'timeout');
  assert.match(error.message, /accepted no connection within 0\.2 s.*nc -vz -w 5 127\.0\.0\.1 \d+/);
});

test('a server without TLS where TLS is expected', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => json({}) });
  const target = targetOf(server.url.replace('http:', 'https:'));
  const error = await failureOf(clientOf(context, target).version());
  assert.equal(error.failure, 'malformed');
  assert.match(error.message, /does not speak https/);
});

test('a proxy that refuses the tunnel, without its password in the message', async (context) => {
  const proxy = await fakeKubeServer(context, { answer: () => json({}) });
  const proxyUrl = proxy.url.replace('//', '//user:hunter2@');
  const target = { ...targetOf('https://api.test:6443'), proxyUrl };
  const error = await failureOf(clientOf(context, target).version());
  assert.equal(error.failure, 'unreachable');
  assert.match(error.message, /through the proxy http:\/\/127|The proxy http:\/\/127/);
  assert.doesNotMatch(error.message, /hunter2/);
});

const HOUR_MS = 3_600_000;

async function overTls(
  context: TestContext,
  wanted: Partial<CertificateWanted>,
  change: (trusted: string) => Partial<KubeTarget['tls']> = () => ({}),
): Promise<KubeClient> {
  const root = authority();
  const tls = root.issue({ commonName: 'api', addresses: ['127.0.0.1'], ...wanted });
  const answer = (): Reply => json({ gitVersion: 'v1.36.3' });
  const server = await fakeKubeServer(context, { tls, answer });
  const plain = server.target().tls;
  const own = { ...plain, authorityPem: root.certificatePem, ...change(root.certificatePem) };
  return clientOf(context, server.target({ tls: own }));
}

test('a trusted certificate, and any certificate when it is not verified', async (context) => {
  assert.equal(await (await overTls(context, {})).version(), 'v1.36.3');
  const careless = { authorityPem: null, isUnverified: true };
  const client = await overTls(context, { addresses: [] }, () => careless);
  assert.equal(await client.version(), 'v1.36.3');
});

test('tls-server-name is what the certificate must carry', async (context) => {
  const names = { addresses: [], dnsNames: ['api.internal'] };
  const client = await overTls(context, names, () => ({ serverName: 'api.internal' }));
  assert.equal(await client.version(), 'v1.36.3');
});

const UNTRUSTED: readonly (readonly [
  string,
  Partial<CertificateWanted>,
  Partial<KubeTarget['tls']>,
  RegExp,
])[] = [
  [
    'for another name',
    { addresses: [], dnsNames: ['other.test'] },
    {},
    /is for other\.test and not for 127\.0\.0\.1; .*--tls-server-name=other\.test/,
  ],
  [
    'of an unknown authority',
    {},
    { authorityPem: authority('another').certificatePem },
    /authority that the certificate-authority of cluster test-cluster is not; .*update-kubeconfig/,
  ],
  [
    'of an authority that the system does not know',
    {},
    { authorityPem: null },
    /the authorities of this system do not include/,
  ],
  [
    'that has expired',
    { validToMs: Date.now() - HOUR_MS },
    {},
    /has expired .*certs renew apiserver/,
  ],
  [
    'that is not valid yet',
    { validFromMs: Date.now() + HOUR_MS },
    {},
    /not valid yet, as the clock here .*timedatectl/,
  ],
];

for (const [what, wanted, tls, message] of UNTRUSTED)
  test(`a certificate ${what}`, async (context) => {
    const error = await failureOf((await overTls(context, wanted, () => tls)).version());
    assert.equal(error.failure, 'unreachable');
    assert.match(error.message, message);
  });
