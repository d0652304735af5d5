/** What our adapter reads over the wire is what the model says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALLS } from '../../../src/adapters/aws/calls.ts';
import { testClock } from '../../../src/adapters/aws/testing.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { AwsApi, AwsCall, AwsService } from '../../../src/ports/aws-api.ts';
import { awsPort } from '../../../src/sim/aws/port.ts';
import { awsContract } from '../../ports/aws-api.contract.ts';
import type { SmallAws } from '../../sim/aws/world.ts';
import { awsSite } from './site.ts';

awsContract({
  name: 'simulated, over the wire',
  skip: false,
  open: async (t) => {
    const { aws, opened, launch } = await awsSite(t);
    return {
      aws: opened,
      launch: async (count) => Array.from({ length: count }, () => launch()),
      deny: (permission) => {
        aws.controls.deny(permission);
      },
      throttle: (permission, times) => {
        aws.controls.throttle(permission, times);
      },
    };
  },
});

const CLUSTER = { clusterName: 'lab' };

/** Things of every kind, so that no list is empty where the model has one. */
function furnish(world: SmallAws): Readonly<Record<string, JsonObject>> {
  const { aws, imageId, profileArn, roleArn, subnetIds, vpcId, launch } = world;
  const { controls } = aws;
  const instanceId = launch();
  aws.appendConsole(instanceId, 'boot <ok> & "done"\r\n\u0007\n');
  launch({ isSpot: true });
  controls.setTags(instanceId, { Name: 'a & b', 'kubernetes.io/cluster/lab': 'owned' });
  controls.createInternetGateway(vpcId);
  controls.createNatGateway(subnetIds[1]);
  controls.createVpcEndpoint({ vpcId, service: 'sts', subnetIds });
  controls.leakInterfaces(subnetIds[0], 1);
  controls.createCluster({ name: 'lab', version: '1.34', roleArn, vpcId, subnetIds });
  const provider = controls.createOidcProvider('lab');
  const launchTemplateId = controls.createLaunchTemplate({
    name: 'lab',
    asked: { ImageId: imageId, InstanceType: 'm5.large', IamInstanceProfile: { Arn: profileArn } },
  });
  const group = controls.createNodegroup({
    cluster: 'lab',
    name: 'workers',
    nodeRole: roleArn,
    subnetIds,
    launchTemplateId,
    instanceTypes: ['m5.large'],
    desiredSize: 2,
  });
  controls.createAccessEntry({ cluster: 'lab', principalArn: roleArn, type: 'EC2_LINUX' });
  controls.createAddon('lab', {
    name: 'vpc-cni',
    version: 'v1.20.4-eksbuild.1',
    configuration: '{}',
  });
  const pod = { cluster: 'lab', namespace: 'shop', serviceAccount: 'web', roleArn };
  controls.createPodIdentity(pod);
  furnishOthers(world);
  furnishLogs(world);
  world.output('eks', 'UpdateNodegroupConfig', {
    clusterName: 'lab',
    nodegroupName: 'workers',
    scalingConfig: { desiredSize: 3 },
  });
  world.output('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName: group });
  world.pass(900_000);
  return inputs({ ...world, instanceId, launchTemplateId, provider, group });
}

function furnishOthers({ aws, vpcId, kernel, roleArn }: SmallAws): void {
  const { controls } = aws;
  const now = new Date(kernel.nowMs()).toISOString();
  controls.put('key', 'k1', {
    KeyId: 'k1',
    Arn: 'arn:aws:kms:us-west-2:123456789012:key/k1',
    Enabled: true,
    KeyState: 'Enabled',
    CreationDate: now,
    Policy: '{"Statement":[]}',
    Aliases: ['alias/aws/ebs'],
  });
  controls.put('hosted-zone', 'Z1', { HostedZoneId: 'Z1', Name: 'lab.internal.', VpcIds: [vpcId] });
  const record = {
    HostedZoneId: 'Z1',
    Type: 'A',
    TTL: 60,
    ResourceRecords: [{ Value: '10.0.0.9' }],
  };
  for (const Name of ['api.lab.internal.', 'db.lab.internal.'])
    controls.put('record-set', Name, { ...record, Name });
  const stack = { StackId: 'arn:stack', StackName: 'nodes' };
  controls.put('stack', 'nodes', { ...stack, CreationTime: now, StackStatus: 'CREATE_COMPLETE' });
  controls.put('stack-event', 'e1', {
    ...stack,
    EventId: 'e1',
    Timestamp: now,
    LogicalResourceId: 'Role',
    PhysicalResourceId: roleArn,
    ResourceStatus: 'CREATE_FAILED',
    ResourceStatusReason: 'because',
  });
  controls.put('insight', 'n1', {
    clusterName: 'lab',
    id: 'n1',
    name: 'EKS add-on version compatibility',
    category: 'UPGRADE_READINESS',
    lastRefreshTime: now,
    insightStatus: { status: 'PASSING', reason: 'fine' },
  });
}

const GROUP = '/aws/eks/lab/cluster';
const DOCUMENT = 'Rollcall-ReadLogs';

/** Agents that answer what they are asked, and a control plane that has written something. */
function furnishLogs({ aws: { controls }, kernel }: SmallAws): void {
  const { grants, logGroups } = controls.account;
  const inline = { ssm: { Statement: [{ Effect: 'Allow', Action: 'ssm:*', Resource: '*' }] } };
  const before = grants.get('lab-node') ?? assert.fail('the role of the nodes');
  grants.set('lab-node', { ...before, inline }, kernel.nowMs());
  controls.setAgents((_id, script, done) => {
    done(`${script} <ok>`);
    return true;
  });
  const mainSteps = [{ name: 'kubelet', inputs: { runCommand: ['journalctl'] } }];
  controls.put('document', DOCUMENT, { Name: DOCUMENT, Content: { mainSteps } });
  controls.put('command', 'c-1', {
    CommandId: 'c-1',
    DocumentName: DOCUMENT,
    Comment: 'a & b',
    InstanceIds: [],
    RequestedDateTime: new Date(kernel.nowMs()).toISOString(),
  });
  const line = { atMs: kernel.nowMs(), text: 'level=warning msg="access denied"' };
  logGroups.set(GROUP, new Map([['authenticator-1', () => [line]]]));
}

interface Furnished extends SmallAws {
  readonly instanceId: string;
  readonly launchTemplateId: string;
  readonly provider: string;
  readonly group: string;
}

/** Inputs of the calls that need one. */
function inputs(world: Furnished): Readonly<Record<string, JsonObject>> {
  const { instanceId, launchTemplateId, provider, group, roleArn, vpcId, aws } = world;
  const managed = 'arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy';
  const role = { RoleName: 'lab-node' };
  const association = aws.controls.account.plain['pod-identity'].ids()[0] ?? '';
  const update = aws.controls.account.plain.update.ids()[0] ?? '';
  aws.controls.denyRole('lab-node', 'ec2:RunInstances');
  return {
    DescribeInstanceAttribute: { InstanceId: instanceId, Attribute: 'instanceType' },
    DescribeLaunchTemplateVersions: { LaunchTemplateId: launchTemplateId },
    DescribeInstanceTypes: { InstanceTypes: ['m5.large', 'p4d.24xlarge', 'm7g.large'] },
    DescribeInstanceTypeOfferings: {
      LocationType: 'availability-zone',
      Filters: [{ Name: 'instance-type', Values: ['m5.*'] }],
    },
    GetSpotPlacementScores: {
      InstanceTypes: ['m5.large'],
      TargetCapacity: 2,
      SingleAvailabilityZone: true,
    },
    DescribeSpotPriceHistory: { InstanceTypes: ['m5.large'], StartTime: '2026-03-01T00:00:00Z' },
    DescribeVpcAttribute: { VpcId: vpcId, Attribute: 'enableDnsHostnames' },
    GetConsoleOutput: { InstanceId: instanceId },
    DescribeInstanceRefreshes: { AutoScalingGroupName: group },
    DescribeLifecycleHooks: { AutoScalingGroupName: group },
    DescribeAccessEntry: { ...CLUSTER, principalArn: roleArn },
    DescribeAddon: { ...CLUSTER, addonName: 'vpc-cni' },
    DescribeCluster: { name: 'lab' },
    DescribeInsight: { ...CLUSTER, id: 'n1' },
    DescribeNodegroup: { ...CLUSTER, nodegroupName: 'workers' },
    DescribePodIdentityAssociation: { ...CLUSTER, associationId: association },
    DescribeUpdate: { name: 'lab', nodegroupName: 'workers', updateId: update },
    ListAccessEntries: CLUSTER,
    ListAddons: CLUSTER,
    ListAssociatedAccessPolicies: { ...CLUSTER, principalArn: roleArn },
    ListInsights: CLUSTER,
    ListNodegroups: CLUSTER,
    ListPodIdentityAssociations: CLUSTER,
    ListUpdates: { name: 'lab', nodegroupName: 'workers' },
    GetInstanceProfile: { InstanceProfileName: 'lab-node' },
    GetOpenIDConnectProvider: { OpenIDConnectProviderArn: provider },
    GetPolicy: { PolicyArn: managed },
    GetPolicyVersion: { PolicyArn: managed, VersionId: 'v1' },
    GetRole: role,
    GetRolePolicy: { ...role, PolicyName: 'deny-ec2:RunInstances' },
    ListAttachedRolePolicies: role,
    ListRolePolicies: role,
    SimulatePrincipalPolicy: { PolicySourceArn: roleArn, ActionNames: ['ec2:RunInstances'] },
    DescribeStackEvents: { StackName: 'nodes' },
    DescribeKey: { KeyId: 'alias/aws/ebs' },
    GetKeyPolicy: { KeyId: 'k1', PolicyName: 'default' },
    ListHostedZonesByVPC: { VPCId: vpcId, VPCRegion: 'us-west-2' },
    ListResourceRecordSets: { HostedZoneId: 'Z1', MaxItems: '1' },
    FilterLogEvents: { logGroupName: GROUP },
    SendCommand: { DocumentName: DOCUMENT, InstanceIds: [instanceId] },
    GetCommandInvocation: {
      CommandId: '00000000-0000-0000-0000-000000000000',
      InstanceId: instanceId,
      PluginName: 'kubelet',
    },
    GetDocument: { Name: DOCUMENT },
    ListCommands: { Filters: [{ key: 'DocumentName', value: DOCUMENT }] },
    LookupEvents: { StartTime: '2026-03-01T00:00:00Z' },
  };
}

async function allPages(aws: AwsApi, call: AwsCall): Promise<readonly JsonObject[]> {
  const pages: JsonObject[] = [];
  for await (const page of aws.pages(call)) pages.push(page);
  return pages;
}

const EVERY = Object.entries(CALLS).flatMap(([service, operations]) =>
  Object.keys(operations).map((operation) => [service as AwsService, operation] as const),
);

/** What a list has nothing of in this world. */
const EMPTY = new Set([
  'DescribeLaunchConfigurations',
  'DescribeLifecycleHooks',
  'ListAssociatedAccessPolicies',
]);
/** A new token or command each time; a console loses what XML cannot hold. */
const DIFFER = new Set(['GetAuthorizationToken', 'GetConsoleOutput', 'SendCommand']);

test('every call of the adapter is answered over the wire as by the model', async (t) => {
  const world = await awsSite(t, { isThrottled: false });
  const inputOf = furnish(world);
  const port = awsPort({ cloud: world.aws, identity: world.admin, clock: testClock() });
  for (const [service, operation] of EVERY) {
    const call = { service, operation, input: inputOf[operation] ?? {} };
    const wire = await allPages(world.opened, call);
    if (!DIFFER.has(operation)) assert.deepEqual(wire, await allPages(port, call), operation);
    const list = Object.values(wire[0] ?? {}).find(Array.isArray);
    if (list !== undefined && !EMPTY.has(operation)) assert.ok(list.length > 0, operation);
  }
});

test('a console comes as text', async (t) => {
  const { opened, launch, aws } = await awsSite(t);
  const InstanceId = launch();
  aws.appendConsole(InstanceId, 'boot <ok> & "done"\r\n');
  const call = { service: 'ec2', operation: 'GetConsoleOutput', input: { InstanceId } } as const;
  const [page] = await allPages(opened, call);
  assert.equal(page?.['Output'], 'boot <ok> & "done"\r\n');
});
