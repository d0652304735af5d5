import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { keptAnswer } from './aws.ts';
import { sampleOf } from './testing.ts';

const INTERFACE = `[](Attachment Description Groups InterfaceType Ipv4Prefixes Ipv6Prefixes
  Ipv6Addresses NetworkInterfaceId OwnerId PrivateDnsName PrivateIpAddress PrivateIpAddresses
  RequesterId RequesterManaged SourceDestCheck Status SubnetId VpcId AvailabilityZone TagSet=tags)`;
const INSTANCE = `[](Architecture ImageId InstanceId InstanceLifecycle InstanceType LaunchTime
  MetadataOptions PlatformDetails PrivateDnsName PrivateDnsNameOptions PrivateIpAddress
  PublicIpAddress SecurityGroups SourceDestCheck SpotInstanceRequestId State StateReason
  StateTransitionReason SubnetId VpcId Ipv6Address IamInstanceProfile(Arn Id)
  Placement(AvailabilityZone Tenancy) NetworkInterfaces${INTERFACE} Tags=tags)`;
const RULES = `[](FromPort IpProtocol IpRanges Ipv6Ranges PrefixListIds ToPort UserIdGroupPairs)`;
const ROLE = '(Arn AssumeRolePolicyDocument CreateDate Path RoleName)';

/** What may be read of each answer; all else stays on the machine where it was collected. */
const KEPT: readonly string[] = [
  `Reservations[](Instances${INSTANCE})`,
  `Instances${INSTANCE}`,
  `NetworkInterfaces${INTERFACE}`,
  'InstanceStatuses[](InstanceId InstanceState InstanceStatus SystemStatus Events)',
  `Subnets[](AvailabilityZone AvailableIpAddressCount CidrBlock Ipv6CidrBlockAssociationSet
    MapPublicIpOnLaunch AssignIpv6AddressOnCreation PrivateDnsNameOptionsOnLaunch SubnetId VpcId
    Tags=tags)`,
  `SecurityGroups[](GroupId GroupName VpcId IpPermissions${RULES} IpPermissionsEgress${RULES}
    Tags=tags)`,
  'RouteTables[](Associations RouteTableId Routes VpcId)',
  'Vpcs[](CidrBlock CidrBlockAssociationSet DhcpOptionsId VpcId Tags=tags)',
  `VpcEndpoints[](Groups PrivateDnsEnabled RouteTableIds ServiceName State SubnetIds VpcEndpointId
    VpcEndpointType VpcId)`,
  `NatGateways[](ConnectivityType FailureCode FailureMessage NatGatewayAddresses NatGatewayId State
    SubnetId VpcId)`,
  'NetworkAcls[](Associations Entries NetworkAclId VpcId)',
  'DhcpOptions[](DhcpConfigurations DhcpOptionsId)',
  `InstanceTypes[](BareMetal Hypervisor InstanceType MemoryInfo NetworkInfo ProcessorInfo VCpuInfo)`,
  'Images[](Architecture CreationDate Description ImageId Name PlatformDetails)',
  `LaunchTemplates[](DefaultVersionNumber LatestVersionNumber LaunchTemplateId LaunchTemplateName)`,
  `LaunchTemplateVersions[](DefaultVersion LaunchTemplateId LaunchTemplateName VersionNumber
    LaunchTemplateData(BlockDeviceMappings ImageId InstanceType MetadataOptions NetworkInterfaces
      PrivateDnsNameOptions SecurityGroupIds SecurityGroups IamInstanceProfile(Arn Name)))`,
  `SpotInstanceRequests[](InstanceId LaunchedAvailabilityZone SpotInstanceRequestId SpotPrice State
    Status LaunchSpecification(InstanceType))`,
  `AutoScalingGroups[](AutoScalingGroupARN AutoScalingGroupName AvailabilityZones DesiredCapacity
    DesiredCapacityType HealthCheckGracePeriod Instances LaunchConfigurationName LaunchTemplate
    MaxSize MinSize ServiceLinkedRoleARN Status SuspendedProcesses VPCZoneIdentifier
    WarmPoolConfiguration WarmPoolSize Tags=tags
    MixedInstancesPolicy(InstancesDistribution LaunchTemplate(LaunchTemplateSpecification
      Overrides[](InstanceType WeightedCapacity LaunchTemplateSpecification))))`,
  `Activities[](ActivityId AutoScalingGroupName Cause Description EndTime StartTime StatusCode
    StatusMessage)`,
  `LifecycleHooks[](AutoScalingGroupName DefaultResult HeartbeatTimeout LifecycleHookName
    LifecycleTransition)`,
  `LaunchConfigurations[](IamInstanceProfile ImageId InstanceType LaunchConfigurationName
    SecurityGroups)`,
  `Role${ROLE}`,
  `InstanceProfile(Arn InstanceProfileName Roles[]${ROLE})`,
  'StackEvents[](LogicalResourceId ResourceStatus ResourceStatusReason Timestamp)',
  'Events[](EventName EventSource EventTime Username Resources[](ResourceName ResourceType))',
  'authorizationData[](proxyEndpoint expiresAt)',
  'KeyMetadata(Arn KeyId KeyState Enabled KeyManager)',
  `cluster(accessConfig arn createdAt endpoint health identity kubernetesNetworkConfig name
    platformVersion resourcesVpcConfig roleArn status version computeConfig upgradePolicy
    certificateAuthority(data=authority) encryptionConfig tags=tagMap)`,
  `nodegroup(amiType capacityType clusterName health instanceTypes launchTemplate nodeRole
    nodegroupArn nodegroupName releaseVersion resources scalingConfig status subnets taints
    updateConfig version tags=tagMap)`,
  'addon(addonName addonVersion clusterName health status serviceAccountRoleArn)',
  `accessEntry(accessEntryArn clusterName createdAt kubernetesGroups principalArn type username)`,
  `Account Arn UserId AttachedPolicies ClientIDList EnableDnsHostnames EnableDnsSupport
    HostedZoneSummaries IamInstanceProfileAssociations InstanceId InstanceRefreshes KeyId
    OpenIDConnectProviderList Output Policy PolicyArn PolicyDocument PolicyName PolicyNames
    PolicyVersion RoleName SpotPriceHistory ThumbprintList Timestamp Url UserData VPCId VpcId
    accessEntries associatedAccessPolicies association associations insight insights nodegroupName
    nodegroups principalArn update updateIds`,
];

describe('what is kept of an answer of AWS', () => {
  for (const shape of KEPT)
    test(`${shape.slice(0, /[\s(]/.exec(shape)?.index)}: only what causes read`, () => {
      const { given, kept } = sampleOf(shape);
      assert.deepEqual(keptAnswer(given, new Map()), kept);
    });

  test('an answer that is not an object keeps nothing', () => {
    for (const answer of [null, 'planted', ['planted']])
      assert.deepEqual(keptAnswer(answer, new Map()), {});
  });

  test('an authority that is not text is left out', () => {
    const cluster = { certificateAuthority: { data: ['planted'] } };
    const kept = keptAnswer({ cluster }, new Map());
    assert.deepEqual(kept, { cluster: { certificateAuthority: {} } });
  });
});

describe('tags', () => {
  const taggedBy = (key: string): readonly [JsonObject, JsonObject, unknown] => {
    const left = new Map<string, number>();
    const vpc = { Vpcs: [{ Tags: [{ Key: key, Value: 'planted' }] }] };
    const eks = { cluster: { tags: { [key]: 'planted' } } };
    const [one, other] = [keptAnswer(vpc, left), keptAnswer(eks, left)];
    return [one as JsonObject, other as JsonObject, Object.fromEntries(left)];
  };

  for (const key of [
    'Name',
    'KubernetesCluster',
    'aws:autoscaling:groupName',
    'eks:cluster-name',
    'eksctl:x',
    'alpha.eksctl.io/cluster-name',
    'k8s.io/cluster-autoscaler/enabled',
    'kops.k8s.io/instancegroup',
    'karpenter.sh/nodepool',
    'karpenter.k8s.aws/ec2nodeclass',
    'eks.amazonaws.com/nodegroup',
    'kubernetes.io/cluster/shop',
    'node.k8s.amazonaws.com/createdAt',
    'cluster.k8s.amazonaws.com/name',
    'cluster.x-k8s.io/role',
    'sigs.k8s.io/owned',
    'vpcresources.k8s.aws/trunk-eni-id',
  ])
    test(`${key} keeps its value`, () => {
      assert.deepEqual(taggedBy(key), [
        { Vpcs: [{ Tags: [{ Key: key, Value: 'planted' }] }] },
        { cluster: { tags: { [key]: 'planted' } } },
        {},
      ]);
    });

  for (const key of [
    'team',
    'Named',
    'myName',
    'x-aws:token',
    'awsome:token',
    'eks',
    'KubernetesClusters',
    'my.kubernetes.io/x',
    'karpenter.io/x',
  ])
    test(`${key} keeps the key alone, and the value is counted`, () => {
      assert.deepEqual(taggedBy(key), [
        { Vpcs: [{ Tags: [{ Key: key }] }] },
        { cluster: { tags: {} } },
        { 'values of tags': 2 },
      ]);
    });

  test('what is not a tag is left out', () => {
    const answer = { Vpcs: [{ Tags: [{ Value: 'planted' }, 'planted'] }], cluster: { tags: 'x' } };
    assert.deepEqual(keptAnswer(answer, new Map()), { Vpcs: [{ Tags: [] }], cluster: {} });
  });
});
