import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../evidence/json.ts';
import type { FactRecord } from '../evidence/observations.ts';
import type { Sighting } from '../evidence/sighting.ts';
import {
  ago,
  conditionOf,
  fact,
  nodeOf,
  objectOf,
  podOf,
  readyIs,
  awsOf,
} from '../evidence/testing.ts';
import { clearUnlessSeen } from './clear-unless-seen.ts';
import { clearWhenFilled } from './filled-groups.ts';
import { identityTarget } from './identity-target.ts';
import { keysAmong } from './namesakes.ts';
import { newestStampMs } from './newest-stamp.ts';
import { podPlaces } from './pod-places.ts';
import { hitsOf, isInTrouble } from './subject.ts';
import { factOf, hitOf, observationsOf, quoteOf } from './testing.ts';

const cluster = {
  roleArn: 'arn:aws:iam::1:role/path/cluster',
  identity: { oidc: { issuer: 'https://oidc.example/id/A' } },
};
const values: readonly (readonly ['aws/vpc', Json])[] = (
  [
    ['aws/instance-profile', { Arn: 'p1', Roles: [{ RoleName: 'nodes' }, { RoleName: '' }] }],
    ['aws/instance-profile', { Arn: 'p2', Roles: [{ RoleName: 'other' }] }],
    ['aws/cluster', cluster],
    [
      'aws/attached-policies',
      {
        RoleName: 'nodes',
        AttachedPolicies: [
          { PolicyArn: 'arn:aws:iam::1:policy/own' },
          { PolicyArn: 'arn:aws:iam::aws:policy/AWS' },
        ],
      },
    ],
    ['aws/attached-policies', { RoleName: 'other', AttachedPolicies: [{ PolicyArn: 'no' }] }],
    [
      'aws/pod-identity-association',
      { namespace: 'shop', serviceAccount: 'default', clusterName: 'c', associationId: 'a-1' },
    ],
    [
      'aws/pod-identity-association',
      { namespace: 'shop', serviceAccount: 'other', clusterName: 'c', associationId: 'a-2' },
    ],
    [
      'aws/pod-identity-association',
      { namespace: 'shop', serviceAccount: 'default', clusterName: 'c' },
    ],
    [
      'aws/pod-identity-association',
      { namespace: 'shop', serviceAccount: 'default', associationId: 'a-3' },
    ],
    [
      'aws/oidc-providers',
      [
        { Arn: 'arn:aws:iam::1:oidc-provider/oidc.example/id/A' },
        { Arn: 'arn:aws:iam::1:oidc-provider/oidc.example/id/AB' },
      ],
    ],
  ] as readonly (readonly [string, Json])[]
).map(([kind, value]) => [kind as 'aws/vpc', value]);
const observations = observationsOf({
  facts: values.map(([kind, value]) => factOf(kind, awsOf(kind, value))),
});
const instances = [
  { InstanceId: 'i-1', IamInstanceProfile: { Arn: 'p1' } },
  { InstanceId: 'i-1' },
  {},
].map((item) => awsOf('aws/instance', item));
const sts = { containers: [{ env: [{ name: 'AWS_WEB_IDENTITY_TOKEN_FILE', value: '/t' }] }] };
const failing = podOf({ spec: sts, status: { conditions: [readyIs('False')] } });
const well = podOf({ spec: sts });

describe('AWS is asked of identities', () => {
  test('of machines by their profiles and roles, and of the cluster’s', () => {
    const target = identityTarget({ instances, pods: [] }, observations);
    assert.deepEqual(target.instanceIds, ['i-1']);
    assert.deepEqual(target.roleNames, ['nodes', 'cluster']);
    assert.deepEqual(target.policyArns, ['arn:aws:iam::1:policy/own']);
    assert.deepEqual(
      [target.associations, target.providerArns, target.isRegistryAsked],
      [[], [], false],
    );
  });

  test('of pods that fail by their service accounts and tokens', () => {
    const target = identityTarget({ instances: [], pods: [well, failing] }, observations);
    assert.deepEqual(target.associations, [{ clusterName: 'c', associationId: 'a-1' }]);
    assert.deepEqual(target.providerArns, ['arn:aws:iam::1:oidc-provider/oidc.example/id/A']);
    const healthy = identityTarget({ instances: [], pods: [well] }, observations);
    assert.deepEqual([healthy.associations, healthy.providerArns], [[], []]);
    const plain = podOf({ status: { conditions: [readyIs('False')] } }, { namespace: null });
    const other = identityTarget({ instances: [], pods: [plain] }, observations);
    assert.deepEqual([other.associations, other.providerArns], [[], []]);
  });

  test('of the registry where an image of ECR is not pulled', () => {
    const waiting = {
      image: '1.dkr.ecr.eu-west-1.amazonaws.com/x',
      state: { waiting: { reason: 'ErrImagePull' } },
    };
    const pulls = podOf({ status: { containerStatuses: [waiting] } });
    assert.equal(
      identityTarget({ instances: [], pods: [failing, pulls] }, observations).isRegistryAsked,
      true,
    );
  });

  test('of twenty at most', () => {
    const roles = Array.from({ length: 30 }, (_, index) => ({ RoleName: `role-${index}` }));
    const facts = [
      factOf('aws/instance-profile', awsOf('aws/instance-profile', { Arn: 'p1', Roles: roles })),
    ];
    assert.equal(
      identityTarget({ instances, pods: [] }, observationsOf({ facts })).roleNames.length,
      20,
    );
  });
});

test('the newest stamp is that of a line, a Node or a pod, whose clock is known', () => {
  const at = (ms: number) => hitOf('a', quoteOf(1, ms));
  assert.equal(newestStampMs(observationsOf()), Number.NEGATIVE_INFINITY);
  assert.equal(newestStampMs(observationsOf({ hits: [at(5), at(9), hitOf('a', quoteOf(1))] })), 9);
  const odd = [{ yearless: true }, { clock: 'dump 1' }].map((change) => {
    const quote = quoteOf(1, 99);
    const when = { ms: 99, yearless: false, clock: 'utc', ...change };
    return hitOf('a', { ...quote, moment: { ...quote.moment, when } });
  });
  assert.equal(newestStampMs(observationsOf({ hits: [at(5), ...odd] })), 5);
  const node = nodeOf('a', {
    conditions: [conditionOf('Ready', { changedMs: 7, heartbeatMs: 30 })],
  });
  const changed = nodeOf('a', { conditions: [conditionOf('Ready', { changedMs: 40 })] });
  const facts = (...all: readonly FactRecord[]) => newestStampMs(observationsOf({ facts: all }));
  assert.equal(facts(factOf('kube/Node', node)), 30);
  assert.equal(facts(factOf('kube/Node', node), factOf('kube/Node', changed)), 40);
  const started = podOf({ status: { startTime: '1970-01-01T00:00:01Z' } });
  assert.equal(facts(factOf('kube/Pod', started)), 1000);
  const runs = { state: { running: { startedAt: '1970-01-01T00:00:03Z' } } };
  const ready = { type: 'Ready', lastTransitionTime: '1970-01-01T00:00:02Z' };
  const both = podOf({ status: { conditions: [ready], containerStatuses: [runs] } });
  assert.equal(facts(factOf('kube/Pod', both)), 3000);
  assert.equal(facts(factOf('kube/Pod', podOf({ status: { conditions: [ready] } }))), 2000);
  assert.equal(
    facts(factOf('kube/Lease', objectOf('Lease', 'x', { status: { startTime: ago(0) } }))),
    Number.NEGATIVE_INFINITY,
  );
});

describe('Nodes of one host part', () => {
  const node = (name: string, internalIp: string, change = {}) =>
    factOf('kube/Node', nodeOf(name, { internalIp, ...change }));
  const keys = (facts: readonly FactRecord[], value: string): readonly string[] =>
    keysAmong(facts)({ kind: 'node', value });

  test('of different machines link by the whole name alone', () => {
    const apart = [node('web.a', '10.0.0.1'), node('web.b', '10.0.0.2')];
    assert.deepEqual(keys(apart, 'web.a'), ['name:web.a']);
    assert.deepEqual(keys(apart, 'web'), []);
    assert.deepEqual(keys(apart, 'other.a'), ['name:other']);
  });

  test('that can be one machine link by the host part', () => {
    for (const [one, other] of [
      [{}, { internalIp: '10.0.0.1' }],
      [{ machineId: 'm' }, { machineId: 'm' }],
      [{ providerId: 'p' }, { providerId: 'p' }],
    ] as const) {
      const facts = [node('web.a', '10.0.0.1', one), node('web.b', '10.0.0.2', other)];
      assert.deepEqual(keys(facts, 'web.a'), ['name:web']);
    }
    const ids = [
      node('web.a', '10.0.0.1', { machineId: 'm', providerId: 'p' }),
      node('web.b', '10.0.0.2', { machineId: 'n', providerId: 'q' }),
    ];
    assert.deepEqual(keys(ids, 'web.a'), ['name:web.a']);
    assert.deepEqual(keys([node('web.a', '10.0.0.1'), node('web.a', '10.0.0.2')], 'web.a'), [
      'name:web',
    ]);
    assert.deepEqual(keys([node('web', '10.0.0.1'), node('web.b', '10.0.0.2')], 'web'), [
      'name:web',
    ]);
  });
});

describe('events of pods', () => {
  const about = { kind: 'pod', value: 'shop/web-x7k2p' } as const;
  const event = hitOf('a', quoteOf(1), { about });
  const node = { kind: 'node', value: 'node00' } as const;
  const placesOf = (pod: Parameters<typeof factOf<'kube/Pod'>>[1] | null, isListed = true) =>
    podPlaces(
      observationsOf({
        hits: [event],
        facts: pod === null ? [] : [factOf('kube/Pod', pod, [node])],
        listings: isListed ? [{ kind: 'kube/Pod', by: '', locator: '' }] : [],
      }),
    );

  test('are over when the pod is healthy or missing from a complete list', () => {
    assert.equal(placesOf(podOf()).isHealed(event), true);
    const ill = podOf({ status: { conditions: [readyIs('False')] } });
    assert.equal(placesOf(ill).isHealed(event), false);
    assert.equal(placesOf(null).isHealed(event), true);
    assert.equal(placesOf(null, false).isHealed(event), false);
    assert.equal(placesOf(null).isHealed(hitOf('a', quoteOf(1), { about: node })), false);
    assert.equal(podPlaces(observationsOf()).isHealed(event), false);
  });

  test('are of the Node on which the pod is', () => {
    assert.deepEqual(placesOf(podOf()).nodeOf(about), node);
    assert.equal(placesOf(null).nodeOf(about), null);
    assert.equal(placesOf(podOf()).nodeOf(node), node);
    assert.equal(placesOf(podOf()).nodeOf(null), null);
    assert.equal(podPlaces(observationsOf()).nodeOf(about), about);
  });
});

describe('causes that facts rule out', () => {
  const sighting = (excerpt: string): Sighting => {
    const quote = { ...quoteOf(1), excerpt };
    return { count: 1, first: quote, last: quote, quotes: [quote] };
  };

  test('are clear unless one of their signs was seen', () => {
    const view = { sign: (name: string) => (name === 'seen' ? sighting('x') : null) };
    assert.deepEqual(clearUnlessSeen(view, ['a', 'b']), { verdict: 'clear' });
    assert.equal(clearUnlessSeen(view, ['a', 'seen']), null);
  });

  test('are clear when every group whose launch failed is filled by now', () => {
    const filled = { AutoScalingGroupName: 'a', DesiredCapacity: 0, Instances: [] };
    const seen = (...excerpts: readonly string[]) =>
      clearWhenFilled(
        {
          sign: (name: string) =>
            excerpts[Number(name)] === undefined ? null : sighting(excerpts[Number(name)] ?? ''),
          list: () => [fact(awsOf('aws/auto-scaling-group', filled))],
        },
        ['0', '1'],
      );
    assert.deepEqual(seen('Auto Scaling group a activity Failed'), { verdict: 'clear' });
    assert.equal(
      seen('Auto Scaling group a activity Failed', 'Auto Scaling group b activity x'),
      null,
    );
    assert.equal(seen('the Auto Scaling group a activity Failed'), null);
    assert.equal(seen('Auto Scaling group a activityless'), null);
    assert.equal(seen('some other line'), null);
    assert.equal(seen(), null);
  });
});

describe('what was seen of a subject', () => {
  const [ready, symptom] = ['milestone:node-ready', 'symptom:x'];
  const trouble = (...hits: readonly ReturnType<typeof hitOf>[]): boolean => isInTrouble({ hits });

  test('it is in trouble until it was Ready after all that failed', () => {
    assert.equal(trouble(), true);
    assert.equal(trouble(hitOf(ready, quoteOf(5))), false);
    assert.equal(trouble(hitOf(ready, quoteOf(5)), hitOf(symptom, quoteOf(9))), true);
    assert.equal(trouble(hitOf(ready, quoteOf(5)), hitOf(symptom, quoteOf(2))), false);
    assert.equal(trouble(hitOf(ready, quoteOf(5)), hitOf('cause', quoteOf(9))), false);
    assert.equal(trouble(hitOf('milestone:other', quoteOf(5))), true);
  });

  test('hits are found by their owner', () => {
    const hits = [hitOf('a', quoteOf(1)), hitOf('b', quoteOf(2)), hitOf('a', quoteOf(3))];
    assert.deepEqual(hitsOf({ hits }, 'a'), [hits[0], hits[2]]);
    assert.deepEqual(hitsOf({ hits }, 'c'), []);
    assert.deepEqual(hitsOf({ hits: [] }, 'a'), []);
  });
});
