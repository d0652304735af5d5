import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import { objectOf } from '../../evidence/testing.ts';
import { pinnedWorkloads } from './pinned-workloads.ts';
import { factOf, observed } from './testing.ts';

const NAMES = ['web-1.example', 'other'];
const HOSTNAME = 'kubernetes.io/hostname';

type Facts = Parameters<typeof observed>[0];

/** Each workload with the field by which it is pinned, and its value. */
function pinned(...facts: Facts): readonly string[] {
  return pinnedWorkloads(observed(facts), NAMES, 'web-1.example').map(
    ({ kind, namespace, name, by, value }) => `${kind} ${namespace}/${name} by ${by}=${value}`,
  );
}

function deployment(spec: JsonObject | null, namespace: string | null = 'shop') {
  const body = spec === null ? {} : { spec: { template: { spec } } };
  return factOf('kube/Deployment', objectOf('Deployment', 'app', body, { namespace }));
}

function affinity(key: string, operator: string, values: Json): JsonObject {
  const matchExpressions = [{ key, operator, values }];
  const wanted = { nodeSelectorTerms: [{ matchExpressions }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: wanted } } };
}

describe('a workload asks for a machine', () => {
  const byName = ['Deployment shop/app by nodeName=web-1.example'];
  const byHost = [`Deployment shop/app by ${HOSTNAME}=web-1`];

  test('by nodeName', () => {
    assert.deepEqual(pinned(deployment({ nodeName: 'web-1.example' })), byName);
    assert.deepEqual(pinned(deployment({ nodeName: 'web-2' })), []);
    assert.deepEqual(pinned(deployment({ nodeName: '' })), []);
  });

  test('by the hostname in a selector or in an affinity, whole or its first part', () => {
    assert.deepEqual(pinned(deployment({ nodeSelector: { [HOSTNAME]: 'web-1' } })), byHost);
    assert.deepEqual(pinned(deployment({ nodeSelector: { zone: 'web-1' } })), []);
    assert.deepEqual(pinned(deployment(affinity(HOSTNAME, 'In', ['x', 'web-1']))), byHost);
    assert.deepEqual(pinned(deployment(affinity(HOSTNAME, 'NotIn', ['web-1']))), []);
    assert.deepEqual(pinned(deployment(affinity('zone', 'In', ['web-1']))), []);
    assert.deepEqual(pinned(deployment(affinity(HOSTNAME, 'In', null))), []);
  });

  test('by any of its names', () => {
    assert.deepEqual(pinned(deployment({ nodeName: 'other' })), [
      'Deployment shop/app by nodeName=other',
    ]);
  });

  test('and not without a template or a namespace', () => {
    assert.deepEqual(pinned(deployment(null)), []);
    assert.deepEqual(pinned(deployment({ nodeName: 'web-1' }, null)), []);
  });

  test('also a DaemonSet', () => {
    const body = { spec: { template: { spec: { nodeName: 'web-1' } } } };
    const set = factOf('kube/DaemonSet', objectOf('DaemonSet', 'agent', body));
    assert.deepEqual(pinned(set), ['DaemonSet shop/agent by nodeName=web-1']);
  });
});

function pod(owner: JsonObject | null, spec: JsonObject, namespace: string | null = 'shop') {
  const metadata =
    owner === null ? {} : { ownerReferences: [{ kind: 'ReplicaSet', name: 'r' }, owner] };
  return factOf('kube/Pod', objectOf('Pod', 'db-0', { metadata, spec }, { namespace }));
}

describe('pods tell of their StatefulSet', () => {
  const owner = { kind: 'StatefulSet', name: 'db' };
  const spec = { nodeSelector: { [HOSTNAME]: 'web-1' } };

  test('by a selector, once', () => {
    assert.deepEqual(pinned(pod(owner, spec), pod(owner, spec)), [
      `StatefulSet shop/db by ${HOSTNAME}=web-1`,
    ]);
  });

  test('and not by the Node that they run on', () => {
    assert.deepEqual(pinned(pod(owner, { nodeName: 'web-1' })), []);
  });

  test('and not without an owner, its name or a namespace', () => {
    assert.deepEqual(pinned(pod(null, spec)), []);
    assert.deepEqual(pinned(pod({ kind: 'StatefulSet', name: null }, spec)), []);
    assert.deepEqual(pinned(pod({ kind: 'Job', name: 'j' }, spec)), []);
    assert.deepEqual(pinned(pod(owner, spec, null)), []);
  });
});

test('a command moves the workload to the label of the machine', () => {
  const [moved] = pinnedWorkloads(
    observed([deployment({ nodeName: 'web-1' })]),
    NAMES,
    'Web-1.example',
  );
  assert.equal(
    moved?.command,
    `kubectl -n shop patch deployment/app --type=merge -p '{"spec":{"template":{"spec":{"nodeName":null,"nodeSelector":{"kubernetes.io/hostname":null,"rollcall.dev/machine":"web-1"}}}}}'`,
  );
});
