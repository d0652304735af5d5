/** What a request carries, and how much of an error is read. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { kubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { KubeTarget } from '../../src/adapters/kubernetes/target.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { virtualClock } from './fake/clock.ts';
import { fakeEnvironment } from './fake/kube-environment.ts';
import { fakeKubeServer, json, type Reply, type Seen } from './fake/kube-server.ts';

async function asked(
  context: TestContext,
  reply: Reply,
  change: Partial<KubeTarget> = {},
): Promise<{ readonly seen: Seen; readonly error: unknown }> {
  const server = await fakeKubeServer(context, { answer: () => reply });
  const options = { environment: fakeEnvironment(), clock: virtualClock() };
  const limits = { errorBytesMax: 300 };
  const client = kubeClient(server.target(change), { ...options, limits });
  context.after(() => client.close());
  const error: unknown = await client.version().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { seen: server.seen[0] ?? assert.fail(), error };
}

const WELL = json({ gitVersion: 'v1.36.3' });

test('a question is a GET without a body, of nobody else', async (context) => {
  const { seen } = await asked(context, WELL);
  assert.deepEqual([seen.method, seen.body], ['GET', '']);
  assert.equal(seen.headers['content-type'], undefined);
  assert.equal(seen.headers.authorization, undefined);
  assert.deepEqual(
    Object.keys(seen.headers).filter((name) => name.startsWith('impersonate')),
    [],
  );
  assert.equal(seen.headers['user-agent'], 'rollcall');
});

test('an impersonated user without id and groups is sent without them', async (context) => {
  const impersonation = { user: 'bob', uid: null, groups: [], extra: {} };
  const { seen } = await asked(context, WELL, { impersonation });
  assert.deepEqual(
    Object.keys(seen.headers).filter((name) => name.startsWith('impersonate')),
    ['impersonate-user'],
  );
});

for (const [status, isFailure] of [
  [200, false],
  [201, false],
  [300, true],
  [404, true],
  [500, true],
] as const)
  test(`status ${status} is ${isFailure ? 'a failure' : 'an answer'}`, async (context) => {
    const { error } = await asked(context, { ...WELL, status });
    assert.equal(error instanceof PortError, isFailure);
  });

test('reads only the beginning of an endless error', async (context) => {
  const body = `${'x'.repeat(400)}END`;
  const { error } = await asked(context, { status: 500, body, after: 'stay' });
  assert.ok(error instanceof PortError);
  assert.doesNotMatch(error.message, /END/);
});

test('reports an error that breaks off by its status', async (context) => {
  const broken = { status: 503, body: 'x', headers: { 'content-length': '100' }, after: 'reset' };
  const { error } = await asked(context, broken as Reply);
  assert.ok(error instanceof PortError);
  assert.equal(error.failure, 'unavailable');
});
