import { at, isObject, listAt, textAt } from '../../evidence/json.ts';
import type { Resource } from '../terraform/resource.ts';
import { written } from '../written/resource.ts';
import type { ClusterFile, GroupEntry } from './file.ts';

/** The role that the machines of a group run with, and what there is of it. */
export interface NodeRole {
  /** Its ARN, or what stands for it until it is made. */
  readonly arn: string;
  readonly resources: readonly Resource[];
}

const POLICY = 'arn:aws:iam::aws:policy/';

/** The role that eksctl makes for a group, or the one that the group names. */
export function nodeRoleOf(file: ClusterFile, entry: GroupEntry): NodeRole {
  const iam = at(entry.written, 'iam');
  const address = `${entry.path}.iam`;
  const given = textAt(iam, 'instanceRoleARN');
  const profile = textAt(iam, 'instanceProfileARN');
  if (given !== null) return existing(given, `${address}.instanceRoleARN`);
  // Whichever role it holds, eksctl asks for it and lets it in.
  if (profile !== null) return existing(`${address}.instanceProfileARN`, address);
  const name = textAt(iam, 'instanceRoleName') ?? address;
  return {
    arn: address,
    resources: [
      written('aws_iam_role', address, { name, path: '/' }, { unknown: { arn: true } }),
      ...policiesOf(file, entry).map((policy) => attached(name, policy, address)),
      ...inlineOf(entry, name, address),
    ],
  };
}

function existing(arn: string, address: string): NodeRole {
  const name = arn.startsWith('arn:') ? (arn.split('/').at(-1) ?? arn) : arn;
  return {
    arn,
    resources: [
      written(
        'aws_iam_role',
        address,
        { arn, name },
        { change: 'exists', unknown: { path: true } },
      ),
    ],
  };
}

function attached(role: string, policy: string, address: string): Resource {
  return written('aws_iam_role_policy_attachment', address, { role, policy_arn: policy });
}

function inlineOf(
  { written: group }: GroupEntry,
  role: string,
  address: string,
): readonly Resource[] {
  const policy = at(group, 'iam.attachPolicy');
  if (!isObject(policy)) return [];
  const values = { role, name: 'attachPolicy', policy: JSON.stringify(policy) };
  return [written('aws_iam_role_policy', `${address}.attachPolicy`, values)];
}

/**
 * The policies of a role that eksctl makes, after makeManagedPolicies in its
 * pkg/cfn/builder/iam_helper.go: policies of the file take the place of those for nodes.
 */
function policiesOf(
  file: ClusterFile,
  { written: group, isManaged }: GroupEntry,
): readonly string[] {
  const own = listAt(group, 'iam.attachPolicyARNs').filter((arn) => typeof arn === 'string');
  const isBuilder = at(group, 'iam.withAddonPolicies.imageBuilder') === true;
  const names = [
    ...(own.length > 0 ? [] : ['AmazonEKSWorkerNodePolicy', 'AmazonSSMManagedInstanceCore']),
    ...(own.length > 0 || (file.hasOidc && !takesPodIdentity(file))
      ? []
      : ['AmazonEKS_CNI_Policy']),
    ...(isBuilder ? ['AmazonEC2ContainerRegistryPowerUser'] : []),
    ...((isManaged && own.length === 0) || (!isManaged && !isBuilder)
      ? ['AmazonEC2ContainerRegistryPullOnly']
      : []),
  ];
  return [...own.slice(0, 100), ...names.map((name) => `${POLICY}${name}`)];
}

/** True where an add-on gets its role otherwise, for which nodes keep theirs meanwhile. */
function takesPodIdentity({ document }: ClusterFile): boolean {
  const isAuto = at(document, 'addonsConfig.autoApplyPodIdentityAssociations') === true;
  const addons = listAt(document, 'addons');
  return isAuto || addons.some((one) => at(one, 'useDefaultPodIdentityAssociations') === true);
}

/** The role of the cluster, with the policies that eksctl gives it. */
export function clusterRole({ document }: ClusterFile): NodeRole {
  const given = textAt(document, 'iam.serviceRoleARN');
  if (given !== null) return existing(given, 'iam.serviceRoleARN');
  const hasController = at(document, 'iam.vpcResourceControllerPolicy') !== false;
  const names = [
    'AmazonEKSClusterPolicy',
    ...(hasController ? ['AmazonEKSVPCResourceController'] : []),
  ];
  const values = { name: CLUSTER_ROLE, path: '/' };
  return {
    arn: CLUSTER_ROLE,
    resources: [
      written('aws_iam_role', CLUSTER_ROLE, values, { unknown: { arn: true } }),
      ...names.map((name) => attached(CLUSTER_ROLE, `${POLICY}${name}`, CLUSTER_ROLE)),
    ],
  };
}

const CLUSTER_ROLE = 'iam.vpcResourceControllerPolicy';
