/** Whether a write may have been done, by where its connection broke: over real TLS, on loopback. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { KEYS, testClock } from '../../src/adapters/aws/testing.ts';
import { openAwsWrites } from '../../src/adapters/aws/writes.ts';
import { closedPort } from './free-port.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { authority } from './fake/kube-certificates.ts';

const LIMIT = { timeout: 10_000 };
const DELETE = {
  service: 'ec2',
  operation: 'DeleteNetworkInterface',
  input: { NetworkInterfaceId: 'eni-1' },
} as const;

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-aws-sent-'));
after(() => rmSync(ROOM, { recursive: true }));
const AUTHORITY = authority();
const BUNDLE = join(ROOM, 'bundle.pem');
writeFileSync(BUNDLE, AUTHORITY.certificatePem);
const SERVER = AUTHORITY.issue({ commonName: 'aws', addresses: ['127.0.0.1'] });
const STRANGER = authority('another authority').issue({
  commonName: 'aws',
  addresses: ['127.0.0.1'],
});
const OTHER = AUTHORITY.issue({ commonName: 'aws', dnsNames: ['other.test'] });
const PAST = AUTHORITY.issue({
  commonName: 'aws',
  addresses: ['127.0.0.1'],
  validFromMs: Date.UTC(2020, 0),
  validToMs: Date.UTC(2021, 0),
});

async function portOf(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Failed {
  readonly failure: string;
  readonly message: string;
}

/** How a write to this address fails, where these certificates are trusted. */
async function failed(
  context: TestContext,
  url: string,
  env: Readonly<Record<string, string>> = {},
  isDryRun = false,
): Promise<Failed> {
  const files = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  const writes = openAwsWrites({
    region: 'eu-west-1',
    profile: null,
    env: { ...KEYS, ...files, AWS_ENDPOINT_URL: url, AWS_CA_BUNDLE: BUNDLE, ...env },
    clock: testClock(),
    random: { next: () => 0 },
  });
  context.after(() => writes.close());
  const asked = { isDryRun, token: 'intention-1' };
  const error: unknown = await writes.write(DELETE, asked).catch((one: unknown) => one);
  assert.ok(error instanceof PortError, String(error));
  return { failure: error.failure, message: error.message };
}

/** A server with this certificate that ends each connection when it has read a request. */
async function cutting(
  context: TestContext,
  pair = SERVER,
): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0;
  const keys = { key: pair.keyPem, cert: pair.certificatePem };
  const server = createSecure(keys, (request) => {
    requests += 1;
    request.socket.destroy();
  });
  return { url: `https://127.0.0.1:${await portOf(context, server)}`, requests: () => requests };
}

describe('a write was surely not sent', LIMIT, () => {
  test('where nothing listens', async (context) => {
    const url = `https://127.0.0.1:${await closedPort()}`;
    assert.equal((await failed(context, url)).failure, 'unreachable');
  });

  test('where nobody can have such a name', async (context) => {
    const { failure } = await failed(context, `http://${'a'.repeat(64)}.test`);
    assert.equal(failure, 'unreachable');
  });

  test('where no way leads, whatever the system calls that', async (context) => {
    // No TCP connection goes to a multicast address; the kernel says so by itself.
    const { failure, message } = await failed(context, 'https://224.0.0.1');
    assert.equal(failure, 'unreachable', message);
  });

  for (const [title, pair] of [
    ['is of nobody known here', STRANGER],
    ['is of another name', OTHER],
    ['has expired', PAST],
  ] as const)
    test(`where the certificate ${title}`, async (context) => {
      const { url, requests } = await cutting(context, pair);
      const { failure, message } = await failed(context, url);
      assert.equal(failure, 'unreachable', message);
      assert.equal(requests(), 0);
    });

  test('where the proxy lets nobody through', async (context) => {
    const { url, requests } = await cutting(context);
    const proxy = createPlain().on('connect', (_, socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const https_proxy = `http://127.0.0.1:${await portOf(context, proxy)}`;
    const { failure, message } = await failed(context, url, { https_proxy });
    assert.equal(failure, 'unreachable', message);
    assert.equal(requests(), 0);
  });
});

describe('whether a write was done is unknown', LIMIT, () => {
  test('where the connection ends after the request', async (context) => {
    const { url, requests } = await cutting(context);
    const { failure, message } = await failed(context, url);
    assert.equal(failure, 'unclear');
    assert.match(
      message,
      /^Whether ec2:DeleteNetworkInterface in eu-west-1 took effect is unknown/,
    );
    assert.equal(requests(), 1);
  });

  test('where the connection ends during the handshake, as no error tells that apart', async (context) => {
    const server = createTcp((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const url = `https://127.0.0.1:${await portOf(context, server)}`;
    assert.equal((await failed(context, url)).failure, 'unclear');
  });

  test('but not where it was a dry run', async (context) => {
    const { url } = await cutting(context);
    assert.equal((await failed(context, url, {}, true)).failure, 'unreachable');
  });
});
