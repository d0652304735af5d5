/** What a writer sends, and what it makes of a server and a wire that misbehave. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KubeTarget } from '../../src/adapters/kubernetes/target.ts';
import { type KubeWriter, kubeWriter } from '../../src/adapters/kubernetes/writes.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { KubeWriteOptions, KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import { virtualClock } from './fake/clock.ts';
import { authority } from './fake/kube-certificates.ts';
import { fakeEnvironment } from './fake/kube-environment.ts';
import {
  type FakeKubeServer,
  fakeKubeServer,
  json,
  type Reply,
  refusal,
  targetOf,
} from './fake/kube-server.ts';
import { closedPort } from './free-port.ts';
import { CONFIG_MAPS } from './kube-api.contract.ts';

const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'team', name: 'a', resourceVersion: '7' },
};
const NAME = { namespace: 'team', name: 'a' };

function writerOf(context: TestContext, target: KubeTarget): KubeWriter {
  const limits = { headersTimeoutMs: 300, bodyTimeoutMs: 300 };
  const options = { environment: fakeEnvironment(), clock: virtualClock(Date.now()), limits };
  const writer = kubeWriter(target, options);
  context.after(() => writer.close());
  return writer;
}

async function answering(
  context: TestContext,
  reply: Reply | null,
): Promise<{ readonly server: FakeKubeServer; readonly writer: KubeWriter }> {
  const server = await fakeKubeServer(context, { answer: () => reply });
  return { server, writer: writerOf(context, server.target()) };
}

async function updated(writer: KubeWriter, options: KubeWriteOptions = {}): Promise<PortError> {
  const error: unknown = await writer.update(CONFIG_MAPS, OBJECT, options).then(
    (object) => new Error(`it answered ${JSON.stringify(object)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PortError, String(error));
  assert.match(error.message, /; [^;]+$/, 'the message ends with what to do');
  return error;
}

const WEBHOOK = 'Internal error occurred: failed calling webhook "a.b": connection refused';
const BUDGET = { causes: [{ reason: 'DisruptionBudget', message: 'needs 1' }] };

const FAULTS: readonly (readonly [string, Reply | null, PortFailure, PortFailure])[] = [
  ['silence', null, 'unclear', 'timeout'],
  ['a reset', { after: 'reset' }, 'unclear', 'unreachable'],
  ['half an object', { body: '{"kind":"Conf' }, 'unclear', 'malformed'],
  ['half an object and then nothing', { body: '{', after: 'stay' }, 'unclear', 'timeout'],
  ['a web page', { body: '<!DOCTYPE html><title>Sign in</title>' }, 'unclear', 'malformed'],
  ['a web page of a proxy', { status: 403, body: '<html>' }, 'malformed', 'malformed'],
  ['500 of etcd', refusal(500, 'InternalError', 'etcdserver: timed out'), 'unclear', 'unavailable'],
  ['500 of a webhook', refusal(500, 'InternalError', WEBHOOK), 'unavailable', 'unavailable'],
  ['502', { status: 502, body: '<html>' }, 'unclear', 'unavailable'],
  ['504', refusal(504, 'Timeout', 'request did not complete'), 'unclear', 'timeout'],
  ['409', refusal(409, 'Conflict', 'modified'), 'conflict', 'conflict'],
  ['409 of a name', refusal(409, 'AlreadyExists', 'exists'), 'already-exists', 'already-exists'],
  ['429', refusal(429, 'TooManyRequests', 'slow'), 'throttled', 'throttled'],
  ['429 of a budget', refusal(429, 'TooManyRequests', 'no', BUDGET), 'budget', 'budget'],
  ['422', refusal(422, 'Invalid', 'bad', { causes: [{ field: 'spec' }] }), 'invalid', 'invalid'],
];

for (const [what, reply, failure, ofDryRun] of FAULTS)
  test(`a write answered with ${what} is ${failure}, and is sent once`, async (context) => {
    const { server, writer } = await answering(context, reply);
    assert.equal((await updated(writer)).failure, failure);
    assert.equal(server.seen.length, 1);
    assert.equal((await updated(writer, { isDryRun: true })).failure, ofDryRun);
  });

test('a budget says how long to wait', async (context) => {
  const { writer } = await answering(
    context,
    refusal(429, 'TooManyRequests', 'no', { ...BUDGET, retryAfterSeconds: 10 }),
  );
  assert.equal((await updated(writer)).retryAfterMs, 10_000);
});

test('a failure inside an answer that is a success is a failure', async (context) => {
  const status = { kind: 'Status', status: 'Failure', code: 429, details: BUDGET, message: 'no' };
  const { writer } = await answering(context, json(status, 201));
  assert.equal((await updated(writer)).failure, 'budget');
});

test('a write to a port at which nothing listens was not sent', async (context) => {
  const writer = writerOf(context, targetOf(`http://127.0.0.1:${await closedPort()}`));
  assert.equal((await updated(writer)).failure, 'unreachable');
});

test('a write to a server that is not trusted was not sent', async (context) => {
  const tls = authority('theirs').issue({ commonName: 'server', addresses: ['127.0.0.1'] });
  const server = await fakeKubeServer(context, { tls, answer: () => json({}) });
  const writer = writerOf(context, server.target());
  assert.equal((await updated(writer)).failure, 'unreachable');
  assert.equal(server.seen.length, 0);
});

test('a write refused for its credential alone is sent again with a new one', async (context) => {
  const files = new Map([['/token', 'old']]);
  const server = await fakeKubeServer(context, {
    answer: ({ headers }) =>
      headers.authorization === 'Bearer new' ? json(OBJECT) : refusal(401, 'Unauthorized', 'no'),
  });
  const environment = {
    ...fakeEnvironment(),
    readFile: async (path: string) => {
      const token = files.get(path) ?? assert.fail(path);
      files.set(path, 'new');
      return new TextEncoder().encode(token);
    },
  };
  const target = server.target({ credential: { kind: 'token-file', path: '/token' } });
  const writer = kubeWriter(target, { environment, clock: virtualClock(Date.now()) });
  context.after(() => writer.close());
  assert.deepEqual(await writer.update(CONFIG_MAPS, OBJECT), OBJECT);
  assert.equal(server.seen.length, 2);
});

const CREATED = { metadata: { namespace: 'team', name: 'a' }, data: { k: 'v' } };
const OPERATIONS = [{ op: 'remove', path: '/data/k' }];

const SENT: readonly (readonly [string, (writes: KubeWrites) => Promise<unknown>, object])[] = [
  [
    'an update',
    (writes) => writes.update(CONFIG_MAPS, OBJECT, { subresource: 'status' }),
    {
      method: 'PUT',
      path: '/api/v1/namespaces/team/configmaps/a/status',
      query: { fieldManager: 'rollcall', fieldValidation: 'Strict' },
      type: 'application/json',
      body: OBJECT,
    },
  ],
  [
    'a create',
    (writes) => writes.create(CONFIG_MAPS, CREATED),
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/configmaps',
      query: { fieldManager: 'rollcall', fieldValidation: 'Strict' },
      type: 'application/json',
      body: CREATED,
    },
  ],
  [
    'a JSON patch',
    (writes) => writes.patch(CONFIG_MAPS, NAME, { type: 'json', operations: OPERATIONS }),
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/team/configmaps/a',
      query: { fieldManager: 'rollcall', fieldValidation: 'Strict' },
      type: 'application/json-patch+json',
      body: OPERATIONS,
    },
  ],
  [
    'an apply that leaves the fields of others to them',
    (writes) => writes.patch(CONFIG_MAPS, NAME, { type: 'apply', object: OBJECT, isForced: false }),
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/team/configmaps/a',
      query: { fieldManager: 'rollcall', fieldValidation: 'Strict' },
      type: 'application/apply-patch+yaml',
      body: OBJECT,
    },
  ],
  [
    'a forced apply in a dry run',
    (writes) =>
      writes.patch(
        CONFIG_MAPS,
        NAME,
        { type: 'apply', object: OBJECT, isForced: true },
        { isDryRun: true, fieldManager: 'gate' },
      ),
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/team/configmaps/a',
      query: { dryRun: 'All', fieldManager: 'gate', fieldValidation: 'Strict', force: 'true' },
      type: 'application/apply-patch+yaml',
      body: OBJECT,
    },
  ],
  [
    'a merge patch of a status',
    (writes) =>
      writes.patch(
        CONFIG_MAPS,
        NAME,
        { type: 'merge', change: { status: null } },
        { subresource: 'status' },
      ),
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/team/configmaps/a/status',
      query: { fieldManager: 'rollcall', fieldValidation: 'Strict' },
      type: 'application/merge-patch+json',
      body: { status: null },
    },
  ],
  [
    'a delete',
    (writes) =>
      writes.delete(CONFIG_MAPS, NAME, {
        preconditions: { uid: 'u', resourceVersion: '7' },
        gracePeriodSeconds: 0,
        propagation: 'Orphan',
        isDryRun: true,
      }),
    {
      method: 'DELETE',
      path: '/api/v1/namespaces/team/configmaps/a',
      query: {},
      type: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u', resourceVersion: '7' },
        gracePeriodSeconds: 0,
        propagationPolicy: 'Orphan',
        dryRun: ['All'],
      },
    },
  ],
  [
    'an eviction',
    (writes) => writes.evict(NAME, { preconditions: { uid: 'u' } }),
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/pods/a/eviction',
      query: {},
      type: 'application/json',
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'a', namespace: 'team' },
        deleteOptions: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: 'u' },
        },
      },
    },
  ],
];

for (const [what, write, expected] of SENT)
  test(`${what} is sent with all that guards it`, async (context) => {
    const { server, writer } = await answering(context, json(OBJECT));
    await write(writer);
    const { method, path, query, headers, body } = server.seen[0] ?? assert.fail();
    const sent = {
      method,
      path,
      query: Object.fromEntries(query),
      type: headers['content-type'],
      body: JSON.parse(body) as JsonObject,
    };
    assert.deepEqual(sent, expected);
  });

test('a name that would become another path is not sent', async (context) => {
  const { server, writer } = await answering(context, json(OBJECT));
  const patch = { type: 'merge', change: {} } as const;
  for (const name of ['a/status', '..', ''])
    await assert.rejects(writer.patch(CONFIG_MAPS, { namespace: 'team', name }, patch), /name/);
  await assert.rejects(writer.patch(CONFIG_MAPS, NAME, patch, { subresource: '../b' }));
  await assert.rejects(writer.patch(CONFIG_MAPS, { name: 'a' }, patch), /namespace/);
  assert.equal(server.seen.length, 0);
});

test('an update without the version that was seen is not sent', async (context) => {
  const { server, writer } = await answering(context, json(OBJECT));
  for (const resourceVersion of [undefined, '']) {
    const metadata = { ...NAME, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await assert.rejects(writer.update(CONFIG_MAPS, { ...OBJECT, metadata }), (error) => {
      assert.ok(error instanceof PortError);
      assert.equal(error.failure, 'invalid');
      assert.match(error.message, /^An update of a ConfigMap without metadata\.resourceVersion/);
      return true;
    });
  }
  assert.equal(server.seen.length, 0);
});

test('requests are counted by verb and resource', async (context) => {
  const { writer } = await answering(context, json(OBJECT));
  const preconditions = { uid: 'u' };
  await writer.create(CONFIG_MAPS, CREATED);
  await writer.update(CONFIG_MAPS, OBJECT, { subresource: 'status' });
  await writer.patch(CONFIG_MAPS, NAME, { type: 'merge', change: {} });
  await writer.delete(CONFIG_MAPS, NAME, { preconditions });
  await writer.evict(NAME, { preconditions });
  assert.deepEqual(
    [...writer.requests()],
    [
      ['create configmaps', 1],
      ['update configmaps/status', 1],
      ['patch configmaps', 1],
      ['delete configmaps', 1],
      ['create pods/eviction', 1],
    ],
  );
});

test('a Status that tells of a success is an answer, as an object of another kind is', async (context) => {
  for (const object of [
    { kind: 'Status', status: 'Success' },
    { kind: 'ConfigMap', status: 'Failure' },
  ]) {
    const { writer } = await answering(context, json(object));
    assert.deepEqual(
      await writer.delete(CONFIG_MAPS, NAME, { preconditions: { uid: 'u' } }),
      object,
    );
  }
});
