import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import { createServer as createSilent } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { test, type TestContext } from 'node:test';
import { PlainWire } from '../../src/adapters/kubernetes/plain-wire.ts';
import {
  asked,
  CLIENT,
  failsWith,
  LIMITS,
  listening,
  targetOf,
  textOf,
  TLS,
} from './fake/kube-wire.ts';

async function open(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(TLS, answer);
  const port = await listening(context, server);
  context.after(() => server.closeAllConnections());
  return `https://127.0.0.1:${port}`;
}

function wireTo(context: TestContext, server: string, serverName?: string): PlainWire {
  const wire = new PlainWire(targetOf(server, serverName), LIMITS);
  context.after(async () => wire.close());
  return wire;
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
  const mute = `https://127.0.0.1:${await listening(context, silent)}`;
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
