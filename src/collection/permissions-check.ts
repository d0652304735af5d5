import { at, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { AwsApi, AwsService } from '../ports/aws-api.ts';
import { AWS_SERVICES, RESTART_DOCUMENT } from '../ports/aws-api.ts';
import type { KubeApi } from '../ports/kube-api.ts';
import { PortError } from '../ports/port-error.ts';
import { limiter } from './asking.ts';
import { isNarrow, type KubePermission, resourceText } from './permissions.ts';

export type Granted = 'yes' | 'no' | 'unknown';

/** Whether the present identity may do one thing, and how that was found out. */
export interface PermissionAnswer {
  /** `list nodes`, `get pods/log`, `ec2:DescribeInstances`. */
  readonly permission: string;
  readonly granted: Granted;
  /** A phrase: `access review`, `simulated`, `asked`, or why nobody knows. */
  readonly how: string;
  readonly isOptional: boolean;
}

const PARALLEL_MAX = 8;

function kubeText(one: KubePermission): string {
  const group = one.group === '' ? '' : `.${one.group}`;
  const where = one.namespace === null ? '' : ` in ${one.namespace}`;
  return `${one.verb} ${resourceText(one)}${group}${where}`;
}

async function kubeAnswer(
  kube: KubeApi,
  one: KubePermission,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { verb, group, resource, subresource, namespace, isOptional } = one;
  const access = { verb, group, resource, namespace };
  const permission = kubeText(one);
  try {
    const asked = subresource === null ? access : { ...access, subresource };
    const granted = (await kube.mayI(asked, signal)) ? 'yes' : 'no';
    return { permission, granted, how: 'access review', isOptional };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { permission, granted: 'unknown', how: error.message, isOptional };
  }
}

/** Asks the authorizer of the API server, which changes nothing. */
export async function checkKube(
  kube: KubeApi,
  permissions: readonly KubePermission[],
  signal: AbortSignal,
): Promise<readonly PermissionAnswer[]> {
  const limited = limiter(PARALLEL_MAX);
  return Promise.all(permissions.map((one) => limited(async () => kubeAnswer(kube, one, signal))));
}

async function firstPage(
  aws: AwsApi,
  service: AwsService,
  operation: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  for await (const page of aws.pages({ service, operation, input }, signal)) return page;
  return {};
}

const ASSUMED = /^arn:(aws[\w-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]{1,64})\//;
const PRINCIPAL = /^arn:aws[\w-]*:iam::\d{12}:(?:user|role)\//;

/** The ARN that IAM simulates: that of the role behind a session; null for root and federation. */
async function principalOf(aws: AwsApi, arn: string, signal: AbortSignal): Promise<string | null> {
  if (PRINCIPAL.test(arn)) return arn;
  const [, partition = '', account = '', role] = ASSUMED.exec(arn) ?? [];
  if (role === undefined) return null;
  try {
    // A session does not name the path of its role, and IAM Identity Center uses one.
    const answer = await firstPage(aws, 'iam', 'GetRole', { RoleName: role }, signal);
    return textAt(answer, 'Role.Arn');
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return `arn:${partition}:iam::${account}:role/${role}`;
  }
}

type Decisions = ReadonlyMap<string, string>;

/** What IAM says of each action; null when this identity may not ask, or is none that it knows. */
async function simulate(
  aws: AwsApi,
  actions: readonly string[],
  signal: AbortSignal,
): Promise<Decisions | null> {
  try {
    const caller = await firstPage(aws, 'sts', 'GetCallerIdentity', {}, signal);
    const principal = await principalOf(aws, textAt(caller, 'Arn') ?? '', signal);
    if (principal === null) return null;
    const input = { PolicySourceArn: principal, ActionNames: [...actions] };
    const call = { service: 'iam', operation: 'SimulatePrincipalPolicy', input } as const;
    const decisions = new Map<string, string>();
    for await (const page of aws.pages(call, signal))
      for (const one of listAt(page, 'EvaluationResults'))
        decisions.set(textAt(one, 'EvalActionName') ?? '', textAt(one, 'EvalDecision') ?? '');
    return decisions.size === 0 ? null : decisions;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return null;
  }
}

const NO_INSTANCE = 'i-00000000000000000';
const NO_NAME = 'rollcall-permission-check';
const ONE_PAGE = { MaxResults: 5 };

const NO_KEY = '00000000-0000-0000-0000-000000000000';

/** Inputs that name nothing which exists: a permitted call answers that it is not there. */
const INPUTS: Readonly<Record<string, JsonObject>> = {
  'autoscaling:DescribeAutoScalingGroups': { MaxRecords: 1 },
  'autoscaling:DescribeAutoScalingInstances': { MaxRecords: 1 },
  'autoscaling:DescribeScalingActivities': { MaxRecords: 1 },
  'autoscaling:DescribeInstanceRefreshes': { AutoScalingGroupName: NO_NAME },
  'autoscaling:DescribeLaunchConfigurations': { MaxRecords: 1 },
  'autoscaling:DescribeLifecycleHooks': { AutoScalingGroupName: NO_NAME },
  'cloudformation:DescribeStackEvents': { StackName: NO_NAME },
  'cloudformation:ListStacks': { StackStatusFilter: ['CREATE_FAILED'] },
  'cloudtrail:LookupEvents': { MaxResults: 1 },
  'ec2:DescribeInstanceAttribute': { InstanceId: NO_INSTANCE, Attribute: 'userData' },
  'ec2:DescribeInstanceTypes': { InstanceTypes: ['m5.large'] },
  'ec2:DescribeImages': { Filters: [{ Name: 'image-id', Values: ['ami-00000000000000000'] }] },
  'ec2:DescribeLaunchTemplateVersions': { LaunchTemplateId: 'lt-00000000000000000' },
  'ec2:DescribeVpcAttribute': { VpcId: 'vpc-00000000000000000', Attribute: 'enableDnsSupport' },
  'ec2:GetConsoleOutput': { InstanceId: NO_INSTANCE },
  'ec2:GetEbsDefaultKmsKeyId': {},
  'ecr:GetAuthorizationToken': {},
  'iam:GetInstanceProfile': { InstanceProfileName: NO_NAME },
  'iam:GetOpenIDConnectProvider': {
    OpenIDConnectProviderArn: `arn:aws:iam::000000000000:oidc-provider/${NO_NAME}`,
  },
  'iam:GetPolicy': { PolicyArn: `arn:aws:iam::000000000000:policy/${NO_NAME}` },
  'iam:GetPolicyVersion': {
    PolicyArn: `arn:aws:iam::000000000000:policy/${NO_NAME}`,
    VersionId: 'v1',
  },
  'iam:GetRolePolicy': { RoleName: NO_NAME, PolicyName: NO_NAME },
  'iam:ListOpenIDConnectProviders': {},
  'kms:DescribeKey': { KeyId: NO_KEY },
  'kms:GetKeyPolicy': { KeyId: NO_KEY, PolicyName: 'default' },
  'ssm:DescribeInstanceInformation': { MaxResults: 5 },
  'ssm:GetDocument': { Name: RESTART_DOCUMENT },
  'ssm:ListCommands': { MaxResults: 1 },
  'ssm:GetCommandInvocation': { CommandId: NO_KEY, InstanceId: NO_INSTANCE },
  'logs:FilterLogEvents': { logGroupName: `/aws/eks/${NO_NAME}/cluster`, limit: 1 },
  'route53:ListResourceRecordSets': { HostedZoneId: 'Z00000000000000000000', MaxItems: 1 },
};

function inputOf(action: string, region: string | null): JsonObject | null {
  const [service = '', operation = ''] = action.split(':');
  const known = Object.hasOwn(INPUTS, action) ? INPUTS[action] : undefined;
  if (known !== undefined) return known;
  if (service === 'ec2') return ONE_PAGE;
  if (service === 'iam') return operation.includes('Role') ? { RoleName: NO_NAME } : null;
  if (action === 'route53:ListHostedZonesByVPC')
    return { VPCId: 'vpc-00000000000000000', VPCRegion: region ?? 'us-east-1', MaxItems: 1 };
  if (service !== 'eks') return null;
  if (operation === 'DescribeCluster') return { name: NO_NAME };
  const only: Readonly<Record<string, JsonObject>> = {
    DescribeNodegroup: { nodegroupName: NO_NAME },
    DescribeAddon: { addonName: NO_NAME },
    DescribeAccessEntry: { principalArn: `arn:aws:iam::000000000000:role/${NO_NAME}` },
    ListUpdates: { name: NO_NAME },
    DescribeUpdate: { name: NO_NAME, updateId: NO_KEY },
    DescribeInsight: { id: NO_KEY },
    ListAssociatedAccessPolicies: {
      principalArn: `arn:aws:iam::000000000000:role/${NO_NAME}`,
    },
    DescribePodIdentityAssociation: { associationId: 'a-00000000000000000' },
  };
  if (operation === 'ListClusters') return {};
  const own = only[operation];
  return at(own, 'name') === undefined ? { clusterName: NO_NAME, ...own } : (own ?? null);
}

/** Failures that only somebody permitted is told. */
const AFTER_PERMISSION: ReadonlySet<string> = new Set(['not-found', 'invalid', 'conflict']);

async function askOne(aws: AwsApi, action: string, signal: AbortSignal): Promise<PermissionAnswer> {
  const answer = (granted: Granted, how: string): PermissionAnswer => {
    return { permission: action, granted, how, isOptional: false };
  };
  const [name = '', operation = ''] = action.split(':');
  const service = AWS_SERVICES.find((one) => one === name);
  const input = inputOf(action, aws.region);
  if (service === undefined || input === null)
    return answer('unknown', 'no cheap call tests it; IAM can simulate it');
  try {
    await firstPage(aws, service, operation, input, signal);
    return answer('yes', 'asked');
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'denied') return answer('no', 'asked');
    return AFTER_PERMISSION.has(error.failure)
      ? answer('yes', 'asked')
      : answer('unknown', error.message);
  }
}

function simulated(action: string, decision: string | undefined): PermissionAnswer {
  const granted = decision === undefined ? 'unknown' : decision === 'allowed' ? 'yes' : 'no';
  const how = decision === 'explicitDeny' ? 'simulated: a policy denies it' : 'simulated';
  return { permission: action, granted, how, isOptional: false };
}

/** Granted on one document, of which a simulation without resources says nothing. */
function sendsCommand(permission: string): PermissionAnswer {
  const command = permission.includes('/') ? 'fix node --yes' : 'diagnose --ssm';
  const how = `only sending a command tests it: rollcall ${command}`;
  return { permission, granted: 'unknown', how, isOptional: false };
}

/**
 * Asks IAM to simulate the actions (`iam:SimulatePrincipalPolicy`), else makes the cheapest call of
 * each. Nothing is written.
 */
export async function checkAws(
  aws: AwsApi,
  actions: readonly string[],
  signal: AbortSignal,
): Promise<readonly PermissionAnswer[]> {
  const tested = actions.filter((action) => !isNarrow(action));
  const narrow = actions.filter(isNarrow);
  const untested = narrow.filter((action) => !Object.hasOwn(INPUTS, action)).map(sendsCommand);
  const decisions = await simulate(aws, tested, signal);
  const limited = limiter(PARALLEL_MAX);
  const onNamed = narrow.filter((action) => Object.hasOwn(INPUTS, action));
  const toAsk = [...(decisions === null ? tested : []), ...onNamed];
  const asked = await Promise.all(
    toAsk.map((action) => limited(async () => askOne(aws, action, signal))),
  );
  const told = decisions === null ? [] : tested.map((one) => simulated(one, decisions.get(one)));
  return [...told, ...asked, ...untested];
}
