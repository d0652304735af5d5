/** EKS clusters with their node groups, entries, add-ons and associations, as they are laid out. */
import { type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, arnOf, isoMoment } from '../account.ts';
import { createGroup } from '../autoscaling/groups.ts';
import { createSecurityGroup, put } from '../ec2/network.ts';
import { refused } from '../refusal.ts';
import type { Tags } from '../state.ts';

export type AuthenticationMode = 'CONFIG_MAP' | 'API_AND_CONFIG_MAP' | 'API';

export interface NewCluster {
  readonly name: string;
  /** `1.34` */
  readonly version: string;
  readonly roleArn: string;
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  /** Where its API is reached; EKS's own name unless given. */
  readonly endpoint?: string;
  /** PEM in base64. */
  readonly certificateAuthority?: string;
  readonly serviceCidr?: string;
  /** `API_AND_CONFIG_MAP` unless given. */
  readonly authenticationMode?: AuthenticationMode;
  readonly isPrivate?: boolean;
  readonly tags?: Tags;
}

function refusedByEks(code: string, message: string, status: number): Error {
  return refused(code, message, status);
}

/** @throws RefusedError ResourceNotFoundException */
export function clusterOf(account: Account, name: string, atMs = Infinity): JsonObject {
  const found = account.plain.cluster.at(name, atMs);
  if (found !== undefined) return found;
  throw refusedByEks('ResourceNotFoundException', `No cluster found for name: ${name}.`, 404);
}

/** @returns the ARN; the cluster is active and has the security group that EKS makes */
export function createCluster(account: Account, wanted: NewCluster): string {
  const { name, version } = wanted;
  const id = account.ids.resource('x').slice('x-0'.length).repeat(2).toUpperCase();
  const arn = arnOf(account, 'eks', `cluster/${name}`);
  const clusterSecurityGroupId = createSecurityGroup(account, {
    vpcId: wanted.vpcId,
    name: `eks-cluster-sg-${name}-${id.slice(0, 9)}`,
    description:
      'EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any managed workloads.',
    tags: { [`kubernetes.io/cluster/${name}`]: 'owned', 'aws:eks:cluster-name': name },
  });
  put(account, 'cluster', name, {
    name,
    arn,
    createdAt: isoMoment(account.kernel.nowMs()),
    version,
    endpoint: wanted.endpoint ?? `https://${id}.gr7.${account.region}.eks.amazonaws.com`,
    roleArn: wanted.roleArn,
    resourcesVpcConfig: vpcConfig(wanted, clusterSecurityGroupId),
    kubernetesNetworkConfig: {
      serviceIpv4Cidr: wanted.serviceCidr ?? '172.20.0.0/16',
      ipFamily: 'ipv4',
    },
    logging: { clusterLogging: [{ types: ['authenticator'], enabled: true }] },
    identity: { oidc: { issuer: `https://oidc.eks.${account.region}.amazonaws.com/id/${id}` } },
    status: 'ACTIVE',
    certificateAuthority: { data: wanted.certificateAuthority ?? 'LS0tLS1CRUdJTg==' },
    platformVersion: 'eks.1',
    tags: { ...wanted.tags },
    health: { issues: [] },
    accessConfig: { authenticationMode: wanted.authenticationMode ?? 'API_AND_CONFIG_MAP' },
    upgradePolicy: { supportType: 'EXTENDED' },
  });
  return arn;
}

function vpcConfig(wanted: NewCluster, clusterSecurityGroupId: string): JsonObject {
  const isPrivate = wanted.isPrivate ?? false;
  return {
    subnetIds: [...wanted.subnetIds],
    securityGroupIds: [],
    clusterSecurityGroupId,
    vpcId: wanted.vpcId,
    endpointPublicAccess: !isPrivate,
    endpointPrivateAccess: isPrivate,
    publicAccessCidrs: isPrivate ? [] : ['0.0.0.0/0'],
  };
}

/** Changes a cluster as it is kept. */
export function changeCluster(
  account: Account,
  name: string,
  changed: (before: JsonObject) => JsonObject,
): void {
  account.plain.cluster.change(name, account.kernel.nowMs(), changed);
}

/** The provider in IAM that lets pods of the cluster take roles on. */
export function createProvider(account: Account, cluster: string): string {
  const issuer = textAt(clusterOf(account, cluster), 'identity.oidc.issuer') ?? '';
  const Url = issuer.replace('https://', '');
  const arn = arnOf(account, 'iam', `oidc-provider/${Url}`);
  return put(account, 'oidc-provider', arn, {
    Url,
    ClientIDList: ['sts.amazonaws.com'],
    ThumbprintList: ['9e99a48a9960b14926bb7f3b02e22da2b0ab7280'],
    CreateDate: isoMoment(account.kernel.nowMs()),
    Tags: [],
  });
}

export interface NewNodegroup {
  readonly cluster: string;
  readonly name: string;
  readonly nodeRole: string;
  readonly subnetIds: readonly string[];
  readonly launchTemplateId: string;
  readonly instanceTypes: readonly string[];
  readonly desiredSize: number;
  readonly minSize?: number;
  readonly maxSize?: number;
  readonly isSpot?: boolean;
  /** `AL2023_x86_64_STANDARD` unless given. */
  readonly amiType?: string;
  readonly tags?: Tags;
}

/** A managed node group with its Auto Scaling group, tagged as EKS tags it. */
export function createNodegroup(account: Account, wanted: NewNodegroup): string {
  const { cluster, name, desiredSize } = wanted;
  const id = account.ids.uuid();
  const minSize = wanted.minSize ?? 0;
  const maxSize = wanted.maxSize ?? Math.max(desiredSize, 10);
  const group = createGroup(account, {
    name: `eks-${name}-${id}`,
    launchTemplateId: wanted.launchTemplateId,
    subnetIds: wanted.subnetIds,
    instanceTypes: wanted.instanceTypes,
    isSpot: wanted.isSpot ?? false,
    desiredCapacity: desiredSize,
    minSize,
    maxSize,
    tags: {
      'eks:cluster-name': cluster,
      'eks:nodegroup-name': name,
      [`k8s.io/cluster-autoscaler/${cluster}`]: 'owned',
      'k8s.io/cluster-autoscaler/enabled': 'true',
      [`kubernetes.io/cluster/${cluster}`]: 'owned',
      ...wanted.tags,
    },
  });
  const nodegroupArn = arnOf(account, 'eks', `nodegroup/${cluster}/${name}/${id}`);
  const now = isoMoment(account.kernel.nowMs());
  put(account, 'nodegroup', `${cluster}/${name}`, {
    nodegroupName: name,
    nodegroupArn,
    clusterName: cluster,
    version: textAt(clusterOf(account, cluster), 'version') ?? '',
    releaseVersion: '1.34.2-20260910',
    createdAt: now,
    modifiedAt: now,
    status: 'ACTIVE',
    capacityType: wanted.isSpot === true ? 'SPOT' : 'ON_DEMAND',
    scalingConfig: { minSize, maxSize, desiredSize },
    instanceTypes: [...wanted.instanceTypes],
    subnets: [...wanted.subnetIds],
    amiType: wanted.amiType ?? 'AL2023_x86_64_STANDARD',
    nodeRole: wanted.nodeRole,
    labels: {},
    resources: { autoScalingGroups: [{ name: group }] },
    diskSize: 20,
    health: { issues: [] },
    updateConfig: { maxUnavailable: 1 },
    launchTemplate: { id: wanted.launchTemplateId, version: '1' },
    tags: {},
  });
  return group;
}

/** What is wrong with a node group, as EKS lists it; an empty list mends it. */
export function setHealthIssues(
  account: Account,
  cluster: string,
  nodegroup: string,
  issues: readonly JsonObject[],
): void {
  account.plain.nodegroup.change(`${cluster}/${nodegroup}`, account.kernel.nowMs(), (before) => ({
    ...before,
    status: issues.length === 0 ? 'ACTIVE' : 'DEGRADED',
    health: { issues: [...issues] },
  }));
}

export interface NewEntry {
  readonly cluster: string;
  readonly principalArn: string;
  /** `EC2_LINUX`, `STANDARD`, … */
  readonly type?: string;
  readonly username?: string;
  readonly kubernetesGroups?: readonly string[];
}

/** What node entries are called inside the cluster (EKS user guide, "Create access entries"). */
const NODE_NAMES: Readonly<Record<string, string>> = {
  EC2_LINUX: 'system:node:{{EC2PrivateDNSName}}',
  EC2_WINDOWS: 'system:node:{{EC2PrivateDNSName}}',
  EC2: 'system:node:{{SessionName}}',
  FARGATE_LINUX: 'system:node:{{SessionName}}',
  HYBRID_LINUX: 'system:node:{{SessionName}}',
};

/** @throws RefusedError when there is one already, or a node type has groups */
export function createEntry(account: Account, wanted: NewEntry): JsonObject {
  const { cluster, principalArn, type = 'STANDARD' } = wanted;
  clusterOf(account, cluster);
  const id = entryId(cluster, principalArn);
  if (account.plain['access-entry'].get(id) !== undefined) {
    const message = 'The specified access entry resource is already in use on this cluster.';
    throw refusedByEks('ResourceInUseException', message, 409);
  }
  const isNode = Object.hasOwn(NODE_NAMES, type);
  checkNames(wanted, isNode);
  const now = isoMoment(account.kernel.nowMs());
  const name = principalArn.slice(principalArn.indexOf('/') + 1);
  const entry = {
    clusterName: cluster,
    principalArn,
    kubernetesGroups: isNode ? ['system:nodes'] : [...(wanted.kubernetesGroups ?? [])],
    accessEntryArn: arnOf(
      account,
      'eks',
      `access-entry/${cluster}/role/${account.accountId}/${name}/${account.ids.uuid()}`,
    ),
    createdAt: now,
    modifiedAt: now,
    tags: {},
    username: wanted.username ?? NODE_NAMES[type] ?? standardName(account, principalArn),
    type,
  };
  put(account, 'access-entry', id, entry);
  return entry;
}

/** Its type stays, and so do names that are not given. */
export function updateEntry(
  account: Account,
  before: JsonObject,
  wanted: Omit<NewEntry, 'type'>,
): JsonObject {
  const type = textAt(before, 'type') ?? '';
  checkNames({ ...wanted, type }, Object.hasOwn(NODE_NAMES, type));
  const { kubernetesGroups, username } = wanted;
  const entry = {
    ...before,
    ...(kubernetesGroups === undefined ? {} : { kubernetesGroups: [...kubernetesGroups] }),
    ...(username === undefined ? {} : { username }),
    modifiedAt: isoMoment(account.kernel.nowMs()),
  };
  put(account, 'access-entry', entryId(wanted.cluster, wanted.principalArn), entry);
  return entry;
}

export function entryId(cluster: string, principalArn: string): string {
  return `${cluster} ${principalArn}`;
}

function standardName({ accountId }: Account, principalArn: string): string {
  const name = principalArn.slice(principalArn.lastIndexOf('/') + 1);
  if (!principalArn.includes(':role/')) return principalArn;
  return `arn:aws:sts::${accountId}:assumed-role/${name}/{{SessionName}}`;
}

/** Names that only the control plane may give. */
const RESERVED = /^(?:system|eks|aws|amazon|iam):/;

function checkNames({ username, kubernetesGroups = [], type }: NewEntry, isNode: boolean): void {
  const invalid = (message: string): Error =>
    refusedByEks('InvalidParameterException', message, 400);
  if (isNode && kubernetesGroups.length > 0)
    throw invalid(`Cannot set kubernetesGroups for an access entry of type ${type ?? ''}`);
  if (!isNode && RESERVED.test(username ?? ''))
    throw invalid('The username parameter cannot start with system:, eks:, aws:, amazon: or iam:');
  if (kubernetesGroups.some((one) => one.startsWith('system:')))
    throw invalid('The kubernetes group name system: is reserved');
}

export function deleteEntry(account: Account, cluster: string, principalArn: string): void {
  account.plain['access-entry'].delete(entryId(cluster, principalArn), account.kernel.nowMs());
}

export interface NewAddon {
  readonly name: string;
  readonly version: string;
  readonly roleArn?: string;
  /** JSON or YAML, as the add-on takes it. */
  readonly configuration?: string;
}

/** An add-on that is active in this version. */
export function createAddon(account: Account, cluster: string, wanted: NewAddon): void {
  const now = isoMoment(account.kernel.nowMs());
  const { name, version, roleArn, configuration } = wanted;
  put(account, 'addon', `${cluster}/${name}`, {
    addonName: name,
    clusterName: cluster,
    status: 'ACTIVE',
    addonVersion: version,
    health: { issues: [] },
    addonArn: arnOf(account, 'eks', `addon/${cluster}/${name}/${account.ids.uuid()}`),
    createdAt: now,
    modifiedAt: now,
    ...(roleArn === undefined ? {} : { serviceAccountRoleArn: roleArn }),
    ...(configuration === undefined ? {} : { configurationValues: configuration }),
    tags: {},
  });
}

export interface NewAssociation {
  readonly cluster: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly roleArn: string;
}

/** @returns the id of the association, `a-…` */
export function createAssociation(account: Account, wanted: NewAssociation): JsonObject {
  const { cluster, namespace, serviceAccount, roleArn } = wanted;
  clusterOf(account, cluster);
  const isTaken = account.plain['pod-identity']
    .values()
    .some(
      (one) =>
        one['clusterName'] === cluster &&
        one['namespace'] === namespace &&
        one['serviceAccount'] === serviceAccount,
    );
  if (isTaken) {
    const message = `Association already exists for service account ${serviceAccount} in namespace ${namespace}`;
    throw refusedByEks('ResourceInUseException', message, 409);
  }
  const now = isoMoment(account.kernel.nowMs());
  const associationId = `a-${account.kernel.random('aws/ids').word(17)}`;
  const association: Record<string, Json> = {
    clusterName: cluster,
    namespace,
    serviceAccount,
    roleArn,
    associationArn: arnOf(account, 'eks', `podidentityassociation/${cluster}/${associationId}`),
    associationId,
    tags: {},
    createdAt: now,
    modifiedAt: now,
  };
  put(account, 'pod-identity', associationId, association);
  return association;
}
