import type { Instance } from '../evidence/aws/instance.ts';
import type { AutoScalingGroup } from '../evidence/aws/groups.ts';
import { itemsIn } from './answered.ts';
import { type JsonObject, listAt, textAt } from '../evidence/json.ts';
import { type Ask, type AwsSource, createAsk } from './asking.ts';
import { filters } from './aws-calls.ts';
import { askEks, askEntries } from './aws-eks.ts';
import { askKeys } from './aws-keys.ts';
import { askLaunches } from './aws-launches.ts';
import { askStacks } from './aws-stacks.ts';
import type { CollectedEvidence } from './document.ts';
import { hearRefusals, tellNowhere } from './nowhere.ts';
import { askTemplates } from './templates.ts';

export interface AwsTarget {
  /** null when nothing names the cluster; then the tags of known instances may. */
  readonly cluster: string | null;
  /** Instances behind the providerIDs of Nodes, and those that were asked about. */
  readonly instanceIds: readonly string[];
  /** Other words for a machine that was asked about: addresses, private DNS names. */
  readonly names: readonly string[];
  /** Ids of the instances behind the Nodes, once Kubernetes has told them. */
  readonly ofNodes: () => Promise<readonly string[]>;
  /** ms since the epoch. */
  readonly nowMs: number;
}

export interface AwsFindings {
  readonly cluster: string | null;
  /** Several names where the instances carry tags of several clusters. */
  readonly clusters: readonly string[];
  readonly instances: readonly Instance[];
}

/** Profiles and roles that are looked at at most. */
const ROLES_MAX = 20;

function unique(values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== null && value !== ''))] as string[];
}

function instancesIn(answers: readonly JsonObject[]): readonly Instance[] {
  const reservations = answers.flatMap((answer) => listAt(answer, 'Reservations'));
  return itemsIn(reservations, 'Instances', 'aws/instance');
}

/** Names of clusters that an instance's tags give. */
export function clustersOf(instance: Instance): readonly string[] {
  return (instance.Tags ?? []).flatMap((tag) => {
    const key = tag.Key ?? '';
    if (key.startsWith('kubernetes.io/cluster/'))
      return [key.slice('kubernetes.io/cluster/'.length)];
    return /^(?:aws:)?eks:cluster-name$/.test(key) ? [tag.Value ?? ''] : [];
  });
}

/** Reads everything of AWS that causes read of one cluster. */
export async function collectAws(
  source: AwsSource,
  target: AwsTarget,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<AwsFindings> {
  const heard = hearRefusals(evidence);
  const ask = createAsk(source, heard.evidence, signal);
  const known = await askKnownInstances(ask, target);
  const clusters = target.cluster === null ? unique(known.flatMap(clustersOf)) : [target.cluster];
  const cluster = clusters.length === 1 ? (clusters[0] ?? null) : null;
  if (cluster === null) return { cluster: null, clusters, instances: known };
  const description = ask({
    service: 'eks',
    operation: 'DescribeCluster',
    input: { name: cluster },
    isOptional: true,
  });
  const about = { ask, cluster, known, description, target };
  // What EKS knows hangs on nothing else, and nothing else waits for it.
  const [parts] = await Promise.all([askParts(about), askEks(ask, cluster, description)]);
  if (parts.found === 0) await tellNowhere(source.aws, cluster, heard, ask);
  tellOtherCluster(cluster, parts.tagless, evidence);
  return { cluster, clusters, instances: [...parts.instances, ...parts.tagless] };
}

interface About {
  readonly ask: Ask;
  readonly cluster: string;
  readonly known: readonly Instance[];
  readonly description: Promise<readonly JsonObject[]>;
  readonly target: AwsTarget;
}

interface Parts {
  readonly instances: readonly Instance[];
  /** Instances behind Nodes that do not carry the cluster's tag. */
  readonly tagless: readonly Instance[];
  /** How many things of the cluster there are. */
  readonly found: number;
}

/** Machines and groups of the cluster, and what they stand on. */
async function askParts({ ask, cluster, known, target, ...about }: About): Promise<Parts> {
  const [tagged, description, groups] = await Promise.all([
    askTagged(ask, cluster),
    about.description,
    askGroups(ask, cluster),
    ask({ service: 'sts', operation: 'GetCallerIdentity', input: {} }),
  ]);
  const instances = [...known, ...tagged];
  const [activities, templates, tagless] = await Promise.all([
    askLaunches(ask, groups, instances, target.nowMs),
    askTemplates(ask, groups),
    askTagless(ask, target, instances),
    askNetwork(ask, instances, description),
    askStatus(ask, instances),
    askTypes(ask, instances),
    askIdentity(ask, instances, description, cluster),
    askStacks(ask, { cluster, groups, instances, description, nowMs: target.nowMs }),
  ]);
  await askKeys(ask, { instances, activities, templates });
  const found = instances.length + groups.length + description.length + tagless.length;
  return { instances, tagless, found };
}

async function askKnownInstances(ask: Ask, target: AwsTarget): Promise<readonly Instance[]> {
  const byNames = target.names.flatMap((name) =>
    ['private-dns-name', 'private-ip-address'].map((filter) =>
      ask(describeInstances({ Filters: filters({ [filter]: [name] }) })),
    ),
  );
  const [byId, answers] = await Promise.all([
    askIds(ask, target.instanceIds),
    Promise.all(byNames),
  ]);
  return [...byId, ...instancesIn(answers.flat())];
}

/** Instances behind Nodes that do not carry the tag of the cluster. */
async function askTagless(
  ask: Ask,
  { ofNodes }: AwsTarget,
  seen: readonly Instance[],
): Promise<readonly Instance[]> {
  const ids = new Set(await ofNodes());
  for (const instance of seen) ids.delete(instance.InstanceId ?? '');
  return askIds(ask, [...ids]);
}

/** Asked by filter, not by id: one unknown id would make the whole call fail. */
async function askIds(ask: Ask, all: readonly string[]): Promise<readonly Instance[]> {
  const batches = batched(all, 200).map((ids) =>
    ask(describeInstances({ Filters: filters({ 'instance-id': ids }) })),
  );
  return instancesIn((await Promise.all(batches)).flat());
}

/** Says that the cluster which was named is not the one to which the Nodes' instances belong. */
function tellOtherCluster(
  named: string,
  tagless: readonly Instance[],
  evidence: CollectedEvidence,
): void {
  const others = unique(tagless.flatMap(clustersOf)).filter((name) => name !== named);
  if (others.length === 0) return;
  evidence.refuse({
    call: 'aws',
    failure: 'not-configured',
    message:
      `Instances behind the Nodes carry the tag of ${others.slice(0, 3).join(', ')}, not of ` +
      `${named}; use --cluster ${others[0] ?? ''}`,
    permission: null,
  });
}

function describeInstances(input: JsonObject) {
  return { service: 'ec2', operation: 'DescribeInstances', input } as const;
}

function batched(values: readonly string[], size: number): readonly (readonly string[])[] {
  const batches: string[][] = [];
  for (let from = 0; from < values.length; from += size)
    batches.push(values.slice(from, from + size));
  return batches;
}

async function askTagged(ask: Ask, cluster: string): Promise<readonly Instance[]> {
  const input = { Filters: filters({ 'tag-key': [`kubernetes.io/cluster/${cluster}`] }) };
  return instancesIn(await ask(describeInstances(input)));
}

async function askGroups(ask: Ask, cluster: string): Promise<readonly AutoScalingGroup[]> {
  const answers = await ask({
    service: 'autoscaling',
    operation: 'DescribeAutoScalingGroups',
    input: { Filters: filters({ 'tag-key': [`kubernetes.io/cluster/${cluster}`] }) },
  });
  return itemsIn(answers, 'AutoScalingGroups', 'aws/auto-scaling-group');
}

async function askNetwork(
  ask: Ask,
  instances: readonly Instance[],
  description: readonly JsonObject[],
): Promise<void> {
  const vpcs = unique([
    ...instances.map((instance) => instance.VpcId ?? null),
    ...description.map((answer) => textAt(answer, 'cluster.resourcesVpcConfig.vpcId')),
  ]);
  if (vpcs.length === 0) return;
  const inVpc = (operation: string, name = 'vpc-id'): ReturnType<Ask> =>
    ask({ service: 'ec2', operation, input: { Filters: filters({ [name]: vpcs }) } });
  const [described] = await Promise.all([
    inVpc('DescribeVpcs'),
    inVpc('DescribeSubnets'),
    inVpc('DescribeRouteTables'),
    inVpc('DescribeNetworkAcls'),
    inVpc('DescribeSecurityGroups'),
    inVpc('DescribeVpcEndpoints'),
    ask({
      service: 'ec2',
      operation: 'DescribeNatGateways',
      input: { Filter: filters({ 'vpc-id': vpcs }) },
    }),
    inVpc('DescribeNetworkInterfaces'),
    ...vpcs.flatMap((VpcId) =>
      ['enableDnsHostnames', 'enableDnsSupport'].map((Attribute) =>
        ask({ service: 'ec2', operation: 'DescribeVpcAttribute', input: { VpcId, Attribute } }),
      ),
    ),
  ]);
  const options = unique(
    described.flatMap((answer) =>
      listAt(answer, 'Vpcs').map((vpc) => textAt(vpc, 'DhcpOptionsId')),
    ),
  ).filter((id) => id.startsWith('dopt-'));
  if (options.length > 0)
    await ask({
      service: 'ec2',
      operation: 'DescribeDhcpOptions',
      input: { DhcpOptionsIds: [...options] },
    });
}

async function askStatus(ask: Ask, instances: readonly Instance[]): Promise<void> {
  const ids = unique(instances.map((instance) => instance.InstanceId ?? null));
  await Promise.all(
    batched(ids, 100).map((batch) =>
      ask({
        service: 'ec2',
        operation: 'DescribeInstanceStatus',
        input: { IncludeAllInstances: true, InstanceIds: [...batch] },
      }),
    ),
  );
}

async function askTypes(ask: Ask, instances: readonly Instance[]): Promise<void> {
  const types = unique(instances.map((instance) => instance.InstanceType ?? null));
  const images = unique(instances.map((instance) => instance.ImageId ?? null));
  await Promise.all([
    ...batched(types, 100).map((batch) =>
      ask({
        service: 'ec2',
        operation: 'DescribeInstanceTypes',
        input: { InstanceTypes: [...batch] },
        isOptional: true,
      }),
    ),
    ...batched(images, 100).map((batch) =>
      ask({
        service: 'ec2',
        operation: 'DescribeImages',
        input: { Filters: filters({ 'image-id': batch }) },
      }),
    ),
  ]);
}

async function askIdentity(
  ask: Ask,
  instances: readonly Instance[],
  description: readonly JsonObject[],
  clusterName: string,
): Promise<void> {
  const profiles = ask.first(
    unique(
      instances.map(
        (instance) => (instance.IamInstanceProfile?.Arn ?? '').split('/').at(-1) ?? null,
      ),
    ),
    ROLES_MAX,
    'instance profiles',
  );
  const [described] = await Promise.all([
    Promise.all(
      profiles.map((InstanceProfileName) =>
        ask({ service: 'iam', operation: 'GetInstanceProfile', input: { InstanceProfileName } }),
      ),
    ),
    ask({ service: 'iam', operation: 'ListOpenIDConnectProviders', input: {} }),
  ]);
  const allRoles = unique([
    ...described
      .flat()
      .flatMap((answer) =>
        listAt(answer, 'InstanceProfile.Roles').map((role) => textAt(role, 'RoleName')),
      ),
    ...description.map(
      (answer) => (textAt(answer, 'cluster.roleArn') ?? '').split('/').at(-1) ?? '',
    ),
  ]);
  const roles = ask.first(allRoles, ROLES_MAX, 'roles');
  const allNodeRoles = unique(
    described
      .flat()
      .flatMap((answer) =>
        listAt(answer, 'InstanceProfile.Roles').map((role) => textAt(role, 'Arn')),
      ),
  );
  const nodeRoles = ask.first(allNodeRoles, ROLES_MAX, 'roles');
  await Promise.all([
    askEntries(ask, clusterName, nodeRoles),
    ...roles.flatMap((RoleName) => [
      ask({ service: 'iam', operation: 'GetRole', input: { RoleName } }),
      ask({ service: 'iam', operation: 'ListAttachedRolePolicies', input: { RoleName } }),
    ]),
  ]);
}
