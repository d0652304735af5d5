import { amount, always, type Fields, type FieldsOf, flag, presence, text } from '../shape.ts';
import { TAG } from './instance.ts';

const TEMPLATE = {
  LaunchTemplateId: text,
  LaunchTemplateName: text,
  /** A number, `$Latest` or `$Default`. */
  Version: text,
} as const satisfies Fields;

export type TemplateReference = FieldsOf<typeof TEMPLATE>;

const OVERRIDE = {
  InstanceType: text,
  LaunchTemplateSpecification: TEMPLATE,
  WeightedCapacity: text,
} as const satisfies Fields;

export const AUTO_SCALING_GROUP = {
  AutoScalingGroupARN: text,
  AutoScalingGroupName: always(text),
  AvailabilityZones: [text],
  DesiredCapacity: amount,
  /** `units`, `vcpu` or `memory-mib`; absent means units. */
  DesiredCapacityType: text,
  /** Seconds. */
  HealthCheckGracePeriod: amount,
  Instances: [
    {
      AvailabilityZone: text,
      HealthStatus: text,
      InstanceId: text,
      InstanceType: text,
      LaunchConfigurationName: text,
      LaunchTemplate: TEMPLATE,
      LifecycleState: text,
      WeightedCapacity: text,
    },
  ],
  LaunchConfigurationName: text,
  LaunchTemplate: TEMPLATE,
  MaxSize: amount,
  MinSize: amount,
  MixedInstancesPolicy: {
    InstancesDistribution: {
      OnDemandBaseCapacity: amount,
      OnDemandPercentageAboveBaseCapacity: amount,
      SpotAllocationStrategy: text,
      SpotMaxPrice: text,
    },
    LaunchTemplate: { LaunchTemplateSpecification: TEMPLATE, Overrides: [OVERRIDE] },
  },
  ServiceLinkedRoleARN: text,
  /** Only while the group is being deleted. */
  Status: text,
  SuspendedProcesses: [{ ProcessName: text, SuspensionReason: text }],
  Tags: [TAG],
  /** Ids of subnets with commas between them. */
  VPCZoneIdentifier: text,
  WarmPoolConfiguration: presence,
  WarmPoolSize: amount,
} as const satisfies Fields;

export interface AutoScalingGroup extends FieldsOf<typeof AUTO_SCALING_GROUP> {}
export type GroupMember = FieldsOf<(typeof AUTO_SCALING_GROUP.Instances)[0]>;

export const SCALING_ACTIVITY = {
  ActivityId: text,
  AutoScalingGroupName: text,
  Cause: text,
  Description: text,
  EndTime: text,
  StartTime: text,
  StatusCode: text,
  StatusMessage: text,
} as const satisfies Fields;

export interface ScalingActivity extends FieldsOf<typeof SCALING_ACTIVITY> {}

export const LIFECYCLE_HOOK = {
  AutoScalingGroupName: text,
  DefaultResult: text,
  /** Seconds. */
  HeartbeatTimeout: amount,
  LifecycleHookName: text,
  LifecycleTransition: text,
} as const satisfies Fields;

export interface LifecycleHook extends FieldsOf<typeof LIFECYCLE_HOOK> {}

export const INSTANCE_REFRESH = {
  AutoScalingGroupName: text,
  InstanceRefreshId: text,
  InstancesToUpdate: amount,
  PercentageComplete: amount,
  StartTime: text,
  Status: text,
  StatusReason: text,
} as const satisfies Fields;

export interface InstanceRefresh extends FieldsOf<typeof INSTANCE_REFRESH> {}

export const LAUNCH_CONFIGURATION = {
  IamInstanceProfile: text,
  ImageId: text,
  InstanceType: text,
  LaunchConfigurationName: always(text),
  SecurityGroups: [text],
  SpotPrice: text,
} as const satisfies Fields;

export interface LaunchConfiguration extends FieldsOf<typeof LAUNCH_CONFIGURATION> {}

const ISSUE = { code: text, message: text, resourceIds: [text] } as const satisfies Fields;

export type HealthIssue = FieldsOf<typeof ISSUE>;

export const NODE_GROUP = {
  amiType: text,
  capacityType: text,
  clusterName: text,
  /** GiB of the root volume, where no launch template says it. */
  diskSize: amount,
  health: { issues: [ISSUE] },
  instanceTypes: [text],
  launchTemplate: { id: text, name: text, version: text },
  nodeRole: text,
  nodegroupArn: text,
  nodegroupName: always(text),
  releaseVersion: text,
  resources: { autoScalingGroups: [{ name: text }] },
  scalingConfig: { desiredSize: amount, maxSize: amount, minSize: amount },
  /** `ACTIVE`, `CREATING`, `CREATE_FAILED`, `DEGRADED`, `UPDATING`, `DELETING`, … */
  status: text,
  subnets: [text],
  taints: [{ key: text, value: text, effect: text }],
  updateConfig: { maxUnavailable: amount, maxUnavailablePercentage: amount },
  version: text,
} as const satisfies Fields;

export interface NodeGroup extends FieldsOf<typeof NODE_GROUP> {}

const UPDATE_ERROR = {
  errorCode: text,
  errorMessage: text,
  resourceIds: [text],
} as const satisfies Fields;

/** An answer of `aws eks describe-update`, with the question where it was kept. */
export const UPDATE = {
  nodegroupName: text,
  update: {
    createdAt: text,
    errors: [UPDATE_ERROR],
    id: text,
    params: [{ type: text, value: text }],
    status: text,
    type: text,
  },
} as const satisfies Fields;

export type UpdateError = FieldsOf<typeof UPDATE_ERROR>;
export interface Update extends FieldsOf<typeof UPDATE> {}

/** A cluster of EKS, by `aws eks describe-cluster`. */
export const CLUSTER = {
  accessConfig: { authenticationMode: text },
  arn: text,
  /** Checksum of the certificate authority's text. */
  authoritySum: text,
  computeConfig: { enabled: flag },
  createdAt: text,
  endpoint: text,
  health: { issues: [ISSUE] },
  identity: { oidc: { issuer: text } },
  kubernetesNetworkConfig: { ipFamily: text, serviceIpv4Cidr: text, serviceIpv6Cidr: text },
  name: always(text),
  platformVersion: text,
  /** Networks outside of AWS that hybrid nodes are in. */
  remoteNetworkConfig: { remoteNodeNetworks: [{ cidrs: [text] }] },
  resourcesVpcConfig: {
    clusterSecurityGroupId: text,
    endpointPrivateAccess: flag,
    endpointPublicAccess: flag,
    publicAccessCidrs: [text],
    securityGroupIds: [text],
    subnetIds: [text],
    vpcId: text,
  },
  roleArn: text,
  status: text,
  version: text,
} as const satisfies Fields;

export interface Cluster extends FieldsOf<typeof CLUSTER> {}

export const ADDON = {
  addonName: text,
  addonVersion: text,
  clusterName: text,
  health: { issues: [ISSUE] },
  serviceAccountRoleArn: text,
  status: text,
} as const satisfies Fields;

export interface Addon extends FieldsOf<typeof ADDON> {}

const FINDING = { status: text, reason: text } as const satisfies Fields;

export const INSIGHT = {
  category: text,
  description: text,
  id: text,
  insightStatus: FINDING,
  kubernetesVersion: text,
  name: text,
  resources: [{ arn: text, insightStatus: FINDING, kubernetesResourceUri: text }],
} as const satisfies Fields;

export interface Insight extends FieldsOf<typeof INSIGHT> {}
