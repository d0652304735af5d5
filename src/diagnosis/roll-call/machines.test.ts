import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import type { FactRecord, Observations } from '../../evidence/observations.ts';
import type { DiagnosisDocument, SubjectReport } from '../document.ts';
import { factOf, findingOf, observationsOf, reportOf } from '../testing.ts';
import { assembleRoll, type ExpectedMachine, type Roll } from './machines.ts';

const ONE = 'i-0123456789abcdef0';
const TWO = 'i-0fedcba9876543210';
const PROVIDER = (id: string): string => `aws:///eu-west-1a/${id}`;

const instance = (InstanceId: string, change: Json = {}, ip = '10.0.0.1'): FactRecord => ({
  ...factOf('aws/instance', { InstanceId, PrivateIpAddress: ip, ...(change as object) } as never),
  about: [
    { kind: 'instance-id', value: InstanceId },
    { kind: 'ip', value: ip },
  ],
});

const node = (name: string, change: object = {}): FactRecord => ({
  ...factOf('kube/Node', {
    name,
    uid: 'u',
    providerId: null,
    internalIp: null,
    ...change,
  } as never),
  about: [{ kind: 'node', value: name }],
});

const claim = (kind: 'NodeClaim' | 'Machine', name: string, change: object = {}): FactRecord =>
  factOf(`kube/${kind}`, { kind, name, ...change } as never);

interface Given {
  readonly facts?: readonly FactRecord[];
  readonly subjects?: readonly SubjectReport[];
  readonly expected?: readonly ExpectedMachine[];
  readonly isLive?: boolean;
  readonly observed?: Partial<Observations>;
}

function roll({
  facts = [],
  subjects = [],
  expected = [],
  isLive = true,
  observed = {},
}: Given): Roll {
  const document = { subjects } as unknown as DiagnosisDocument;
  return assembleRoll(document, observationsOf({ facts, ...observed }), expected, isLive);
}

/** `id instance nodes claims expected subject`, for each machine. */
function called(given: Given): readonly string[] {
  return roll(given).machines.map(
    ({ instanceId, instance: one, nodes, claims, expected, subject }) =>
      [
        instanceId === null
          ? '-'
          : instanceId === ONE
            ? 'ONE'
            : instanceId === TWO
              ? 'TWO'
              : instanceId,
        one === null ? '' : 'instance',
        ...nodes.map(({ name }) => `node ${name}`),
        ...claims.map(({ name }) => `claim ${name}`),
        ...expected.map(({ name }) => `expected ${name}`),
        subject === null ? '' : `subject ${subject.verdict}`,
      ]
        .filter((part) => part !== '')
        .join(', '),
  );
}

describe('instances and Nodes', () => {
  for (const [title, facts, machines] of [
    [
      'meet by the providerID',
      [instance(ONE), node('a', { providerId: PROVIDER(ONE) })],
      ['ONE, instance, node a'],
    ],
    [
      'meet by the address',
      [instance(ONE), node('ip-10-0-0-1.ec2.internal')],
      ['ONE, instance, node ip-10-0-0-1.ec2.internal'],
    ],
    ['stay apart otherwise', [instance(ONE), node('a')], ['ONE, instance', '-, node a']],
    [
      'stay apart by another providerID, whatever the address',
      [instance(ONE), node('ip-10-0-0-1.ec2.internal', { providerId: PROVIDER(TWO) })],
      ['ONE, instance', 'TWO, node ip-10-0-0-1.ec2.internal'],
    ],
    [
      'leave the address of one that has ended',
      [instance(ONE, { State: { Name: 'terminated' } }), node('ip-10-0-0-1.ec2.internal')],
      ['ONE, instance', '-, node ip-10-0-0-1.ec2.internal'],
    ],
    [
      'are one each, however often they are shown',
      [instance(ONE), instance(ONE), node('a'), node('a')],
      ['ONE, instance', '-, node a'],
    ],
    [
      'are several of one instance',
      [node('a', { providerId: PROVIDER(ONE) }), node('b', { providerId: PROVIDER(ONE) })],
      ['ONE, node a, node b'],
    ],
  ] as const)
    test(title, () => assert.deepEqual(called({ facts }), machines));

  test('count as last seen, but a table does not hide an object', () => {
    const uids = (...nodes: readonly FactRecord[]): unknown =>
      roll({ facts: nodes }).machines[0]?.nodes.map(({ uid }) => uid);
    assert.deepEqual(uids(node('a', { uid: '1' }), node('a', { uid: '2' })), ['2']);
    assert.deepEqual(uids(node('a', { uid: '1' }), node('a', { uid: null })), ['1']);
    assert.deepEqual(uids(node('a', { uid: null }), node('a', { uid: '2' })), ['2']);
    assert.deepEqual(uids(node('a', { uid: null }), node('a', { uid: null })), [null]);
    const states = roll({ facts: [instance(ONE, { State: { Name: 'pending' } }), instance(ONE)] });
    assert.equal(states.machines[0]?.instance?.State, undefined);
  });
});

describe('claims', () => {
  for (const [title, claims, machines] of [
    [
      'by the providerID of the status',
      [claim('NodeClaim', 'c', { status: { providerID: PROVIDER(ONE) } })],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'by the providerID of the spec',
      [claim('Machine', 'c', { spec: { providerID: PROVIDER(ONE) } })],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'by the instance of the status',
      [claim('Machine', 'c', { status: { providerStatus: { instanceId: ONE } } })],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'by the name of the Node',
      [claim('NodeClaim', 'c', { status: { nodeName: 'a' } })],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'by a reference to the Node',
      [claim('Machine', 'c', { status: { nodeRef: { name: 'a' } } })],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'not by another instance',
      [claim('NodeClaim', 'c', { status: { nodeName: 'a', providerID: PROVIDER(TWO) } })],
      ['ONE, instance, node a', 'TWO, claim c'],
    ],
    ['not at all', [claim('NodeClaim', 'c')], ['ONE, instance, node a', '-, claim c']],
    [
      'not when they are deleted',
      [claim('NodeClaim', 'c', { metadata: { deletionTimestamp: 'now' } })],
      ['ONE, instance, node a'],
    ],
    [
      'though they are being deleted',
      [
        claim('NodeClaim', 'c', {
          metadata: { deletionTimestamp: 'now' },
          status: { nodeName: 'a' },
        }),
      ],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'once, as last seen',
      [claim('NodeClaim', 'c'), claim('NodeClaim', 'c', { status: { nodeName: 'a' } })],
      ['ONE, instance, node a, claim c'],
    ],
    [
      'of two kinds',
      [
        claim('NodeClaim', 'c', { status: { nodeName: 'a' } }),
        claim('Machine', 'c', { status: { nodeRef: { name: 'a' } } }),
      ],
      ['ONE, instance, node a, claim c, claim c'],
    ],
  ] as const)
    test(`find their machine ${title}`, () => {
      const facts = [instance(ONE), node('a', { providerId: PROVIDER(ONE) }), ...claims];
      assert.deepEqual(called({ facts }), machines);
    });
});

describe('expected machines', () => {
  const facts = [instance(ONE), node('web-1', { providerId: PROVIDER(ONE) })];

  for (const [title, expected, machines] of [
    ['by name', [{ name: 'web-1' }], ['ONE, instance, node web-1, expected web-1']],
    [
      'by the name of the host',
      [{ name: 'web-1.example.dev' }],
      ['ONE, instance, node web-1, expected web-1.example.dev'],
    ],
    [
      'by the instance',
      [{ name: 'x', instanceId: ONE }],
      ['ONE, instance, node web-1, expected x'],
    ],
    [
      'by a name that is the instance',
      [{ name: ONE }],
      [`ONE, instance, node web-1, expected ${ONE}`],
    ],
    ['by the address', [{ name: '10.0.0.1' }], ['ONE, instance, node web-1, expected 10.0.0.1']],
    [
      'not by a name that another instance has',
      [{ name: 'web-1', instanceId: TWO }],
      ['ONE, instance, node web-1', 'TWO, expected web-1'],
    ],
    [
      'not at all, which they are by themselves',
      [{ name: 'x' }, { name: 'x' }],
      ['ONE, instance, node web-1', '-, expected x, expected x'],
    ],
  ] as const)
    test(`find their machine ${title}`, () =>
      assert.deepEqual(called({ facts, expected }), machines));
});

describe('subjects of the diagnosis', () => {
  const facts = [node('a')];
  const listings = (['aws/instance', 'kube/Node'] as const).map((kind) => ({
    kind,
    by: 'x',
    locator: 'x',
  }));

  for (const [title, subjects, machines] of [
    ['by the Node', [reportOf('x', { node: 'a' })], ['-, node a, subject not-usable']],
    ['by the name', [reportOf('a')], ['-, node a, subject not-usable']],
    ['by a claim', [reportOf('c')], ['-, node a', '-, subject not-usable']],
    ['not those of groups', [reportOf('a', { kind: 'NodeGroup' })], ['-, node a']],
    [
      'of which the worse counts',
      [
        reportOf('a', { verdict: 'usable' }),
        reportOf('a', { verdict: 'not-usable' }),
        reportOf('a', { verdict: 'cannot-tell' }),
      ],
      ['-, node a, subject not-usable'],
    ],
    [
      'of which the first of two equals counts',
      [reportOf('a', { verdict: 'cannot-tell' }), reportOf('a', { verdict: 'usable' })],
      ['-, node a, subject cannot-tell'],
    ],
    [
      'of an instance that no other source has',
      [reportOf('b', { instanceId: TWO })],
      ['-, node a', 'TWO, subject not-usable'],
    ],
  ] as const)
    test(`find their machine ${title}`, () =>
      assert.deepEqual(called({ facts, subjects }), machines));

  for (const [title, subject, isCalled] of [
    ['with a finding', reportOf('b', { findings: [findingOf('c', 'launched')] }), true],
    [
      'that is likely',
      reportOf('b', { findings: [findingOf('c', 'launched', { confidence: 'likely' })] }),
      true,
    ],
    [
      'that is only possible',
      reportOf('b', { findings: [findingOf('c', 'launched', { confidence: 'possible' })] }),
      false,
    ],
    ['without a finding', reportOf('b'), false],
    [
      'that is usable',
      reportOf('b', { verdict: 'usable', findings: [findingOf('c', 'launched')] }),
      false,
    ],
  ] as const)
    test(`one that complete lists lack, ${title}, is ${isCalled ? 'called' : 'left out'}`, () => {
      const given = { facts, subjects: [subject], observed: { listings } };
      assert.equal(called(given).length, isCalled ? 2 : 1);
      assert.equal(called({ ...given, isLive: false }).length, 2);
      assert.equal(called({ ...given, observed: { listings: listings.slice(0, 1) } }).length, 2);
    });
});

describe('a roll', () => {
  const listings = [{ kind: 'aws/instance', by: 'x', locator: 'x' } as const];
  const refused = (call: string, failure: string): Partial<Observations> => ({
    listings,
    collection: {
      atMs: 0,
      cluster: null,
      asked: [],
      shortened: [],
      refusals: [{ call, failure, message: '', permission: null }],
    },
  });

  for (const [title, given, hasAll] of [
    ['of a live list', { observed: { listings } }, true],
    ['of files', { isLive: false, observed: { listings } }, false],
    ['without a list', {}, false],
    ['of another region', { observed: refused('aws', 'not-configured') }, false],
    ['of which a call was denied', { observed: refused('aws', 'denied') }, true],
    [
      'of which another was not configured',
      { observed: refused('ec2:DescribeVpcs', 'not-configured') },
      true,
    ],
  ] as const)
    test(`${title} ${hasAll ? 'has' : 'does not have'} all instances`, () => {
      const { hasAllInstances, hasAllNodes } = roll(given);
      assert.deepEqual([hasAllInstances, hasAllNodes], [hasAll, false]);
    });

  test('has all Nodes where they were listed', () => {
    const nodes = [{ kind: 'kube/Node', by: 'x', locator: 'x' } as const];
    assert.equal(roll({ isLive: false, observed: { listings: nodes } }).hasAllNodes, true);
  });
});
