import { at, isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { Doubt } from '../../evidence/planned.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { contentsOf } from '../terraform/contents.ts';
import { RESOURCES_MAX } from '../terraform/module.ts';
import type { PlanRead } from '../terraform/plan.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import { accessResources, type Roled, withNodes } from './access.ts';
import { addonResources, isAutoMode } from './addons.ts';
import { type ClusterFile, fileOf } from './file.ts';
import { groupResources } from './groups.ts';
import { type Network, networkOf } from './network.ts';
import { clusterRole, nodeRoleOf } from './roles.ts';

export { isClusterConfig } from './file.ts';

const BY = 'eksctl ClusterConfig';

/**
 * Reads a ClusterConfig as a plan of all that eksctl will make from it, its defaults included
 * (eksctl 0.215.0). What neither the file nor eksctl sets is unknown.
 *
 * @param locator what the document is called in evidence
 */
export function readClusterConfig(document: Json, locator: string): PlanRead {
  const version = textAt(document, 'apiVersion') ?? '';
  if (!isObject(document) || version !== 'eksctl.io/v1alpha5')
    return { ok: false, why: `its apiVersion ${excerptOf(version, 40)} is not eksctl.io/v1alpha5` };
  const file = fileOf(document);
  const groups = file.groups.map((entry): Roled => ({ entry, role: nodeRoleOf(file, entry) }));
  const resources = resourcesOf(file, groups);
  if (resources.length > RESOURCES_MAX)
    return { ok: false, why: `it comes to more than ${RESOURCES_MAX} resources` };
  const contents = contentsOf(resources, {
    locator,
    by: BY,
    doubts: doubtsOf(file),
    isRemoving: false,
    canWriteMaps: true,
  });
  return { ok: true, contents: { ...contents, facts: withNodes(contents.facts, file, groups) } };
}

function resourcesOf(file: ClusterFile, groups: readonly Roled[]): readonly Resource[] {
  const network = networkOf(file);
  const role = clusterRole(file);
  const cluster = clusterOf(file, network, role.arn);
  return [
    ...network.resources,
    ...role.resources,
    cluster,
    ...groups.flatMap((one) =>
      groupResources({ file, network, cluster, role: one.role }, one.entry),
    ),
    ...accessResources(file, groups),
    ...addonResources(file),
  ];
}

function clusterOf(file: ClusterFile, network: Network, roleArn: string): Resource {
  const { document } = file;
  const places = [...(network.places?.private ?? []), ...(network.places?.public ?? [])];
  const isPrivateOnly = at(document, 'privateCluster.enabled') === true;
  const endpoints = at(document, 'vpc.clusterEndpoints');
  const cidrs = listAt(document, 'vpc.publicAccessCIDRs');
  const range = textAt(document, 'kubernetesNetworkConfig.serviceIPv4CIDR');
  return written(
    'aws_eks_cluster',
    'metadata',
    said({
      name: file.name ?? undefined,
      version: file.version ?? undefined,
      role_arn: roleArn,
      access_config: [{ authentication_mode: file.mode }],
      compute_config: [{ enabled: isAutoMode(document) }],
      kubernetes_network_config: [
        said({ ip_family: familyOf(file), service_ipv4_cidr: range ?? undefined }),
      ],
      vpc_config: [
        said({
          endpoint_private_access: at(endpoints, 'privateAccess') ?? isPrivateOnly,
          endpoint_public_access: at(endpoints, 'publicAccess') ?? true,
          public_access_cidrs: cidrs.length === 0 ? ['0.0.0.0/0'] : cidrs,
          subnet_ids: places.map(({ id }) => id),
          vpc_id: network.vpc ?? undefined,
        }),
      ],
    }),
    {
      unknown: {
        arn: true,
        endpoint: true,
        identity: true,
        version: file.version === null,
        vpc_config: [{ security_group_ids: true }],
      },
    },
  );
}

function familyOf({ document }: ClusterFile): string {
  const family = textAt(document, 'kubernetesNetworkConfig.ipFamily') ?? 'IPv4';
  return family.toLowerCase();
}

/** What a file leaves to others, or to itself in ways that are not followed. */
function doubtsOf(file: ClusterFile): readonly Doubt[] {
  const isIpv6 = familyOf(file) === 'ipv6';
  return isIpv6
    ? [{ kind: 'kube/DaemonSet', address: 'addons', what: 'how the CNI gives IPv6 addresses' }]
    : [];
}
