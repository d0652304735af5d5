import { always, type Fields, type FieldsOf, flag, shown, text, type ValueOf } from '../shape.ts';
import { policy } from './policy.ts';

/** A role, by `aws iam get-role` and within an instance profile. */
export const ROLE = {
  Arn: always(text),
  AssumeRolePolicyDocument: shown(policy),
  CreateDate: text,
  Path: text,
  RoleName: text,
} as const satisfies Fields;

export interface Role extends FieldsOf<typeof ROLE> {}

export const INSTANCE_PROFILE = {
  Arn: text,
  InstanceProfileName: text,
  Roles: [ROLE],
} as const satisfies Fields;

export interface InstanceProfile extends FieldsOf<typeof INSTANCE_PROFILE> {}

const ATTACHED_POLICY = { PolicyArn: text, PolicyName: text } as const satisfies Fields;

export type AttachedPolicy = FieldsOf<typeof ATTACHED_POLICY>;

/** Names of AWS's and of own policies that a role has, with the question. */
export const ATTACHED_POLICIES = {
  AttachedPolicies: [ATTACHED_POLICY],
  RoleName: text,
} as const satisfies Fields;

export interface AttachedPolicies extends FieldsOf<typeof ATTACHED_POLICIES> {}

/** Names of the inline policies of a role, with the question. */
export const ROLE_POLICIES = { PolicyNames: [text], RoleName: text } as const satisfies Fields;

export interface RolePolicies extends FieldsOf<typeof ROLE_POLICIES> {}

export const ROLE_POLICY = {
  PolicyDocument: policy,
  PolicyName: text,
  RoleName: text,
} as const satisfies Fields;

export interface RolePolicy extends FieldsOf<typeof ROLE_POLICY> {}

export const POLICY_VERSION = {
  PolicyArn: text,
  PolicyVersion: { Document: policy },
} as const satisfies Fields;

export interface PolicyVersion extends FieldsOf<typeof POLICY_VERSION> {}

export const OIDC_PROVIDERS = [{ Arn: text }] as const;

export type OidcProviders = ValueOf<typeof OIDC_PROVIDERS>;

export const OIDC_PROVIDER = {
  ClientIDList: [text],
  ThumbprintList: [text],
  /** Without `https://`. */
  Url: text,
} as const satisfies Fields;

export interface OidcProvider extends FieldsOf<typeof OIDC_PROVIDER> {}

/** Who asked, by `aws sts get-caller-identity`. */
export const CALLER = { Account: text, Arn: text, UserId: text } as const satisfies Fields;

export interface Caller extends FieldsOf<typeof CALLER> {}

export const KMS_KEY = {
  Arn: text,
  DeletionDate: text,
  Enabled: flag,
  KeyId: always(text),
  KeyManager: text,
  KeyState: text,
} as const satisfies Fields;

export interface KmsKey extends FieldsOf<typeof KMS_KEY> {}

export const KMS_KEY_POLICY = { KeyId: text, Policy: policy } as const satisfies Fields;

export interface KmsKeyPolicy extends FieldsOf<typeof KMS_KEY_POLICY> {}

/** How one principal is let into a cluster, by `aws eks describe-access-entry`. */
export const ACCESS_ENTRY = {
  accessEntryArn: text,
  clusterName: text,
  createdAt: text,
  kubernetesGroups: [text],
  principalArn: always(text),
  /** `STANDARD`, `EC2_LINUX`, `EC2_WINDOWS`, `EC2`, … */
  type: text,
  username: text,
} as const satisfies Fields;

export interface AccessEntry extends FieldsOf<typeof ACCESS_ENTRY> {}

/** ARNs of all principals that have an access entry. */
export const ACCESS_ENTRY_LIST = [text] as const;

export type AccessEntryList = ValueOf<typeof ACCESS_ENTRY_LIST>;

export const ACCESS_POLICIES = {
  associatedAccessPolicies: [{ accessScope: { type: text }, policyArn: text }],
  clusterName: text,
  principalArn: text,
} as const satisfies Fields;

export interface AccessPolicies extends FieldsOf<typeof ACCESS_POLICIES> {}

/** By `list-` and by `describe-pod-identity-association`; the list shows no role. */
export const POD_IDENTITY_ASSOCIATION = {
  associationId: text,
  clusterName: text,
  createdAt: shown(text),
  disableSessionTags: shown(flag),
  namespace: text,
  roleArn: shown(text),
  serviceAccount: text,
  targetRoleArn: shown(text),
} as const satisfies Fields;

export interface PodIdentityAssociation extends FieldsOf<typeof POD_IDENTITY_ASSOCIATION> {}

export const REGISTRY_AUTHORIZATION = {
  expiresAt: text,
  proxyEndpoint: text,
} as const satisfies Fields;

export interface RegistryAuthorization extends FieldsOf<typeof REGISTRY_AUTHORIZATION> {}

/** An event of CloudTrail. */
export const TRAIL_EVENT = {
  EventName: text,
  EventSource: text,
  EventTime: text,
  Resources: [{ ResourceName: text, ResourceType: text }],
  Username: text,
} as const satisfies Fields;

export interface TrailEvent extends FieldsOf<typeof TRAIL_EVENT> {}
