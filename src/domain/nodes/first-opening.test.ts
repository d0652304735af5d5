import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ASKED_ROLE,
  askerWords,
  FIRST_OPENING,
  firstOpeningMs,
  HELD_FOR_MS,
  identityAgent,
  isFirstRun,
  longLivedAskers,
  placedMs,
  utcText,
} from './first-opening.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import type { KubeObject } from '../../evidence/kube/object.ts';
import { lostLease, lostLeases } from './leases.ts';
import type { Seen } from '../../evidence/fact.ts';
import { conditionsSinceMs, isTaintOfRule, unmetCondition } from './readiness-rules.ts';
import { lastHeardMs, readyForMs, readySinceMs } from './ready-node.ts';
import {
  ago,
  conditionOf,
  fact,
  nodeOf,
  NOW_MS,
  objectOf,
  podOf,
  readyIs,
} from '../../evidence/testing.ts';
import { clusterGiven, type UserData } from '../../evidence/user-data.ts';
import type { NodeReadinessRule } from '../../evidence/kube/machines.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

test('the first opening counts within fifteen minutes of the Node', () => {
  const opened = (seconds: number | null, createdMs: number | null = NOW_MS): number | null => {
    const text = seconds === null ? 'once' : ago(-seconds);
    return firstOpeningMs(nodeOf('a', { createdMs, annotations: { [FIRST_OPENING]: text } }));
  };
  assert.equal(opened(0), NOW_MS);
  assert.equal(opened(900), NOW_MS + 900_000);
  assert.deepEqual(
    [opened(901), opened(-1), opened(null), opened(5, null)],
    [null, null, null, null],
  );
  assert.equal(firstOpeningMs(nodeOf('a', { createdMs: NOW_MS })), null);
  assert.equal(firstOpeningMs(nodeOf('a', { createdMs: 0 })), null, 'no annotation is no moment');
});

function asker(change: {
  readonly runs?: number | null;
  readonly placed?: number;
  readonly ready?: string;
  readonly spec?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}): Seen<Pod> {
  const { runs = 600, placed = 600, ready = 'False', spec = {} } = change;
  const running: Json = runs === null ? {} : { state: { running: { startedAt: ago(runs) } } };
  const status = {
    startTime: ago(placed),
    conditions: [readyIs(ready)],
    containerStatuses: [running],
  };
  const { annotations = { [ASKED_ROLE]: 'reader' } } = change;
  return fact(podOf({ spec: { nodeName: 'node00', ...spec }, status }, { annotations }));
}

const isHeld = (pod: Seen<Pod>, nowMs: number | null = NOW_MS, node = 'node00'): boolean =>
  longLivedAskers([pod], node, nowMs).length > 0;

describe('pods that ask an agent for a role', () => {
  test('keep an identity for six hours, from when their container runs', () => {
    const held = HELD_FOR_MS / 1000;
    assert.equal(isHeld(asker({})), true);
    assert.equal(isHeld(asker({ runs: held, placed: held })), true);
    assert.equal(isHeld(asker({ runs: held + 1, placed: held })), false);
    assert.equal(isHeld(asker({ runs: null })), false);
  });

  test('are on the Node, settled, and not Ready', () => {
    assert.equal(isHeld(asker({}), NOW_MS, 'node01'), false);
    assert.equal(isHeld(asker({}), null), false);
    assert.equal(isHeld(asker({ placed: 120 })), false);
    assert.equal(isHeld(asker({ ready: 'True' })), false);
    assert.equal(isHeld(asker({ annotations: {} })), false);
  });

  test('tolerate no gate of the Node', () => {
    const tolerates = (toleration: Json): boolean =>
      isHeld(asker({ spec: { tolerations: [{ key: 'other' }, toleration] } }));
    assert.equal(tolerates({ key: 'nidhogg.uswitch.com/kube-system.kiam-agent' }), false);
    assert.equal(tolerates({ operator: 'Exists' }), false);
    assert.equal(tolerates({ key: 'my.nidhogg.uswitch.com/x' }), true);
  });

  test('are reported with their role, place and run', () => {
    const pod = asker({ runs: 300 });
    assert.equal(placedMs(pod), NOW_MS - 600_000);
    assert.equal(
      askerWords(pod),
      `Pod shop/web-x7k2p (${ASKED_ROLE} reader) placed 2026-05-01T11:50:00Z, runs since 2026-05-01T11:55:00Z, not Ready`,
    );
    assert.match(askerWords(fact(podOf({ status: {} }))), /role \) placed 1970-01-01T00:00:00Z/);
    assert.equal(utcText(0), '1970-01-01T00:00:00Z');
  });

  test('are answered by the agent of the Node', () => {
    const owned = (name: string, node = 'node00', kind = 'DaemonSet'): Seen<Pod> =>
      fact(podOf({ spec: { nodeName: node }, metadata: { ownerReferences: [{ kind, name }] } }));
    for (const name of ['kiam-agent', 'kube2iam'])
      assert.equal(identityAgent([owned('other'), owned(name)], 'node00')?.value.name, 'web-x7k2p');
    for (const pod of [
      owned('kiam-agent', 'node01'),
      owned('kiam-agent', 'node00', 'ReplicaSet'),
      owned('my-kiam-agent'),
      owned('kube2iam-x'),
    ])
      assert.equal(identityAgent([pod], 'node00'), null);
  });

  test('are in their first run while no container was restarted', () => {
    const run = (...counts: readonly number[]): boolean =>
      isFirstRun(
        fact(
          podOf({
            status: { containerStatuses: counts.map((restartCount) => ({ restartCount })) },
          }),
        ),
      );
    assert.deepEqual([run(0, 0), run(0, 1), run(1), run()], [true, false, false, true]);
  });
});

describe('a Lease without renewals', () => {
  const lease = (seconds: number, spec: JsonObject = {}, change: Partial<KubeObject> = {}) => {
    const body = { spec: { renewTime: ago(seconds), holderIdentity: 'one', ...spec } };
    return fact(objectOf('Lease', 'karpenter', body, change));
  };
  const isLost = (seconds: number, spec: JsonObject = {}): boolean =>
    lostLease(lease(seconds, spec), NOW_MS) !== null;

  test('is lost after more than two minutes and three durations', () => {
    assert.deepEqual([isLost(120), isLost(121)], [false, true]);
    assert.deepEqual(
      [180, 181].map((seconds) => isLost(seconds, { leaseDurationSeconds: 60 })),
      [false, true],
    );
    assert.equal(isLost(121, { leaseDurationSeconds: 0 }), true);
    assert.equal(isLost(121, { leaseDurationSeconds: -600 }), true);
    assert.equal(lostLease(lease(999), null), null);
    assert.equal(isLost(999, { renewTime: 'once' }), false);
  });

  test('is reported with its holder', () => {
    const lost = lostLease(lease(3000), NOW_MS);
    assert.deepEqual(
      [lost?.name, lost?.holder, lost?.renewedMs],
      ['shop/karpenter', 'one', NOW_MS - 3_000_000],
    );
    const told = `was last renewed ${ago(3000)}, 50 minutes ago`;
    assert.equal(lost?.words, `Lease shop/karpenter of one ${told}`);
    const given = lostLease(lease(3000, { holderIdentity: '' }, { namespace: null }), NOW_MS);
    assert.deepEqual([given?.holder, given?.words], [null, `Lease /karpenter of nobody ${told}`]);
    const unheld = { leaseDurationSeconds: 15, renewTime: ago(3000) };
    const nobody = lostLease(fact(objectOf('Lease', 'x', { spec: unheld })), NOW_MS);
    assert.deepEqual([nobody?.holder, nobody?.words], [null, `Lease shop/x of nobody ${told}`]);
  });

  test('is looked for by name, and never among those of Nodes', () => {
    const own = lease(999);
    const all = [own, lease(999, {}, { name: 'other' }), lease(5)];
    const node = lease(999, {}, { namespace: 'kube-node-lease' });
    const found = lostLeases([...all, node], /^karpenter/, NOW_MS);
    assert.deepEqual(
      found.map((lost) => lost.fact),
      [own],
    );
  });
});

describe('rules of readiness', () => {
  const rule = (spec: JsonObject): NodeReadinessRule =>
    objectOf('NodeReadinessRule', 'gate', { spec });
  const [one, two] = [{ type: 'A' }, { type: 'B', requiredStatus: 'False' }];
  const node = (...conditions: readonly (readonly [string, string, number?])[]): KubeNode =>
    nodeOf('a', {
      conditions: conditions.map(([type, status, changedMs = null]) =>
        conditionOf(type, { status, changedMs }),
      ),
    });

  test('hold a taint of their key and effect', () => {
    const own = rule({ taint: { key: 'gate', effect: 'NoSchedule' } });
    const taint = { key: 'gate', effect: 'NoSchedule', value: '', addedMs: null };
    assert.equal(isTaintOfRule(own, taint), true);
    assert.equal(isTaintOfRule(own, { ...taint, key: 'other' }), false);
    assert.equal(isTaintOfRule(own, { ...taint, effect: 'NoExecute' }), false);
  });

  test('want all of their conditions, or any', () => {
    const all = rule({ conditions: [one, two] });
    assert.equal(unmetCondition(all, node(['A', 'True'], ['B', 'False'])), null);
    const unmet = { type: 'B', wanted: 'False', is: 'True' };
    assert.deepEqual(unmetCondition(all, node(['A', 'True'], ['B', 'True'])), unmet);
    const any = rule({ conditions: [one, two], conditionPolicy: 'anyOf' });
    assert.equal(unmetCondition(any, node(['A', 'True'], ['B', 'True'])), null);
    const first = { type: 'A', wanted: 'True', is: 'False' };
    assert.deepEqual(unmetCondition(any, node(['A', 'False'], ['B', 'True'])), first);
    assert.equal(unmetCondition(rule({ conditionPolicy: 'anyOf' }), node()), null);
  });

  test('count an absent condition as its default', () => {
    const absent = { type: 'A', wanted: 'True', is: 'absent' };
    assert.deepEqual(unmetCondition(rule({ conditions: [one] }), node()), absent);
    const good = { ...one, defaultStatus: 'True' };
    assert.equal(unmetCondition(rule({ conditions: [good] }), node()), null);
    assert.deepEqual(
      unmetCondition(rule({ conditions: [good] }), node(['A', 'False']))?.is,
      'False',
    );
    const wanted = { ...one, requiredStatus: 'Unknown' };
    assert.equal(unmetCondition(rule({ conditions: [wanted] }), node()), null);
  });

  test('are held since the newest change of their conditions', () => {
    const own = rule({ conditions: [one, two] });
    const both = node(['A', 'True', 5], ['B', 'True', 9], ['C', 'True', 20]);
    assert.equal(conditionsSinceMs(own, both), 9);
    assert.equal(conditionsSinceMs(own, node(['A', 'True', 5], ['B', 'True'])), null);
    assert.equal(conditionsSinceMs(own, node(['C', 'True', 5])), null);
  });
});

test('a Node is Ready since its condition says so, and heard of by its heartbeats', () => {
  const heard = conditionOf('DiskPressure', { status: 'False', changedMs: 1, heartbeatMs: 90 });
  const ready = conditionOf('Ready', { changedMs: 30, heartbeatMs: 70 });
  const node = nodeOf('a', { conditions: [heard, ready] });
  const other = nodeOf('a', { conditions: [conditionOf('MemoryOk', { changedMs: 5 }), ready] });
  assert.equal(readySinceMs(other), 30);
  assert.deepEqual([readySinceMs(node), lastHeardMs(node), readyForMs(node)], [30, 90, 60]);
  const not = nodeOf('a', { conditions: [heard, { ...ready, status: 'False' }] });
  assert.deepEqual([readySinceMs(not), readyForMs(not)], [null, 0]);
  assert.deepEqual([readySinceMs(nodeOf('a')), lastHeardMs(nodeOf('a'))], [null, 0]);
});

describe('the cluster that user data gives', () => {
  const nothing = { name: null, endpoint: null, authority: null, cidr: null };
  const given = (change: Partial<UserData>): ReturnType<typeof clusterGiven> =>
    clusterGiven({ nodeConfigs: [], settings: null, bootstrapCall: null, ...change } as UserData);
  const call = { cluster: 'shop', isExplicit: false, words: '' };

  test('belongs to a call of the bootstrap script, else to none', () => {
    assert.deepEqual(given({ bootstrapCall: call }), { ...nothing, name: 'shop' });
    assert.equal(given({}), null);
  });

  test('is that of the last part which says so, field by field', () => {
    const config = { ...nothing, unreadable: null };
    const nodeConfigs = [
      { ...config, name: 'a', endpoint: 'e', authority: 'x', cidr: 'c' },
      { ...config, name: 'b' },
    ];
    const all = { name: 'b', endpoint: 'e', authority: 'x', cidr: 'c' };
    assert.deepEqual(given({ nodeConfigs, bootstrapCall: call }), all);
    const settings = { name: null, endpoint: 'f', authority: 'y', cidr: 'd' };
    assert.deepEqual(given({ nodeConfigs, settings }), { ...settings, name: 'b' });
    assert.deepEqual(given({ settings }), settings);
  });
});
