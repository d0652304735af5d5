/** Which request a rule of a Role or ClusterRole allows, field by field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { AccessQuestion } from '../../../src/sim/kube/auth/attributes.ts';
import type { ApiUser } from '../../../src/sim/kube/contract.ts';
import { done, pod, refusal, type Scene, scene } from './scene.ts';

const RBAC = 'rbac.authorization.k8s.io';
const JANE: ApiUser = { name: 'jane', groups: ['team', 'system:authenticated'] };
const JANE_SUBJECT = { kind: 'User', name: 'jane' };

interface Granted {
  readonly rule: JsonObject;
  /** The Role and its binding are in this namespace; cluster-wide when not given. */
  readonly namespace?: string;
  readonly subject?: JsonObject;
}

function grant({ admin }: Scene, { rule, namespace, subject = JANE_SUBJECT }: Granted): void {
  const prefix = namespace === undefined ? 'Cluster' : '';
  const metadata = { name: 'granted', ...(namespace === undefined ? {} : { namespace }) };
  const apiVersion = `${RBAC}/v1`;
  const roleRef = { kind: `${prefix}Role`, name: 'granted' };
  done(admin.create({ apiVersion, kind: `${prefix}Role`, metadata, rules: [rule] }));
  const subjects = [subject];
  done(admin.create({ apiVersion, kind: `${prefix}RoleBinding`, metadata, roleRef, subjects }));
}

/** Asks whether somebody may, where only this rule was granted. */
function asker(granted: Granted, user: ApiUser = JANE): (asked: AccessQuestion) => boolean {
  const world = scene();
  grant(world, granted);
  return (asked) => world.server.authorize(user, asked).isAllowed;
}

const SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create'] };

test('resourceNames limit a rule to the named objects, and allow no list and no create', () => {
  const may = asker({ rule: { ...SECRETS, resourceNames: ['mine', 'ours'] } });
  const secret = { resource: 'secrets', namespace: 'default' };
  assert.ok(may({ ...secret, verb: 'get', name: 'mine' }));
  assert.ok(may({ ...secret, verb: 'get', name: 'ours' }));
  assert.ok(!may({ ...secret, verb: 'get', name: 'yours' }));
  assert.ok(!may({ ...secret, verb: 'list' }));
  assert.ok(!may({ ...secret, verb: 'create' }));
});

test('a client that may read one object by name is refused every other', () => {
  const world = scene();
  grant(world, { rule: { ...SECRETS, resourceNames: ['mine'] } });
  for (const name of ['mine', 'yours'])
    done(world.admin.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name } }));
  const jane = world.as('jane');
  assert.notEqual(jane.get('Secret', 'default/mine'), null);
  assert.equal(jane.get('Secret', 'default/yours'), null);
  assert.throws(() => jane.list('Secret', { namespace: 'default' }), /cannot list/);
});

test('a list of one object by its name is held against resourceNames too', () => {
  const world = scene();
  grant(world, { rule: { ...SECRETS, resourceNames: ['mine'] } });
  done(world.admin.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' } }));
  const listed = (fieldSelector: string): number =>
    world.as('jane').list('Secret', { namespace: 'default', fieldSelector }).length;
  assert.equal(listed('metadata.name=mine'), 1);
  assert.equal(listed('type=Opaque,metadata.name==mine'), 1);
  for (const selector of ['metadata.name=yours', 'metadata.name!=mine', 'type=Opaque'])
    assert.throws(() => listed(selector), /cannot list resource "secrets"/, selector);
});

test('a rule allows its verbs, its API groups and its resources, and no others', () => {
  const may = asker({
    rule: { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
  });
  const asked = { verb: 'get', group: 'apps', resource: 'deployments', namespace: 'default' };
  assert.ok(may(asked));
  assert.ok(!may({ ...asked, verb: 'delete' }));
  assert.ok(!may({ ...asked, group: '' }));
  assert.ok(!may({ ...asked, resource: 'daemonsets' }));
  assert.ok(!may({ ...asked, subresource: 'scale' }));
});

test('an asterisk matches every verb, group or resource, subresources included', () => {
  const all = ['*'];
  const get = { verb: 'get', group: 'apps', resource: 'deployments' };
  for (const subresource of [null, 'scale'])
    assert.ok(
      asker({ rule: { apiGroups: all, resources: all, verbs: all } })({ ...get, subresource }),
    );
  const nodes = { apiGroups: [''], resources: ['nodes'], verbs: all };
  assert.ok(asker({ rule: nodes })({ verb: 'patch', resource: 'nodes' }));
  assert.ok(!asker({ rule: nodes })({ verb: 'patch', resource: 'pods' }));
});

test('a subresource is allowed by its full name or for all resources, not with its resource', () => {
  const rule = (resource: string): JsonObject => ({
    apiGroups: [''],
    resources: [resource],
    verbs: ['update'],
  });
  const status = { verb: 'update', resource: 'nodes', subresource: 'status' };
  assert.ok(asker({ rule: rule('nodes/status') })(status));
  assert.ok(asker({ rule: rule('*/status') })(status));
  assert.ok(!asker({ rule: rule('*/status') })({ ...status, subresource: 'proxy' }));
  assert.ok(!asker({ rule: rule('nodes') })(status));
  assert.ok(!asker({ rule: rule('nodes/status') })({ ...status, subresource: null }));
});

test('a Role holds only in its namespace', () => {
  const pods = { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['list'] };
  const may = asker({ rule: pods, namespace: 'default' });
  assert.ok(may({ verb: 'list', resource: 'pods', namespace: 'default' }));
  assert.ok(!may({ verb: 'list', resource: 'pods', namespace: 'kube-system' }));
  assert.ok(!may({ verb: 'list', resource: 'pods' }));
  assert.ok(!may({ verb: 'list', resource: 'nodes' }));
});

test('paths are allowed by a ClusterRole, whole or up to their asterisk', () => {
  const rule = { nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] };
  const may = asker({ rule });
  assert.ok(may({ verb: 'get', nonResourcePath: '/metrics' }));
  assert.ok(may({ verb: 'get', nonResourcePath: '/logs/kubelet.log' }));
  assert.ok(!may({ verb: 'get', nonResourcePath: '/metrics/cadvisor' }));
  assert.ok(!may({ verb: 'get', nonResourcePath: '/log' }));
  assert.ok(!may({ verb: 'post', nonResourcePath: '/metrics' }));
  assert.ok(!asker({ rule, namespace: 'default' })({ verb: 'get', nonResourcePath: '/metrics' }));
});

test('a binding is for its user, its group or its service account', () => {
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };
  const list = { verb: 'list', resource: 'pods', namespace: 'default' };
  const account = (namespace: string): ApiUser => ({
    name: `system:serviceaccount:${namespace}:agent`,
    groups: [],
  });
  const may = (subject: JsonObject, user: ApiUser): boolean =>
    asker({ rule, subject, namespace: 'default' }, user)(list);
  assert.ok(may({ kind: 'Group', name: 'team' }, JANE));
  assert.ok(!may({ kind: 'Group', name: 'others' }, JANE));
  assert.ok(!may({ kind: 'Group', name: 'jane' }, JANE));
  assert.ok(!may({ kind: 'User', name: 'team' }, JANE));
  const agent = { kind: 'ServiceAccount', name: 'agent', namespace: 'tools' };
  assert.ok(may(agent, account('tools')));
  assert.ok(!may(agent, account('default')));
});

/** A pod with these tolerations, and what an update to others is answered. */
function tolerationsChanged(before: readonly JsonObject[], after: readonly JsonObject[]): string {
  const { admin } = scene();
  done(admin.create(pod('p', { tolerations: before })));
  const outcome = admin.patch('Pod', 'default/p', 'merge', { spec: { tolerations: after } });
  return outcome.ok ? 'allowed' : refusal(outcome);
}

test('a toleration of a pod can be added and its time changed; none goes or becomes another', () => {
  const spot = { key: 'spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };
  const gpu = { key: 'gpu', operator: 'Exists', effect: 'NoSchedule' };
  assert.equal(tolerationsChanged([spot], [spot, gpu]), 'allowed');
  assert.equal(tolerationsChanged([spot], [{ ...spot, tolerationSeconds: 5 }]), 'allowed');
  for (const after of [[], [gpu], [{ ...spot, operator: 'Equal' }]])
    assert.match(
      tolerationsChanged([spot], after),
      /^422 Invalid: .*spec\.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds$/,
    );
});

test('where and as whom a pod runs cannot be changed', () => {
  for (const change of [
    { nodeName: 'n2' },
    { serviceAccountName: 'other' },
    { hostNetwork: true },
  ]) {
    const { admin } = scene();
    done(admin.create(pod('p')));
    const outcome = admin.patch('Pod', 'default/p', 'merge', { spec: change });
    assert.match(refusal(outcome), /spec: Forbidden: pod updates may not change fields other than/);
  }
});
