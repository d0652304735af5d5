import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { markOfAuthority, authoritySumOf } from '../../evidence/checksum.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { factOf, namesOf, type Written, writtenBy } from '../testing.ts';
import { readAwsAnswer } from './answer.ts';
import { beginsYamlAnswer } from './answer-shapes.ts';

const ID = 'i-0123456789abcdef0';
const OTHER = 'i-0fedcba9876543210';

function read(answer: JsonObject): Written & { readonly understood: boolean } {
  let understood = false;
  const written = writtenBy((passage) => {
    understood = readAwsAnswer(passage, answer, 7);
  });
  return { ...written, understood };
}

const kindsOf = (answer: JsonObject): readonly string[] =>
  read(answer).facts.map(({ kind, by }) => `${kind} by ${by}`);

/** Answers that are lists: the member, the kind of each item, the command that prints them. */
const LISTS = `InstanceStatuses instance-status ec2 describe-instance-status
Subnets subnet ec2 describe-subnets
NetworkInterfaces network-interface ec2 describe-network-interfaces
DhcpOptions dhcp-options ec2 describe-dhcp-options
VpcEndpoints vpc-endpoint ec2 describe-vpc-endpoints
SecurityGroups security-group ec2 describe-security-groups
RouteTables route-table ec2 describe-route-tables
NatGateways nat-gateway ec2 describe-nat-gateways
NetworkAcls network-acl ec2 describe-network-acls
Vpcs vpc ec2 describe-vpcs
InstanceTypes instance-type ec2 describe-instance-types
Images image ec2 describe-images
associations pod-identity-association eks list-pod-identity-associations
LaunchTemplateVersions launch-template-version ec2 describe-launch-template-versions
AutoScalingGroups auto-scaling-group autoscaling describe-auto-scaling-groups
Activities scaling-activity autoscaling describe-scaling-activities
LifecycleHooks lifecycle-hook autoscaling describe-lifecycle-hooks
SpotInstanceRequests spot-request ec2 describe-spot-instance-requests
SpotPriceHistory spot-price ec2 describe-spot-price-history
IamInstanceProfileAssociations profile-association ec2 describe-iam-instance-profile-associations
LaunchTemplates launch-template ec2 describe-launch-templates
LaunchConfigurations launch-configuration autoscaling describe-launch-configurations
InstanceRefreshes instance-refresh autoscaling describe-instance-refreshes
insights insight eks list-insights
authorizationData registry-authorization ecr get-authorization-token`;

/** Answers that are one object. */
const SINGLES = `cluster cluster eks describe-cluster
nodegroup node-group eks describe-nodegroup
accessEntry access-entry eks describe-access-entry
InstanceProfile instance-profile iam get-instance-profile
Role role iam get-role
addon addon eks describe-addon
insight insight eks describe-insight
KeyMetadata kms-key kms describe-key
association pod-identity-association eks describe-pod-identity-association`;

/** Answers that are a fact as a whole, by a member. */
const WHOLES = `AttachedPolicies attached-policies iam list-attached-role-policies
PolicyNames role-policies iam list-role-policies
PolicyVersion policy-version iam get-policy-version
associatedAccessPolicies access-policies eks list-associated-access-policies
EnableDnsHostnames vpc-attribute ec2 describe-vpc-attribute
EnableDnsSupport vpc-attribute ec2 describe-vpc-attribute
UserId caller sts get-caller-identity
HostedZoneSummaries vpc-hosted-zones route53 list-hosted-zones-by-vpc`;

const rows = (table: string): readonly (readonly [string, string, string])[] =>
  table.split('\n').map((row) => {
    const [path = '', kind = '', ...call] = row.split(' ');
    return [path, `aws/${kind}`, `aws ${call.join(' ')}`];
  });

describe('an answer of AWS', () => {
  for (const [path, kind, call] of rows(LISTS))
    test(`${path} are ${kind}, and a complete list`, () => {
      const { facts, listings, understood } = read({ [path]: [{}, {}] });
      assert.deepEqual(
        facts.map((fact) => `${fact.kind} by ${fact.by}`),
        [`${kind} by ${call}`, `${kind} by ${call}`],
      );
      assert.deepEqual(listings, [{ kind, by: call, locator: 'file' }]);
      assert.equal(understood, true);
      assert.deepEqual(read({ [path]: [] }).listings, listings);
      assert.equal(read({ [path]: [] }).understood, true);
      assert.equal(read({ [path]: { none: 1 } }).facts.length, 0);
    });

  for (const [path, kind, call] of rows(SINGLES))
    test(`${path} is ${kind}`, () => {
      const { facts, listings, understood } = read({ [path]: {} });
      assert.deepEqual([facts[0]?.kind, facts[0]?.by, facts[0]?.locator], [kind, call, 'file:7']);
      assert.deepEqual([listings, understood], [[], true]);
      assert.equal(read({ [path]: 'words' }).understood, false);
      assert.equal(read({ [path]: null }).understood, false);
    });

  for (const [path, kind, call] of rows(WHOLES))
    test(`with ${path} is ${kind}`, () => {
      const answer = read({ [path]: [] });
      assert.deepEqual([answer.facts[0]?.kind, answer.facts[0]?.by], [kind, call]);
      assert.equal(answer.understood, true);
    });

  for (const [paths, kind, call] of [
    [['Url', 'ThumbprintList'], 'aws/oidc-provider', 'aws iam get-open-id-connect-provider'],
    [['RoleName', 'PolicyName', 'PolicyDocument'], 'aws/role-policy', 'aws iam get-role-policy'],
  ] as const)
    test(`with ${paths.join(', ')} together is ${kind}`, () => {
      const answer = Object.fromEntries(paths.map((path) => [path, 'x']));
      assert.deepEqual(kindsOf(answer), [`${kind} by ${call}`]);
      for (const path of paths) {
        const { [path]: _, ...rest } = answer;
        assert.deepEqual([read(rest).facts, read(rest).understood], [[], false], path);
      }
    });
});

describe('an answer of AWS of its own form', () => {
  test('of other lists and objects is read as well', () => {
    assert.deepEqual(kindsOf({ update: { id: 'u', status: 'Failed' } }), [
      'aws/update by aws eks describe-update',
    ]);
    assert.deepEqual(kindsOf({ update: { id: 'u' } }), []);
    assert.deepEqual(kindsOf({ accessEntries: ['arn:r'] }), [
      'aws/access-entry-list by aws eks list-access-entries',
    ]);
    assert.deepEqual(kindsOf({ OpenIDConnectProviderList: [{ Arn: 'arn:p' }] }), [
      'aws/oidc-providers by aws iam list-open-id-connect-providers',
    ]);
    assert.deepEqual(kindsOf({ KeyId: 'k', Policy: '{}' }), [
      'aws/kms-key-policy by aws kms get-key-policy',
    ]);
  });

  test('of KMS without the key that was asked for is known and yields nothing', () => {
    const { facts, understood } = read({ Policy: '{}' });
    assert.deepEqual([facts, understood], [[], true]);
    assert.deepEqual(read({ Policy: '{}', PolicyArn: 'arn:p', KeyId: 'k' }).understood, false);
    assert.equal(read({ KeyId: 'k' }).understood, false);
  });

  test('of another form is not understood', () => {
    for (const answer of [{}, { items: [] }, { Instances: [] }, { InstanceId: ID }])
      assert.equal(read(answer).understood, false, JSON.stringify(answer));
  });
});

const ABOUT_INSTANCES = [
  ['a status check', { InstanceStatuses: [{ InstanceId: ID }] }, [`instance-id ${ID}`]],
  ['a spot request', { SpotInstanceRequests: [{ InstanceId: ID }] }, [`instance-id ${ID}`]],
  ['a profile', { IamInstanceProfileAssociations: [{ InstanceId: ID }] }, [`instance-id ${ID}`]],
  [
    'an interface that is attached',
    { NetworkInterfaces: [{ Attachment: { InstanceId: ID }, PrivateIpAddress: '10.0.1.5' }] },
    [`instance-id ${ID}`],
  ],
  ['an interface of nobody', { NetworkInterfaces: [{ PrivateIpAddress: '10.0.1.5' }] }, []],
  ['a subnet', { Subnets: [{ InstanceId: ID }] }, []],
] as const;

describe('instances', () => {
  const INSTANCE = {
    InstanceId: ID,
    PrivateDnsName: 'ip-10-0-1-5.ec2.internal',
    PrivateIpAddress: '10.0.1.5',
    NetworkInterfaces: [{ NetworkInterfaceId: 'eni-0123456789abcdef0' }],
  };
  const NAMES = [
    `instance-id ${ID}`,
    'private-dns ip-10-0-1-5.ec2.internal',
    'ip 10.0.1.5',
    'network-interface eni-0123456789abcdef0',
  ];

  test('of reservations are facts about their names, and all that there are', () => {
    const { facts, links, listings, understood } = read({
      Reservations: [{ Instances: [INSTANCE] }],
    });
    assert.deepEqual(namesOf(facts[0]?.about ?? []), NAMES);
    assert.deepEqual(
      [facts[0]?.kind, facts[0]?.by],
      ['aws/instance', 'aws ec2 describe-instances'],
    );
    assert.deepEqual(namesOf(links[0]?.names ?? []), NAMES);
    assert.match(links[0]?.proof ?? '', /^aws ec2 describe-instances shows them/);
    assert.deepEqual(
      listings.map(({ kind, by, locator }) => [kind, by, locator]),
      [['aws/instance', 'aws ec2 describe-instances', 'file']],
    );
    assert.equal(understood, true);
    assert.equal(read({ Reservations: [] }).understood, true);
  });

  test('that were launched are no list of all', () => {
    const { facts, listings, understood } = read({ Instances: [INSTANCE] });
    assert.deepEqual([facts.length, listings, understood], [1, [], true]);
  });

  for (const [title, answer, about] of ABOUT_INSTANCES)
    test(`${title} is about its instance`, () => {
      assert.deepEqual(namesOf(read(answer).facts[0]?.about ?? []), about);
    });

  test('that CloudTrail names are what an event is about', () => {
    const event = {
      EventSource: 'ec2.amazonaws.com',
      Resources: [{ ResourceName: 'vpc-1' }, { ResourceName: ID }, { ResourceName: OTHER }],
    };
    const { facts, understood } = read({ Events: [event, { EventSource: 'x' }, { other: 1 }] });
    assert.deepEqual(
      facts.map(({ kind, by, about }) => [kind, by, ...namesOf(about)]),
      [
        ['aws/trail-event', 'aws cloudtrail lookup-events', `instance-id ${ID}`],
        ['aws/trail-event', 'aws cloudtrail lookup-events'],
      ],
    );
    assert.equal(understood, true);
    assert.equal(read({ Events: [{ other: 1 }] }).understood, false);
  });
});

describe('texts of a machine', () => {
  const lines = (answer: JsonObject): readonly string[] =>
    read(answer).said.map(
      ({ source, line, text, about }) => `${source} ${line} ${text} ${about?.value}`,
    );

  test('the console and user data are lines about it', () => {
    const UserData = { Value: btoa('#!/bin/sh\n\nset -x') };
    assert.deepEqual(lines({ InstanceId: ID, Output: 'a\r\n \nb', UserData }), [
      `console 1 a ${ID}`,
      `console 3 b ${ID}`,
      `user-data 1 #!/bin/sh ${ID}`,
      `user-data 3 set -x ${ID}`,
    ]);
    assert.deepEqual(read({ InstanceId: ID, Output: '', UserData }).sources, [
      'console',
      'user-data',
    ]);
  });

  test('user data is a fact, also where there is none', () => {
    for (const [UserData, form] of [
      [{ Value: btoa('#!/bin/sh') }, 'script'],
      [{}, 'empty'],
    ] as const) {
      const { facts, understood } = read({ InstanceId: ID, UserData });
      const given = factOf({ facts }, 'aws/user-data');
      assert.deepEqual([given?.form, given?.instanceId, understood], [form, ID, true]);
      assert.deepEqual(
        [facts[0]?.kind, facts[0]?.by, facts[0]?.locator, ...namesOf(facts[0]?.about ?? [])],
        ['aws/user-data', 'aws ec2 describe-instance-attribute', 'file:7', `instance-id ${ID}`],
      );
    }
  });

  test('a console alone is understood and gives no fact', () => {
    const { facts, understood } = read({ InstanceId: ID, Output: '' });
    assert.deepEqual([facts, understood], [[], true]);
  });

  test('of nobody are empty', () => {
    assert.equal(read({ Output: 'a' }).understood, false);
    assert.equal(read({ InstanceId: '', Output: 'a' }).understood, false);
  });
});

describe('the authority of a cluster', () => {
  const sumOf = (certificate: string): unknown => {
    const [fact] = read({ cluster: { certificateAuthority: { data: certificate } } }).facts;
    return (fact?.value as { authoritySum?: unknown } | undefined)?.authoritySum ?? null;
  };
  const AUTHORITY = btoa('-----BEGIN CERTIFICATE-----\n').repeat(10);

  test('is kept as a checksum, from its text or its mark', () => {
    assert.equal(sumOf(AUTHORITY), authoritySumOf(AUTHORITY));
    assert.equal(sumOf(markOfAuthority(AUTHORITY)), authoritySumOf(AUTHORITY));
    assert.equal(sumOf('short'), null);
  });
});

describe('an answer in YAML', () => {
  for (const path of [
    ...[...rows(LISTS), ...rows(SINGLES), ...rows(WHOLES)]
      .map(([member]) => member)
      .filter((member) => member !== 'PolicyNames'),
    'OpenIDConnectProviderList',
    'update',
    'Url',
    'ThumbprintList',
    'RoleName',
    'PolicyName',
    'PolicyDocument',
    'Reservations',
  ])
    test(`begins with ${path}`, () => {
      assert.ok(beginsYamlAnswer(`${path}:`, '- Key: a'));
      assert.ok(beginsYamlAnswer(`${path}: []`, ''));
      assert.ok(!beginsYamlAnswer(`my${path}:`, '- Key: a'));
      assert.ok(!beginsYamlAnswer(`${path}: words`, '- Key: a'));
    });

  for (const [line, next, begins] of [
    ['Subnets:', '  Key: a', true],
    ['Subnets:', '  - Key:', true],
    ['Subnets:', '- - Key: a', true],
    ['Subnets:', 'Key: a', false],
    ['Subnets:', '- words', false],
    ['Subnets:', '- Key:a', false],
    ['Subnets:', '    Key: a', false],
    ['Subnets: [] ', 'Other: a', true],
    ['Subnets: []', 'words', false],
    ['Subnets: []', '- Key: a', false],
    ['PolicyNames:', '- name', true],
    ['accessEntries:', '  - arn', true],
    ['accessEntries:', '    - arn', false],
    ['accessEntries:', 'arn', false],
    ['PolicyNames:', 'x- name', false],
    [`InstanceId: ${ID}`, 'UserData:', true],
    [`InstanceId: ${ID} `, 'Output: x', true],
    [`InstanceId: ${ID}`, 'Other: x', false],
    [`InstanceId: ${ID}`, 'x UserData:', false],
    ['InstanceId: i-012', 'UserData:', false],
    [`x InstanceId: ${ID}`, 'UserData:', false],
    [`InstanceId: ${ID} x`, 'UserData:', false],
  ] as const)
    test(`"${line}" and "${next}" ${begins ? 'begin one' : 'begin none'}`, () => {
      assert.equal(beginsYamlAnswer(line, next), begins);
    });
});
