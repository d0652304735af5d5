import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clue, ClueKind } from './memory.ts';
import { clueBefore, judged, told, toldBy } from './testing.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOBODY = 'unknown, hand null, none, by nothing';

describe('a request of the audit log names the deleter', () => {
  const users: readonly (readonly [string, string])[] = [
    ['jane', 'person (jane), hand person'],
    [
      'system:serviceaccount:ops:drainer',
      'controller (system:serviceaccount:ops:drainer), hand controller',
    ],
    [
      'system:serviceaccount:kube-system:cluster-autoscaler',
      'cluster-autoscaler (system:serviceaccount:kube-system:cluster-autoscaler), hand cluster-autoscaler',
    ],
    ['eks:node-manager', 'node-group-update (eks:node-manager), hand node-group-update'],
    ['system:serviceaccount:karpenter:karpenter', 'karpenter, hand karpenter'],
    ['eks:cloud-controller-manager', 'cloud-node-lifecycle (unknown), hand cloud-node-lifecycle'],
  ];
  for (const [user, expected] of users)
    test(user, () => {
      const node = { hasProviderId: true };
      assert.equal(
        told({ clues: [clueBefore('audit-delete', user)], node }),
        `${expected}, definite, by audit-delete`,
      );
    });

  test('and counts more than an Event and than a NodeClaim', () => {
    const clues = [
      clueBefore('audit-delete', 'jane'),
      clueBefore('cloud-deletion'),
      clueBefore('claim-deleted'),
    ];
    assert.equal(toldBy(...clues), 'person (jane), hand person, definite, by audit-delete');
  });

  test('the first of two', () => {
    const clues = [
      clueBefore('audit-delete', 'jane', 2000),
      clueBefore('audit-delete', 'joe', 1000),
    ];
    assert.equal(toldBy(...clues), 'person (jane), hand person, definite, by audit-delete');
  });

  test('and not when it is of another time', () => {
    assert.equal(toldBy(clueBefore('audit-delete', 'jane', HOUR_MS)), NOBODY);
  });

  test('with the update of its node group', () => {
    const clues = [
      clueBefore('audit-delete', 'eks:node-manager'),
      clueBefore('node-group', 'version update'),
    ];
    assert.equal(
      toldBy(...clues),
      'node-group-update (version update, eks:node-manager), hand node-group-update, definite, by audit-delete + node-group',
    );
    const autoscaler = 'system:serviceaccount:kube-system:cluster-autoscaler';
    assert.equal(
      toldBy(clueBefore('audit-delete', autoscaler), clueBefore('node-group', 'version update')),
      `cluster-autoscaler (${autoscaler}), hand cluster-autoscaler, definite, by audit-delete`,
    );
  });
});

const ended = clueBefore('instance-ended', 'Client.UserInitiatedShutdown');
const said = clueBefore('cloud-deletion', 'v1');

describe('the cloud controller deletes a Node', () => {
  test('surely by UID, likely by name', () => {
    const node = { hasProviderId: true };
    const expected = 'cloud-node-lifecycle (unknown), hand cloud-node-lifecycle';
    assert.equal(told({ clues: [said], node }), `${expected}, definite, by cloud-deletion`);
    const byName = clueBefore('cloud-deletion', 'v1', 1000, false);
    assert.equal(told({ clues: [byName], node }), `${expected}, likely, by cloud-deletion`);
  });

  test('of a terminated instance', () => {
    assert.equal(
      toldBy(said, clueBefore('instance-ended', 'Client.UserInitiatedShutdown')),
      'cloud-node-lifecycle (instance-terminated), hand cloud-node-lifecycle, definite, by cloud-deletion + instance-ended',
    );
  });

  test('of an instance that runs, or that no list shows, by its providerID', () => {
    const node = { hasProviderId: true };
    const expected = 'cloud-node-lifecycle (instance-missing), hand cloud-node-lifecycle, definite';
    assert.equal(
      told({ clues: [said, clueBefore('instance-running')], node }),
      `${expected}, by cloud-deletion + instance-running`,
    );
    assert.equal(
      told({ clues: [said], node, judging: { isUnlisted: true } }),
      `${expected}, by cloud-deletion`,
    );
  });

  test('of an instance that ran long ago without a known reason', () => {
    const running = (beforeMs: number) =>
      told({
        clues: [said, clueBefore('instance-running', '', beforeMs)],
        node: { hasProviderId: true },
      });
    assert.match(running(10 * MINUTE_MS), /instance-missing/);
    assert.match(running(10 * MINUTE_MS + 1), /\(unknown\).*by cloud-deletion$/);
  });

  test('of a name that EC2 does not know, in the way of its release', () => {
    const node = { hasProviderId: false };
    const way = (apiVersion: string, release: string | null = null) =>
      judged({ clues: [clueBefore('cloud-deletion', apiVersion)], node, judging: { release } })
        .deleter;
    assert.deepEqual(
      [way('v1').reason, way('v1').behavior],
      ['name-lookup-failed', 'deletes-since-1.37'],
    );
    assert.equal(way('').behavior, 'deletes-up-to-1.29');
    assert.equal(way('v1', '1.28.0').behavior, 'deletes-up-to-1.29');
    const byAudit = judged({
      clues: [clueBefore('audit-delete', 'eks:cloud-controller-manager')],
      node,
    });
    assert.deepEqual(
      [byAudit.deleter.reason, byAudit.deleter.behavior],
      ['name-lookup-failed', null],
    );
  });
});

describe('the cloud controller deletes a Node whose instance ended', () => {
  test('for why the instance ended', () => {
    assert.equal(
      toldBy(said, ended, clueBefore('spot')),
      'spot-interruption, hand cloud-node-lifecycle, likely, by cloud-deletion + spot + instance-ended',
    );
    assert.equal(
      toldBy(said, ended, clueBefore('terminated-by', 'jane')),
      'person (jane), hand cloud-node-lifecycle, definite, by cloud-deletion + terminated-by + instance-ended',
    );
    assert.equal(
      toldBy(said, clueBefore('instance-ended', 'Server.SpotInstanceTermination')),
      'spot-interruption, hand cloud-node-lifecycle, definite, by cloud-deletion + instance-ended',
    );
    const byName = clueBefore('cloud-deletion', 'v1', 1000, false);
    assert.match(toldBy(byName, ended, clueBefore('terminated-by', 'jane')), /likely/);
  });

  test('and not by a reason to end while the instance runs', () => {
    assert.match(
      toldBy(said, clueBefore('spot'), clueBefore('instance-running')),
      /^cloud-node-lifecycle/,
    );
    assert.match(toldBy(said, clueBefore('spot')), /^cloud-node-lifecycle/);
  });
});

describe('why the machine ended, where nothing shows who took its Node away', () => {
  const reasons: readonly (readonly [Clue, string])[] = [
    [clueBefore('spot'), 'spot-interruption'],
    [
      clueBefore('maintenance', 'instance-retirement'),
      'scheduled-maintenance (instance-retirement)',
    ],
    [clueBefore('disruption', 'Drifted'), 'karpenter (Drifted)'],
    [clueBefore('autoscaler'), 'cluster-autoscaler'],
    [clueBefore('node-group', 'instance refresh'), 'node-group-update (instance refresh)'],
    [clueBefore('rebalance'), 'rebalance'],
    [clueBefore('terminated-by', 'jane'), 'person (jane)'],
  ];
  for (const [index, [reason, expected]] of reasons.entries())
    test(`${reason.kind}: ${expected}, before what is less sure`, () => {
      const less = reasons.slice(index).map(([one]) => one);
      assert.equal(
        toldBy(...less, ended),
        `${expected}, hand null, likely, by ${reason.kind} + instance-ended`,
      );
      assert.equal(toldBy(reason), NOBODY);
    });

  test('within the hour before, a maintenance within the day', () => {
    const who = (kind: ClueKind, beforeMs: number | null) =>
      judged({ clues: [clueBefore(kind, '', beforeMs), ended] }).deleter.kind;
    assert.equal(who('spot', HOUR_MS), 'spot-interruption');
    assert.equal(who('spot', HOUR_MS + 1), 'unknown');
    assert.equal(who('spot', null), 'unknown');
    assert.equal(who('spot', -MINUTE_MS), 'spot-interruption');
    assert.equal(who('spot', -MINUTE_MS - 1), 'unknown');
    assert.equal(who('maintenance', 24 * HOUR_MS), 'scheduled-maintenance');
    assert.equal(who('maintenance', 24 * HOUR_MS + 1), 'unknown');
  });

  for (const code of ['Server.SpotInstanceTermination', 'Server.SpotInstanceShutdown'])
    test(`EC2 itself says ${code}`, () => {
      assert.match(
        toldBy(clueBefore('disruption', 'Drifted'), clueBefore('instance-ended', code)),
        /^spot/,
      );
    });

  test('and not a code that only resembles it', () => {
    assert.equal(toldBy(clueBefore('instance-ended', 'xServer.SpotInstanceShutdown')), NOBODY);
    assert.equal(toldBy(clueBefore('instance-ended', 'Server.SpotInstanceShutdownX')), NOBODY);
  });
});

describe('CloudTrail names who terminated the instance', () => {
  const programs = [
    'AutoScaling',
    'karpenter-session',
    'aws-cloud-controller-manager',
    'aws-go-sdk-1',
    'AWSServiceRoleForAutoScaling',
    'eks-nodegroup',
    'spot.amazonaws.com',
    'botocore-session-1700000000',
    'i-0123456789abcdef0',
    '1700000000',
  ];
  for (const user of programs)
    test(`${user} is the session of a program`, () => {
      const { deleter } = judged({ clues: [clueBefore('terminated-by', user), ended] });
      assert.deepEqual([deleter.kind, deleter.user], ['controller', user]);
    });

  for (const user of [
    'jane',
    'jane.eks',
    'my-aws-user',
    'i-am-jane',
    'jane17',
    '17jane',
    'ci-i-0123456789abcdef0',
  ])
    test(`${user} is a person`, () => {
      assert.match(toldBy(clueBefore('terminated-by', user), ended), /^person/);
    });

  test('nobody where CloudTrail shows no user', () => {
    assert.equal(toldBy(clueBefore('terminated-by', ''), ended), NOBODY);
  });

  test('an end counts from when EC2 showed it after it ran, and not before', () => {
    const spot = clueBefore('spot');
    const [early, late] = [2000, 1000];
    const at = (endedMs: number | null, runningMs: number | null) =>
      judged({
        clues: [
          spot,
          clueBefore('instance-ended', '', endedMs),
          clueBefore('instance-running', '', runningMs),
        ],
      }).deleter.kind;
    assert.equal(at(late, early), 'spot-interruption');
    assert.equal(at(late, late), 'spot-interruption');
    assert.equal(at(early, late), 'unknown');
    assert.equal(at(null, late), 'unknown');
    assert.equal(at(late, null), 'spot-interruption');
  });
});

describe('somebody with kubectl cordoned a Node that then went', () => {
  const cordon = (manager = 'kubectl-cordon', beforeMs: number | null = 1000) =>
    clueBefore('cordoned-by', manager, beforeMs);

  test('possibly a person, and what to ask', () => {
    assert.equal(toldBy(cordon()), 'person (kubectl-cordon), hand null, possible, by cordoned-by');
    assert.equal(judged({ clues: [cordon()] }).wouldTell.length, 1);
  });

  test('within the hour before', () => {
    assert.match(toldBy(cordon('kubectl', HOUR_MS)), /^person/);
    assert.equal(toldBy(cordon('kubectl', HOUR_MS + 1)), NOBODY);
    assert.equal(toldBy(cordon('kubectl', null)), NOBODY);
  });

  test('not with another program, nor where Events of programs could not be read', () => {
    assert.equal(toldBy(cordon('karpenter')), NOBODY);
    assert.equal(toldBy(cordon('my-kubectl')), NOBODY);
    const judging = { reach: { areEventsRead: false, unread: [] } };
    assert.equal(told({ clues: [cordon()], judging }), NOBODY);
  });

  test('not when the end of its machine explains it', () => {
    assert.match(toldBy(cordon(), clueBefore('spot'), clueBefore('instance-ended')), /^spot/);
  });
});

test('CloudTrail is asked for only where the machine may have ended', () => {
  const why = { reason: 'denied', detail: 'x', collect: null } as const;
  const judging = { reach: { areEventsRead: true, unread: [['trail', why]] as const } };
  const asked = (...clues: readonly Clue[]) =>
    judged({ clues, judging }).wouldTell.map(({ command }) => command?.slice(0, 14));
  assert.deepEqual(asked(), ['aws cloudtrail']);
  assert.deepEqual(asked(clueBefore('instance-ended')), ['aws cloudtrail']);
  assert.deepEqual(asked(clueBefore('instance-running')), ['aws logs filte']);
  const cordon = clueBefore('cordoned-by', 'kubectl');
  assert.deepEqual(asked(cordon), ['aws cloudtrail']);
  assert.deepEqual(asked(cordon, clueBefore('instance-running')), ['aws logs filte']);
});
