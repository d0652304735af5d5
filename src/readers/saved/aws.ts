import type { Json } from '../../evidence/json.ts';
import { markOfAuthority } from '../../evidence/checksum.ts';
import { EC2_MEMBERS } from './ec2.ts';
import { fields, keep, type KeptBy, type KeptFields, type LeftOut } from './keep.ts';
import { keptTagMap, TAGGED } from './tags.ts';

/** The text of a certificate authority is long; its checksum tells whether two are the same. */
const authority: KeptBy = (value) =>
  typeof value === 'string' ? markOfAuthority(value) : undefined;

const GROUP: KeptFields = {
  ...fields(
    'AutoScalingGroupARN',
    'AutoScalingGroupName',
    'AvailabilityZones',
    'DesiredCapacity',
    'DesiredCapacityType',
    'HealthCheckGracePeriod',
    'Instances',
    'LaunchConfigurationName',
    'LaunchTemplate',
    'MaxSize',
    'MinSize',
    'ServiceLinkedRoleARN',
    'Status',
    'SuspendedProcesses',
    'VPCZoneIdentifier',
    'WarmPoolConfiguration',
    'WarmPoolSize',
  ),
  MixedInstancesPolicy: {
    InstancesDistribution: 'whole',
    LaunchTemplate: {
      LaunchTemplateSpecification: 'whole',
      Overrides: [fields('InstanceType', 'WeightedCapacity', 'LaunchTemplateSpecification')],
    },
  },
  Tags: TAGGED,
};

const CLUSTER: KeptFields = {
  ...fields(
    'accessConfig',
    'arn',
    'createdAt',
    'endpoint',
    'health',
    'identity',
    'kubernetesNetworkConfig',
    'name',
    'platformVersion',
    'remoteNetworkConfig',
    'resourcesVpcConfig',
    'roleArn',
    'status',
    'version',
    'computeConfig',
    'upgradePolicy',
  ),
  certificateAuthority: { data: authority },
  encryptionConfig: 'whole',
  tags: keptTagMap,
};

const NODE_GROUP: KeptFields = {
  ...fields(
    'amiType',
    'capacityType',
    'clusterName',
    'health',
    'instanceTypes',
    'launchTemplate',
    'nodeRole',
    'nodegroupArn',
    'nodegroupName',
    'releaseVersion',
    'resources',
    'scalingConfig',
    'status',
    'subnets',
    'taints',
    'updateConfig',
    'version',
  ),
  tags: keptTagMap,
};

const ROLE: KeptFields = fields(
  'Arn',
  'AssumeRolePolicyDocument',
  'CreateDate',
  'Path',
  'RoleName',
);

/** Members of answers of which only some fields are kept. */
const PARTS: KeptFields = {
  AutoScalingGroups: [GROUP],
  Activities: [
    fields(
      'ActivityId',
      'AutoScalingGroupName',
      'Cause',
      'Description',
      'EndTime',
      'StartTime',
      'StatusCode',
      'StatusMessage',
    ),
  ],
  LifecycleHooks: [
    fields(
      'AutoScalingGroupName',
      'DefaultResult',
      'HeartbeatTimeout',
      'LifecycleHookName',
      'LifecycleTransition',
    ),
  ],
  LaunchConfigurations: [
    fields(
      'IamInstanceProfile',
      'ImageId',
      'InstanceType',
      'LaunchConfigurationName',
      'SecurityGroups',
    ),
  ],
  Role: ROLE,
  InstanceProfile: { ...fields('Arn', 'InstanceProfileName'), Roles: [ROLE] },
  StackEvents: [fields('LogicalResourceId', 'ResourceStatus', 'ResourceStatusReason', 'Timestamp')],
  Events: [
    {
      ...fields('EventName', 'EventSource', 'EventTime', 'Username'),
      Resources: [fields('ResourceName', 'ResourceType')],
    },
  ],
  authorizationData: [fields('proxyEndpoint', 'expiresAt')],
  KeyMetadata: fields('Arn', 'KeyId', 'KeyState', 'Enabled', 'KeyManager'),
  cluster: CLUSTER,
  nodegroup: NODE_GROUP,
  addon: fields(
    'addonName',
    'addonVersion',
    'clusterName',
    'health',
    'status',
    'serviceAccountRoleArn',
  ),
  accessEntry: fields(
    'accessEntryArn',
    'clusterName',
    'createdAt',
    'kubernetesGroups',
    'principalArn',
    'type',
    'username',
  ),
};

/** Members that hold names, numbers and the words of AWS alone. */
const WHOLE_MEMBERS = fields(
  'Account',
  'Arn',
  'UserId',
  'AttachedPolicies',
  'ClientIDList',
  'EnableDnsHostnames',
  'EnableDnsSupport',
  'HostedZoneSummaries',
  'IamInstanceProfileAssociations',
  'InstanceId',
  'InstanceRefreshes',
  'KeyId',
  'OpenIDConnectProviderList',
  'Output',
  'Policy',
  'PolicyArn',
  'PolicyDocument',
  'PolicyName',
  'PolicyNames',
  'PolicyVersion',
  'RoleName',
  'SpotPriceHistory',
  'ThumbprintList',
  'Timestamp',
  'Url',
  'UserData',
  'VPCId',
  'VpcId',
  'accessEntries',
  'associatedAccessPolicies',
  'association',
  'associations',
  'insight',
  'insights',
  'nodegroupName',
  'nodegroups',
  'principalArn',
  'update',
  'updateIds',
);

/** What causes read of an answer of AWS. */
export function keptAnswer(answer: Json, left: LeftOut): Json {
  return keep(answer, { ...WHOLE_MEMBERS, ...EC2_MEMBERS, ...PARTS }, left) ?? {};
}
