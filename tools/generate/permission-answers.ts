import type { JsonObject } from '../../src/evidence/json.ts';

const INSTANCE = 'i-0123456789abcdef0';
const VPC = 'vpc-0123456789abcdef0';
const SUBNET = 'subnet-0123456789abcdef0';
const ROLE = 'arn:aws:iam::123456789012:role/node';

/**
 * One of everything. `shared` is asked for the member in which a call answers; the others are by
 * operation.
 */
export const ANSWERS: Readonly<Record<string, JsonObject>> = {
  shared: {
    Reservations: [
      {
        Instances: [
          {
            InstanceId: INSTANCE,
            InstanceType: 'm5.large',
            InstanceLifecycle: 'spot',
            ImageId: 'ami-0123456789abcdef0',
            VpcId: VPC,
            SubnetId: SUBNET,
            PrivateIpAddress: '10.0.1.10',
            IamInstanceProfile: { Arn: 'arn:aws:iam::123456789012:instance-profile/node' },
            SecurityGroups: [{ GroupId: 'sg-0123456789abcdef0' }],
            BlockDeviceMappings: [{ Ebs: { VolumeId: 'vol-0123456789abcdef0' } }],
            Tags: [
              { Key: 'kubernetes.io/cluster/shop', Value: 'owned' },
              { Key: 'aws:ec2launchtemplate:id', Value: 'lt-0123456789abcdef0' },
              { Key: 'aws:ec2launchtemplate:version', Value: '1' },
            ],
          },
        ],
      },
    ],
    InstanceInformationList: [{ InstanceId: INSTANCE, PingStatus: 'Online' }],
    Command: { CommandId: '00000000-0000-0000-0000-000000000000' },
    Status: 'Success',
    events: [],
    InstanceStatuses: [{ InstanceId: INSTANCE }],
    InstanceTypes: [{ InstanceType: 'm5.large' }],
    Images: [{ ImageId: 'ami-0123456789abcdef0' }],
    Subnets: [{ SubnetId: SUBNET, VpcId: VPC }],
    Vpcs: [{ VpcId: VPC, DhcpOptionsId: 'dopt-0123456789abcdef0' }],
    DhcpOptions: [{ DhcpOptionsId: 'dopt-0123456789abcdef0' }],
    RouteTables: [{ RouteTableId: 'rtb-0123456789abcdef0' }],
    NetworkAcls: [{ NetworkAclId: 'acl-0123456789abcdef0' }],
    SecurityGroups: [{ GroupId: 'sg-0123456789abcdef0' }],
    VpcEndpoints: [{ VpcEndpointId: 'vpce-0123456789abcdef0' }],
    NatGateways: [{ NatGatewayId: 'nat-0123456789abcdef0' }],
    NetworkInterfaces: [{ NetworkInterfaceId: 'eni-0123456789abcdef0' }],
    LaunchTemplateVersions: [{ LaunchTemplateId: 'lt-0123456789abcdef0', VersionNumber: 1 }],
    AutoScalingGroups: [
      {
        AutoScalingGroupName: 'nodes',
        Instances: [
          { InstanceId: INSTANCE, InstanceType: 'm5.large', LifecycleState: 'Pending:Wait' },
          { InstanceId: INSTANCE, LaunchConfigurationName: 'nodes' },
        ],
        LaunchConfigurationName: 'nodes',
        Tags: [{ Key: 'aws:cloudformation:stack-name', Value: 'nodes' }],
        LaunchTemplate: {
          LaunchTemplateId: 'lt-0123456789abcdef0',
          LaunchTemplateName: 'nodes',
          Version: '1',
        },
      },
    ],
    Activities: [
      { StatusCode: 'Failed', StatusMessage: 'Client.InternalError: Client error on launch' },
      {
        AutoScalingGroupName: 'nodes',
        StatusCode: 'Failed',
        StatusMessage: 'SpotMaxPriceTooLow',
      },
    ],
    LifecycleHooks: [],
    SpotInstanceRequests: [],
    KeyMetadata: { KeyId: 'k', KeyState: 'Enabled' },
    KmsKeyId: 'k',
    nodegroups: ['nodes'],
    addons: ['vpc-cni'],
    accessEntries: [ROLE],
    associations: [{ associationId: 'a-0123456789abcdef0', clusterName: 'shop' }],
    cluster: {
      name: 'shop',
      roleArn: 'arn:aws:iam::123456789012:role/cluster',
      resourcesVpcConfig: { vpcId: VPC, subnetIds: [SUBNET] },
    },
    nodegroup: {
      nodegroupName: 'nodes',
      status: 'DEGRADED',
      nodeRole: ROLE,
      launchTemplate: { id: 'lt-0123456789abcdef0', version: '1' },
    },
    addon: { addonName: 'vpc-cni', serviceAccountRoleArn: ROLE },
    accessEntry: { principalArn: ROLE, type: 'STANDARD' },
    association: { associationId: 'a-0123456789abcdef0', roleArn: ROLE },
    updateIds: ['u'],
    update: { id: 'u', status: 'Failed' },
    insights: [{ id: 'n', insightStatus: { status: 'ERROR' } }],
    insight: { id: 'n', insightStatus: { status: 'ERROR' } },
    associatedAccessPolicies: [],
    InstanceProfile: {
      InstanceProfileName: 'node',
      Roles: [{ RoleName: 'node', Arn: ROLE }],
    },
    Role: { RoleName: 'node', Arn: ROLE },
    AttachedPolicies: [{ PolicyName: 'p', PolicyArn: 'arn:aws:iam::aws:policy/p' }],
    PolicyNames: ['inline'],
    PolicyDocument: { Statement: [] },
    Policy: { DefaultVersionId: 'v1' },
    PolicyVersion: { Document: { Statement: [] } },
    Url: 'oidc.eks.eu-west-1.amazonaws.com/id/A',
    IamInstanceProfileAssociations: [],
    SpotPriceHistory: [],
    SpotPlacementScores: [],
    LaunchTemplates: [],
    LaunchConfigurations: [],
    InstanceRefreshes: [],
    authorizationData: [],
    OpenIDConnectProviderList: [
      { Arn: 'arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A' },
    ],
    HostedZoneSummaries: [
      { HostedZoneId: 'Z0', Name: 'example.internal.' },
      { HostedZoneId: 'Z1', Name: '10.in-addr.arpa.' },
    ],
    ResourceRecordSets: [],
    StackSummaries: [{ StackName: 'nodes' }],
    StackEvents: [],
    Events: [],
  },
  DescribeVpcAttribute: { EnableDnsHostnames: { Value: true }, EnableDnsSupport: { Value: true } },
  GetCallerIdentity: { UserId: 'A', Account: '123456789012', Arn: ROLE },
  GetConsoleOutput: { Output: '' },
  DescribeInstanceAttribute: { UserData: { Value: '' } },
};
