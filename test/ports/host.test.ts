import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { openHost } from '../../src/adapters/host/open.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { Host, HostProbe } from '../../src/ports/host.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createFakeHost } from './fake/host.ts';
import { closedPort } from './free-port.ts';
import { fails, hostContract, type HostScene, LIMITS } from './host.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-host-'));
const [long, sub] = [join(folder, 'long.txt'), join(folder, 'sub')];
const servers: Server[] = [];
const ports = { http: 0, tls: 0, tlsWithoutDate: 0, silent: 0, closed: 0 };
let caPem = '';

/** A certificate for api.test, made here so that none is kept; empty where openssl is missing. */
function makeCertificate(): { readonly key: string; readonly cert: string } | null {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=api.test';
  const names = ['-addext', 'subjectAltName=DNS:api.test', '-keyout', key, '-out', cert];
  const made = spawnSync('openssl', [...words.split(' '), ...names]);
  if (made.status !== 0) return null;
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

const certificate = makeCertificate();

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

before(async () => {
  mkdirSync(sub);
  writeFileSync(long, '0123456789');
  writeFileSync(join(sub, 'b'), 'b');
  writeFileSync(join(sub, 'a'), 'a');
  ports.http = await listen(
    createHttp((request, response) => {
      const { url = '', method = '' } = request;
      if (url === '/slow') return;
      if (method === 'POST') {
        request.pipe(response);
        return;
      }
      response.setHeader('X-Method', method);
      response.statusCode = url === '/none' ? 404 : 200;
      response.end(url === '/large' ? 'x'.repeat(5000) : String(request.headers['x-token'] ?? ''));
    }),
  );
  ports.silent = await listen(createServer(() => undefined));
  ports.closed = await closedPort();
  if (certificate === null) return;
  caPem = certificate.cert;
  ports.tls = await listen(
    createSecure(certificate, (_, response) => {
      response.setHeader('Date', 'Thu, 01 Jan 2099 00:00:00 GMT');
      response.writeHead(401).end();
    }),
  );
  ports.tlsWithoutDate = await listen(
    createSecure(certificate, (_, response) => {
      response.sendDate = false;
      response.end();
    }),
  );
});

after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

function fakeHost(): Host {
  const at = (port: number): string => `127.0.0.1:${port}`;
  const tls = { issuer: 'CN=api.test', validFrom: 'a', validTo: 'b', names: ['api.test'] };
  const base = `http://${at(ports.http)}`;
  const trusted = { ...tls, isTrusted: true, why: null, subject: 'CN=api.test' };
  return createFakeHost({
    files: { [long]: '0123456789', [`${sub}/b`]: 'b', [`${sub}/a`]: 'a', '/etc/shadow': DENIED },
    programs: {
      'printf %s $(id);`id`': { stdout: '$(id);`id`' },
      'sh -c echo out; echo complaint >&2; exit 3': {
        stdout: 'out\n',
        stderr: 'complaint\n',
        exitCode: 3,
      },
      'seq 1 2000': { stdout: `${Array.from({ length: 2000 }, (_, i) => i + 1).join('\n')}\n` },
      'sleep 60': { failure: 'timeout' },
    },
    replies: {
      [`PUT ${base}/`]: { headers: { 'x-method': 'PUT' }, body: 'secret' },
      [`POST ${base}/echo`]: { body: 'a=b' },
      [`${base}/none`]: { status: 404, headers: { 'x-method': 'GET' } },
      [`${base}/large`]: { body: 'x'.repeat(5000) },
      [`${base}/slow`]: { failure: 'timeout' },
    },
    servers: {
      [at(ports.http)]: {},
      [at(ports.tls)]: { tls: trusted, clockOffsetMs: 1 },
      [at(ports.tlsWithoutDate)]: { tls: trusted },
      [at(ports.silent)]: { failure: 'timeout' },
    },
    spaces: { [sub]: { bytesTotal: 10, bytesFree: 5, inodesTotal: 10, inodesFree: 5 } },
    names: { localhost: ['127.0.0.1'] },
  });
}

const DENIED = { failure: 'denied' } as const;
const isRoot = process.getuid?.() === 0;

const scene: HostScene = {
  long,
  sub,
  ports,
  caPem: () => caPem,
  noTls: certificate === null ? 'openssl is not installed' : false,
  readsAll: false,
};
const readsAll = isRoot ? 'root may read every file' : false;
hostContract('this machine', () => openHost(systemClock), { ...scene, readsAll });
hostContract('a machine in memory', fakeHost, scene);

describe('the network of this machine alone', () => {
  const noTls = certificate === null ? 'openssl is not installed' : false;
  const probe = (change: Partial<HostProbe>): ReturnType<Host['probe']> =>
    openHost(systemClock).probe({
      host: '127.0.0.1',
      port: ports.tls,
      tlsServerName: 'api.test',
      caPem: null,
      timeoutMs: 5000,
      ...change,
    });

  test('says why a certificate is not trusted', { skip: noTls }, async () => {
    const { tls } = await probe({});
    assert.deepEqual([tls?.isTrusted, tls?.why], [false, 'DEPTH_ZERO_SELF_SIGNED_CERT']);
    const named = await probe({ caPem, tlsServerName: 'other.test' });
    assert.equal(named.tls?.why, 'ERR_TLS_CERT_ALTNAME_INVALID');
    const address = await probe({ caPem, tlsServerName: '127.0.0.1' });
    assert.equal(address.tls?.isTrusted, false);
  });

  test('looks up no name that is an option', async () => {
    await assert.rejects(openHost(systemClock).resolve('--help', 5000), fails('invalid'));
    await assert.rejects(
      openHost(systemClock).resolve('nothing.invalid', 5000),
      (error: unknown) => {
        assert.ok(error instanceof PortError);
        return /nothing\.invalid/.test(error.message);
      },
    );
  });

  test('reports a server without TLS', async () => {
    await assert.rejects(probe({ port: ports.http }), fails('unreachable'));
  });
});

describe('files and programs of this machine alone', () => {
  test('reads files that have no size, and refuses pipes', async () => {
    const version = new TextDecoder().decode(
      await openHost(systemClock).readFile('/proc/version', 5000),
    );
    assert.match(version, /^Linux version /);
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    await assert.rejects(openHost(systemClock).readFile(pipe, 9), fails('invalid'));
  });

  test('reads the output of a program although its child keeps it open', async () => {
    const argv = ['sh', '-c', 'echo said; sleep 5 & exit 0'];
    const { stdout, exitCode } = await openHost(systemClock).run(argv, {
      timeoutMs: 300,
      bytesMax: 100,
    });
    assert.deepEqual([new TextDecoder().decode(stdout), exitCode], ['said\n', 0]);
  });

  test('ends a program that hangs with all that it started', { timeout: 30_000 }, async () => {
    const noted = join(folder, 'pid');
    const argv = ['sh', '-c', `sleep 60 & echo $! > ${noted}; wait`];
    await assert.rejects(
      openHost(systemClock).run(argv, { timeoutMs: 500, bytesMax: 9 }),
      fails('timeout'),
    );
    const state = (): string => {
      const path = `/proc/${readFileSync(noted, 'utf8').trim()}/stat`;
      return existsSync(path) ? readFileSync(path, 'utf8') : 'gone';
    };
    while (!/^gone|\) [ZX] /.test(state())) await pause(10);
  });

  test('refuses arguments that no program can be given', async () => {
    await assert.rejects(openHost(systemClock).run([], LIMITS), fails('invalid'));
    await assert.rejects(openHost(systemClock).run(['echo', 'a\0b'], LIMITS), fails('invalid'));
    await assert.rejects(
      openHost(systemClock).request({ url: 'file:///etc/passwd', ...LIMITS }),
      PortError,
    );
  });

  const whyNot = isRoot ? noSetpriv() : 'these tests run as an ordinary user already';
  test('does the same for an ordinary user', { skip: whyNot }, () => {
    const user = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const argv = [...user, process.execPath, '--test', import.meta.filename];
    const ran = spawnSync('setpriv', argv, { env, encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stdout);
  });
});

function noSetpriv(): string | false {
  const argv = ['--reuid', '65534', '--clear-groups', process.execPath, '--version'];
  return spawnSync('setpriv', argv).status === 0 ? false : 'setpriv cannot become uid 65534 here';
}
