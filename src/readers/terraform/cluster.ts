import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { linkOf, linksOf, nameBy } from './links.ts';
import type { Made, Maker, Plan } from './made.ts';
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

export const cluster: Maker = ({ directory }, resource) => {
  const mode = modeOf(resource);
  const network = blockOf(resource, 'vpc_config');
  const compute = blockOf(resource, 'compute_config');
  const answer = {
    name: nameBy(resource, 'name'),
    arn: textOf(resource, 'arn'),
    version: textOf(resource, 'version'),
    accessConfig: mode === undefined ? undefined : { authenticationMode: mode },
    computeConfig: { enabled: valueAt(compute, 'enabled') },
    resourcesVpcConfig: {
      endpointPrivateAccess: valueAt(network, 'endpoint_private_access'),
      endpointPublicAccess: valueAt(network, 'endpoint_public_access'),
      publicAccessCidrs: textsOf(network, 'public_access_cidrs'),
      subnetIds: linksOf(directory, resource, 'vpc_config', SUBNET, 'subnet_ids').names,
    },
  };
  return [{ kind: 'aws/cluster', answer }];
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
    scalingConfig: scalingOf(resource),
    subnets: subnets.isExact ? subnets.names : undefined,
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
  return [{ kind: 'aws/addon', answer }];
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
