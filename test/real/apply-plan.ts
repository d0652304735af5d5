/**
 * Makes what a plan of Terraform says by calls of the AWS SDK, as no provider of Terraform can be
 * built here. Values that are known after apply are taken from the resources that were made before.
 */
import { AutoScaling } from '@aws-sdk/client-auto-scaling';
import { EC2 } from '@aws-sdk/client-ec2';
import { EKS } from '@aws-sdk/client-eks';
import { IAM } from '@aws-sdk/client-iam';
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../src/evidence/json.ts';

export interface Clients {
  readonly ec2: EC2;
  readonly autoscaling: AutoScaling;
  readonly eks: EKS;
  readonly iam: IAM;
}

/** Clients of one AWS on loopback, with credentials that open nothing. */
export function clientsAt(endpoint: string, region: string): Clients {
  const credentials = { accessKeyId: 'testing', secretAccessKey: 'testing' };
  const settings = { region, endpoint, credentials, maxAttempts: 1 };
  return {
    ec2: new EC2(settings),
    autoscaling: new AutoScaling(settings),
    eks: new EKS(settings),
    iam: new IAM(settings),
  };
}

/** What a resource has once it is made, by the names of its attributes. */
type Attributes = Readonly<Record<string, string>>;

interface Planned {
  readonly address: string;
  readonly type: string;
  readonly values: JsonObject;
  /** Of its arguments, by their paths: what they refer to. */
  readonly refers: ReadonlyMap<string, readonly string[]>;
}

/** A resource whose references are values now. */
interface Ready {
  readonly text: (path: string) => string;
  readonly texts: (path: string) => readonly string[];
  readonly flag: (path: string) => boolean;
  readonly list: (path: string) => readonly Json[];
}

type Maker = (planned: Ready, clients: Clients) => Promise<Attributes>;

async function makeVpc({ text, flag }: Ready, { ec2 }: Clients): Promise<Attributes> {
  const { Vpc } = await ec2.createVpc({ CidrBlock: text('cidr_block') });
  const VpcId = Vpc?.VpcId ?? '';
  for (const name of ['enable_dns_support', 'enable_dns_hostnames'] as const) {
    const key = name === 'enable_dns_support' ? 'EnableDnsSupport' : 'EnableDnsHostnames';
    await ec2.modifyVpcAttribute({ VpcId, [key]: { Value: flag(name) } });
  }
  return { id: VpcId };
}

async function makeSubnet({ text, flag }: Ready, { ec2 }: Clients): Promise<Attributes> {
  const { Subnet } = await ec2.createSubnet({
    VpcId: text('vpc_id'),
    AvailabilityZone: text('availability_zone'),
    CidrBlock: text('cidr_block'),
  });
  const SubnetId = Subnet?.SubnetId ?? '';
  const MapPublicIpOnLaunch = { Value: flag('map_public_ip_on_launch') };
  await ec2.modifySubnetAttribute({ SubnetId, MapPublicIpOnLaunch });
  return { id: SubnetId };
}

async function makeGateway({ text }: Ready, { ec2 }: Clients): Promise<Attributes> {
  const { InternetGateway } = await ec2.createInternetGateway({});
  const InternetGatewayId = InternetGateway?.InternetGatewayId ?? '';
  await ec2.attachInternetGateway({ InternetGatewayId, VpcId: text('vpc_id') });
  return { id: InternetGatewayId };
}

async function makeRole({ text }: Ready, { iam }: Clients): Promise<Attributes> {
  const { Role } = await iam.createRole({
    RoleName: text('name'),
    Path: text('path'),
    AssumeRolePolicyDocument: text('assume_role_policy'),
  });
  return { arn: Role?.Arn ?? '', name: Role?.RoleName ?? '' };
}

async function makeProfile({ text }: Ready, { iam }: Clients): Promise<Attributes> {
  const InstanceProfileName = text('name');
  await iam.createInstanceProfile({ InstanceProfileName, Path: text('path') });
  await iam.addRoleToInstanceProfile({ InstanceProfileName, RoleName: text('role') });
  return { name: InstanceProfileName };
}

/** With the security group that EKS makes for a cluster. */
async function makeCluster({ text, texts }: Ready, { eks, ec2 }: Clients): Promise<Attributes> {
  const subnetIds = [...texts('vpc_config.subnet_ids')];
  const name = text('name');
  await eks.createCluster({
    name,
    version: text('version'),
    roleArn: text('role_arn'),
    resourcesVpcConfig: { subnetIds },
  });
  const { Subnets } = await ec2.describeSubnets({ SubnetIds: subnetIds });
  const { GroupId = '' } = await ec2.createSecurityGroup({
    GroupName: `eks-cluster-sg-${name}`,
    Description: 'made by EKS',
    VpcId: Subnets?.[0]?.VpcId ?? '',
  });
  const UserIdGroupPairs = [{ GroupId }];
  await ec2.authorizeSecurityGroupIngress({
    GroupId,
    IpPermissions: [{ IpProtocol: '-1', UserIdGroupPairs }],
  });
  return { name, 'vpc_config[0].cluster_security_group_id': GroupId };
}

async function makeTemplate({ text, texts }: Ready, { ec2 }: Clients): Promise<Attributes> {
  const { LaunchTemplate } = await ec2.createLaunchTemplate({
    LaunchTemplateName: text('name'),
    LaunchTemplateData: {
      ImageId: text('image_id'),
      InstanceType: text('instance_type') as 'm5.large',
      SecurityGroupIds: [...texts('vpc_security_group_ids')],
      UserData: text('user_data'),
      IamInstanceProfile: { Name: text('iam_instance_profile.name') },
      MetadataOptions: {
        HttpTokens: text('metadata_options.http_tokens') as 'required',
        HttpPutResponseHopLimit: Number(text('metadata_options.http_put_response_hop_limit')),
      },
    },
  });
  return { id: LaunchTemplate?.LaunchTemplateId ?? '' };
}

async function makeGroup({ text, texts, list }: Ready, clients: Clients): Promise<Attributes> {
  const name = text('name');
  await clients.autoscaling.createAutoScalingGroup({
    AutoScalingGroupName: name,
    MinSize: Number(text('min_size')),
    MaxSize: Number(text('max_size')),
    DesiredCapacity: Number(text('desired_capacity')),
    VPCZoneIdentifier: texts('vpc_zone_identifier').join(','),
    LaunchTemplate: {
      LaunchTemplateId: text('launch_template.id'),
      Version: text('launch_template.version'),
    },
    Tags: list('tag').map((tag) => ({
      Key: textAt(tag, 'key') ?? '',
      Value: textAt(tag, 'value') ?? '',
      PropagateAtLaunch: at(tag, 'propagate_at_launch') === true,
    })),
  });
  return { id: name };
}

const MAKERS: Readonly<Record<string, Maker>> = {
  aws_vpc: makeVpc,
  aws_subnet: makeSubnet,
  aws_internet_gateway: makeGateway,
  aws_route_table: async ({ text }, { ec2 }) => {
    const { RouteTable } = await ec2.createRouteTable({ VpcId: text('vpc_id') });
    return { id: RouteTable?.RouteTableId ?? '' };
  },
  aws_route: async ({ text }, { ec2 }) => {
    await ec2.createRoute({
      RouteTableId: text('route_table_id'),
      DestinationCidrBlock: text('destination_cidr_block'),
      GatewayId: text('gateway_id'),
    });
    return {};
  },
  aws_route_table_association: async ({ text }, { ec2 }) => {
    const place = { RouteTableId: text('route_table_id'), SubnetId: text('subnet_id') };
    await ec2.associateRouteTable(place);
    return {};
  },
  aws_iam_role: makeRole,
  aws_iam_role_policy_attachment: async ({ text }, { iam }) => {
    await iam.attachRolePolicy({ RoleName: text('role'), PolicyArn: text('policy_arn') });
    return {};
  },
  aws_iam_instance_profile: makeProfile,
  aws_eks_cluster: makeCluster,
  aws_eks_addon: async ({ text }, { eks }) => {
    const of = { clusterName: text('cluster_name'), addonName: text('addon_name') };
    await eks.createAddon(of);
    return {};
  },
  aws_launch_template: makeTemplate,
  aws_autoscaling_group: makeGroup,
};

/** The paths of arguments that refer to other resources; a block is a list of one. */
function refersIn(
  expressions: Json | undefined,
  path = '',
): readonly [string, readonly string[]][] {
  if (Array.isArray(expressions)) return expressions.flatMap((one) => refersIn(one, path));
  if (!isObject(expressions)) return [];
  const references = listAt(expressions, 'references').map(String);
  if (references.length > 0) return [[path, references]];
  return Object.entries(expressions).flatMap(([key, value]) =>
    refersIn(value, path === '' ? key : `${path}.${key}`),
  );
}

function plannedIn(plan: Json): readonly Planned[] {
  const configured = new Map(
    listAt(plan, 'configuration.root_module.resources').map((one) => [
      textAt(one, 'address'),
      at(one, 'expressions'),
    ]),
  );
  return listAt(plan, 'planned_values.root_module.resources').map((one) => {
    const address = textAt(one, 'address') ?? '';
    const values = at(one, 'values');
    return {
      address,
      type: textAt(one, 'type') ?? '',
      values: isObject(values) ? values : {},
      refers: new Map(refersIn(configured.get(address))),
    };
  });
}

type Made = ReadonlyMap<string, Attributes>;

/** Values of the plan, and where it has none, those of what an argument refers to. */
function readyOf({ address, values, refers }: Planned, made: Made): Ready {
  const list = (path: string): readonly Json[] => {
    const [block = '', key] = path.split('.');
    const found = values[block];
    const all = Array.isArray(found) ? found : [found ?? null];
    return key === undefined ? all : all.map((one) => at(one, key) ?? null);
  };
  const texts = (path: string): readonly string[] => {
    const known = list(path).filter((one) => one !== null);
    return known.length > 0 ? known.map(String) : referred(refers.get(path) ?? [], made);
  };
  return {
    list,
    texts,
    text: (path) => {
      const [text] = texts(path);
      if (text === undefined) throw new Error(`${address} has no ${path}`);
      return text;
    },
    flag: (path) => list(path)[0] === true,
  };
}

function referred(references: readonly string[], made: Made): readonly string[] {
  return references.flatMap((reference) =>
    [...made].flatMap(([address, attributes]) => {
      const value = reference.startsWith(`${address}.`)
        ? attributes[reference.slice(address.length + 1)]
        : undefined;
      return value === undefined ? [] : [value];
    }),
  );
}

function waitsFor({ refers }: Planned, left: ReadonlySet<string>): boolean {
  const references = [...refers.values()].flat();
  return references.some((reference) => left.has(reference));
}

/** Makes every resource of a plan, each after those that it refers to, and answers their addresses. */
export async function applyPlan(plan: Json, clients: Clients): Promise<readonly string[]> {
  const made = new Map<string, Attributes>();
  let left = plannedIn(plan);
  while (left.length > 0) {
    const addresses = new Set(left.map(({ address }) => address));
    const next = left.find((one) => !waitsFor(one, addresses));
    const make = MAKERS[next?.type ?? ''];
    if (next === undefined || make === undefined)
      throw new Error(`cannot be made: ${next?.address ?? [...addresses].join(', ')}`);
    made.set(next.address, await make(readyOf(next, made), clients));
    left = left.filter((one) => one !== next);
  }
  return [...made.keys()];
}
