/** What rules do about Nodes of Spot Instances: which, in which order, and within which budget. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../../../src/controllers/spot/decide.ts';
import type { ActRule } from '../../../src/capacity/spot/act-rules.ts';
import type { BegunAct, SpotSight } from '../../../src/controllers/spot/facts.ts';
import { wordsOf } from '../../../src/controllers/spot/actions.ts';
import { HOUR_MS, instanceOf, node, NOW_MS, pod, quiet, rule, sight } from './scene.ts';

const REBALANCE = { number: 1, notice: 'RebalanceRecommendation' } as const;
const CORDONED = { ...REBALANCE, isCordoned: true } as const;

function decided(
  parts: Partial<SpotSight>,
  rules: readonly ActRule[] = [rule()],
  begun: readonly BegunAct[] = [],
) {
  const { steps, kept, begun: next } = decide(sight(parts), rules, begun, NOW_MS);
  return { steps: steps.map(wordsOf), kept: kept.map(({ why }) => why), begun: next };
}

function begunOn(number: number, agoMs = 0): BegunAct {
  const uid = `uid-${number}`;
  return { rule: 'leave', uid, node: `node-${number}`, atMs: NOW_MS - agoMs };
}

describe('a rule acts on what it is about', () => {
  const shown = node(REBALANCE);
  test('a notice shown by the agent', () => {
    const { steps, begun } = decided({ nodes: [shown, ...quiet(2)] });
    assert.deepEqual(steps, ['cordon Node node-1']);
    assert.deepEqual(begun, [begunOn(1)]);
  });

  test('an interruption by the word of EC2 alone', () => {
    const on = [rule({ on: 'interruption' })];
    const nodes = [node({ number: 1 })];
    assert.deepEqual(decided({ nodes }, on).steps, []);
    const marked = new Set([instanceOf(1)]);
    assert.deepEqual(decided({ nodes, marked }, on).steps, ['cordon Node node-1']);
  });

  test('a price above the limit, and none that is unknown or equal to it', () => {
    const on = [rule({ on: 'price', when: { types: [], zones: [], above: 0.05 } })];
    const nodes = [node({ number: 1 })];
    const at = (dollars: number) => new Map([['m5.large us-west-2a', dollars]]);
    assert.deepEqual(decided({ nodes }, on).steps, []);
    assert.deepEqual(decided({ nodes, prices: at(0.05) }, on).steps, []);
    assert.deepEqual(decided({ nodes, prices: at(0.051) }, on).steps, ['cordon Node node-1']);
  });

  for (const when of [
    { types: ['m6g'], zones: [], above: null },
    { types: [], zones: ['us-west-2b'], above: null },
  ])
    test(`not on another pool: ${JSON.stringify(when)}`, () => {
      assert.deepEqual(decided({ nodes: [shown] }, [rule({ when })]).steps, []);
    });

  test('not on maintenance, and not where the Nodes are unknown', () => {
    const scheduled = node({ number: 1, notice: 'ScheduledEvent' });
    assert.deepEqual(decided({ nodes: [scheduled] }).steps, []);
    assert.deepEqual(decided({ nodes: null }), { steps: [], kept: [], begun: [] });
  });

  for (const taint of ['karpenter.sh/disrupted', 'aws-node-termination-handler/spot-itn'])
    test(`not on a Node that another program takes away: ${taint}`, () => {
      const { steps, kept, begun } = decided({ nodes: [node({ ...REBALANCE, taints: [taint] })] }, [
        rule(),
        rule({ name: 'end', on: 'interruption' }),
      ]);
      assert.deepEqual([steps, begun], [[], []]);
      assert.match(kept.join(), /already/);
    });

  test('the most urgent trigger counts, whatever the order in the file', () => {
    const marked = new Set([instanceOf(1)]);
    const rules = [rule({ do: 'cordon' }), rule({ name: 'end', on: 'interruption' })];
    const { begun } = decided({ nodes: [shown], marked }, rules);
    assert.equal(begun[0]?.rule, 'end');
  });
});

describe('a budget', () => {
  const five = [1, 2, 3, 4, 5].map((number) => node({ ...REBALANCE, number }));

  test('of an hour', () => {
    const rules = [rule({ budget: { perHour: 2, share: 1 } })];
    const { steps, kept } = decided({ nodes: five }, rules);
    assert.equal(steps.length, 2);
    assert.equal(kept.length, 3);
    assert.match(kept[0] ?? '', /began 2 nodes within the last hour/);
  });

  test('counts Nodes that are gone by now, for an hour', () => {
    const rules = [rule({ budget: { perHour: 1, share: 1 } })];
    const nodes = [node(REBALANCE)];
    assert.deepEqual(decided({ nodes }, rules, [begunOn(9, HOUR_MS - 1)]).steps, []);
    assert.equal(decided({ nodes }, rules, [begunOn(9, HOUR_MS)]).steps.length, 1);
  });

  for (const [share, most] of [
    [0.2, 2],
    [0.25, 2],
    [0.09, 0],
    [1, 5],
  ] as const)
    test(`of a share of ${share} of ten Nodes is ${most}`, () => {
      const rules = [rule({ budget: { perHour: 100, share } })];
      const { begun } = decided({ nodes: [...five, ...quiet(5)] }, rules);
      assert.equal(begun.length, most);
    });

  test('of a share counts what all rules do', () => {
    const rules = [
      rule({ on: 'interruption', name: 'end', budget: { perHour: 9, share: 1 } }),
      rule({ budget: { perHour: 9, share: 0.2 } }),
    ];
    const marked = new Set([instanceOf(101), instanceOf(102)]);
    const nodes = [...quiet(9), node(REBALANCE)];
    const { begun } = decided({ nodes, marked }, rules);
    assert.equal(begun.length, 2);
    const again = decided({ nodes, marked }, rules, begun);
    assert.match(again.kept.join(), /20 % of 10 Spot Nodes are 2, and rules act on 2/);
  });

  test('does not stop what was begun', () => {
    const rules = [rule({ budget: { perHour: 1, share: 0.01 } })];
    const { steps } = decided({ nodes: [node(REBALANCE)] }, rules, [begunOn(1)]);
    assert.deepEqual(steps, ['cordon Node node-1']);
  });
});

describe('a drain', () => {
  const nodes = [node(CORDONED)];
  const pods = (...all: Parameters<typeof pod>[0][]) => new Map([['uid-1', all.map(pod)]]);
  const begun = [begunOn(1)];

  test('evicts what runs elsewhere as well, once the Node is cordoned', () => {
    const of = pods({ name: 'web' }, { name: 'cni', by: 'DaemonSet' }, { name: 'x', by: 'Node' });
    const { steps } = decided({ nodes, pods: of }, [rule()], begun);
    assert.deepEqual(steps, ['evict Pod shop/web from Node node-1']);
  });

  for (const parts of [
    { name: 'alone', by: null },
    { name: 'kept', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
  ])
    test(`leaves Pod ${parts.name} where the machine stays, and takes it where it goes`, () => {
      const of = pods(parts);
      const stays = decided({ nodes, pods: of }, [rule()], begun);
      assert.deepEqual(stays.steps, []);
      assert.match(stays.kept.join(), new RegExp(`Pod shop/${parts.name} stays`));
      const marked = new Set([instanceOf(1)]);
      const goes = decided({ nodes, pods: of, marked }, [rule({ on: 'interruption' })], begun);
      assert.equal(goes.steps.length, 1);
    });

  test('waits for Pods that are unknown', () => {
    const { steps, kept } = decided({ nodes }, [rule()], begun);
    assert.deepEqual([steps, kept], [[], ['its Pods are unknown']]);
  });

  test('is finished where its reason is over, and not begun again once it was taken back', () => {
    const calm = { number: 1, isCordoned: true };
    const of = pods({ name: 'web' });
    assert.equal(decided({ nodes: [node(calm)], pods: of }, [rule()], begun).steps.length, 1);
    const open = decided({ nodes: [node({ number: 1 })], pods: of }, [rule()], begun);
    assert.deepEqual(open.steps, []);
  });

  test('of a rule that is gone is left', () => {
    const of = pods({ name: 'web' });
    const { steps } = decided({ nodes, pods: of }, [rule({ name: 'other' })], begun);
    assert.deepEqual(steps, []);
  });
});

describe('a replacement', () => {
  const replace = [rule({ do: 'replace' })];
  const claim = { name: 'spot-a', uid: 'c', resourceVersion: '7', isLeaving: false };
  const member = { group: 'workers', state: 'InService' };
  const nodes = [node(CORDONED)];
  const members = new Map([[instanceOf(1), member]]);

  test('deletes the NodeClaim, which Karpenter drains', () => {
    const claims = new Map([['node-1', claim]]);
    const { steps } = decided({ nodes: [node(REBALANCE)], claims }, replace);
    assert.deepEqual(steps, ['delete NodeClaim spot-a of Node node-1']);
    const leaving = new Map([['node-1', { ...claim, isLeaving: true }]]);
    assert.deepEqual(decided({ nodes, claims: leaving }, replace).steps, []);
  });

  test('ends an instance of a group only when its Node is cordoned and empty', () => {
    const first = decided({ nodes: [node(REBALANCE)], members, pods: new Map() }, replace);
    assert.deepEqual(first.steps, ['cordon Node node-1']);
    const web = new Map([['uid-1', [pod({ name: 'web' })]]]);
    assert.match(decided({ nodes, members, pods: web }, replace).steps.join(), /^evict/);
    const held = new Map([['uid-1', [pod({ name: 'alone', by: null })]]]);
    assert.deepEqual(decided({ nodes, members, pods: held }, replace).steps, []);
    assert.deepEqual(decided({ nodes, members }, replace).steps, []);
    const own = new Map([['uid-1', [pod({ name: 'cni', by: 'DaemonSet' })]]]);
    assert.deepEqual(decided({ nodes, members, pods: own }, replace).steps, [
      `terminate ${instanceOf(1)} of Node node-1 in Auto Scaling group workers`,
    ]);
  });

  for (const [name, parts, why] of [
    ['unknown claims', { claims: null, members }, /NodeClaim is unknown/],
    ['an unknown group', { members: null }, /group of its instance is unknown/],
    ['no group', {}, /nobody replaces it/],
    [
      'an instance that ends',
      { members: new Map([[instanceOf(1), { ...member, state: 'Terminating:Wait' }]]) },
      /is Terminating:Wait/,
    ],
  ] as const)
    test(`does nothing with ${name}, and begins nothing`, () => {
      const { steps, kept, begun } = decided({ nodes, ...parts }, replace);
      assert.deepEqual([steps, begun], [[], []]);
      assert.match(kept.join(), why);
    });
});
