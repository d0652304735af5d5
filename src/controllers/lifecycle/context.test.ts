import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { awsOf, nodeOf, NOW_MS, objectOf } from '../../evidence/testing.ts';
import { contextOf, happened, instanceIdOf, proofOf } from './context.ts';
import { complete, type LifecycleFacts } from './facts.ts';
import { type LifecycleMemory, NOTHING_KNOWN, type ReadMemory } from './memory.ts';
import { listed, lookOf } from './testing.ts';

const ID = 'i-0123456789abcdef0';
const ID2 = 'i-0123456789abcdef1';

function instances(...bodies: readonly JsonObject[]): Partial<LifecycleFacts> {
  return { instances: complete(bodies.map((body) => listed(awsOf('aws/instance', body)))) };
}

function claims(...all: readonly (readonly [name: string, status: JsonObject])[]) {
  const items = all.map(([name, status]) => listed(objectOf('NodeClaim', name, { status })));
  return contextOf(NOTHING_KNOWN, lookOf({ claims: complete(items) })).claims;
}

function names(map: ReturnType<typeof claims>): readonly (readonly [string, string])[] {
  return [...map].map(([key, { value }]) => [key, value.name] as const);
}

describe('a look finds', () => {
  test('an instance by its id', () => {
    const facts = lookOf(instances({ InstanceId: ID }, { InstanceId: ID2 }));
    const { instances: byId } = contextOf(NOTHING_KNOWN, facts);
    assert.deepEqual([...byId.keys()], [ID, ID2]);
    assert.equal(byId.get(ID2)?.value.InstanceId, ID2);
  });

  test('a NodeClaim by its Node, its instance, or both', () => {
    const providerID = `aws:///eu-west-1a/${ID}`;
    const both = names(claims(['c1', { nodeName: 'n1', providerID }]));
    assert.deepEqual(both, [
      ['n1', 'c1'],
      [ID, 'c1'],
    ]);
    assert.deepEqual(names(claims(['c1', { providerID }])), [[ID, 'c1']]);
    assert.deepEqual(names(claims(['c1', { nodeName: 'n1' }])), [['n1', 'c1']]);
    assert.deepEqual(names(claims(['c1', { nodeName: '' }])), []);
    assert.deepEqual(names(claims(['c1', {}])), []);
  });

  test('of two claims for one Node the last by name, in whatever order they are listed', () => {
    const [a, b] = [['a', { nodeName: 'n1' }] as const, ['b', { nodeName: 'n1' }] as const];
    assert.deepEqual(names(claims(a, b)), [['n1', 'b']]);
    assert.deepEqual(names(claims(b, a)), [['n1', 'b']]);
  });
});

describe('the instance of a Node', () => {
  const running = (body: JsonObject) => ({ State: { Name: 'running' }, ...body });
  const idOf = (node: Partial<KubeNode>, ...bodies: readonly JsonObject[]) =>
    instanceIdOf(nodeOf('n1', node), contextOf(NOTHING_KNOWN, lookOf(instances(...bodies))));

  test('is that of its providerID, whatever else has its name', () => {
    const other = running({ InstanceId: ID2, PrivateDnsName: 'n1' });
    assert.equal(idOf({ providerId: `aws:///eu-west-1a/${ID}` }, other), ID);
    assert.equal(idOf({ providerId: 'kind://docker/n1' }, other), null);
  });

  test('is that of its name', () => {
    assert.equal(idOf({ name: ID }), ID);
  });

  test('is the running one whose private DNS name it has', () => {
    assert.equal(idOf({}, running({ InstanceId: ID, PrivateDnsName: 'N1' })), ID);
    const stopped = { InstanceId: ID2, PrivateDnsName: 'n1', State: { Name: 'stopped' } };
    assert.equal(idOf({}, stopped), null);
    assert.equal(idOf({}, stopped, running({ InstanceId: ID, PrivateDnsName: 'n1' })), ID);
    assert.equal(idOf({}, running({ InstanceId: ID, PrivateDnsName: 'n2' })), null);
  });

  test('is else the one with its address', () => {
    const node = { internalIp: '10.0.0.1' };
    const having = running({ InstanceId: ID, PrivateIpAddress: '10.0.0.1' });
    assert.equal(idOf(node, having), ID);
    assert.equal(idOf(node, { ...having, PrivateIpAddress: '10.0.0.2' }), null);
  });
});

test('a proof shows no secret and no more than a line', () => {
  const proof = proofOf({ by: 'audit', locator: 'a1' }, 'password=Xk29fjw0aLq8sW  \n x', NOW_MS);
  assert.deepEqual([proof.source, proof.locator, proof.atMs], ['audit', 'a1', NOW_MS]);
  assert.doesNotMatch(proof.excerpt, /Xk29fjw0aLq8sW|\n/);
});

function readAt(readMs: number | null): LifecycleMemory {
  const read: ReadMemory = { list: 'nodes', readMs, unreadSinceMs: null };
  return { ...NOTHING_KNOWN, lookedMs: NOW_MS - 10_000, reads: new Map([['nodes', read]]) };
}

describe('a happening', () => {
  const live = contextOf(readAt(NOW_MS - 10_000), lookOf());

  test('has the time that the object tells', () => {
    assert.deepEqual(happened(live, 'ready', NOW_MS - 500, { node: 'n1' }), {
      kind: 'ready',
      time: { atMs: NOW_MS - 500, from: 'object', notBeforeMs: null },
      noticed: { how: 'live', gapFromMs: null },
      node: 'n1',
      uid: null,
      instanceId: null,
      detail: null,
      machine: null,
      attribution: null,
      proof: [],
    });
  });

  test('is else found by the look, after the one before', () => {
    assert.deepEqual(happened(live, 'ready', null).time, {
      atMs: NOW_MS,
      from: 'look',
      notBeforeMs: NOW_MS - 10_000,
    });
  });

  test('after a gap is from any time since the list was read', () => {
    for (const readMs of [NOW_MS - 90_000, null]) {
      const { time, noticed } = happened(contextOf(readAt(readMs), lookOf()), 'ready', null);
      assert.deepEqual(noticed, { how: 'after-gap', gapFromMs: readMs });
      assert.equal(time.notBeforeMs, readMs);
    }
  });
});
