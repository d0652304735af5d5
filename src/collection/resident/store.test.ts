import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { listOf } from '../document.ts';
import { kubectlOf } from '../kubernetes.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';
import { createCommon } from '../../readers/collector.ts';
import { readChunk } from './chunk.ts';
import { createResidentStore, gatherRound, type Moment, NO_ROUND, readListed } from './store.ts';

function planned(kind: string): PlannedList {
  const found = KUBE_LISTS.find(({ resource }) => resource.kind === kind);
  assert.ok(found);
  return found;
}

const NODE_LIST = planned('Node');
const EVENT_LIST = planned('Event');
const NOW: Moment = { nowMs: 1_764_000_000_000, cluster: 'lab', skewMs: null, refusals: [] };

function node(name: string, heartbeat: string, ready = 'True'): JsonObject {
  return {
    metadata: { name, uid: name, creationTimestamp: '2025-11-24T15:00:00Z' },
    spec: { providerID: 'aws:///us-west-2a/i-0123456789abcdef0' },
    status: { conditions: [{ type: 'Ready', status: ready, lastHeartbeatTime: heartbeat }] },
  };
}

function event(name: string, at: string): JsonObject {
  return {
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Node', name: 'web-1' },
    reason: 'DeletingNode',
    message: 'Deleting node web-1 because it does not exist in the cloud provider',
    type: 'Normal',
    lastTimestamp: at,
    count: 1,
  };
}

describe('a resident store', () => {
  test('tells news from heartbeats', () => {
    const store = createResidentStore();
    assert.equal(
      store.put(NODE_LIST, 'web-1', readListed(NODE_LIST, node('web-1', '2025-11-24T15:00:00Z'))),
      true,
    );
    assert.equal(
      store.put(NODE_LIST, 'web-1', readListed(NODE_LIST, node('web-1', '2025-11-24T15:05:00Z'))),
      false,
    );
    const failing = node('web-1', '2025-11-24T15:10:00Z', 'Unknown');
    assert.equal(store.put(NODE_LIST, 'web-1', readListed(NODE_LIST, failing)), true);
  });

  test('knows the newest of each object, and nothing of one that is gone', () => {
    const store = createResidentStore();
    store.setState(NODE_LIST, 'whole');
    store.put(NODE_LIST, 'web-1', readListed(NODE_LIST, node('web-1', '2025-11-24T15:00:00Z')));
    store.put(
      NODE_LIST,
      'web-1',
      readListed(NODE_LIST, node('web-1', '2025-11-24T15:05:00Z', 'Unknown')),
    );
    const of = (): readonly unknown[] =>
      store
        .observations(NOW)
        .facts.map(({ kind, value }) => [kind, 'ready' in value && value.ready]);
    assert.deepEqual(of(), [['kube/Node', null]]);
    assert.deepEqual(store.providerIds(), ['aws:///us-west-2a/i-0123456789abcdef0']);
    store.remove(NODE_LIST, 'web-1');
    assert.deepEqual(of(), []);
    assert.deepEqual(store.providerIds(), []);
  });

  test('does not take a list that is not whole for an empty one', () => {
    const store = createResidentStore();
    const listed = (): readonly string[] =>
      store.observations(NOW).listings.map(({ kind }) => kind);
    assert.deepEqual(listed(), []);
    assert.equal(store.isSettled(), false);
    store.setState(NODE_LIST, 'whole');
    assert.deepEqual(listed(), ['kube/Node']);
  });
});

describe('a pile of what is kept', () => {
  test('says which list it may not have', () => {
    const store = createResidentStore();
    const call = 'list nodes';
    const refusal = { call, message: 'no', failure: 'denied', permission: 'nodes list' };
    store.put(NODE_LIST, 'web-1', readListed(NODE_LIST, node('web-1', '2025-11-24T15:00:00Z')));
    store.setState(NODE_LIST, refusal);
    const { facts, collection } = store.observations(NOW);
    assert.deepEqual([facts, collection?.refusals], [[], [refusal]]);
  });

  test('counts what several objects say as the list of them does', () => {
    const later = event('a', '2025-11-24T15:20:00Z');
    const early = event('b', '2025-11-24T15:10:00Z');
    const store = createResidentStore();
    store.setState(EVENT_LIST, 'whole');
    store.put(EVENT_LIST, 'default/a', readListed(EVENT_LIST, later));
    store.put(EVENT_LIST, 'default/b', readListed(EVENT_LIST, early));
    const place = KUBE_LISTS.indexOf(EVENT_LIST);
    const content = listOf('Event', [later, early], 'complete');
    const whole = readChunk([{ locator: kubectlOf(EVENT_LIST), content }]);
    const said = ({ hits }: Pick<typeof whole, 'hits'>): readonly unknown[] =>
      hits.map(({ owner, count, first, last, quotes }) => [
        owner,
        count,
        first.moment.when,
        last.moment.when,
        quotes.length,
      ]);
    const kept = store.observations(NOW);
    assert.ok(whole.hits.length > 0);
    assert.deepEqual(said(kept), said(whole));
    assert.ok(kept.hits.every(({ document }) => document === place));
  });

  test('forgets what AWS said before, and keeps it apart from what Kubernetes says', () => {
    const store = createResidentStore();
    const round = gatherRound();
    const instance = { InstanceId: 'i-0123456789abcdef0', State: { Name: 'running' } };
    const content = { Reservations: [{ Instances: [instance] }] };
    round.add({ name: 'a', locator: 'aws ec2 describe-instances', content });
    round.shorten('roles', 2);
    store.setAws(round.round());
    const { facts, documents, collection } = store.observations(NOW);
    const [fact] = facts;
    assert.equal(fact?.kind, 'aws/instance');
    assert.equal(documents[fact.moment.at.document]?.locator, 'aws ec2 describe-instances');
    assert.deepEqual(collection?.shortened, [{ what: 'roles', count: 2 }]);
    store.setAws(NO_ROUND);
    assert.deepEqual(store.observations(NOW).facts, []);
  });
});

describe('what is kept', () => {
  const answerOf = (InstanceId: string, state = 'running') => ({
    name: InstanceId,
    locator: `aws ec2 describe-instances --instance-ids ${InstanceId}`,
    content: { Reservations: [{ Instances: [{ InstanceId, State: { Name: state } }] }] },
  });
  const roundOf = (answers: readonly ReturnType<typeof answerOf>[], before = NO_ROUND) => {
    const evidence = gatherRound(before);
    for (const answer of answers) evidence.add(answer);
    return evidence.round();
  };
  const ANSWERS = ['i-0123456789abcdef0', 'i-0123456789abcdef1'].map((id) => answerOf(id));

  test('of a round are the same facts where it is answered the same in another order', () => {
    const before = roundOf(ANSWERS);
    assert.equal(roundOf(ANSWERS.toReversed(), before).said, before.said);
  });

  test('of a round is each fact that is answered as before, in whatever order', () => {
    const before = roundOf(ANSWERS);
    const changed = answerOf('i-0123456789abcdef1', 'stopped');
    const again = roundOf([changed, ...ANSWERS.slice(0, 1)], before);
    assert.equal(again.said.facts[0], before.said.facts[0]);
    assert.notEqual(again.said.facts[1], before.said.facts[1]);
  });

  test('of many objects is once what they have in common', () => {
    const common = createCommon();
    const [one, other] = ['a', 'b'].map((name) => {
      const listed = readListed(NODE_LIST, node(name, '2025-11-24T15:00:00Z'), common);
      return listed.said;
    });
    assert.ok(one !== undefined && other !== undefined);
    assert.equal(one.documents, other.documents);
    assert.equal(one.losses, other.losses);
    assert.equal(one.facts[0]?.moment, other.facts[0]?.moment);
    assert.deepEqual(
      one.facts.map(({ kind }) => kind),
      ['kube/Node'],
    );
  });
});
