import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import type { KubeEnvironment } from './environment.ts';
import type { Impersonation } from './target.ts';

import { type Answer, failureOf, NODES, NOW_MS, ok, open, textOf } from './testing.ts';

describe('a request', () => {
  test('asks with what it accepts, and nothing else', async (context) => {
    const { sender, seen } = await open(context, ok);
    assert.equal(await textOf(await sender.send(NODES)), '{}');
    const [{ method, url, headers, body } = assert.fail('nothing came')] = seen;
    assert.deepEqual([method, url, body], ['GET', NODES.path, '']);
    const { host: _host, connection: _connection, ...sent } = headers;
    assert.deepEqual(sent, {
      accept: 'application/json',
      'user-agent': 'rollcall',
      'accept-encoding': 'identity',
    });
  });

  test('with a body is a POST of JSON', async (context) => {
    const { sender, seen } = await open(context, ok);
    await textOf(await sender.send({ ...NODES, body: '{"a":1}' }));
    const [{ method, headers, body } = assert.fail('nothing came')] = seen;
    assert.deepEqual(
      [method, headers['content-type'], body],
      ['POST', 'application/json', '{"a":1}'],
    );
  });

  test('may have its answer packed', async (context) => {
    const { sender, seen } = await open(context, ok, {}, { isCompressed: true });
    await textOf(await sender.send(NODES));
    assert.equal(seen[0]?.headers['accept-encoding'], 'gzip');
  });

  test('goes below the path of its server', async (context) => {
    for (const path of ['/k8s/clusters/c', '/k8s/clusters/c/']) {
      const { sender, seen } = await open(context, ok, {}, { path });
      await textOf(await sender.send(NODES));
      assert.equal(seen[0]?.url, `/k8s/clusters/c${NODES.path}`);
    }
  });

  test('carries the token of its user', async (context) => {
    const { sender, seen } = await open(context, ok, { credential: { kind: 'token', token: 't' } });
    await textOf(await sender.send(NODES));
    assert.equal(seen[0]?.headers.authorization, 'Bearer t');
  });

  test('is counted by its name', async (context) => {
    const { sender } = await open(context, ok);
    for (let count = 0; count < 2; count++) await textOf(await sender.send(NODES));
    await textOf(await sender.send({ ...NODES, name: { verb: 'get', resource: 'pods/log' } }));
    assert.deepEqual(
      [...sender.counts()],
      [
        ['list nodes', 2],
        ['get pods/log', 1],
      ],
    );
  });
});

describe('who is impersonated', () => {
  const sent = async (context: TestContext, impersonation: Impersonation): Promise<object> => {
    const { sender, seen } = await open(context, ok, { impersonation });
    await textOf(await sender.send(NODES));
    const headers = Object.entries(seen[0]?.headers ?? {});
    return Object.fromEntries(headers.filter(([name]) => name.startsWith('impersonate')));
  };

  test('is sent whole', async (context) => {
    const extra = { 'Scopes/A b': ['view', 'edit'] };
    assert.deepEqual(await sent(context, { user: 'bob', uid: '7', groups: ['a', 'b'], extra }), {
      'impersonate-user': 'bob',
      'impersonate-uid': '7',
      'impersonate-group': 'a, b',
      'impersonate-extra-scopes%2fa%20b': 'view, edit',
    });
    const bare = { user: 'bob', uid: null, groups: [], extra: {} };
    assert.deepEqual(await sent(context, bare), { 'impersonate-user': 'bob' });
  });

  test('has names that headers take', async (context) => {
    const bare = { user: 'bob', uid: null, groups: [], extra: {} };
    for (const odd of [
      { ...bare, user: 'böb' },
      { ...bare, uid: 'a\nb' },
      { ...bare, groups: ['a', 'ü'] },
      { ...bare, extra: { a: ['\u007F'] } },
    ])
      await assert.rejects(sent(context, odd), {
        failure: 'not-configured',
        message:
          'A user, group or extra to impersonate has characters that no header takes; spell it ' +
          'in ASCII: --as=USER',
      });
    assert.deepEqual(await sent(context, { ...bare, user: ' ~' }), { 'impersonate-user': '~' });
  });
});

describe('an answer', () => {
  const answering = (status: number, type = 'text/plain', body = 'x'): Answer => {
    return (response) => response.writeHead(status, { 'content-type': type }).end(body);
  };

  test('has a status of success', async (context) => {
    for (const status of [200, 299]) {
      const { sender } = await open(context, answering(status));
      const answer = await sender.send(NODES);
      assert.deepEqual([answer.headers['content-type'], await textOf(answer)], ['text/plain', 'x']);
    }
    for (const status of [300, 404, 500]) {
      const { sender } = await open(context, answering(status));
      await failureOf(sender.send(NODES));
    }
  });

  test('may have another status that the request takes', async (context) => {
    const asked: unknown[] = [];
    const isAnswer = (status: number, type: string): boolean => {
      asked.push([status, type]);
      return status === 500;
    };
    const own = await open(context, answering(500));
    assert.equal(await textOf(await own.sender.send({ ...NODES, isAnswer })), 'x');
    const bare = await open(context, (response) => response.writeHead(404).end());
    await failureOf(bare.sender.send({ ...NODES, isAnswer }));
    assert.deepEqual(asked, [
      [500, 'text/plain'],
      [404, ''],
    ]);
  });

  test('that is an error is read up to a limit, and named', async (context) => {
    const long = `${'x'.repeat(290)}${'y'.repeat(20)}`;
    const status = JSON.stringify({ kind: 'Status', message: 'no', reason: 'Forbidden' });
    const { sender } = await open(context, answering(403, 'application/json', status));
    const denied = await failureOf(sender.send(NODES));
    assert.deepEqual([denied.failure, denied.permission], ['denied', 'list nodes']);
    const gone = JSON.stringify({ kind: 'Status', message: 'etcd is gone' });
    const { sender: broken } = await open(context, answering(500, 'application/json', gone));
    assert.match((await failureOf(broken.send(NODES))).message, /etcd is gone/);
    const endless: Answer = (response) => response.writeHead(500).write(`${long}${long}`);
    const { sender: other } = await open(context, endless);
    assert.equal((await failureOf(other.send(NODES))).failure, 'unavailable');
  });

  test('that breaks off in an error is named by its status', async (context) => {
    const cut: Answer = (response) => {
      response.writeHead(503, { 'content-length': 100 }).write('half', () => response.destroy());
    };
    const { sender } = await open(context, cut);
    assert.equal((await failureOf(sender.send(NODES))).failure, 'unavailable');
  });

  test('that does not come is a failure of the connection', async (context) => {
    const { sender } = await open(context, (response) => response.destroy());
    const error = await failureOf(sender.send(NODES));
    assert.equal(error.failure, 'unreachable');
    assert.match(error.message, /^The connection to http:\/\/127\.0\.0\.1:\d+ was cut /);
  });
});

/** A plugin that a kubeconfig names for its user's token. */
describe('an answer without its connection', () => {
  test('is asked for again where the connection closed', async (context) => {
    const { sender, seen } = await open(context, (response, round) => {
      if (round === 3) ok(response);
      else response.destroy();
    });
    assert.equal(await textOf(await sender.send(NODES)), '{}');
    assert.equal(seen.length, 3);
    assert.deepEqual([...sender.counts()], [['list nodes', 3]]);
  });

  test('is asked for three times', async (context) => {
    const { sender, seen } = await open(context, (response) => response.destroy());
    assert.equal((await failureOf(sender.send(NODES))).failure, 'unreachable');
    assert.equal(seen.length, 3);
  });

  test('is not asked for again where the request may have written', async (context) => {
    const { sender, seen } = await open(context, (response) => response.destroy());
    await failureOf(sender.send({ ...NODES, body: '{}' }));
    await failureOf(sender.send({ ...NODES, method: 'DELETE' }));
    assert.equal(seen.length, 2);
  });

  test('is not asked for again where nothing listens', async (context) => {
    const { sender } = await open(context, ok, { server: 'http://127.0.0.1:1' });
    await failureOf(sender.send(NODES));
    assert.deepEqual([...sender.counts()], [['list nodes', 1]]);
  });
});

const AWS_EXEC = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'aws',
  args: [],
  env: {},
  installHint: null,
  interactiveMode: 'Never',
  provideClusterInfo: false,
} as const;

describe('a credential that is refused', () => {
  const printing: () => KubeEnvironment['run'] = () => {
    let round = 0;
    return async () => {
      const status = { token: `t${++round}` };
      const stdout = JSON.stringify({
        apiVersion: AWS_EXEC.apiVersion,
        kind: 'ExecCredential',
        status,
      });
      return { exitCode: 0, stdout, stderr: '', isTimedOut: false, isCut: false };
    };
  };
  const refusing =
    (rounds: number): Answer =>
    (response, round) => {
      response.writeHead(round <= rounds ? 401 : 200).end('{}');
    };

  test('is made again once', async (context) => {
    const change = { credential: { kind: 'exec', exec: AWS_EXEC } } as const;
    const { sender, seen } = await open(context, refusing(1), change, { run: printing() });
    assert.equal(await textOf(await sender.send(NODES)), '{}');
    assert.deepEqual(
      seen.map(({ headers }) => headers.authorization),
      ['Bearer t1', 'Bearer t2'],
    );
    assert.deepEqual([...sender.counts()], [['list nodes', 2]]);
    const twice = await open(context, refusing(2), change, { run: printing() });
    assert.equal((await failureOf(twice.sender.send(NODES))).failure, 'unauthenticated');
    assert.equal(twice.seen.length, 2);
  });

  test('is not asked again where it cannot change', async (context) => {
    const credential = { kind: 'token', token: 't' } as const;
    const { sender, seen } = await open(context, refusing(9), { credential });
    assert.equal((await failureOf(sender.send(NODES))).failure, 'unauthenticated');
    assert.equal(seen.length, 1);
  });
});

describe('the clock of the server', () => {
  const at = (...stamps: readonly (string | null)[]): Answer => {
    return (response, round) => {
      const date = stamps[round - 1] ?? null;
      response.sendDate = false;
      if (date !== null) response.setHeader('date', date);
      response.end('{}');
    };
  };
  const stamp = (aheadMs: number): string => new Date(NOW_MS - aheadMs).toUTCString();

  test('is compared by the answer that was least on its way', async (context) => {
    const stamps = [null, 'never', stamp(9000), stamp(-4000), stamp(5000), stamp(4000)];
    const { sender } = await open(context, at(...stamps));
    const told: (number | null)[] = [];
    for (const _stamp of stamps) {
      await textOf(await sender.send(NODES));
      told.push(sender.skewMs());
    }
    assert.deepEqual(told, [null, null, 9000, -4000, -4000, -4000]);
    assert.equal(sender.now(), NOW_MS);
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  test('before a request sends nothing, and keeps its reason', async (context) => {
    const { sender, seen } = await open(context, ok);
    const signal = AbortSignal.abort(reason);
    await assert.rejects(sender.send({ ...NODES, signal }), reason);
    assert.deepEqual([seen.length, sender.counts().size], [0, 0]);
  });

  test('while a credential is made sends nothing', async (context) => {
    const stop = new AbortController();
    const run: KubeEnvironment['run'] = async () => {
      stop.abort(reason);
      const status = { token: 't' };
      const apiVersion = 'client.authentication.k8s.io/v1';
      const stdout = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
      return { exitCode: 0, stdout, stderr: '', isTimedOut: false, isCut: false };
    };
    const change = { credential: { kind: 'exec', exec: AWS_EXEC } } as const;
    const { sender, seen } = await open(context, ok, change, { run });
    await assert.rejects(sender.send({ ...NODES, signal: stop.signal }), reason);
    assert.equal(seen.length, 0);
  });

  test('while an answer is awaited ends it', async (context) => {
    const stop = new AbortController();
    const { sender } = await open(context, () => stop.abort(reason));
    await assert.rejects(sender.send({ ...NODES, signal: stop.signal }), reason);
  });

  test('while an answer is read stays what it is', async (context) => {
    const { sender } = await open(context, ok);
    assert.throws(() => sender.failure(new Error('x'), AbortSignal.abort(reason)), reason);
    const known = new PortError({ failure: 'malformed', message: 'm' });
    assert.equal(sender.failure(known), known);
    const other = sender.failure(Object.assign(new Error('x'), { code: 'ECONNRESET' }));
    assert.ok(other instanceof PortError);
    assert.equal(other.failure, 'unreachable');
  });
});
