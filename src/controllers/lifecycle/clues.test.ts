import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeEvent } from '../../evidence/kube/event.ts';
import { ago, nodeOf, NOW_MS, objectOf } from '../../evidence/testing.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { cluesIn } from './clues.ts';
import { complete } from './facts.ts';
import { cluesTold as told, excerptsOf as excerpts, listed, lookOf } from './testing.ts';

const EVENT: KubeEvent = {
  namespace: 'default',
  name: 'n1.1',
  reason: 'DeletingNode',
  message: 'Deleting node n1 because it does not exist in the cloud provider',
  component: 'cloud-node-lifecycle-controller',
  about: { kind: 'Node', name: 'n1', uid: 'uid-1', apiVersion: 'v1' },
  lastMs: NOW_MS - 5000,
};

function event(change: Partial<KubeEvent>, about: Partial<KubeEvent['about']> = {}) {
  const value = { ...EVENT, ...change, about: { ...EVENT.about, ...about } };
  return { events: complete([listed(value)]) };
}

function reason(text: string, message = 'x', about: Partial<KubeEvent['about']> = {}) {
  return event({ reason: text, message }, about);
}

describe('an Event tells who deletes a Node', () => {
  test('by its UID, with the apiVersion that its writer gives', () => {
    assert.deepEqual(told(event({})), ['uid uid-1, node n1: cloud-deletion "v1" by id 5000']);
  });

  test('by its name where the UID is missing or only the name again', () => {
    const byName = ['node n1: cloud-deletion "" by name 5000'];
    assert.deepEqual(told(event({}, { uid: null, apiVersion: '' })), byName);
    assert.deepEqual(told(event({}, { uid: 'n1', apiVersion: '' })), byName);
    assert.deepEqual(told(event({}, { uid: 'n1', apiVersion: '', kind: '' })), byName);
  });

  test('of a NodeClaim by the name of the claim', () => {
    const about = { kind: 'NodeClaim', name: 'c1', uid: 'uid-c1' };
    const message = 'Disrupting NodeClaim: Underutilized/Delete';
    assert.deepEqual(told(reason('DisruptionTerminating', message, about)), [
      'claim c1: disruption "Underutilized" by id 5000',
    ]);
  });

  const reasons: readonly (readonly [string, string])[] = [
    ['SpotInterrupted', 'spot ""'],
    ['SpotRebalanceRecommendation', 'rebalance ""'],
    ['SpotInterruption', 'spot ""'],
    ['RebalanceRecommendation', 'rebalance ""'],
    ['ScheduledEvent', 'maintenance "ScheduledEvent"'],
    ['ScaleDown', 'autoscaler ""'],
  ];
  for (const [text, clue] of reasons)
    test(`by the reason ${text}`, () => {
      assert.deepEqual(told(reason(text)), [`uid uid-1, node n1: ${clue} by id 5000`]);
    });

  test('by the reason that Karpenter gives, for Nodes, claims and the machines of old releases', () => {
    const detail = (message: string) => told(reason('Disrupted', message));
    const found = ['uid uid-1, node n1: disruption "Empty" by id 5000'];
    assert.deepEqual(detail('Disrupting Node: Empty/Delete'), found);
    assert.deepEqual(detail('Disrupting NodeClaim: Empty'), found);
    assert.deepEqual(detail('Disrupting Machine: Empty/Replace'), found);
    assert.deepEqual(detail('Disrupting Node: Empty after all/Delete'), [
      'uid uid-1, node n1: disruption "Empty after all" by id 5000',
    ]);
    assert.deepEqual(detail('Not Disrupting Node: Empty/Delete'), []);
    assert.deepEqual(detail('Disrupting Pod: Empty/Delete'), []);
    assert.deepEqual(detail('Disrupting Node: <script>'), []);
  });

  test('and not by other Events', () => {
    assert.deepEqual(told(reason('NodeReady')), []);
    assert.deepEqual(told(reason('ScaleDown', 'x', { kind: 'Pod' })), []);
  });

  test('with a line that shows reason, object, words and writer', () => {
    assert.deepEqual(excerpts(event({})), [
      `DeletingNode node/n1 ${EVENT.message} (cloud-node-lifecycle-controller)`,
    ]);
  });
});

function node(change: Partial<KubeNode>) {
  return { nodes: complete([listed(nodeOf('n1', { uid: 'uid-1', ...change }))]) };
}

function taint(key: string, value = '') {
  return node({ taints: [{ key, value, effect: 'NoSchedule', addedMs: null }] });
}

describe('a Node tells who is about to delete it', () => {
  const taints: readonly (readonly [string, string])[] = [
    ['ToBeDeletedByClusterAutoscaler', 'autoscaler ""'],
    ['aws-node-termination-handler/spot-itn', 'spot ""'],
    ['aws-node-termination-handler/rebalance-recommendation', 'rebalance ""'],
    ['aws-node-termination-handler/scheduled-maintenance', 'maintenance "ScheduledEvent"'],
  ];
  for (const [key, clue] of taints)
    test(`by its taint ${key}`, () => {
      assert.deepEqual(told(taint(key)), [`uid uid-1: ${clue} by id 0`]);
    });

  test('by no other taint', () => {
    assert.deepEqual(told(taint('node.kubernetes.io/not-ready')), []);
  });

  test('with a line that shows the taint', () => {
    assert.deepEqual(excerpts(taint('ToBeDeletedByClusterAutoscaler', '17')), [
      'Node n1 taint ToBeDeletedByClusterAutoscaler=17',
    ]);
  });

  const cordonWriters = [
    { manager: 'kubelet', atMs: NOW_MS - 90_000 },
    { manager: 'kubectl-cordon', atMs: NOW_MS - 60_000 },
  ];

  test('by the last who wrote that it is cordoned', () => {
    const cordoned = node({ unschedulable: true, cordonWriters });
    assert.deepEqual(told(cordoned), ['uid uid-1: cordoned-by "kubectl-cordon" by id 60000']);
    assert.deepEqual(excerpts(cordoned), [
      'Node n1 spec.unschedulable last written by kubectl-cordon',
    ]);
  });

  test('and not by who cordoned it before it was uncordoned, nor by nobody', () => {
    assert.deepEqual(told(node({ unschedulable: false, cordonWriters })), []);
    assert.deepEqual(told(node({ unschedulable: true, cordonWriters: [] })), []);
  });
});

describe('the audit log tells who deleted a Node', () => {
  const request = { auditId: 'a', node: 'n1', user: 'jane', agent: 'kubectl/v1.33' };
  const record = (uid: string | null) => ({
    audits: complete([listed({ ...request, uid, atMs: NOW_MS - 1000 })]),
  });

  test('by UID where the record shows it, else by name', () => {
    assert.deepEqual(told(record('uid-1')), ['uid uid-1, node n1: audit-delete "jane" by id 1000']);
    assert.deepEqual(told(record(null)), ['node n1: audit-delete "jane" by name 1000']);
    assert.deepEqual(excerpts(record(null)), ['jane (kubectl/v1.33): delete node n1']);
  });
});

function claim(body: JsonObject) {
  return { claims: complete([listed(objectOf('NodeClaim', 'c1', body))]) };
}

function disrupted(change: JsonObject): JsonObject {
  const plain = { type: 'DisruptionReason', status: 'True', reason: 'Drifted' };
  return { status: { conditions: [{ ...plain, ...change }] } };
}

describe('a NodeClaim tells that Karpenter lets its machine go', () => {
  test('with the reason of its condition', () => {
    assert.deepEqual(told(claim(disrupted({}))), ['claim c1: disruption "Drifted" by id null']);
    assert.deepEqual(excerpts(claim(disrupted({}))), [
      'NodeClaim c1 condition DisruptionReason Drifted',
    ]);
    assert.deepEqual(told(claim(disrupted({ reason: null }))), [
      'claim c1: disruption "" by id null',
    ]);
  });

  test('when it is deleted', () => {
    const going = claim({ metadata: { deletionTimestamp: ago(20) } });
    assert.deepEqual(told(going), ['claim c1: claim-deleted "" by id 20000']);
    assert.deepEqual(excerpts(going), ['NodeClaim c1 has a metadata.deletionTimestamp']);
    const both = claim({ metadata: { deletionTimestamp: ago(20) }, ...disrupted({}) });
    assert.deepEqual(told(both), [
      'claim c1: disruption "Drifted" by id 20000',
      'claim c1: claim-deleted "" by id 20000',
    ]);
  });

  test('and not by a condition that is false or another one', () => {
    assert.deepEqual(told(claim(disrupted({ status: 'False' }))), []);
    assert.deepEqual(told(claim(disrupted({ type: 'Drifted' }))), []);
    assert.deepEqual(told(claim({})), []);
  });
});

test('a proof names its source and place', () => {
  const [only] = cluesIn(lookOf(event({})));
  const { source, locator } = only?.clue.proof ?? {};
  assert.deepEqual([source, locator], ['list', 'item']);
});
