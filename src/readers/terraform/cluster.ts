import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { UNKNOWN_GROUP } from '../../evidence/planned.ts';
import { linkOf, linksOf, nameBy } from './links.ts';
import type { Made, Maker, Plan } from './made.ts';
import { cniObjects } from './cni.ts';
import { clusterGroup, clusterGroupOf, SECURITY_GROUP } from './security.ts';
import {
  blockOf,
  expressionOf,
  isUnknownIn,
  type Resource,
  textOf,
  textsOf,
  valueAt,
} from './resource.ts';

const CLUSTER = { types: ['aws_eks_cluster'], by: 'name' };
const ROLE = { types: ['aws_iam_role'], by: 'arn' };
export const SUBNET = { types: ['aws_subnet'], by: 'id' };

/** EKS makes a cluster of this mode when nobody asks for another. */
const MODE_BY_DEFAULT = 'CONFIG_MAP';

/** The mode as it is written; null where a state is too old to show one. */
function modeOf(resource: Resource): string | null | undefined {
  const mode = textAt(blockOf(resource, 'access_config'), 'authentication_mode');
  if (mode !== null) return mode;
  const isAsked = JSON.stringify(expressionOf(resource, 'access_config') ?? '').includes(
    'authentication_mode',
  );
  if (isAsked) return undefined;
  return resource.change === 'create' ? MODE_BY_DEFAULT : undefined;
}

/** The networks that the public endpoint lets in; null where some are known after apply. */
function cidrsOf(resource: Resource): Json {
  const unknown = listAt(resource.unknown, 'vpc_config')[0];
  if (isUnknownIn(at(unknown, 'public_access_cidrs'))) return null;
  return textsOf(blockOf(resource, 'vpc_config'), 'public_access_cidrs');
}

const VPC = { types: ['aws_vpc'], by: 'id' };

/** The VPC in which the cluster's subnets are; null where the plan shows none of them. */
function vpcOf(plan: Plan, network: Json | undefined, subnetIds: readonly string[]): string | null {
  const known = textAt(network, 'vpc_id');
  if (known !== null) return known;
  for (const id of subnetIds.slice(0, 3)) {
    const subnet = subnetNamed(plan, id);
    const vpc = subnet === undefined ? null : linkOf(plan.directory, subnet, 'vpc_id', VPC);
    if (typeof vpc === 'string') return vpc;
  }
  return null;
}

const SUBNETS = new WeakMap<Plan, ReadonlyMap<string, Resource>>();

function subnetNamed(plan: Plan, id: string): Resource | undefined {
  const known = SUBNETS.get(plan) ?? subnetsOf(plan);
  SUBNETS.set(plan, known);
  return known.get(id);
}

/** The subnets of a plan, those that it only looks up too. */
function subnetsOf({ directory }: Plan): ReadonlyMap<string, Resource> {
  const all = [...directory.byAddress.values()];
  const subnets = all.filter(({ type }) => type === 'aws_subnet');
  return new Map(subnets.map((one) => [nameBy(one, 'id'), one]));
}

function issuerOf(resource: Resource): Json {
  const identity = listAt(resource.values, 'identity')[0];
  return textAt(listAt(identity, 'oidc')[0], 'issuer');
}

function networkConfigOf(resource: Resource): Json {
  const network = blockOf(resource, 'kubernetes_network_config');
  return {
    ipFamily: valueAt(network, 'ip_family'),
    serviceIpv4Cidr: valueAt(network, 'service_ipv4_cidr'),
  };
}

export const cluster: Maker = (plan, resource) => {
  const { directory } = plan;
  const mode = modeOf(resource);
  const network = blockOf(resource, 'vpc_config');
  const compute = blockOf(resource, 'compute_config');
  const groups = linksOf(directory, resource, 'vpc_config', SECURITY_GROUP, 'security_group_ids');
  const subnetIds = linksOf(directory, resource, 'vpc_config', SUBNET, 'subnet_ids').names;
  const answer = {
    name: nameBy(resource, 'name'),
    arn: textOf(resource, 'arn'),
    endpoint: textOf(resource, 'endpoint'),
    version: textOf(resource, 'version'),
    accessConfig: mode === undefined ? undefined : { authenticationMode: mode },
    identity: { oidc: { issuer: issuerOf(resource) } },
    kubernetesNetworkConfig: networkConfigOf(resource),
    roleArn: linkOf(directory, resource, 'role_arn', ROLE),
    computeConfig: { enabled: valueAt(compute, 'enabled') },
    resourcesVpcConfig: {
      endpointPrivateAccess: valueAt(network, 'endpoint_private_access'),
      endpointPublicAccess: valueAt(network, 'endpoint_public_access'),
      clusterSecurityGroupId: clusterGroupOf(resource),
      publicAccessCidrs: cidrsOf(resource),
      securityGroupIds: groups.isExact ? groups.names : [...groups.names, UNKNOWN_GROUP],
      subnetIds,
      vpcId: vpcOf(plan, network, subnetIds),
    },
  };
  return [{ kind: 'aws/cluster', answer }, ...clusterGroup(plan, resource)];
};

function clusterName({ directory }: Plan, resource: Resource): string | null | undefined {
  return linkOf(directory, resource, 'cluster_name', CLUSTER);
}

function scalingOf(resource: Resource): Json {
  const scaling = blockOf(resource, 'scaling_config');
  return {
    desiredSize: valueAt(scaling, 'desired_size'),
    maxSize: valueAt(scaling, 'max_size'),
    minSize: valueAt(scaling, 'min_size'),
  };
}

const TEMPLATE = { types: ['aws_launch_template'], by: 'id' };

function templateOf(plan: Plan, resource: Resource): Json | undefined {
  const { names, isExact } = linksOf(plan.directory, resource, 'launch_template', TEMPLATE, 'id');
  if (names.length === 1 && isExact) return { id: names[0] ?? null };
  const isGiven =
    blockOf(resource, 'launch_template') !== undefined ||
    isUnknownIn(at(resource.unknown, 'launch_template'));
  return isGiven ? undefined : null;
}

export const nodeGroup: Maker = (plan, resource) => {
  const { directory } = plan;
  const subnets = linksOf(directory, resource, 'subnet_ids', SUBNET);
  const answer = {
    nodegroupName: nameBy(resource, 'node_group_name'),
    clusterName: clusterName(plan, resource),
    nodeRole: linkOf(directory, resource, 'node_role_arn', ROLE),
    amiType: textOf(resource, 'ami_type'),
    capacityType: textOf(resource, 'capacity_type'),
    instanceTypes: isUnknownIn(at(resource.unknown, 'instance_types'))
      ? undefined
      : textsOf(resource.values, 'instance_types'),
    diskSize: valueAt(resource.values, 'disk_size'),
    launchTemplate: templateOf(plan, resource),
    scalingConfig: scalingOf(resource),
    subnets: subnets.isExact ? subnets.names : undefined,
    taints: isUnknownIn(at(resource.unknown, 'taint'))
      ? undefined
      : listAt(resource.values, 'taint'),
    version: textOf(resource, 'version'),
  };
  return [{ kind: 'aws/node-group', answer }];
};

/** An entry is of whichever role its ARN comes from; of several, each may be meant. */
export const accessEntry: Maker = (plan, resource) => {
  const { names, isExact } = linksOf(plan.directory, resource, 'principal_arn', ROLE);
  const type = textOf(resource, 'type');
  const made = names.map(
    (principalArn): Made => ({
      kind: 'aws/access-entry',
      answer: {
        principalArn,
        clusterName: clusterName(plan, resource),
        kubernetesGroups: textsOf(resource.values, 'kubernetes_groups'),
        type: type === null ? 'STANDARD' : type,
        username: textOf(resource, 'user_name'),
      },
    }),
  );
  if (isExact && names.length === 1) return made;
  return [...made, { doubt: 'aws/access-entry', what: 'which principal this access entry is for' }];
};

export const accessPolicy: Maker = (plan, resource) => {
  const { names } = linksOf(plan.directory, resource, 'principal_arn', ROLE);
  return names.map((principalArn) => ({
    kind: 'aws/access-policies',
    answer: {
      principalArn,
      clusterName: clusterName(plan, resource),
      associatedAccessPolicies: [
        {
          policyArn: textAt(resource.values, 'policy_arn'),
          accessScope: { type: textAt(blockOf(resource, 'access_scope'), 'type') },
        },
      ],
    },
  }));
};

export const addon: Maker = (plan, resource) => {
  const answer = {
    addonName: nameBy(resource, 'addon_name'),
    addonVersion: textOf(resource, 'addon_version'),
    clusterName: clusterName(plan, resource),
    // Of a role that is known after apply it is known that there is one.
    serviceAccountRoleArn: addonRole(plan, resource),
  };
  return [{ kind: 'aws/addon', answer }, ...cniObjects(resource)];
};

/** The role of an add-on's service account, whether by IRSA or by Pod Identity. */
function addonRole({ directory }: Plan, resource: Resource): string | null {
  const own = linksOf(directory, resource, 'service_account_role_arn', ROLE);
  if (own.names[0] !== undefined) return own.names[0];
  const pods = listAt(resource.values, 'pod_identity_association');
  const isAsked = isUnknownIn(at(resource.unknown, 'service_account_role_arn')) && !own.isExact;
  return pods.length > 0 || isAsked ? resource.address : null;
}

export const podIdentity: Maker = (plan, resource) => [
  {
    kind: 'aws/pod-identity-association',
    answer: {
      clusterName: clusterName(plan, resource),
      namespace: textOf(resource, 'namespace'),
      roleArn: linkOf(plan.directory, resource, 'role_arn', ROLE),
      serviceAccount: textOf(resource, 'service_account'),
    },
  },
];
