import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeNode, KubeTaint } from '../../evidence/kinds.ts';
import type { Quote } from '../../evidence/sighting.ts';
import {
  refusalWords,
  refusedPod,
  refusingNodes,
  taintRefusal,
  taintThatKeepsOut,
  tolerates,
  untoleratedTaints,
} from './taint-refusals.ts';
import { fact, podOf } from '../../evidence/testing.ts';
import { project } from '../../evidence/project.ts';
import { TOLERATION, type Toleration } from '../../evidence/kube/object.ts';

const PREEMPTION = 'no new claims to deallocate, preemption: 0/2 nodes are available: 2 …';

function taint(key: string, effect = 'NoSchedule'): KubeTaint {
  return { key, value: 'yes', effect, addedMs: null };
}

function node(...keys: readonly string[]): KubeNode {
  return { taints: keys.map((key) => taint(key)) } as unknown as KubeNode;
}

function toleration(given: JsonObject): Toleration {
  return project(TOLERATION, given) as Toleration;
}

test('only a message in which all nodes refuse for taints without a name counts', () => {
  const said = (reasons: string): number | null =>
    refusingNodes(`0/2 nodes are available: ${reasons}. ${PREEMPTION}`);
  assert.equal(said('2 node(s) had untolerated taint(s)'), 2);
  assert.equal(said('1 Insufficient cpu, 1 node(s) had untolerated taint(s)'), null);
  assert.equal(said('1 node(s) had untolerated taint(s), 1 Too many pods'), null);
  assert.equal(said('2 node(s) had untolerated taint {dedicated: batch}'), null);
});

test('a toleration fits by key, value and effect, and without a key fits all', () => {
  const own = taint('dedicated');
  assert.equal(tolerates(toleration({ operator: 'Exists' }), own), true);
  assert.equal(tolerates(toleration({ operator: 'Exists', effect: 'NoExecute' }), own), false);
  assert.equal(tolerates(toleration({ key: 'dedicated', value: 'yes' }), own), true);
  assert.equal(tolerates(toleration({ key: 'dedicated', value: 'no' }), own), false);
  assert.equal(tolerates(toleration({ key: 'dedicated', operator: 'Gt', value: '5' }), own), true);
  assert.equal(tolerates(toleration({ key: 'other', operator: 'Exists' }), own), false);
});

test('without the tolerations one node must carry nothing else', () => {
  const isMeant = (key: string): boolean => key === 'gate';
  const refusal = { refusing: 2, tolerations: null };
  assert.equal(taintThatKeepsOut(refusal, [node('role', 'gate'), node('gate')], isMeant), 'gate');
  const both = [node('role', 'gate'), node('role', 'gate')];
  assert.equal(taintThatKeepsOut(refusal, both, isMeant), null);
  const tolerations = [toleration({ key: 'role', operator: 'Exists' })];
  assert.equal(taintThatKeepsOut({ refusing: 2, tolerations }, both, isMeant), 'gate');
  const gate = [toleration({ key: 'gate', operator: 'Exists' })];
  assert.equal(taintThatKeepsOut({ refusing: 2, tolerations: gate }, both, isMeant), null);
});

test('a taint that not every refusing node is seen to carry does not exclude pods for certain', () => {
  const refusal = { refusing: 2, tolerations: null };
  assert.equal(
    taintThatKeepsOut(refusal, [node('gate')], () => true),
    null,
  );
  const one = [node('gate'), node('role')];
  assert.equal(
    taintThatKeepsOut(refusal, one, () => true),
    null,
  );
});

test('ignores other wording about the nodes', () => {
  const said = (message: string): number | null => refusingNodes(message);
  assert.equal(said('0/12 nodes are available: 12 node(s) had untolerated taint(s).'), 12);
  assert.equal(said('0/2 nodes are available: 2 node(s) had untolerated taint(s)'), 2);
  assert.equal(said('0/3 nodes are available: 2 node(s) had untolerated taint(s).'), null);
  assert.equal(said('10/2 nodes are available: 2 node(s) had untolerated taint(s).'), null);
  assert.equal(said('0/2 nodes are available: 2 node(s) had untolerated taint(s), 1 x'), null);
  assert.equal(said('Successfully assigned shop/web to node00'), null);
});

const REFUSED = '0/2 nodes are available: 2 node(s) had untolerated taint(s). x';

function waits(name: string, change: Readonly<Record<string, Json>> = {}, message = REFUSED) {
  const conditions = [{ type: 'PodScheduled', status: 'False', message }];
  const spec = { containers: [{}], tolerations: [{ key: 'a' }] };
  return fact(podOf({ spec, status: { phase: 'Pending', conditions }, ...change }, { name }));
}

function told(pod: string | null, excerpt = REFUSED): Quote {
  const captures = pod === null ? {} : { pod };
  return { excerpt, captures } as unknown as Quote;
}

describe('the waiting pod of a controller', () => {
  const tolerations = [toleration({ key: 'a' })];

  test('is refused by what its condition says, with what it tolerates', () => {
    const pod = waits('web-1');
    const refused = refusedPod([pod], null);
    const own = { name: 'web-1', namespace: 'shop', pod, event: null };
    assert.deepEqual(refused, { refusing: 2, tolerations, ...own });
    assert.equal(
      refusalWords(pod, { refusing: 2, tolerations }),
      'Pod shop/web-1 is refused by all 2 nodes for untolerated taint(s)',
    );
  });

  test('has no known tolerations where its spec was not seen', () => {
    assert.equal(refusedPod([waits('web-1', { spec: {} })], null)?.tolerations, null);
    assert.equal(taintRefusal(null, REFUSED)?.tolerations, null);
  });

  test('is known from an event alone and unknown without one', () => {
    const event = told('web-2');
    const found = { refusing: 2, tolerations: null, name: 'web-2', namespace: null };
    assert.deepEqual(refusedPod([], event), { ...found, pod: null, event });
    assert.equal(refusedPod([], told(null)), null);
    assert.equal(refusedPod([], null), null);
    assert.equal(refusedPod([], told('web-2', 'Insufficient cpu')), null);
  });

  test('needs an event with its name', () => {
    const silent = waits('web-1', { status: { phase: 'Pending' } });
    assert.equal(refusedPod([silent], told('web-2')), null);
    assert.deepEqual(refusedPod([silent], told('web-1'))?.tolerations, tolerations);
    const other = waits('web-1', {}, 'Insufficient cpu');
    assert.equal(refusedPod([other], told('web-1')), null);
  });

  test('does not exist where one of them has a Node, unless that one has ended', () => {
    const placed = { spec: { nodeName: 'node00' } };
    assert.equal(refusedPod([waits('web-1'), fact(podOf(placed))], null), null);
    for (const phase of ['Succeeded', 'Failed']) {
      const ended = fact(podOf({ ...placed, status: { phase } }));
      assert.equal(refusedPod([ended, waits('web-1')], null)?.name, 'web-1', phase);
    }
    const odd = fact(podOf({ ...placed, status: { phase: 'FailedNot' } }));
    assert.equal(refusedPod([odd, waits('web-1')], null), null);
  });
});

describe('taints and tolerations', () => {
  const own = taint('dedicated', 'NoExecute');

  test('a toleration without a key must be Exists, one with an effect is for that alone', () => {
    assert.equal(tolerates(toleration({}), own), false);
    assert.equal(tolerates(toleration({ operator: 'Equal', value: 'yes' }), own), false);
    assert.equal(tolerates(toleration({ operator: 'Exists', effect: 'NoExecute' }), own), true);
    assert.equal(tolerates(toleration({ key: 'dedicated', effect: '', value: 'yes' }), own), true);
    assert.equal(tolerates(toleration({ key: 'dedicated' }), own), false);
    assert.equal(tolerates(toleration({ key: 'dedicated' }), { ...own, value: '' }), true);
  });

  test('a preferred taint keeps no pod out', () => {
    const soft = { taints: [taint('soft', 'PreferNoSchedule'), own] } as unknown as KubeNode;
    assert.deepEqual(untoleratedTaints(soft, []), [own]);
    assert.deepEqual(untoleratedTaints({ taints: null } as unknown as KubeNode, []), []);
    assert.equal(
      taintThatKeepsOut({ refusing: 0, tolerations: null }, [], () => true),
      null,
    );
  });
});
