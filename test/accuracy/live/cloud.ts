/** The AWS half of a state: a network, a role and an EKS cluster as they should be, and machines. */
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { AwsCall } from '../../../src/ports/aws-api.ts';
import type { TrueInstance } from '../../../src/sim/aws/contract.ts';
import { attach, createInterface } from '../../../src/sim/aws/ec2/interfaces.ts';
import { type AuthenticationMode, clusterOf } from '../../../src/sim/aws/eks/clusters.ts';
import { ACCOUNT, CLUSTER, DAY, REGION, type Scene } from './scene.ts';

const CIDR = '10.40.0.0/16';
const OWNED = { [`kubernetes.io/cluster/${CLUSTER}`]: 'owned' };
export const NODE_ROLE = `arn:aws:iam::${ACCOUNT}:role/${CLUSTER}-node`;

/** Where machines are launched. */
export interface Grounds {
  readonly vpcId: string;
  /** Private ones, each in a zone of its own. */
  readonly subnetIds: readonly [string, string];
  readonly groupId: string;
  readonly imageId: string;
  readonly profileArn: string;
}

interface GroundsOptions {
  /** False leaves the private subnets without a default route. */
  readonly hasWayOut?: boolean;
  /** `domain-name` of the DHCP options; EC2's own unless given. */
  readonly domainName?: string;
  /** Of the first subnet. */
  readonly cidr?: string;
  /** IAM path of the node role. */
  readonly path?: string;
  readonly image?: string;
}

function layRoutes(
  { cloud: { controls } }: Scene,
  VpcId: string,
  subnetIds: Grounds['subnetIds'],
  hasWayOut: boolean,
): void {
  const gatewayId = controls.createInternetGateway(VpcId);
  const zone = `${REGION}a`;
  const publicId = controls.createSubnet({ vpcId: VpcId, zone, cidr: '10.40.200.0/24' });
  const table = { VpcId, cidr: CIDR, isMain: false };
  controls.createRouteTable({ ...table, subnetIds: [publicId], gatewayId });
  const way = hasWayOut ? controls.createNatGateway(publicId) : null;
  controls.createRouteTable({ ...table, subnetIds, gatewayId: way });
}

/** A VPC with two private subnets behind a NAT gateway, and a role for nodes, two months old. */
export function layGrounds(scene: Scene, options: GroundsOptions = {}): Grounds {
  scene.until(60 * DAY);
  const { controls } = scene.cloud;
  const { domainName, hasWayOut = true, cidr = '10.40.1.0/24', path = '/' } = options;
  const vpcId = controls.createVpc({
    cidr: CIDR,
    ...(domainName === undefined ? {} : { domainName }),
  });
  const tags = { [`kubernetes.io/cluster/${CLUSTER}`]: 'shared' };
  const subnet = (zone: string, own: string): string =>
    controls.createSubnet({ vpcId, zone: REGION + zone, cidr: own, tags });
  const subnetIds = [subnet('a', cidr), subnet('b', '10.40.2.0/24')] as const;
  layRoutes(scene, vpcId, subnetIds, hasWayOut);
  const policies = [
    'AmazonEKSWorkerNodePolicy',
    'AmazonEC2ContainerRegistryPullOnly',
    'AmazonEKS_CNI_Policy',
  ];
  const { profileArn } = controls.createNodeRole({ name: `${CLUSTER}-node`, path, policies });
  const name = options.image ?? 'amazon-eks-node-al2023-x86_64-standard-1.34-v20260110';
  return {
    vpcId,
    subnetIds,
    groupId: controls.createSecurityGroup({ vpcId, name: `${CLUSTER}-nodes`, tags: OWNED }),
    imageId: controls.createImage({ name }),
    profileArn,
  };
}

interface EksOptions {
  readonly mode?: AuthenticationMode;
  /** False leaves the account without an OIDC provider of the cluster. */
  readonly hasProvider?: boolean;
}

const ENDPOINT = `https://8C1D4F60A7B2E93D5F081C6E7A4B92D3.gr7.${REGION}.eks.amazonaws.com`;
export const ISSUER = `https://oidc.eks.${REGION}.amazonaws.com/id/8C1D4F60A7B2E93D5F081C6E7A4B92D3`;

/** @returns the grounds with the security group that EKS makes for machines */
export function layEks(
  { cloud: { controls } }: Scene,
  grounds: Grounds,
  { mode = 'CONFIG_MAP', hasProvider = true }: EksOptions = {},
): Grounds {
  const { vpcId, subnetIds } = grounds;
  const roleArn = controls.createRole({
    name: `${CLUSTER}-cluster`,
    policies: ['AmazonEKSClusterPolicy'],
    trust: {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { Service: 'eks.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ],
    },
  });
  controls.createCluster({
    name: CLUSTER,
    version: '1.34',
    roleArn,
    vpcId,
    subnetIds,
    endpoint: ENDPOINT,
    authenticationMode: mode,
  });
  controls.changeCluster(CLUSTER, { identity: { oidc: { issuer: ISSUER } } });
  if (hasProvider) controls.createOidcProvider(CLUSTER);
  const { account } = controls;
  const groupId = textAt(clusterOf(account, CLUSTER), 'resourcesVpcConfig.clusterSecurityGroupId');
  return { ...grounds, groupId: groupId ?? grounds.groupId };
}

/** A machine as EC2 has it. */
export interface Machine {
  readonly id: string;
  readonly address: string;
  /** EC2's private DNS name. */
  readonly dns: string;
  readonly zone: string;
  readonly type: string;
  readonly launchedMinutes: number;
  /** For pods, besides its own. */
  readonly podAddresses: readonly string[];
}

interface MachineOptions {
  readonly type?: string;
  readonly address?: string;
  readonly subnet?: 0 | 1;
  /** How many for pods on its first interface. */
  readonly addresses?: number;
  /** Interfaces besides, each with so many addresses. */
  readonly interfaces?: readonly number[];
  readonly isSpot?: boolean;
  readonly userData?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

const NODE_CONFIG = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: ${CLUSTER}
    apiServerEndpoint: ${ENDPOINT}
    certificateAuthority: LS0tLS1CRUdJTg==
    cidr: 172.20.0.0/16

--//--
`;

export function machineOf(one: TrueInstance, launchedMinutes: number): Machine {
  const held = one.interfaces.flatMap(({ addresses }, index) =>
    index === 0 ? addresses.filter((address) => address !== one.privateIp) : addresses.slice(1),
  );
  return {
    id: one.instanceId,
    address: one.privateIp,
    dns: one.privateDnsName,
    zone: one.zone,
    type: one.instanceType,
    launchedMinutes,
    podAddresses: held,
  };
}

function ask({ cloud }: Scene, operation: string, input: JsonObject): void {
  const identity = cloud.controls.createUser(`lay-${operation}`);
  const call: AwsCall = { service: 'ec2', operation, input };
  const answer = cloud.answer(identity, call);
  if (!answer.ok) throw new RangeError(`${operation}: ${answer.refusal.message}`);
}

/** Interfaces as the VPC CNI attaches them. */
function attachInterfaces(
  scene: Scene,
  {
    subnetId,
    instanceId,
    groupId,
  }: Readonly<Record<'subnetId' | 'instanceId' | 'groupId', string>>,
  counts: readonly number[],
): void {
  const { account } = scene.cloud.controls;
  for (const [index, count] of counts.entries()) {
    const { networkInterfaceId } = createInterface(account, {
      subnetId,
      description: `aws-K8S-${instanceId}`,
      groupIds: [groupId],
      addressCount: count - 1,
    });
    const deviceIndex = index + 1;
    attach(account, {
      networkInterfaceId,
      instanceId,
      deviceIndex,
      deleteOnTermination: true,
      isSlow: false,
    });
  }
}

/** Launches a machine so many minutes before the look; EC2 lets it run, and nothing else happens. */
export function launch(
  scene: Scene,
  grounds: Grounds,
  minutes: number,
  options: MachineOptions = {},
): Machine {
  scene.until(minutes);
  const { cloud } = scene;
  const { subnet = 0, addresses = 9, type = 'm6i.large' } = options;
  const subnetId = grounds.subnetIds[subnet];
  const instanceId = cloud.controls.launch({
    instanceType: type,
    imageId: grounds.imageId,
    subnetId,
    groupIds: [grounds.groupId],
    profileArn: grounds.profileArn,
    userData: options.userData ?? NODE_CONFIG,
    isSpot: options.isSpot ?? false,
    address: options.address,
    tags: options.tags ?? { Name: `${CLUSTER}-worker`, ...OWNED },
    metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
  });
  const [first] = cloud.instance(instanceId)?.interfaces ?? [];
  if (addresses > 0)
    ask(scene, 'AssignPrivateIpAddresses', {
      NetworkInterfaceId: first?.networkInterfaceId ?? '',
      SecondaryPrivateIpAddressCount: addresses,
    });
  attachInterfaces(
    scene,
    { subnetId, instanceId, groupId: grounds.groupId },
    options.interfaces ?? [],
  );
  const made = cloud.instance(instanceId);
  if (made === null) throw new RangeError(`${instanceId} is not there`);
  return machineOf(made, minutes);
}
