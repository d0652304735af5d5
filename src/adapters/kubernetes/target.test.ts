/** What the entries and flags of a kubeconfig make of a target. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import type { KubeEnvironment } from './environment.ts';
import { type KubeFlags, loadKubeTarget } from './kubeconfig.ts';
import type { KubeTarget } from './target.ts';

const PATH = '/home/ubuntu/.kube/config';

interface Parts {
  readonly context?: object | null;
  readonly cluster?: object;
  readonly user?: object;
  readonly more?: object;
}

function load(parts: Parts = {}, flags: KubeFlags = {}): Promise<KubeTarget> {
  const { context = { cluster: 'c1', user: 'u1' }, cluster = {}, user = {}, more = {} } = parts;
  const text = JSON.stringify({
    'current-context': context === null ? '' : 'one',
    contexts: context === null ? [] : [{ name: 'one', context }],
    clusters: [{ name: 'c1', cluster: { server: 'https://one.test', ...cluster } }],
    users: [{ name: 'u1', user }],
    ...more,
  });
  const environment: KubeEnvironment = {
    env: {},
    home: '/home/ubuntu',
    readFile: async () => new TextEncoder().encode(text),
    run: () => Promise.reject(new Error('nothing may run here')),
  };
  return loadKubeTarget(environment, flags);
}

async function refusal(parts: Parts, flags: KubeFlags = {}): Promise<string> {
  const error: unknown = await load(parts, flags).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof PortError, 'it was read');
  return error.message;
}

test('a target names the entries it comes from', async () => {
  const { contextName, clusterEntry, userEntry, origin, namespace } = await load();
  assert.deepEqual(
    [contextName, clusterEntry, userEntry, origin, namespace],
    ['one', 'c1', 'u1', PATH, 'default'],
  );
  const bare = await load({ context: { cluster: 'c1', namespace: 'team' } });
  assert.deepEqual([bare.userEntry, bare.origin, bare.namespace], [null, PATH, 'team']);
  assert.equal((await load({}, { namespace: 'flag' })).namespace, 'flag');
});

describe('the server', () => {
  const server = async (text: string, cluster: object = {}): Promise<string> =>
    (await load({ cluster: { server: text, ...cluster } })).server;

  test('is a URL without a slash at its end', async () => {
    assert.equal(await server(' https://one.test:6443/// '), 'https://one.test:6443');
    assert.equal(
      await server('https://one.test/k8s/clusters/c//'),
      'https://one.test/k8s/clusters/c',
    );
    assert.equal(await server('http://one.test?x=1#y'), 'http://one.test');
  });

  test('without a scheme is HTTPS where anything is configured of TLS', async () => {
    assert.equal(await server('one.test:8080'), 'http://one.test:8080');
    assert.equal(
      await server('one.test:6443', { 'insecure-skip-tls-verify': true }),
      'https://one.test:6443',
    );
    assert.equal(
      await server('one.test:8080', { 'certificate-authority': '' }),
      'http://one.test:8080',
    );
    for (const key of ['certificate-authority', 'certificate-authority-data'])
      assert.doesNotMatch(
        await refusal({ cluster: { server: 'one.test', [key]: '%' } }),
        /is not a URL/,
      );
  });

  test('is refused where it is not a URL, with the command that sets it', async () => {
    const remedy = `set it: kubectl config set-cluster c1 --server=https://HOST --kubeconfig=${PATH}`;
    const where = `The cluster c1 in ${PATH} has`;
    for (const none of ['', ' '])
      assert.equal(await refusal({ cluster: { server: none } }), `${where} no server; ${remedy}`);
    for (const odd of ['https://', 'ftp://one.test', 'https:///x', 'x://https://one.test', 'a b'])
      assert.equal(
        await refusal({ cluster: { server: odd } }),
        `${where} the server ${odd}, which is not a URL; ${remedy}`,
      );
  });
});

describe('what is missing is named', () => {
  test('of a context', async () => {
    assert.equal(
      await refusal({ more: { 'current-context': 'onee' } }),
      `The context onee, which current-context names, is not in ${PATH} (did you mean one?); ` +
        'known contexts: one; see them with: kubectl config get-contexts',
    );
    assert.equal(
      await refusal({}, { context: 'another' }),
      `The context another is not in ${PATH}; known contexts: one; see them with: ` +
        'kubectl config get-contexts',
    );
    assert.match(
      await refusal({ context: null }),
      /^\/home.* defines no context; for EKS write one/,
    );
    const two = { 'current-context': '', contexts: [{ name: 'a b' }, { name: 'c' }] };
    assert.equal(
      await refusal({ more: two }),
      `${PATH} sets no current-context; known contexts: a b, c; choose one: kubectl config ` +
        "use-context 'a b'",
    );
  });

  test('of a cluster', async () => {
    assert.equal(
      await refusal({ context: { cluster: 'c2' } }),
      `The cluster c2 of context one is not in ${PATH} (did you mean c1?); known clusters: c1; ` +
        'see them with: kubectl config get-clusters',
    );
    assert.match(await refusal({ context: {} }), /^The cluster \(none\) of context one is not in /);
    assert.match(await refusal({}, { cluster: 'else' }), /^The cluster else is not in /);
  });

  test('of a user', async () => {
    assert.equal(
      await refusal({ context: { cluster: 'c1', user: 'u2' } }),
      `The user u2 is not in ${PATH} (did you mean u1?); known users: u1; see them with: ` +
        'kubectl config get-users',
    );
    assert.match(await refusal({}, { user: 'else' }), /^The user else is not in /);
  });
});

test('flags choose without a context', async () => {
  const { contextName, clusterEntry, userEntry } = await load(
    { context: null },
    { cluster: 'c1', user: 'u1' },
  );
  assert.deepEqual([contextName, clusterEntry, userEntry], [null, 'c1', 'u1']);
  assert.equal((await load({ context: null }, { cluster: 'c1' })).userEntry, null);
});

describe('who is impersonated', () => {
  const as = {
    as: 'bob',
    'as-uid': '7',
    'as-groups': ['a', 7],
    'as-user-extra': { k: ['v'], o: 'x' },
  };

  test('is the user of the kubeconfig, or of the flags', async () => {
    assert.deepEqual((await load({ user: as })).impersonation, {
      user: 'bob',
      uid: '7',
      groups: ['a', '7'],
      extra: { k: ['v'], o: [] },
    });
    const flags = { as: 'eve', asUid: '8', asGroups: ['b'] };
    assert.deepEqual((await load({ user: as }, flags)).impersonation, {
      user: 'eve',
      uid: '8',
      groups: ['b'],
      extra: { k: ['v'], o: [] },
    });
    assert.deepEqual((await load({ user: { as: 'bob', 'as-user-extra': 'x' } })).impersonation, {
      user: 'bob',
      uid: null,
      groups: [],
      extra: {},
    });
    assert.equal((await load()).impersonation, null);
    assert.equal((await load({ user: { 'as-groups': [] } })).impersonation, null);
  });

  test('is never a group or uid alone', async () => {
    const message =
      'Groups or a uid to impersonate are given without a user; name one as well: --as=USER';
    for (const user of [{ 'as-uid': '7' }, { 'as-groups': ['a'] }])
      assert.equal(await refusal({ user }), message);
    assert.equal(await refusal({}, { asUid: '7' }), message);
    assert.equal(await refusal({}, { asGroups: ['a'] }), message);
  });
});
