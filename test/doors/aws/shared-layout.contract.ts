/** What moto and the simulated AWS must both say of what is laid out, of roles and of nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientsOf, codeOf, placeOf, type WireAwsSubjects } from './wire-clients.ts';

/** Declares the tests of one AWS. */
export function layoutContract(subjects: WireAwsSubjects): void {
  networkContract(subjects);
  groupContract(subjects);
  identityContract(subjects);
  absenceContract(subjects);
}

/** Types of several generations and sizes, one of them with many cards. */
const TYPES = [
  'm5.large',
  't3.medium',
  'c5.4xlarge',
  'm6g.xlarge',
  'r5.2xlarge',
  'p4d.24xlarge',
] as const;
/** Interfaces over all cards, addresses of each, processors and MiB (EC2 user guide). */
const LIMITS = [
  ['c5.4xlarge', 8, 30, 16, 32_768],
  ['m5.large', 3, 10, 2, 8192],
  ['m6g.xlarge', 4, 15, 4, 16_384],
  ['p4d.24xlarge', 60, 50, 96, 1_179_648],
  ['r5.2xlarge', 4, 15, 8, 65_536],
  ['t3.medium', 3, 6, 2, 4096],
];

function networkContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: the limits of instance types`, { skip }, async (t) => {
    const { ec2 } = clientsOf(t, await open(t));
    const { InstanceTypes = [] } = await ec2.describeInstanceTypes({ InstanceTypes: [...TYPES] });
    const limits = InstanceTypes.map(({ InstanceType, NetworkInfo, VCpuInfo, MemoryInfo }) => [
      InstanceType,
      NetworkInfo?.MaximumNetworkInterfaces,
      NetworkInfo?.Ipv4AddressesPerInterface,
      VCpuInfo?.DefaultVCpus,
      MemoryInfo?.SizeInMiB,
    ]);
    assert.deepEqual(
      limits.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      LIMITS,
    );
    const unknown = ec2.describeInstanceTypes({ InstanceTypes: ['m5.huge' as 'm5.large'] });
    assert.equal(await codeOf(unknown), 'InvalidInstanceType');
  });

  test(`${name}: what a VPC has from its beginning`, { skip }, async (t) => {
    const { ec2 } = clientsOf(t, await open(t));
    const { Vpcs = [] } = await ec2.describeVpcs({});
    const VpcId = Vpcs[0]?.VpcId ?? '';
    const Filters = [{ Name: 'vpc-id', Values: [VpcId] }];
    const { SecurityGroups = [] } = await ec2.describeSecurityGroups({ Filters });
    assert.ok(SecurityGroups.some(({ GroupName }) => GroupName === 'default'));
    const { RouteTables = [] } = await ec2.describeRouteTables({ Filters });
    assert.equal(RouteTables[0]?.Associations?.[0]?.Main, true);
    assert.equal(RouteTables[0].Routes?.[0]?.GatewayId, 'local');
    const { NetworkAcls = [] } = await ec2.describeNetworkAcls({ Filters });
    const rules = NetworkAcls[0]?.Entries?.map((one) => `${one.RuleNumber} ${one.RuleAction}`);
    assert.deepEqual(new Set(rules), new Set(['100 allow', '32767 deny']));
    const attribute = await ec2.describeVpcAttribute({ VpcId, Attribute: 'enableDnsSupport' });
    assert.deepEqual(attribute.EnableDnsSupport, { Value: true });
    const { Subnets = [] } = await ec2.describeSubnets({ Filters });
    assert.ok(Subnets.every(({ State, VpcId: of }) => State === 'available' && of === VpcId));
  });
}

function groupContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: a launch template has versions`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2 } = clients;
    const { ImageId } = await placeOf(clients);
    const LaunchTemplateName = 'workers';
    await ec2.createLaunchTemplate({
      LaunchTemplateName,
      LaunchTemplateData: { ImageId, InstanceType: 'm5.large' },
    });
    await ec2.createLaunchTemplateVersion({
      LaunchTemplateName,
      LaunchTemplateData: { ImageId, InstanceType: 'm5.xlarge' },
    });
    const { LaunchTemplateVersions = [] } = await ec2.describeLaunchTemplateVersions({
      LaunchTemplateName,
      Versions: ['$Latest'],
    });
    assert.deepEqual(
      LaunchTemplateVersions.map((one) => [
        one.VersionNumber,
        one.LaunchTemplateData?.InstanceType,
      ]),
      [[2, 'm5.xlarge']],
    );
    const { LaunchTemplates = [] } = await ec2.describeLaunchTemplates({});
    assert.deepEqual(
      LaunchTemplates.map((one) => [one.DefaultVersionNumber, one.LatestVersionNumber]),
      [[1, 2]],
    );
  });

  test(`${name}: an Auto Scaling group gets what it wants`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { autoscaling, ec2, pass } = clients;
    const { ImageId, SubnetId } = await placeOf(clients);
    const LaunchTemplateName = 'workers';
    await ec2.createLaunchTemplate({
      LaunchTemplateName,
      LaunchTemplateData: { ImageId, InstanceType: 'm5.large' },
    });
    const AutoScalingGroupName = 'workers';
    await autoscaling.createAutoScalingGroup({
      AutoScalingGroupName,
      LaunchTemplate: { LaunchTemplateName, Version: '$Latest' },
      MinSize: 0,
      MaxSize: 4,
      DesiredCapacity: 2,
      VPCZoneIdentifier: SubnetId,
    });
    await pass(120_000);
    const sizes = async () => {
      const { AutoScalingGroups = [] } = await autoscaling.describeAutoScalingGroups({});
      const [group] = AutoScalingGroups;
      const states = group?.Instances?.map((one) => one.LifecycleState);
      return [group?.MinSize, group?.MaxSize, group?.DesiredCapacity, states];
    };
    assert.deepEqual(await sizes(), [0, 4, 2, ['InService', 'InService']]);
    await autoscaling.setDesiredCapacity({ AutoScalingGroupName, DesiredCapacity: 3 });
    await pass(120_000);
    assert.deepEqual(await sizes(), [0, 4, 3, ['InService', 'InService', 'InService']]);
  });
}

const TRUST = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' },
  ],
});

function identityContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: a role with its policies`, { skip }, async (t) => {
    const { iam } = clientsOf(t, await open(t));
    const RoleName = 'other';
    const { Role } = await iam.createRole({ RoleName, AssumeRolePolicyDocument: TRUST });
    assert.equal(Role?.Arn, 'arn:aws:iam::123456789012:role/other');
    assert.match(Role.RoleId ?? '', /^AROA[A-Z0-9]{17}$/);
    const read = await iam.getRole({ RoleName });
    const document = decodeURIComponent(read.Role?.AssumeRolePolicyDocument ?? '');
    assert.deepEqual(JSON.parse(document), JSON.parse(TRUST));
    const PolicyDocument = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'ec2:DescribeInstances', Resource: '*' }],
    });
    await iam.putRolePolicy({ RoleName, PolicyName: 'look', PolicyDocument });
    assert.deepEqual((await iam.listRolePolicies({ RoleName })).PolicyNames, ['look']);
    const inline = await iam.getRolePolicy({ RoleName, PolicyName: 'look' });
    assert.deepEqual(
      JSON.parse(decodeURIComponent(inline.PolicyDocument ?? '')),
      JSON.parse(PolicyDocument),
    );
    assert.equal(
      await codeOf(iam.createRole({ RoleName, AssumeRolePolicyDocument: TRUST })),
      'EntityAlreadyExistsException',
    );
  });

  test(`${name}: who asks`, { skip }, async (t) => {
    const { sts } = clientsOf(t, await open(t));
    const { Account, Arn, UserId } = await sts.getCallerIdentity({});
    assert.equal(Account, '123456789012');
    assert.match(Arn ?? '', /^arn:aws:(?:iam|sts)::123456789012:/);
    assert.match(UserId ?? '', /^A[A-Z0-9]+/);
  });
}

function absenceContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: nothing is found where nothing is`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2, eks, iam, kms, route53, cloudformation } = clients;
    const asked: readonly (readonly [Promise<unknown>, string])[] = [
      [ec2.describeSubnets({ SubnetIds: ['subnet-01234567'] }), 'InvalidSubnetID.NotFound'],
      [ec2.describeVpcs({ VpcIds: ['vpc-01234567'] }), 'InvalidVpcID.NotFound'],
      [ec2.describeSecurityGroups({ GroupIds: ['sg-01234567'] }), 'InvalidGroup.NotFound'],
      [
        ec2.describeRouteTables({ RouteTableIds: ['rtb-01234567'] }),
        'InvalidRouteTableID.NotFound',
      ],
      [ec2.describeVolumes({ VolumeIds: ['vol-01234567'] }), 'InvalidVolume.NotFound'],
      [
        ec2.describeVpcAttribute({ VpcId: 'vpc-01234567', Attribute: 'enableDnsSupport' }),
        'InvalidVpcID.NotFound',
      ],
      [eks.describeCluster({ name: 'none' }), 'ResourceNotFoundException'],
      [iam.getRole({ RoleName: 'none' }), 'NoSuchEntityException'],
      [iam.getInstanceProfile({ InstanceProfileName: 'none' }), 'NoSuchEntityException'],
      [kms.describeKey({ KeyId: 'none' }), 'NotFoundException'],
      [route53.listResourceRecordSets({ HostedZoneId: 'Z0' }), 'NoSuchHostedZone'],
      [cloudformation.describeStackEvents({ StackName: 'none' }), 'ValidationError'],
    ];
    const codes = await Promise.all(asked.map(async ([call]) => codeOf(call)));
    assert.deepEqual(
      codes,
      asked.map(([, code]) => code),
    );
  });

  test(`${name}: lists without anything are lists`, { skip }, async (t) => {
    const { ec2, autoscaling, eks, iam, cloudformation } = clientsOf(t, await open(t));
    assert.deepEqual((await ec2.describeNatGateways({})).NatGateways, []);
    assert.deepEqual((await ec2.describeVpcEndpoints({})).VpcEndpoints, []);
    assert.deepEqual((await ec2.describeSpotInstanceRequests({})).SpotInstanceRequests, []);
    assert.deepEqual((await autoscaling.describeAutoScalingGroups({})).AutoScalingGroups, []);
    assert.deepEqual((await eks.listClusters({})).clusters, []);
    assert.deepEqual((await iam.listOpenIDConnectProviders({})).OpenIDConnectProviderList, []);
    assert.deepEqual((await cloudformation.listStacks({})).StackSummaries, []);
  });
}
