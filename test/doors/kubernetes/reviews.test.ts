/** Questions about rights and identities. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Json, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { ApiUser } from '../../../src/sim/kube/contract.ts';
import { type Answered, ask } from './ask.ts';
import { ADMIN, type Cluster, openCluster, TOKEN } from './fixture.ts';

const READER: ApiUser = { name: 'jane', groups: ['readers'] };
const READERS_TOKEN = 'the-token-of-jane';
const RBAC = 'rbac.authorization.k8s.io/v1';
const APPS = { group: 'apps', version: 'v1', resource: 'deployments' };

let cluster: Cluster;

/** Readers may get the log of one pod in one namespace, scale nothing, and see the metrics. */
before(async () => {
  const tokens = new Map([
    [TOKEN, ADMIN],
    [READERS_TOKEN, READER],
  ]);
  cluster = await openCluster({ tokens });
  const subjects = [{ kind: 'Group', name: 'readers' }];
  const metadata = { name: 'readers', namespace: 'shop' };
  const rules = [
    { apiGroups: [''], resources: ['pods/log'], resourceNames: ['web'], verbs: ['get'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] },
  ];
  const paths = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  for (const object of [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: RBAC, kind: 'Role', metadata, rules },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata,
      roleRef: { kind: 'Role', name: 'readers' },
      subjects,
    },
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'seers' }, rules: paths },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'seers' },
      roleRef: { kind: 'ClusterRole', name: 'seers' },
      subjects,
    },
  ] satisfies readonly JsonObject[])
    assert.ok(cluster.admin.create(object).ok);
});

after(() => cluster.close());

async function review(kind: string, spec: Json, token = READERS_TOKEN): Promise<Answered> {
  const group = kind === 'TokenReview' ? 'authentication' : 'authorization';
  const apiVersion = `${group}.k8s.io/v1`;
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  return ask(cluster.door, path, { method: 'POST', body: { apiVersion, kind, spec }, token });
}

async function mayI(spec: Json): Promise<string | null> {
  const { code, json, text } = await review('SelfSubjectAccessReview', spec);
  assert.equal(code, 201, text);
  assert.equal(textAt(json, 'kind'), 'SelfSubjectAccessReview');
  assert.deepEqual(json['spec'], spec);
  return textAt(json, 'status.allowed');
}

const LOG = {
  verb: 'get',
  version: 'v1',
  resource: 'pods',
  subresource: 'log',
  namespace: 'shop',
  name: 'web',
};

test('a right is narrowed by each part of the question', async () => {
  assert.equal(await mayI({ resourceAttributes: LOG }), 'true');
  const others: readonly Partial<Record<keyof typeof LOG | 'group', string>>[] = [
    { verb: 'list' },
    { resource: 'nodes' },
    { subresource: '' },
    { subresource: 'exec' },
    { namespace: 'other' },
    { namespace: '' },
    { name: 'db' },
    { name: '' },
    { group: 'apps' },
  ];
  for (const other of others)
    assert.equal(
      await mayI({ resourceAttributes: { ...LOG, ...other } }),
      'false',
      JSON.stringify(other),
    );
  const list = { ...APPS, verb: 'list', namespace: 'shop' };
  assert.equal(await mayI({ resourceAttributes: list }), 'true');
  assert.equal(await mayI({ resourceAttributes: { ...list, group: '' } }), 'false');
});

test('a right to a path does not cover a resource', async () => {
  assert.equal(await mayI({ nonResourceAttributes: { path: '/metrics', verb: 'get' } }), 'true');
  assert.equal(await mayI({ nonResourceAttributes: { path: '/metrics', verb: 'post' } }), 'false');
  assert.equal(await mayI({ nonResourceAttributes: { path: '/logs', verb: 'get' } }), 'false');
  assert.equal(await mayI({ nonResourceAttributes: { path: '/metrics' } }), 'false');
  assert.equal(await mayI({}), 'false');
});

test('the rights of another are those of its name and groups, not of who asks', async () => {
  const of = async (user: string, groups: readonly string[]): Promise<string | null> => {
    const spec = { resourceAttributes: LOG, user, groups };
    const { code, json, text } = await review('SubjectAccessReview', spec, TOKEN);
    assert.equal(code, 201, text);
    return textAt(json, 'status.allowed');
  };
  assert.equal(await of('joe', ['readers']), 'true');
  assert.equal(await of('jane', []), 'false');
  assert.equal(await of('joe', ['others']), 'false');
});

test('who may not ask about others is refused', async () => {
  for (const kind of ['SubjectAccessReview', 'TokenReview']) {
    const spec = {
      resourceAttributes: LOG,
      user: 'admin',
      groups: ['system:masters'],
      token: TOKEN,
    };
    assert.equal((await review(kind, spec)).code, 403, kind);
  }
});

test('shows all rights only to a user that has all of them', async () => {
  const rules = async (token: string): Promise<Json | undefined> =>
    (await review('SelfSubjectRulesReview', { namespace: 'shop' }, token)).json['status'];
  assert.deepEqual(await rules(TOKEN), {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  });
  const paths = ['/api', '/apis', '/openapi', '/version'];
  assert.deepEqual(await rules(READERS_TOKEN), {
    resourceRules: [],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: paths }],
    incomplete: true,
  });
});

test('a malformed or empty question grants nothing', async () => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = await ask(cluster.door, path, { method: 'POST', body: [], token: READERS_TOKEN });
  assert.equal(answer.code, 400);
  for (const spec of [null, 'all', []]) {
    const { json, text } = await review('SelfSubjectAccessReview', spec);
    assert.equal(textAt(json, 'status.allowed'), 'false', text);
  }
});
