import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import { base64Of } from '../../../src/sim/kube/rules/base64.ts';
import { ask, done, node, pod, refusal, type Scene, scene } from './scene.ts';

const NODES = 'system:nodes';

function withNodes(): Scene {
  const world = scene();
  for (const name of ['n1', 'n2']) done(world.admin.create(node(name)));
  done(world.admin.create(pod('p1', { nodeName: 'n1' })));
  done(world.admin.create(pod('p2', { nodeName: 'n2' })));
  return world;
}

test('a kubelet reads only itself and its pods', () => {
  const world = withNodes();
  const kubelet = world.as('system:node:n1', NODES);
  assert.notEqual(kubelet.get('Node', 'n1'), null);
  assert.equal(kubelet.get('Node', 'n2'), null);
  assert.equal(kubelet.list('Pod', { fieldSelector: 'spec.nodeName=n1' }).length, 1);
  assert.throws(() => kubelet.list('Pod'), /can only list\/watch pods with spec.nodeName/);
  assert.throws(() => kubelet.list('DaemonSet'), /cannot list resource "daemonsets"/);
});

test('a kubelet writes only its Node, without labels and taints of others', () => {
  const world = scene();
  const kubelet = world.as('system:node:n1', NODES);
  assert.equal(
    refusal(kubelet.create(node('n2'))),
    '403 Forbidden: nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  );
  const labels = { 'node-role.kubernetes.io/x': '', 'kubernetes.io/hostname': 'n1' };
  assert.equal(
    refusal(kubelet.create(node('n1', { metadata: { name: 'n1', labels } }))),
    '403 Forbidden: nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: ' +
      'node-role.kubernetes.io/x',
  );
  done(kubelet.create(node('n1')));
  assert.match(
    refusal(kubelet.patch('Node', 'n1', 'merge', { spec: { taints: null } })),
    /is not allowed to modify taints$/,
  );
  assert.match(refusal(kubelet.delete('Node', 'n1')), /cannot delete resource "nodes"/);
});

test('a kubelet renews only its Lease', () => {
  const world = scene();
  const kubelet = world.as('system:node:n1', NODES);
  const lease = (
    name: string,
    namespace = 'kube-node-lease',
  ): Parameters<typeof kubelet.create>[0] => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: {},
  });
  done(kubelet.create(lease('n1')));
  assert.match(refusal(kubelet.create(lease('n2'))), /same name as the requesting node$/);
  assert.match(
    refusal(kubelet.create(lease('n1', 'default'))),
    /"kube-node-lease" system namespace$/,
  );
});

test('a kubelet reads a Secret as soon as a pod of its node needs it', () => {
  const world = scene();
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
  done(world.admin.create(secret));
  const kubelet = world.as('system:node:n1', NODES);
  assert.equal(kubelet.get('Secret', 'default/s'), null);
  const volumes = [{ name: 'v', secret: { secretName: 's' } }];
  done(world.admin.create(pod('p', { nodeName: 'n1', volumes })));
  assert.notEqual(kubelet.get('Secret', 'default/s'), null);
});

test('a binding gives rights at once, and takes them when it goes', () => {
  const world = withNodes();
  const user = world.as('jane');
  assert.throws(
    () => user.list('Node'),
    /^Refusal: nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope$/,
  );
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'readers' },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'readers' },
    roleRef: { kind: 'ClusterRole', name: 'readers' },
    subjects: [{ kind: 'User', name: 'jane' }],
  };
  done(world.admin.create(role));
  done(world.admin.create(binding));
  assert.equal(user.list('Node').length, 2);
  done(world.admin.delete('ClusterRoleBinding', 'readers'));
  assert.throws(() => user.list('Node'), /forbidden/);
});

test('a role of a namespace ends at its border, and view gathers what is labelled for it', () => {
  const world = withNodes();
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'viewers', namespace: 'default' },
    roleRef: { kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'Group', name: 'team' }],
  };
  done(world.admin.create(binding));
  const user = world.as('jane', 'team');
  assert.equal(user.list('Pod', { namespace: 'default' }).length, 2);
  assert.throws(
    () => user.list('Pod', { namespace: 'kube-system' }),
    /in the namespace "kube-system"/,
  );
  assert.throws(() => user.list('Secret', { namespace: 'default' }), /"secrets"/);
});

test('controllers of the platform have the roles that come with the server', () => {
  const { server } = scene();
  const controller = (name: string) => ({
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:authenticated'],
  });
  const may = (name: string, verb: string, resource: string): boolean =>
    server.authorize(controller(name), { verb, resource }).isAllowed;
  assert.ok(may('node-controller', 'patch', 'nodes'));
  assert.ok(!may('node-controller', 'create', 'pods'));
  assert.ok(may('daemon-set-controller', 'create', 'pods'));
  const scheduler = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
  const bind = { verb: 'create', resource: 'pods', subresource: 'binding' };
  assert.ok(server.authorize(scheduler, bind).isAllowed);
});

test('everybody may read the version and nobody the metrics', () => {
  const { server } = scene();
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  const may = (nonResourcePath: string): boolean =>
    server.authorize(anonymous, { verb: 'get', nonResourcePath }).isAllowed;
  assert.ok(may('/version'));
  assert.ok(!may('/metrics'));
});

test('a bootstrap token is good until it expires', () => {
  const { admin, server, pass } = scene();
  const text = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    expiration: '2026-01-01T01:00:00Z',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  };
  const values = Object.fromEntries(Object.entries(text).map(([key, one]) => [key, base64Of(one)]));
  const metadata = { name: 'bootstrap-token-abcdef', namespace: 'kube-system' };
  const type = 'bootstrap.kubernetes.io/token';
  done(admin.create({ apiVersion: 'v1', kind: 'Secret', metadata, type, data: values }));
  const who = (bearerToken: string): string | null =>
    server.authenticate({ bearerToken, certificate: null })?.name ?? null;
  assert.equal(who('abcdef.0123456789abcdef'), 'system:bootstrap:abcdef');
  assert.equal(who('abcdef.0123456789abcdee'), null);
  pass(3_600_000);
  assert.equal(who('abcdef.0123456789abcdef'), null);
});

test('a token of a service account ends with its time, its pod and its account', () => {
  const world = scene();
  done(world.admin.create(pod('p', { nodeName: 'n1' })));
  const issue = (spec: object): string => {
    const { code, object } = ask(world, {
      verb: 'create',
      plural: 'serviceaccounts',
      name: 'default',
      subresource: 'token',
      body: { spec: { ...spec } },
    });
    assert.equal(code, 201);
    return textAt(object, 'status.token') ?? '';
  };
  const who = (bearerToken: string): string | null =>
    world.server.authenticate({ bearerToken, certificate: null })?.name ?? null;
  const timed = issue({ expirationSeconds: 600 });
  const bound = issue({ boundObjectRef: { kind: 'Pod', name: 'p' } });
  assert.equal(who(timed), 'system:serviceaccount:default:default');
  assert.equal(who(bound), 'system:serviceaccount:default:default');
  world.pass(600_000);
  assert.equal(who(timed), null);
  done(world.admin.delete('Pod', 'default/p', { gracePeriodSeconds: 0 }));
  assert.equal(who(bound), null);
});

test('a token that the server does not know is asked of the hook', () => {
  const user = { name: 'arn', groups: [] };
  const { server } = scene({ authenticateToken: (token) => (token === 'eks' ? user : null) });
  assert.equal(server.authenticate({ bearerToken: 'eks', certificate: null }), user);
  assert.equal(server.authenticate({ bearerToken: 'no', certificate: null }), null);
});
