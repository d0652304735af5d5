import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { test, type TestContext } from 'node:test';
import { Http2Wire } from '../../src/adapters/kubernetes/http2-wire.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
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

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

interface Opened {
  readonly origin: string;
  readonly port: number;
  readonly sessions: readonly ServerHttp2Session[];
}

async function open(context: TestContext, answer: Answer): Promise<Opened> {
  const server = createSecureServer(TLS, answer);
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  context.after(() => {
    for (const session of sessions) session.destroy();
  });
  const port = await listening(context, server);
  return { origin: `https://127.0.0.1:${port}`, port, sessions };
}

function wireTo(context: TestContext, server: string, serverName?: string): Http2Wire {
  const wire = new Http2Wire(targetOf(server, serverName), LIMITS, {
    silenceMs: 30,
    answerMs: 30,
    clock: systemClock,
  });
  context.after(async () => wire.close());
  return wire;
}

test('sends method, path, headers and body over one connection', async (context) => {
  const { origin, sessions } = await open(context, (request, response) => {
    const seen = `${request.method} ${request.url} ${String(request.headers['x-a'])}`;
    response.writeHead(201, { 'x-seen': seen });
    request.pipe(response);
  });
  const wire = wireTo(context, origin);
  const request = asked(origin, { method: 'PATCH', path: '/a?b=c', headers: { 'x-a': 'd' } });
  const bodies = ['{}', '{"a":1}'];
  const answers = bodies.map(async (body) => {
    const answer = await wire.send(null, { ...request, body });
    return [answer.statusCode, answer.headers['x-seen'], await textOf(answer)];
  });
  const seen = bodies.map((body) => [201, 'PATCH /a?b=c d', body]);
  assert.deepEqual(await Promise.all(answers), seen);
  assert.equal(sessions.length, 1);
});

test('shows its client certificate, and another one on a connection of its own', async (context) => {
  const { origin, sessions } = await open(context, ({ stream }, response) => {
    const shown = (stream.session?.socket as TLSSocket | undefined)?.getPeerCertificate();
    response.end(shown !== undefined && 'subject' in shown ? String(shown.subject.CN) : 'nobody');
  });
  const wire = wireTo(context, origin);
  assert.equal(await textOf(await wire.send(CLIENT, asked(origin))), 'agent');
  assert.equal(await textOf(await wire.send(null, asked(origin))), 'nobody');
  assert.equal(sessions.length, 2);
});

test('trusts the certificate of the name that it has, and no other', async (context) => {
  const { origin } = await open(context, (_, response) => response.end());
  const wire = wireTo(context, origin, 'other.test');
  await assert.rejects(wire.send(null, asked(origin)), failsWith('ERR_TLS_CERT_ALTNAME_INVALID'));
});

test('waits neither for a handshake, nor for an answer, nor for its end', async (context) => {
  const mute = `https://127.0.0.1:${await listening(context, createServer())}`;
  const connecting = wireTo(context, mute).send(null, asked(mute));
  await assert.rejects(connecting, failsWith('UND_ERR_CONNECT_TIMEOUT'));
  const { origin } = await open(context, ({ url }, response) => {
    if (url === '/half') response.write('half');
  });
  const wire = wireTo(context, origin);
  await assert.rejects(wire.send(null, asked(origin)), failsWith('UND_ERR_HEADERS_TIMEOUT'));
  const half = await wire.send(null, asked(origin, { path: '/half' }));
  await assert.rejects(textOf(half), failsWith('UND_ERR_BODY_TIMEOUT'));
});

test('ends with its signal, before the answer and within it', async (context) => {
  const { origin } = await open(context, ({ url }, response) => {
    if (url === '/half') response.write('half');
  });
  const wire = wireTo(context, origin);
  const over = AbortSignal.abort();
  await assert.rejects(wire.send(null, asked(origin, { signal: over })));
  const ending = new AbortController();
  const half = await wire.send(null, asked(origin, { path: '/half', signal: ending.signal }));
  const reason = new Error('over');
  ending.abort(reason);
  await assert.rejects(textOf(half), (error) => error === reason);
});

test('a request that the server refused to begin is sent once more, elsewhere', async (context) => {
  let asks = 0;
  const { origin, sessions } = await open(context, ({ stream }, response) => {
    asks++;
    if (asks === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else response.end('done');
  });
  const answer = await wireTo(context, origin).send(null, asked(origin, { method: 'PATCH' }));
  assert.equal(await textOf(answer), 'done');
  assert.equal(sessions.length, 2);
});

test('a connection that the server gives up is followed by another', async (context) => {
  const { origin, sessions } = await open(context, (_, response) => response.end('done'));
  const wire = wireTo(context, origin);
  await textOf(await wire.send(null, asked(origin)));
  const [first] = sessions;
  assert.ok(first !== undefined);
  const closed = once(first, 'close');
  first.close();
  await closed;
  assert.equal(await textOf(await wire.send(null, asked(origin))), 'done');
  assert.equal(sessions.length, 2);
});

/** Passes everything on until it is muted, and from then on takes and tells nothing. */
async function relayTo(
  context: TestContext,
  port: number,
): Promise<{ port: number; mute: () => void }> {
  const sockets: Socket[] = [];
  let isMute = false;
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (data) => {
        if (!isMute) to.write(data);
      });
    }
  });
  const own = await listening(context, relay);
  context.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port: own, mute: () => (isMute = true) };
}

test('a watch ends when its connection swallows everything', async (context) => {
  const { port } = await open(context, (_, response) => response.write('{}\n'));
  const relay = await relayTo(context, port);
  const origin = `https://127.0.0.1:${relay.port}`;
  const watch = await wireTo(context, origin).send(null, asked(origin, { bodyTimeout: 0 }));
  relay.mute();
  await assert.rejects(textOf(watch), failsWith('ECONNRESET'));
});

test('a server of an older protocol is spoken to in that', async (context) => {
  const server = createHttps(TLS, (_, response) => response.end('old'));
  context.after(() => server.closeAllConnections());
  const origin = `https://127.0.0.1:${await listening(context, server)}`;
  const wire = wireTo(context, origin);
  assert.equal(await textOf(await wire.send(null, asked(origin))), 'old');
  assert.equal(await textOf(await wire.send(null, asked(origin))), 'old');
});
