import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionsOf } from '../../../src/controllers/lifecycle/actions.ts';
import {
  type Attribution,
  type Happening,
  HAPPENING_KINDS,
  type HappeningKind,
} from '../../../src/controllers/lifecycle/happening.ts';
import { START_MS } from './facts-of-json.ts';
import { idOf, nameOf } from './fleet.ts';

const NODE = nameOf(1);
const CLOUD: Attribution = {
  deleter: {
    kind: 'cloud-node-lifecycle',
    reason: 'name-lookup-failed',
    behavior: 'deletes-since-1.37',
    user: null,
  },
  hand: 'cloud-node-lifecycle',
  confidence: 'definite',
  proof: [{ source: 'list events', locator: 'events/n1', excerpt: 'DeletingNode', atMs: START_MS }],
  wouldTell: [],
};
const UNKNOWN: Attribution = {
  ...CLOUD,
  deleter: { kind: 'unknown', reason: null, behavior: null, user: null },
  hand: null,
  confidence: 'none',
  proof: [],
  wouldTell: [{ text: 'Read the audit log.', command: null }],
};

function happening(kind: HappeningKind, change: Partial<Happening> = {}): Happening {
  return {
    kind,
    time: { atMs: START_MS, from: 'object', notBeforeMs: null },
    noticed: { how: 'live', gapFromMs: null },
    node: NODE,
    uid: 'uid-1',
    instanceId: idOf(1),
    detail: null,
    machine: null,
    attribution: kind === 'deleted' ? CLOUD : null,
    proof: [],
    ...change,
  };
}

function messageOf(kind: HappeningKind, change: Partial<Happening> = {}): string {
  return actionsOf(happening(kind, change)).event?.message ?? '';
}

for (const kind of HAPPENING_KINDS)
  test(`a happening: ${kind} has an Event, a count without names, and a body for webhooks`, () => {
    const { event, metric, webhook } = actionsOf(happening(kind));
    assert.match(event?.reason ?? '', /^[A-Z][a-z]+(?:[A-Z][a-z]+)+$/);
    assert.match(event?.message ?? '', /^[A-Z\w][^\n]*\.$/);
    assert.deepEqual(event?.regarding, { kind: 'Node', name: NODE, uid: 'uid-1' });
    assert.match(metric.name, /^rollcall_[a-z_]+_total$/);
    const labels = Object.values(metric.labels).join(' ');
    assert.ok(!labels.includes(NODE) && !labels.includes(idOf(1)) && !labels.includes('uid-1'));
    assert.equal(webhook['happening'], kind);
    assert.deepEqual(JSON.parse(JSON.stringify(webhook)), webhook);
  });

test('a happening: each has a reason of its own', () => {
  const reasons = HAPPENING_KINDS.map((kind) => actionsOf(happening(kind)).event?.reason);
  assert.equal(new Set(reasons).size, HAPPENING_KINDS.length);
});

test('a happening: a machine that never had a Node has no Event, but is counted', () => {
  const { event, metric } = actionsOf(happening('machine-without-node', { node: null, uid: null }));
  assert.equal(event, null);
  assert.equal(metric.labels['happening'], 'machine-without-node');
});

test('a happening: a gap is reported', () => {
  const noticed = { how: 'after-gap', gapFromMs: START_MS } as const;
  assert.match(
    messageOf('ready', { noticed }),
    /Found after a gap in watching since 2026-05-01T12:00:00Z\.$/,
  );
  const { metric, webhook } = actionsOf(happening('ready', { noticed }));
  assert.equal(metric.labels['noticed'], 'after-gap');
  assert.deepEqual(webhook['noticed'], { how: 'after-gap', gapFrom: '2026-05-01T12:00:00Z' });
});

test('a deletion by the cloud controller names why and its behavior', () => {
  assert.equal(
    messageOf('deleted'),
    `Node ${NODE} was deleted. The cloud controller deleted it because EC2 knows no instance by its name and it has no providerID; releases since 1.37 delete a Node whose name EC2 does not know.`,
  );
});

test('a deletion that nobody explains says where to look', () => {
  assert.equal(
    messageOf('deleted', { attribution: UNKNOWN }),
    `Node ${NODE} was deleted. No source shows who deleted it. Read the audit log.`,
  );
});

test('a deletion names both who wanted it and whose request it was', () => {
  const deleter = { ...UNKNOWN.deleter, kind: 'spot-interruption' } as const;
  const attribution = { ...CLOUD, deleter, confidence: 'likely' } as const;
  assert.equal(
    messageOf('deleted', { attribution }),
    `Node ${NODE} was deleted. EC2 took its Spot Instance back (likely); the cloud controller deleted the Node.`,
  );
});

test('a deletion is a warning unless it is a plan or the end of the instance', () => {
  const typeOf = (kind: Attribution['deleter']['kind'], reason: string | null) =>
    actionsOf(
      happening('deleted', {
        attribution: { ...CLOUD, deleter: { ...CLOUD.deleter, kind, reason } },
      }),
    ).event?.type;
  assert.equal(typeOf('cloud-node-lifecycle', 'instance-missing'), 'Warning');
  assert.equal(typeOf('cloud-node-lifecycle', 'instance-terminated'), 'Normal');
  assert.equal(typeOf('karpenter', 'Drifted'), 'Normal');
  assert.equal(typeOf('unknown', null), 'Warning');
});

test('a deletion is counted by deleter, and only reasons of a closed set are labels', () => {
  assert.deepEqual(actionsOf(happening('deleted')).metric, {
    name: 'rollcall_node_deletions_total',
    labels: {
      deleter: 'cloud-node-lifecycle',
      reason: 'name-lookup-failed',
      hand: 'cloud-node-lifecycle',
      confidence: 'definite',
      noticed: 'live',
    },
  });
  const deleter = { ...UNKNOWN.deleter, kind: 'karpenter', reason: 'x-4711' } as const;
  const attribution = { ...CLOUD, deleter, hand: 'karpenter' } as const;
  assert.equal(actionsOf(happening('deleted', { attribution })).metric.labels['reason'], '');
});

test('a deletion carries its proof to webhooks', () => {
  const { webhook } = actionsOf(happening('deleted'));
  const { deleter, evidence } = webhook['attribution'] as Record<string, unknown>;
  assert.deepEqual(deleter, CLOUD.deleter);
  assert.deepEqual(evidence, [
    {
      source: 'list events',
      locator: 'events/n1',
      excerpt: 'DeletingNode',
      time: '2026-05-01T12:00:00Z',
    },
  ]);
});

test('a deletion stays short and printable whatever names come from outside', () => {
  const user = `jane\u0007${'é'.repeat(3000)}`;
  const deleter = { ...UNKNOWN.deleter, kind: 'person', user } as const;
  const attribution = {
    ...CLOUD,
    deleter,
    wouldTell: [{ text: 'ü'.repeat(2000), command: null }],
  };
  const message = messageOf('deleted', { attribution });
  assert.ok(new TextEncoder().encode(message).length <= 1024);
  assert.ok(!message.includes('\u0007'));
});
