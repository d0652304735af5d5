import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSilent } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { test, type TestContext } from 'node:test';
import { DEFAULT_KUBE_LIMITS } from '../../src/adapters/kubernetes/limits.ts';
import { PlainWire } from '../../src/adapters/kubernetes/plain-wire.ts';
import type { KubeTarget } from '../../src/adapters/kubernetes/target.ts';
import type { WireAnswer, WireRequest } from '../../src/adapters/kubernetes/wire.ts';
import { authority } from './fake/kube-certificates.ts';

const CA = authority();
const SERVER = CA.issue({ commonName: 'kubernetes', dnsNames: ['kubernetes.default.svc'] });
const CLIENT = CA.issue({ commonName: 'agent' });
const LIMITS = {
  ...DEFAULT_KUBE_LIMITS,
  connectTimeoutMs: 100,
  headersTimeoutMs: 100,
  bodyTimeoutMs: 100,
};

function targetOf(
  server: string,
  serverName: string | null = 'kubernetes.default.svc',
): KubeTarget {
  return {
    contextName: null,
    clusterEntry: null,
    userEntry: null,
    origin: 'the test',
    server,
    namespace: 'default',
    tls: { authorityPem: CA.certificatePem, client: null, serverName, isUnverified: false },
    proxyUrl: null,
    credential: { kind: 'none' },
    impersonation: null,
  };
}

async function open(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(
    {
      cert: SERVER.certificatePem,
      key: SERVER.keyPem,
      ca: CA.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    answer,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function wireTo(context: TestContext, server: string, serverName?: string): PlainWire {
  const wire = new PlainWire(targetOf(server, serverName), LIMITS);
  context.after(async () => wire.close());
  return wire;
}

async function textOf({ body }: WireAnswer): Promise<string> {
  let text = '';
  for await (const chunk of body) text += String(chunk);
  return text;
}

function asked(origin: string, change: Partial<WireRequest> = {}): WireRequest {
  return { origin, path: '/', method: 'GET', headers: {}, ...change };
}

function failsWith(code: string): (error: unknown) => boolean {
  return (error) => (error as NodeJS.ErrnoException).code === code;
}

test('sends method, path, headers and body, and gives the answer', async (context) => {
  const origin = await open(context, (request, response) => {
    response.statusCode = 201;
    response.setHeader(
      'x-seen',
      `${request.method} ${request.url} ${String(request.headers['x-a'])}`,
    );
    request.pipe(response);
  });
  const request = asked(origin, { method: 'PATCH', path: '/a?b=c', headers: { 'x-a': 'd' } });
  const answer = await wireTo(context, origin).send(null, { ...request, body: '{}' });
  assert.equal(answer.statusCode, 201);
  assert.equal(answer.headers['x-seen'], 'PATCH /a?b=c d');
  assert.equal(await textOf(answer), '{}');
});

test('shows its client certificate', async (context) => {
  const origin = await open(context, ({ socket }, response) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    response.end(String(subject.CN));
  });
  const answer = await wireTo(context, origin).send(CLIENT, asked(origin));
  assert.equal(await textOf(answer), 'agent');
});

test('trusts the certificate of the name that it has, and no other', async (context) => {
  const origin = await open(context, (_, response) => response.end());
  const wire = wireTo(context, origin, 'other.test');
  await assert.rejects(wire.send(null, asked(origin)), failsWith('ERR_TLS_CERT_ALTNAME_INVALID'));
});

test('waits neither for a handshake, nor for an answer, nor for its end', async (context) => {
  const silent = createSilent();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  context.after(() => silent.close());
  const mute = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const connecting = wireTo(context, mute).send(null, asked(mute));
  await assert.rejects(connecting, failsWith('UND_ERR_CONNECT_TIMEOUT'));
  const origin = await open(context, ({ url }, response) => {
    if (url === '/half') response.write('half');
  });
  const wire = wireTo(context, origin);
  await assert.rejects(wire.send(null, asked(origin)), failsWith('UND_ERR_HEADERS_TIMEOUT'));
  const half = await wire.send(null, asked(origin, { path: '/half' }));
  await assert.rejects(textOf(half));
});

test('ends with its signal', async (context) => {
  const origin = await open(context, () => undefined);
  const signal = AbortSignal.abort();
  await assert.rejects(wireTo(context, origin).send(null, asked(origin, { signal })));
});
