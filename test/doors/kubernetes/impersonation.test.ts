/** `kubectl --as` and `--as-group`: who may speak for whom. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { ApiUser } from '../../../src/sim/kube/contract.ts';
import { type Answered, ask } from './ask.ts';
import { ADMIN, type Cluster, openCluster, TOKEN } from './fixture.ts';

const DEPUTY: ApiUser = { name: 'helper', groups: ['helpers'] };
const DEPUTYS_TOKEN = 'the-token-of-the-helper';
const RBAC = 'rbac.authorization.k8s.io/v1';

let cluster: Cluster;

/** The helper may speak for jane and for the group viewers, and for nobody else. */
before(async () => {
  const tokens = new Map([
    [TOKEN, ADMIN],
    [DEPUTYS_TOKEN, DEPUTY],
  ]);
  cluster = await openCluster({ tokens });
  const rule = (resource: string, name: string): JsonObject => ({
    apiGroups: [''],
    resources: [resource],
    resourceNames: [name],
    verbs: ['impersonate'],
  });
  const metadata = { name: 'helpers' };
  const rules = [rule('users', 'jane'), rule('groups', 'viewers')];
  const roleRef = { kind: 'ClusterRole', name: 'helpers' };
  const subjects = [{ kind: 'Group', name: 'helpers' }];
  for (const object of [
    { apiVersion: RBAC, kind: 'ClusterRole', metadata, rules },
    { apiVersion: RBAC, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  ])
    assert.ok(cluster.admin.create(object).ok);
});

after(() => cluster.close());

/** Who the server takes the helper for, who sends these headers. */
async function whoIs(headers: Readonly<Record<string, string>>): Promise<Answered> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return ask(cluster.door, path, { method: 'POST', body, token: DEPUTYS_TOKEN, headers });
}

function userOf({ code, json, text }: Answered): readonly unknown[] {
  assert.equal(code, 201, text);
  return [textAt(json, 'status.userInfo.username'), ...listAt(json, 'status.userInfo.groups')];
}

function refusalOf({ code, json, text }: Answered): string {
  assert.equal(code, 403, text);
  return textAt(json, 'message') ?? '';
}

test('an impersonator gets the groups of the user and loses its groups', async () => {
  assert.deepEqual(userOf(await whoIs({})), ['helper', 'helpers', 'system:authenticated']);
  const jane = await whoIs({ 'impersonate-user': 'jane' });
  assert.deepEqual(userOf(jane), ['jane', 'system:authenticated']);
  const viewer = await whoIs({ 'impersonate-user': 'jane', 'impersonate-group': 'viewers' });
  assert.deepEqual(userOf(viewer), ['jane', 'viewers', 'system:authenticated']);
});

test('a user that may not be spoken for is refused by name', async () => {
  assert.match(
    refusalOf(await whoIs({ 'impersonate-user': 'admin' })),
    /^users "admin" is forbidden: User "helper" cannot impersonate resource "users" /,
  );
});

test('a group that may not be spoken for is refused beside a user that may', async () => {
  const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' };
  assert.match(
    refusalOf(await whoIs(headers)),
    /^groups "system:masters" is forbidden: User "helper" cannot impersonate resource "groups" /,
  );
});

test('a group without a user is refused', async () => {
  assert.match(refusalOf(await whoIs({ 'impersonate-group': 'viewers' })), /without a user/);
});
