import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { CREATED, ROLE_BINDING, SIGNING_REQUEST, WEBHOOKS } from './access.ts';
import { limits, requests } from './quotas.ts';
import { cell, cells, madeBefore } from './testing.ts';

const metadata = madeBefore(60);
const NAMED = { Name: 'one', Age: '60s' };

test('a kind without columns shows when it was created', () => {
  assert.deepEqual(cells(CREATED, { metadata }), {
    Name: 'one',
    'Created At': '2026-01-01T23:59:00.000Z',
  });
});

test('a binding shows its role, and its subjects by their kinds', () => {
  const subjects = [
    { kind: 'User', name: 'jane' },
    { kind: 'User', name: 'joe' },
    { kind: 'Group', name: 'system:nodes' },
    { kind: 'ServiceAccount', namespace: 'shop', name: 'web' },
  ];
  const roleRef = { kind: 'ClusterRole', name: 'view' };
  assert.deepEqual(cells(ROLE_BINDING, { metadata, roleRef, subjects }), {
    ...NAMED,
    Role: 'ClusterRole/view',
    Users: 'jane, joe',
    Groups: 'system:nodes',
    ServiceAccounts: 'shop/web',
  });
});

test('a CertificateSigningRequest shows who asks whom, and for how long', () => {
  const spec = {
    signerName: 'kubernetes.io/kubelet-serving',
    username: 'system:node:node-a',
    expirationSeconds: 86_400,
  };
  assert.deepEqual(cells(SIGNING_REQUEST, { metadata, spec }), {
    ...NAMED,
    SignerName: 'kubernetes.io/kubelet-serving',
    Requestor: 'system:node:node-a',
    RequestedDuration: '24h',
    Condition: 'Pending',
  });
  const { SignerName, RequestedDuration } = cells(SIGNING_REQUEST, { metadata });
  assert.deepEqual([SignerName, RequestedDuration], ['<none>', '<none>']);
});

test('the condition of a request says what was decided, and what came of it', () => {
  const condition = (types: readonly string[], more: JsonObject = {}): Json => {
    const conditions = types.map((type) => ({ type }));
    return cell(SIGNING_REQUEST, 'Condition', { status: { conditions, ...more } });
  };
  const certificate = 'LS0t';
  assert.equal(condition(['Approved']), 'Approved');
  assert.equal(condition(['Approved'], { certificate }), 'Approved,Issued');
  assert.equal(condition(['Denied', 'Approved']), 'Denied');
  assert.equal(condition(['Approved', 'Failed']), 'Approved,Failed');
  assert.equal(condition([], { certificate }), 'Pending,Issued');
});

test('a webhook configuration counts its webhooks', () => {
  assert.deepEqual(cells(WEBHOOKS, { metadata, webhooks: [{}, {}] }), { ...NAMED, Webhooks: 2 });
});

test('a ResourceQuota shows requests and limits apart, sorted, as used of allowed', () => {
  const hard = { pods: 10, 'requests.cpu': '4', 'limits.memory': '8Gi', 'limits.cpu': '8' };
  const used = { pods: 3, 'requests.cpu': '500m', 'limits.cpu': '1' };
  const quota = { status: { hard, used } };
  assert.equal(requests(quota), 'pods: 3/10, requests.cpu: 500m/4');
  assert.equal(limits(quota), 'limits.cpu: 1/8, limits.memory: 0/8Gi');
  assert.equal(requests({ status: { hard: { pods: 10 } } }), 'pods: 0/10');
  assert.equal(requests({ status: { hard: { pods: true }, used: 'none' } }), 'pods: 0/0');
  for (const none of [{}, { status: { hard: [], used } }])
    assert.deepEqual([requests(none), limits(none)], ['', '']);
});
