import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { nodeDeletionOf, projectEvent } from './event.ts';

const AT = '2026-11-22T08:00:00Z';
const AT_MS = Date.parse(AT);
const METADATA = {
  namespace: 'default',
  name: 'n1.18c',
  creationTimestamp: '2026-11-22T07:00:00Z',
};

describe('an Event', () => {
  test('of core/v1 keeps its last time, its writer and the UID of its object', () => {
    const value = {
      metadata: METADATA,
      reason: 'DeletingNode',
      message: 'Deleting node n1 because it does not exist in the cloud provider',
      source: { component: 'cloud-node-lifecycle-controller' },
      involvedObject: { kind: 'Node', name: 'n1', uid: 'u1', apiVersion: 'v1' },
      firstTimestamp: '2026-11-22T07:30:00Z',
      lastTimestamp: AT,
    };
    assert.deepEqual(projectEvent(value), {
      namespace: 'default',
      name: 'n1.18c',
      reason: 'DeletingNode',
      message: 'Deleting node n1 because it does not exist in the cloud provider',
      component: 'cloud-node-lifecycle-controller',
      about: { kind: 'Node', name: 'n1', uid: 'u1', apiVersion: 'v1' },
      lastMs: AT_MS,
    });
  });

  test('of events.k8s.io counts by the last time of its series', () => {
    const event = projectEvent({
      metadata: METADATA,
      reason: 'ScaleDown',
      note: 'node removed by cluster autoscaler',
      reportingController: 'cluster-autoscaler',
      regarding: { kind: 'Node', name: 'n1' },
      eventTime: '2026-11-22T07:10:00.000000Z',
      series: { count: 3, lastObservedTime: '2026-11-22T08:00:00.000000Z' },
    });
    assert.deepEqual(event.about, { kind: 'Node', name: 'n1', uid: null, apiVersion: '' });
    assert.deepEqual(
      [event.message, event.component, event.lastMs],
      ['node removed by cluster autoscaler', 'cluster-autoscaler', AT_MS],
    );
  });

  test('without times of its own is as old as its object', () => {
    assert.equal(projectEvent({ metadata: METADATA }).lastMs, Date.parse('2026-11-22T07:00:00Z'));
  });
});

const RECORD: JsonObject = {
  kind: 'Event',
  auditID: 'a1',
  stage: 'ResponseComplete',
  verb: 'delete',
  user: { username: 'jane' },
  userAgent: 'kubectl/v1.34.3',
  objectRef: { resource: 'nodes', name: 'n1' },
  responseStatus: { code: 200 },
  stageTimestamp: '2026-11-22T08:00:00.000000Z',
};

describe('an audit record', () => {
  test('shows who deleted which Node', () => {
    const { auditId, node, uid, user, agent, atMs } = nodeDeletionOf(RECORD) ?? {};
    assert.deepEqual(
      [auditId, node, uid, user, agent, atMs],
      ['a1', 'n1', null, 'jane', 'kubectl/v1.34.3', AT_MS],
    );
  });

  test('shows the UID by the precondition of the request', () => {
    const record = { ...RECORD, requestObject: { preconditions: { uid: 'u1' } } };
    assert.equal(nodeDeletionOf(record)?.uid, 'u1');
  });

  const others: readonly (readonly [string, JsonObject])[] = [
    ['a refused deletion', { responseStatus: { code: 403 } }],
    ['the deletion of a pod', { objectRef: { resource: 'pods', name: 'n1' } }],
    ['another verb', { verb: 'patch' }],
    ['a request that is under way', { stage: 'RequestReceived' }],
    ['a record without a time', { stageTimestamp: null }],
    ['a subresource', { objectRef: { resource: 'nodes', name: 'n1', subresource: 'proxy' } }],
  ];
  for (const [what, change] of others)
    test(`${what} is no deletion of a Node`, () => {
      assert.equal(nodeDeletionOf({ ...RECORD, ...change }), null);
    });
});
