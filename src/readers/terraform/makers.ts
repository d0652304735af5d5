import { accessEntry, accessPolicy, addon, cluster, nodeGroup, podIdentity } from './cluster.ts';
import { manifests } from './cni.ts';
import { image } from './images.ts';
import { kmsKey } from './keys.ts';
import { configuration, scalingGroup, template } from './launches.ts';
import type { Made, Maker, Plan } from './made.ts';
import {
  dhcpOptions,
  endpoint,
  natGateway,
  networkAcl,
  routePart,
  routeTable,
  subnet,
  vpc,
} from './network.ts';
import type { Resource } from './resource.ts';
import { attachment, oidcProvider, otherAttachment, profile, role } from './roles.ts';
import { securityGroup, securityRule } from './security.ts';

const MAKERS: Readonly<Record<string, Maker>> = {
  aws_ami: image,
  aws_autoscaling_group: scalingGroup,
  aws_default_network_acl: networkAcl,
  aws_default_route_table: routeTable,
  aws_default_security_group: securityGroup,
  aws_eks_access_entry: accessEntry,
  aws_eks_access_policy_association: accessPolicy,
  aws_eks_addon: addon,
  aws_eks_cluster: cluster,
  aws_eks_node_group: nodeGroup,
  aws_eks_pod_identity_association: podIdentity,
  aws_iam_instance_profile: profile,
  aws_iam_openid_connect_provider: oidcProvider,
  aws_iam_policy_attachment: otherAttachment,
  aws_iam_role: role,
  aws_iam_role_policies_exclusive: otherAttachment,
  aws_iam_role_policy_attachment: attachment,
  aws_iam_role_policy_attachments_exclusive: otherAttachment,
  aws_kms_key: kmsKey,
  aws_launch_configuration: configuration,
  aws_launch_template: template,
  aws_nat_gateway: natGateway,
  aws_network_acl: networkAcl,
  aws_route: routePart,
  aws_route_table: routeTable,
  aws_route_table_association: routePart,
  aws_security_group: securityGroup,
  aws_security_group_rule: securityRule,
  aws_ssm_parameter: image,
  aws_subnet: subnet,
  aws_vpc: vpc,
  aws_vpc_dhcp_options: dhcpOptions,
  aws_vpc_endpoint: endpoint,
  aws_vpc_security_group_egress_rule: securityRule,
  aws_vpc_security_group_ingress_rule: securityRule,
  helm_release: manifests,
  karpenter_node_pool: (_, { values }) => [{ object: 'NodePool', body: values }],
  kubectl_manifest: manifests,
  kubernetes_manifest: manifests,
};

/** Data sources that show as much as the resource itself. */
const LOOKED_UP = new Set(['aws_ami', 'aws_iam_role', 'aws_ssm_parameter', 'aws_subnet']);

/** Resources that nodes do not depend on, whether or not they are there. */
const ASIDE = new Set(['aws_ami', 'aws_ssm_parameter', 'helm_release', 'kubectl_manifest']);

/** What AWS or Kubernetes would show of a resource; nothing of one that no cause looks at. */
export function madeOf(plan: Plan, resource: Resource): readonly Made[] {
  const { type, isLookedUp } = resource;
  if ((isLookedUp && !LOOKED_UP.has(type)) || !Object.hasOwn(MAKERS, type)) return [];
  return MAKERS[type]?.(plan, resource) ?? [];
}

/** True for a type that nodes depend on. */
export function concernsNodes(type: string): boolean {
  return (
    (Object.hasOwn(MAKERS, type) && !ASIDE.has(type)) || type.startsWith('kubernetes_config_map')
  );
}
