import assert from 'node:assert/strict';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { probeServer } from '../../src/adapters/host/probe.ts';
import { failsWith, handClock, type HandClock, START_MS } from '../../src/adapters/host/testing.ts';
import type { HostProbe } from '../../src/ports/host.ts';
import { authority } from './fake/kube-certificates.ts';

/** A test that waits for what never comes fails soon. */
const LIMIT = { timeout: 3000 };

const AUTHORITY = authority('CN of tests');
const SERVER = AUTHORITY.issue({
  commonName: 'api.test',
  organization: 'shop',
  dnsNames: ['api.test', 'b.test'],
  addresses: ['127.0.0.1'],
  validFromMs: Date.UTC(2020, 0, 1),
  validToMs: Date.UTC(2099, 0, 1),
});

async function portOf(context: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

interface Asked {
  readonly method: string;
  readonly host: string;
  readonly serverName: string | false;
}

/** A server that tells this time; null for one without a Date header. */
async function secure(
  context: TestContext,
  date: string | null,
  pair = SERVER,
): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const keys = { key: pair.keyPem, cert: pair.certificatePem };
  const server = createSecure(keys, (request, response) => {
    const { method = '', headers, socket } = request;
    const { servername } = socket as unknown as { readonly servername: string | false };
    asked.push({ method, host: headers.host ?? '', serverName: servername });
    response.sendDate = false;
    if (date !== null) response.setHeader('Date', date);
    response.end();
  });
  return { port: await portOf(context, server), asked };
}

async function probe(port: number, change: Partial<HostProbe> = {}, clock = handClock()) {
  const plain = { host: '127.0.0.1', tlsServerName: 'api.test', caPem: AUTHORITY.certificatePem };
  return probeServer({ port, timeoutMs: 5000, ...plain, ...change }, clock);
}

const NOON = new Date(START_MS).toUTCString();

describe('a probe', () => {
  test('of plain TCP only connects', LIMIT, async (context) => {
    const port = await portOf(context, createServer());
    assert.deepEqual(await probe(port, { tlsServerName: null }), {
      connectMs: 0,
      tls: null,
      clockOffsetMs: null,
    });
  });

  test('describes the certificate', LIMIT, async (context) => {
    const { port } = await secure(context, NOON);
    const { tls } = await probe(port);
    assert.deepEqual(tls, {
      isTrusted: true,
      why: null,
      subject: 'O=shop, CN=api.test',
      issuer: 'CN=CN of tests',
      validFrom: 'Jan  1 00:00:00 2020 GMT',
      validTo: 'Jan  1 00:00:00 2099 GMT',
      names: ['api.test', 'b.test', '127.0.0.1'],
    });
  });

  test('says why a certificate is not trusted', LIMIT, async (context) => {
    const { port } = await secure(context, NOON);
    const why = async (change: Partial<HostProbe>) => {
      const { tls } = await probe(port, change);
      return [tls?.isTrusted, tls?.why];
    };
    assert.deepEqual(await why({ caPem: null }), [false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
    assert.deepEqual(await why({ tlsServerName: 'x.test' }), [
      false,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ]);
  });

  test('describes a certificate without names', LIMIT, async (context) => {
    const bare = AUTHORITY.issue({ commonName: 'api.test', organization: 'shop' });
    const { port } = await secure(context, NOON, bare);
    assert.deepEqual((await probe(port)).tls?.names, []);
  });

  test('shows fifty names at most', LIMIT, async (context) => {
    const dnsNames = Array.from({ length: 60 }, (_, index) => `n${index}.test`);
    const { port } = await secure(context, NOON, AUTHORITY.issue({ commonName: 'a', dnsNames }));
    assert.equal((await probe(port)).tls?.names.length, 50);
  });

  test('asks with HEAD, by the name of the server', LIMIT, async (context) => {
    const { port, asked } = await secure(context, NOON);
    await probe(port);
    assert.deepEqual(asked, [{ method: 'HEAD', host: 'api.test', serverName: 'api.test' }]);
  });

  test('sends no address as the name of a server', LIMIT, async (context) => {
    const { port, asked } = await secure(context, NOON);
    const { tls } = await probe(port, { tlsServerName: '127.0.0.1' });
    assert.deepEqual([asked[0]?.serverName, tls?.isTrusted], [false, true]);
  });
});

describe('the clock of a server', () => {
  test('is compared in the middle of its second', LIMIT, async (context) => {
    const { port } = await secure(context, NOON);
    assert.equal((await probe(port)).clockOffsetMs, 500);
    const ahead = await secure(context, new Date(START_MS + 60_000).toUTCString());
    assert.equal((await probe(ahead.port)).clockOffsetMs, 60_500);
  });

  test('is compared with the middle of the time that the answer took', LIMIT, async (context) => {
    const clock = handClock();
    const keys = { key: SERVER.keyPem, cert: SERVER.certificatePem };
    const server = createSecure(keys, (_, response) => {
      clock.pass(1000);
      response.setHeader('Date', NOON);
      response.end();
    });
    const port = await portOf(context, server);
    assert.equal((await probe(port, {}, clock)).clockOffsetMs, 0);
  });

  test('is unknown without a date, and with one that nobody can read', LIMIT, async (context) => {
    for (const date of [null, 'yesterday']) {
      const { port } = await secure(context, date);
      assert.equal((await probe(port)).clockOffsetMs, null);
    }
  });

  test('is unknown where the server closes or does not answer in time', LIMIT, async (context) => {
    const clock = handClock();
    const keys = { key: SERVER.keyPem, cert: SERVER.certificatePem };
    const closing = createSecure(keys, (request) => request.socket.destroy());
    const closed = await probe(await portOf(context, closing), {}, clock);
    assert.deepEqual([closed.clockOffsetMs, closed.tls?.isTrusted], [null, true]);
    const silent = createSecure(keys, () => clock.pass(4950));
    const late = await probe(await portOf(context, silent), {}, clock);
    assert.deepEqual([late.clockOffsetMs, late.tls?.isTrusted], [null, true]);
  });
});

describe('a probe fails', () => {
  test('where nobody listens', LIMIT, async (context) => {
    const server = createServer();
    const port = await portOf(context, server);
    await new Promise((resolve) => server.close(resolve));
    const words = `127.0.0.1:${port} refused the connection.`;
    await assert.rejects(probe(port), failsWith('unreachable', words));
  });

  test('where a server closes instead of shaking hands', LIMIT, async (context) => {
    const port = await portOf(
      context,
      createServer((socket) => socket.destroy()),
    );
    const words = `127.0.0.1:${port} closed the connection before it answered.`;
    await assert.rejects(probe(port), failsWith('unreachable', words));
  });

  test('where a server answers without TLS', LIMIT, async (context) => {
    const port = await portOf(
      context,
      createServer((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
    );
    await assert.rejects(probe(port), /ended the TLS handshake/);
  });

  test('at its limit, and lets go of its connection', LIMIT, async (context) => {
    const clock: HandClock = handClock();
    const closed = Promise.withResolvers<void>();
    const mute = createServer((socket) => {
      socket.once('close', () => closed.resolve()).resume();
      clock.pass(5000);
    });
    const port = await portOf(context, mute);
    const words = `127.0.0.1:${port} did not answer within 5 s.`;
    await assert.rejects(probe(port, {}, clock), failsWith('timeout', words));
    await closed.promise;
    assert.equal(clock.sleeping(), 0);
  });
});
