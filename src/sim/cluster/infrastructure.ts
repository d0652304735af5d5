import type { SimulatedAws } from '../aws/cloud.ts';
import type { ClusterSetting, GroupSetting, WorldSetting } from '../stories/scenario.ts';

/** What AWS has of one group of machines. */
export interface GroupInfrastructure {
  readonly setting: GroupSetting;
  readonly subnetId: string;
  readonly imageId: string;
  readonly profileArn: string;
  readonly roleArn: string;
}

/** The part of AWS on which a cluster stands. */
export interface Infrastructure {
  readonly vpcId: string;
  /** Of every machine. */
  readonly securityGroupIds: readonly string[];
  readonly nodeRoleArn: string;
  readonly groups: readonly GroupInfrastructure[];
}

const VPC_CIDR = '10.0.0.0/16';
const PUBLIC_CIDR = '10.0.255.0/24';
/** Of 10.0.0.0/16: each group has a block of its own, 15 of which fit beside the public subnet. */
const BLOCKS_MAX = 15;
/** Third bytes from one block to the next. */
const BLOCK_STEP = 16;
const CONTROLLER_ACTIONS = 'AdministratorAccess';

/** Names by which the images of AWS and Canonical are found. */
const IMAGE_NAMES: Readonly<Record<GroupSetting['image'], (version: string) => string>> = {
  ubuntu: () => 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260115',
  al2: (minor) => `amazon-eks-node-${minor}-v20251120`,
  al2023: (minor) => `amazon-eks-node-al2023-x86_64-standard-${minor}-v20260110`,
  bottlerocket: (minor) => `bottlerocket-aws-k8s-${minor}-x86_64-v1.52.0-a1b2c3d4`,
};

export function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** The tag by which the cloud controller and everybody else know what belongs to a cluster. */
export function clusterTag(clusterName: string): Readonly<Record<string, string>> {
  return { [`kubernetes.io/cluster/${clusterName}`]: 'owned' };
}

/** Lays out network, roles and images; machines come later. */
export function createInfrastructure(cloud: SimulatedAws, setting: WorldSetting): Infrastructure {
  const { controls } = cloud;
  const { cluster, groups } = setting;
  const tags = clusterTag(cluster.name);
  const vpcId = controls.createVpc({ cidr: VPC_CIDR, tags });
  const name = `${cluster.name}-nodes`;
  const securityGroupId = controls.createSecurityGroup({ vpcId, name, tags });
  const node = controls.createNodeRole({
    name: `${cluster.name}-node`,
    policies: [
      'AmazonEKSWorkerNodePolicy',
      'AmazonEKS_CNI_Policy',
      'AmazonEC2ContainerRegistryReadOnly',
    ],
  });
  for (const role of ['cloud-controller-manager', 'karpenter-controller', 'eks-service'])
    controls.createRole({ name: role, policies: [CONTROLLER_ACTIONS] });
  layOutWorkloadRoles(cloud, setting);
  const gatewayId = layOutWayOut(cloud, vpcId);
  return {
    vpcId,
    securityGroupIds: [securityGroupId],
    nodeRoleArn: node.roleArn,
    groups: groups.map((group, index) => ({
      setting: group,
      subnetId: layOutSubnet(cloud, { vpcId, gatewayId, group, index, cluster }),
      imageId: controls.createImage({ name: IMAGE_NAMES[group.image](minorOf(cluster.version)) }),
      ...node,
    })),
  };
}

/** A public subnet with the NAT gateway through which the machines reach everybody else. */
function layOutWayOut({ controls, region }: SimulatedAws, VpcId: string): string {
  const internetGatewayId = controls.createInternetGateway(VpcId);
  const zone = `${region}a`;
  const tags = { Name: 'public' };
  const subnetId = controls.createSubnet({ vpcId: VpcId, zone, cidr: PUBLIC_CIDR, tags });
  const route = { VpcId, cidr: VPC_CIDR, isMain: false };
  controls.createRouteTable({ ...route, subnetIds: [subnetId], gatewayId: internetGatewayId });
  return controls.createNatGateway(subnetId);
}

interface SubnetPlan {
  readonly vpcId: string;
  /** The NAT gateway of its route table. */
  readonly gatewayId: string;
  readonly group: GroupSetting;
  readonly index: number;
  readonly cluster: ClusterSetting;
}

function layOutSubnet(
  { controls, region }: SimulatedAws,
  { vpcId, gatewayId, group, index, cluster }: SubnetPlan,
): string {
  const zone = `${region}${'abc'[index % 3] ?? 'a'}`;
  const cidr = `10.0.${(index % BLOCKS_MAX) * BLOCK_STEP}.0/${group.subnetPrefix}`;
  const tags = { ...clusterTag(cluster.name), Name: `${cluster.name}-${group.name}` };
  const subnetId = controls.createSubnet({ vpcId, zone, cidr, tags });
  const route = { VpcId: vpcId, cidr: VPC_CIDR, isMain: false };
  controls.createRouteTable({ ...route, subnetIds: [subnetId], gatewayId });
  return subnetId;
}

/** Each role that a workload asks for may be taken on by the node's role, as kiam needs it. */
function layOutWorkloadRoles({ controls, accountId }: SimulatedAws, setting: WorldSetting): void {
  const roles = new Set(setting.workloads.flatMap(({ role }) => (role === null ? [] : [role])));
  for (const name of roles)
    controls.createRole({
      name,
      policies: ['ReadOnlyAccess'],
      trust: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { AWS: `arn:aws:iam::${accountId}:role/${setting.cluster.name}-node` },
            Action: 'sts:AssumeRole',
          },
        ],
      },
    });
}
