/** What every Host does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Host, HostProbe, HostRequest } from '../../src/ports/host.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';

/** What is on the machine, and what answers there. */
export interface HostScene {
  /** A file that holds the ten digits. */
  readonly long: string;
  /** A folder with the files `a` and `b`. */
  readonly sub: string;
  /** Filled before the tests run. */
  readonly ports: {
    readonly http: number;
    readonly tls: number;
    readonly tlsWithoutDate: number;
    readonly silent: number;
    readonly closed: number;
  };
  /** Of the server behind the port for TLS. */
  readonly caPem: () => string;
  /** Why there is none, or false. */
  readonly noTls: string | false;
  /** Why no file is kept from the reader, or false. */
  readonly readsAll: string | false;
}

export const LIMITS = { timeoutMs: 5000, bytesMax: 1000 };

export function fails(failure: PortFailure): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof PortError, String(error));
    assert.equal(error.failure, failure, error.message);
    assert.match(error.message, /^[^\n]+\.$/);
    return true;
  };
}

/**
 * @param name of the implementation
 * @param open makes one that sees the scene
 */
export function hostContract(name: string, open: () => Host, scene: HostScene): void {
  filesContract(name, open, scene);
  programsContract(name, open);
  networkContract(name, open, scene);
}

function filesContract(name: string, open: () => Host, scene: HostScene): void {
  describe(`files of the host: ${name}`, () => {
    test('gives the end of a file', async () => {
      const text = async (bytesMax: number): Promise<string> =>
        new TextDecoder().decode(await open().readFile(scene.long, bytesMax));
      assert.equal(await text(100), '0123456789');
      assert.equal(await text(10), '0123456789');
      assert.equal(await text(3), '789');
    });

    test('distinguishes a missing file from an invalid one', async () => {
      await assert.rejects(open().readFile(`${scene.sub}/no`, 9), fails('not-found'));
      await assert.rejects(open().readFile(scene.sub, 9), fails('invalid'));
    });

    test('tells a file that may not be read', { skip: scene.readsAll }, async () => {
      await assert.rejects(open().readFile('/etc/shadow', 9), fails('denied'));
    });

    test('lists a folder in order', async () => {
      assert.deepEqual(await open().listFolder(scene.sub), ['a', 'b']);
      await assert.rejects(open().listFolder(`${scene.sub}/no`), fails('not-found'));
    });

    test('says how much of a file system is free', async () => {
      const { bytesTotal, bytesFree, inodesTotal, inodesFree } = await open().space(scene.sub);
      assert.equal(bytesTotal > 0 && bytesFree <= bytesTotal, true);
      assert.equal(inodesFree <= inodesTotal, true);
      await assert.rejects(open().space(`${scene.sub}/no`), fails('not-found'));
    });

    test('has a name', () => assert.notEqual(open().hostname(), ''));
  });
}

function programsContract(name: string, open: () => Host): void {
  describe(`programs of the host: ${name}`, () => {
    test('runs a program by its arguments, never by a shell', async () => {
      const ran = await open().run(['printf', '%s', '$(id);`id`'], LIMITS);
      assert.equal(new TextDecoder().decode(ran.stdout), '$(id);`id`');
      assert.deepEqual([ran.exitCode, ran.isCut, ran.stderr], [0, false, '']);
    });

    test('shows what a failed program printed', async () => {
      const argv = ['sh', '-c', 'echo out; echo complaint >&2; exit 3'];
      const { stdout, stderr, exitCode } = await open().run(argv, LIMITS);
      assert.deepEqual(
        [new TextDecoder().decode(stdout), stderr, exitCode],
        ['out\n', 'complaint\n', 3],
      );
    });

    test('keeps the end of a long output', async () => {
      const { stdout, isCut } = await open().run(['seq', '1', '2000'], LIMITS);
      assert.equal(stdout.length, 1000);
      assert.equal(isCut, true);
      assert.match(new TextDecoder().decode(stdout), /\n1999\n2000\n$/);
    });

    test('tells a program that is missing, and ends one that hangs', async () => {
      await assert.rejects(open().run(['rollcall-no-such-program'], LIMITS), fails('not-found'));
      const hanging = open().run(['sleep', '60'], { timeoutMs: 50, bytesMax: 9 });
      await assert.rejects(hanging, fails('timeout'));
    });
  });
}

function networkContract(name: string, open: () => Host, scene: HostScene): void {
  describe(`the network of the host: ${name}`, () => {
    test('asks over HTTP and gives the answer as it came', async () => {
      const ask = (path: string, change: Partial<HostRequest> = {}) =>
        open().request({
          url: `http://127.0.0.1:${scene.ports.http}${path}`,
          ...LIMITS,
          ...change,
        });
      const put = await ask('/', { method: 'PUT', headers: { 'X-Token': 'secret' } });
      assert.deepEqual([put.status, put.headers['x-method'], put.body], [200, 'PUT', 'secret']);
      const post = await ask('/echo', { method: 'POST', body: 'a=b' });
      assert.equal(post.body, 'a=b');
      assert.equal((await ask('/none')).status, 404);
      await assert.rejects(ask('/large'), fails('malformed'));
      await assert.rejects(ask('/slow', { timeoutMs: 50 }), fails('timeout'));
      const url = `http://127.0.0.1:${scene.ports.closed}/`;
      await assert.rejects(ask('/', { url }), fails('unreachable'));
    });

    const probe = (change: Partial<HostProbe>): ReturnType<Host['probe']> =>
      open().probe({
        host: '127.0.0.1',
        port: scene.ports.http,
        tlsServerName: null,
        caPem: null,
        timeoutMs: 5000,
        ...change,
      });

    test('connects to a port, or says why not', async () => {
      const { tls, clockOffsetMs } = await probe({});
      assert.deepEqual([tls, clockOffsetMs], [null, null]);
      await assert.rejects(probe({ port: scene.ports.closed }), fails('unreachable'));
      const mute = { port: scene.ports.silent, tlsServerName: 'api.test', timeoutMs: 50 };
      await assert.rejects(probe(mute), fails('timeout'));
    });

    test('shakes hands and reads the clock of the server', { skip: scene.noTls }, async () => {
      const asked = { port: scene.ports.tls, tlsServerName: 'api.test', caPem: scene.caPem() };
      const { tls, clockOffsetMs } = await probe(asked);
      assert.deepEqual([tls?.isTrusted, tls?.why], [true, null]);
      assert.deepEqual([tls?.subject, tls?.names], ['CN=api.test', ['api.test']]);
      assert.ok((clockOffsetMs ?? 0) > 0);
      const silent = await probe({ ...asked, port: scene.ports.tlsWithoutDate });
      assert.equal(silent.clockOffsetMs, null);
    });

    test('looks names up as the machine does', async () => {
      const found = await open().resolve('localhost', 5000);
      assert.ok(found.some((address) => address === '127.0.0.1' || address === '::1'));
      await assert.rejects(open().resolve('nothing.invalid', 5000), PortError);
    });
  });
}
