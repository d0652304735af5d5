import type { Shape } from '../shape.ts';
import {
  AUTO_SCALING_GROUP,
  type AutoScalingGroup,
  ADDON,
  type Addon,
  CLUSTER,
  type Cluster,
  INSIGHT,
  type Insight,
  INSTANCE_REFRESH,
  type InstanceRefresh,
  LAUNCH_CONFIGURATION,
  type LaunchConfiguration,
  LIFECYCLE_HOOK,
  type LifecycleHook,
  NODE_GROUP,
  type NodeGroup,
  SCALING_ACTIVITY,
  type ScalingActivity,
  UPDATE,
  type Update,
} from './groups.ts';
import {
  ACCESS_ENTRY,
  type AccessEntry,
  ACCESS_ENTRY_LIST,
  type AccessEntryList,
  ACCESS_POLICIES,
  type AccessPolicies,
  ATTACHED_POLICIES,
  type AttachedPolicies,
  CALLER,
  type Caller,
  INSTANCE_PROFILE,
  type InstanceProfile,
  KMS_KEY,
  type KmsKey,
  KMS_KEY_POLICY,
  type KmsKeyPolicy,
  OIDC_PROVIDER,
  type OidcProvider,
  OIDC_PROVIDERS,
  type OidcProviders,
  POD_IDENTITY_ASSOCIATION,
  type PodIdentityAssociation,
  POLICY_VERSION,
  type PolicyVersion,
  REGISTRY_AUTHORIZATION,
  type RegistryAuthorization,
  ROLE,
  type Role,
  ROLE_POLICIES,
  type RolePolicies,
  ROLE_POLICY,
  type RolePolicy,
  TRAIL_EVENT,
  type TrailEvent,
} from './iam.ts';
import {
  IMAGE,
  type Image,
  INSTANCE,
  type Instance,
  INSTANCE_STATUS,
  type InstanceStatus,
  INSTANCE_TYPE,
  type DescribedType,
  LAUNCH_TEMPLATE,
  type LaunchTemplate,
  LAUNCH_TEMPLATE_VERSION,
  type LaunchTemplateVersion,
  NETWORK_INTERFACE,
  type NetworkInterface,
  PROFILE_ASSOCIATION,
  type ProfileAssociation,
  SPOT_PRICE,
  type SpotPrice,
  SPOT_REQUEST,
  type SpotRequest,
} from './instance.ts';
import {
  DHCP_OPTIONS,
  type DhcpOptions,
  NAT_GATEWAY,
  type NatGateway,
  NETWORK_ACL,
  type NetworkAcl,
  ROUTE_TABLE,
  type RouteTable,
  SECURITY_GROUP,
  type SecurityGroup,
  SUBNET,
  type Subnet,
  VPC,
  type Vpc,
  VPC_ATTRIBUTE,
  type VpcAttribute,
  VPC_ENDPOINT,
  type VpcEndpoint,
  VPC_HOSTED_ZONES,
  type VpcHostedZones,
} from './network.ts';

/** Every kind of fact that answers of AWS give; each is one item of the call's list. */
export interface AwsFacts {
  readonly 'aws/auto-scaling-group': AutoScalingGroup;
  readonly 'aws/addon': Addon;
  readonly 'aws/cluster': Cluster;
  readonly 'aws/insight': Insight;
  readonly 'aws/instance-refresh': InstanceRefresh;
  readonly 'aws/launch-configuration': LaunchConfiguration;
  readonly 'aws/lifecycle-hook': LifecycleHook;
  readonly 'aws/node-group': NodeGroup;
  readonly 'aws/scaling-activity': ScalingActivity;
  readonly 'aws/update': Update;
  readonly 'aws/access-entry': AccessEntry;
  readonly 'aws/access-entry-list': AccessEntryList;
  readonly 'aws/access-policies': AccessPolicies;
  readonly 'aws/attached-policies': AttachedPolicies;
  readonly 'aws/caller': Caller;
  readonly 'aws/instance-profile': InstanceProfile;
  readonly 'aws/kms-key': KmsKey;
  readonly 'aws/kms-key-policy': KmsKeyPolicy;
  readonly 'aws/oidc-provider': OidcProvider;
  readonly 'aws/oidc-providers': OidcProviders;
  readonly 'aws/pod-identity-association': PodIdentityAssociation;
  readonly 'aws/policy-version': PolicyVersion;
  readonly 'aws/registry-authorization': RegistryAuthorization;
  readonly 'aws/role': Role;
  readonly 'aws/role-policies': RolePolicies;
  readonly 'aws/role-policy': RolePolicy;
  readonly 'aws/trail-event': TrailEvent;
  readonly 'aws/image': Image;
  readonly 'aws/instance': Instance;
  readonly 'aws/instance-status': InstanceStatus;
  readonly 'aws/instance-type': DescribedType;
  readonly 'aws/launch-template': LaunchTemplate;
  readonly 'aws/launch-template-version': LaunchTemplateVersion;
  readonly 'aws/network-interface': NetworkInterface;
  readonly 'aws/profile-association': ProfileAssociation;
  readonly 'aws/spot-price': SpotPrice;
  readonly 'aws/spot-request': SpotRequest;
  readonly 'aws/dhcp-options': DhcpOptions;
  readonly 'aws/nat-gateway': NatGateway;
  readonly 'aws/network-acl': NetworkAcl;
  readonly 'aws/route-table': RouteTable;
  readonly 'aws/security-group': SecurityGroup;
  readonly 'aws/subnet': Subnet;
  readonly 'aws/vpc': Vpc;
  readonly 'aws/vpc-attribute': VpcAttribute;
  readonly 'aws/vpc-endpoint': VpcEndpoint;
  readonly 'aws/vpc-hosted-zones': VpcHostedZones;
}

export type AwsKind = keyof AwsFacts;

/** What is kept of each. */
export const AWS_SHAPES = {
  'aws/auto-scaling-group': AUTO_SCALING_GROUP,
  'aws/addon': ADDON,
  'aws/cluster': CLUSTER,
  'aws/insight': INSIGHT,
  'aws/instance-refresh': INSTANCE_REFRESH,
  'aws/launch-configuration': LAUNCH_CONFIGURATION,
  'aws/lifecycle-hook': LIFECYCLE_HOOK,
  'aws/node-group': NODE_GROUP,
  'aws/scaling-activity': SCALING_ACTIVITY,
  'aws/update': UPDATE,
  'aws/access-entry': ACCESS_ENTRY,
  'aws/access-entry-list': ACCESS_ENTRY_LIST,
  'aws/access-policies': ACCESS_POLICIES,
  'aws/attached-policies': ATTACHED_POLICIES,
  'aws/caller': CALLER,
  'aws/instance-profile': INSTANCE_PROFILE,
  'aws/kms-key': KMS_KEY,
  'aws/kms-key-policy': KMS_KEY_POLICY,
  'aws/oidc-provider': OIDC_PROVIDER,
  'aws/oidc-providers': OIDC_PROVIDERS,
  'aws/pod-identity-association': POD_IDENTITY_ASSOCIATION,
  'aws/policy-version': POLICY_VERSION,
  'aws/registry-authorization': REGISTRY_AUTHORIZATION,
  'aws/role': ROLE,
  'aws/role-policies': ROLE_POLICIES,
  'aws/role-policy': ROLE_POLICY,
  'aws/trail-event': TRAIL_EVENT,
  'aws/image': IMAGE,
  'aws/instance': INSTANCE,
  'aws/instance-status': INSTANCE_STATUS,
  'aws/instance-type': INSTANCE_TYPE,
  'aws/launch-template': LAUNCH_TEMPLATE,
  'aws/launch-template-version': LAUNCH_TEMPLATE_VERSION,
  'aws/network-interface': NETWORK_INTERFACE,
  'aws/profile-association': PROFILE_ASSOCIATION,
  'aws/spot-price': SPOT_PRICE,
  'aws/spot-request': SPOT_REQUEST,
  'aws/dhcp-options': DHCP_OPTIONS,
  'aws/nat-gateway': NAT_GATEWAY,
  'aws/network-acl': NETWORK_ACL,
  'aws/route-table': ROUTE_TABLE,
  'aws/security-group': SECURITY_GROUP,
  'aws/subnet': SUBNET,
  'aws/vpc': VPC,
  'aws/vpc-attribute': VPC_ATTRIBUTE,
  'aws/vpc-endpoint': VPC_ENDPOINT,
  'aws/vpc-hosted-zones': VPC_HOSTED_ZONES,
} as const satisfies Readonly<Record<AwsKind, Shape>>;

export const AWS_KINDS = Object.keys(AWS_SHAPES) as readonly AwsKind[];
