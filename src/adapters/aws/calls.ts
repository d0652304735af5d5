/**
 * The calls that Rollcall makes of AWS: an operation that is not here is refused. All of them
 * read; `SendCommand` runs one document here, whose commands print. Members, tokens and page limits are those of the API references of the services.
 */
import type { JsonObject } from '../../evidence/json.ts';
import { type AwsService, READING_DOCUMENT } from '../../ports/aws-api.ts';
import type { Reshape } from './reshape.ts';
import { consoleText, policies, withoutRawEvents, withoutTokens } from './reshape.ts';

export interface Paging {
  /** Which member of the next request takes which member of this answer. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The member that sets the page size and the most that the service accepts, if it has one. */
  readonly limit: { readonly member: string; readonly max: number } | null;
}

export interface CallShape {
  /** The member that every answer has; a document without it is not an answer to this call. */
  readonly result: string;
  /** null when the service answers all at once. */
  readonly paging: Paging | null;
  /** Members of the input that hold times, as ISO text in ours and dates in the SDK's. */
  readonly times: readonly string[];
  /** What the input must be for the call to be made at all; anything when not given. */
  readonly only?: (input: JsonObject) => boolean;
  /** Where `aws … --output json` prints something else than the service sent. */
  readonly reshape: Reshape | null;
}

/** Answers about pages, which the AWS command line does not print. */
export const PAGE_MEMBERS: readonly string[] = ['IsTruncated', 'MaxItems'];

function once(result: string, reshape: Reshape | null = null): CallShape {
  return { result, paging: null, times: [], reshape };
}

function paged(result: string, paging: Paging, times: readonly string[] = []): CallShape {
  return { result, paging, times, reshape: null };
}

function upTo(max: number, member = 'MaxResults'): Paging {
  return { tokens: { NextToken: 'NextToken' }, limit: { member, max } };
}

const EKS: Paging = {
  tokens: { nextToken: 'nextToken' },
  limit: { member: 'maxResults', max: 100 },
};
const IAM: Paging = { tokens: { Marker: 'Marker' }, limit: { member: 'MaxItems', max: 1000 } };
const STACKS: Paging = { tokens: { NextToken: 'NextToken' }, limit: null };
const RECORDS: Paging = {
  tokens: {
    StartRecordName: 'NextRecordName',
    StartRecordType: 'NextRecordType',
    StartRecordIdentifier: 'NextRecordIdentifier',
  },
  limit: { member: 'MaxItems', max: 300 },
};

type Calls = Readonly<Record<AwsService, Readonly<Record<string, CallShape>>>>;

export const CALLS: Calls = {
  ec2: {
    DescribeDhcpOptions: paged('DhcpOptions', upTo(1000)),
    DescribeIamInstanceProfileAssociations: paged('IamInstanceProfileAssociations', upTo(1000)),
    DescribeImages: paged('Images', upTo(1000)),
    DescribeInstanceAttribute: once('InstanceId'),
    DescribeInstanceStatus: paged('InstanceStatuses', upTo(1000)),
    DescribeInstanceTypes: paged('InstanceTypes', upTo(100)),
    DescribeInstances: paged('Reservations', upTo(1000)),
    DescribeLaunchTemplateVersions: paged('LaunchTemplateVersions', upTo(200)),
    DescribeLaunchTemplates: paged('LaunchTemplates', upTo(200)),
    DescribeNatGateways: paged('NatGateways', upTo(1000)),
    DescribeNetworkAcls: paged('NetworkAcls', upTo(1000)),
    DescribeNetworkInterfaces: paged('NetworkInterfaces', upTo(1000)),
    DescribeRouteTables: paged('RouteTables', upTo(100)),
    DescribeSecurityGroups: paged('SecurityGroups', upTo(1000)),
    DescribeSpotInstanceRequests: paged('SpotInstanceRequests', upTo(1000)),
    DescribeSpotPriceHistory: paged('SpotPriceHistory', upTo(1000), ['StartTime', 'EndTime']),
    DescribeSubnets: paged('Subnets', upTo(1000)),
    DescribeVpcAttribute: once('VpcId'),
    DescribeVpcEndpoints: paged('VpcEndpoints', upTo(1000)),
    DescribeVpcs: paged('Vpcs', upTo(1000)),
    GetConsoleOutput: once('InstanceId', consoleText),
    GetEbsDefaultKmsKeyId: once('KmsKeyId'),
    GetSpotPlacementScores: paged('SpotPlacementScores', upTo(1000)),
  },
  autoscaling: {
    DescribeAutoScalingGroups: paged('AutoScalingGroups', upTo(100, 'MaxRecords')),
    DescribeAutoScalingInstances: paged('AutoScalingInstances', upTo(50, 'MaxRecords')),
    DescribeInstanceRefreshes: paged('InstanceRefreshes', upTo(100, 'MaxRecords')),
    DescribeLaunchConfigurations: paged('LaunchConfigurations', upTo(100, 'MaxRecords')),
    DescribeLifecycleHooks: once('LifecycleHooks'),
    DescribeScalingActivities: paged('Activities', upTo(100, 'MaxRecords')),
  },
  eks: {
    DescribeAccessEntry: once('accessEntry'),
    DescribeAddon: once('addon'),
    DescribeCluster: once('cluster'),
    DescribeInsight: once('insight'),
    DescribeNodegroup: once('nodegroup'),
    DescribePodIdentityAssociation: once('association'),
    DescribeUpdate: once('update'),
    ListAccessEntries: paged('accessEntries', EKS),
    ListAddons: paged('addons', EKS),
    ListAssociatedAccessPolicies: paged('associatedAccessPolicies', EKS),
    ListClusters: paged('clusters', EKS),
    ListInsights: paged('insights', EKS),
    ListNodegroups: paged('nodegroups', EKS),
    ListPodIdentityAssociations: paged('associations', EKS),
    ListUpdates: paged('updateIds', EKS),
  },
  iam: {
    GetInstanceProfile: once('InstanceProfile', policies),
    GetOpenIDConnectProvider: once('Url'),
    GetPolicy: once('Policy'),
    GetPolicyVersion: once('PolicyVersion', policies),
    GetRole: once('Role', policies),
    GetRolePolicy: once('PolicyDocument', policies),
    ListAttachedRolePolicies: paged('AttachedPolicies', IAM),
    ListOpenIDConnectProviders: once('OpenIDConnectProviderList'),
    ListRolePolicies: paged('PolicyNames', IAM),
    SimulatePrincipalPolicy: paged('EvaluationResults', IAM),
  },
  sts: { GetCallerIdentity: once('Arn') },
  cloudformation: {
    DescribeStackEvents: paged('StackEvents', STACKS),
    ListStacks: paged('StackSummaries', STACKS),
  },
  kms: { DescribeKey: once('KeyMetadata'), GetKeyPolicy: once('Policy') },
  route53: {
    ListHostedZonesByVPC: paged('HostedZoneSummaries', upTo(100, 'MaxItems')),
    ListResourceRecordSets: paged('ResourceRecordSets', RECORDS),
  },
  ecr: { GetAuthorizationToken: once('authorizationData', withoutTokens) },
  cloudtrail: {
    LookupEvents: {
      ...paged('Events', upTo(50), ['StartTime', 'EndTime']),
      reshape: withoutRawEvents,
    },
  },
  logs: {
    FilterLogEvents: paged('events', {
      tokens: { nextToken: 'nextToken' },
      limit: { member: 'limit', max: 10_000 },
    }),
  },
  ssm: {
    DescribeInstanceInformation: paged('InstanceInformationList', upTo(50)),
    GetCommandInvocation: once('Status'),
    GetDocument: once('Content'),
    ListCommands: paged('Commands', upTo(50)),
    SendCommand: {
      ...once('Command'),
      only: ({ DocumentName, Parameters }) =>
        DocumentName === READING_DOCUMENT && Parameters === undefined,
    },
  },
};

/** @returns null for an operation that Rollcall does not make */
export function shapeOf(service: AwsService, operation: string): CallShape | null {
  const shapes = CALLS[service];
  return Object.hasOwn(shapes, operation) ? (shapes[operation] ?? null) : null;
}
