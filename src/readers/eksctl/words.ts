import { at, type Json } from '../../evidence/json.ts';
import type { Dialect } from '../written/dialect.ts';

/** What is said of a plan of Terraform, and what is said of a ClusterConfig instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /Add an aws_eks_access_entry with principal_arn = (\S+) and type = "EC2_LINUX" \(EC2_WINDOWS for Windows\); it needs authentication_mode API or API_AND_CONFIG_MAP in access_config of the cluster\./g,
    'Add an entry to accessConfig.accessEntries with principalARN $1 and type EC2_LINUX (EC2_WINDOWS for Windows), or take the entry out so that eksctl makes it.',
  ],
  [
    /\ban aws_iam_role_policy_attachment with policy_arn = ("[^"]{0,200}")/g,
    'add $1 to iam.attachPolicyARNs of the node group, where it takes the place of the policies that eksctl attaches otherwise',
  ],
  [
    /Add an aws_route with destination_cidr_block = "0\.0\.0\.0\/0" and a nat_gateway_id to the route table [^.]{0,200}\./g,
    'Set vpc.nat.gateway to Single or HighlyAvailable.',
  ],
  [
    /Or add an aws_vpc_endpoint to the VPC for each of: [^(]{0,200}\(of type Gateway for s3, [^)]{0,200}\)\./g,
    'Or set privateCluster.enabled to true, with which eksctl makes the endpoints.',
  ],
  [
    /Take max-pods out of the user data, or set it to (\d+)\./g,
    'Take maxPodsPerNode out of the node group, or set it to $1.',
  ],
  [
    /Or set http_put_response_hop_limit = 2 in metadata_options of the aws_launch_template\./g,
    'Or take disablePodIMDS out of the node group.',
  ],
  [
    /metadata_options http_tokens required, http_put_response_hop_limit 1/g,
    'disablePodIMDS true: metadata answers one hop far only',
  ],
  [
    /Give the aws_eks_addon (\S*) a role \(pod_identity_association or service_account_role_arn\)\./g,
    'Give the add-on $1 a role: podIdentityAssociations or serviceAccountRoleARN.',
  ],
  [/Add an aws_iam_openid_connect_provider with .{0,200}\./g, 'Set iam.withOIDC to true.'],
  [/no aws_iam_openid_connect_provider for its issuer/g, 'iam.withOIDC is not true'],
  [/Add an aws_eks_addon with addon_name = "([^"]{0,100})"\./g, 'Add the add-on $1 to addons.'],
  [
    /Set endpoint_private_access = true in vpc_config of the aws_eks_cluster\./g,
    'Set vpc.clusterEndpoints.privateAccess to true.',
  ],
  [
    /In user_data of the aws_launch_template: take (.{1,200}?) out of --node-labels;/g,
    'Take $1 out of labels of the node group;',
  ],
  [
    /fetch scripts and certificates at boot, or send the MIME document gzipped \([^)]{0,200}\)/g,
    'fetch scripts and certificates at boot',
  ],
  [
    /Set authentication_mode = "?API_AND_CONFIG_MAP"? in access_config of the aws_eks_cluster/g,
    'Set accessConfig.authenticationMode to API_AND_CONFIG_MAP',
  ],
  [/In user_data of the aws_launch_template: /g, 'In overrideBootstrapCommand of the node group: '],
  [
    /replace the call of bootstrap\.sh by a MIME part of type application\/node\.eks\.aws with a NodeConfig/g,
    'write a NodeConfig instead of the call of bootstrap.sh',
  ],
  [/add a MIME part of type application\/node\.eks\.aws with a NodeConfig/g, 'write a NodeConfig'],
  [
    /Choose an image or ami_type for (\S+), or types of the image’s architecture\./g,
    'Put types of one architecture in each node group.',
  ],
  [
    /Set service_ipv4_cidr in kubernetes_network_config of the aws_eks_cluster/g,
    'Set kubernetesNetworkConfig.serviceIPv4CIDR',
  ],
  [
    /Give vpc_config of the aws_eks_cluster subnets with 16 free addresses or more; [^.]{0,200}\./g,
    'Give the VPC a larger range in vpc.cidr, which eksctl divides into eight subnets or sixteen.',
  ],
  [
    /Set type = "EC2_LINUX" in (\S+) \(EC2_WINDOWS for Windows\) and leave its kubernetes_groups and user_name out\./g,
    'Set type to EC2_LINUX in $1 (EC2_WINDOWS for Windows) and leave its kubernetesGroups and kubernetesUsername out, or take the entry out so that eksctl makes it.',
  ],
  [/\baws_(?:autoscaling_group|eks_node_group|launch_template)\b/g, 'node group'],
  [/\baws_eks_cluster\b/g, 'cluster'],
  [/\baws_eks_addon\b/g, 'add-on'],
  [/\ba data source\b/g, 'eksctl'],
  [
    /Give the subnets a larger cidr_block, or the group more subnets\./g,
    'Give the VPC a larger range in vpc.cidr, or the group fewer machines.',
  ],
  [/\bcidr_block\b/g, 'range'],
  [/\bconfiguration_values\b/g, 'configurationValues'],
  [/\bpublic_access_cidrs\b/g, 'vpc.publicAccessCIDRs'],
  [/\bendpoint_private_access\b/g, 'vpc.clusterEndpoints.privateAccess'],
  [/\bauthentication_mode\b/g, 'authenticationMode'],
  [/\bservice_account_role_arn\b/g, 'serviceAccountRoleARN'],
  [/\bpod_identity_association\b/g, 'podIdentityAssociations'],
  [/\bsuspended_processes\b/g, 'asgSuspendProcesses'],
  [/\bsubnet_ids\b/g, 'subnets'],
  [/\b(this|the|a) plan\b/g, '$1 file'],
  [/\bThis plan\b/g, 'This file'],
  [/\bknown after apply\b/g, 'known once eksctl has made it'],
  [/\buntil the file is applied\b/g, 'until eksctl has made it'],
];

const GROUP = /odeGroups\[\d+\]$/;

/** What a quote is about, and the lines of the file that say it, the likeliest first. */
const PLACES: readonly (readonly [address: RegExp, about: RegExp, fields: readonly string[]])[] = [
  [GROUP, /max-pods/, ['maxPodsPerNode', 'bottlerocket']],
  [GROUP, /metadata_options/, ['disablePodIMDS']],
  [GROUP, /--node-labels/, ['labels']],
  [GROUP, /\buser data\b|NodeConfig/, ['overrideBootstrapCommand', 'preBootstrapCommands']],
  [GROUP, /instance types?\b/, ['instanceTypes', 'instancesDistribution', 'instanceType']],
  [GROUP, /has the policies/, ['iam.attachPolicyARNs', 'iam']],
  [GROUP, /^machines in /, ['privateNetworking', 'subnets']],
  [GROUP, /starts (?:with )?\d+ machines/, ['desiredCapacity', 'minSize']],
  [GROUP, /suspend/i, ['asgSuspendProcesses']],
  [/^metadata$/, /public_access_cidrs/, ['vpc.publicAccessCIDRs']],
  [/^metadata$/, /authentication_mode/, ['accessConfig.authenticationMode', 'accessConfig']],
  [/^metadata$/, /serviceIpv4Cidr/, ['kubernetesNetworkConfig.serviceIPv4CIDR']],
  [/^metadata$/, /openid_connect/, ['iam.withOIDC', 'iam']],
  [/^metadata$/, /\bversion\b/, ['metadata.version']],
  [/^vpc\.subnets\./, /^route table/, ['vpc.nat.gateway', 'vpc']],
  [/^vpc\.subnets\./, /free|address/, ['vpc.cidr', 'vpc']],
  [/^addons$/, /./, ['addons']],
];

function inWords(text: string): string {
  return WORDS.reduce((all, [pattern, words]) => all.replaceAll(pattern, words), text);
}

/** A group's own fields are below its address, those of the cluster anywhere in the file. */
function placed(document: Json, address: string, excerpt: string): string {
  for (const [where, about, fields] of PLACES) {
    if (!where.test(address) || !about.test(excerpt)) continue;
    const isGroup = GROUP.test(address);
    const group = isGroup ? groupAt(document, address) : document;
    const field = fields.find((name) => at(group, name) !== undefined);
    if (field !== undefined) return isGroup ? `${address}.${field}` : field;
  }
  return address;
}

function groupAt(document: Json, address: string): Json | undefined {
  const [, list = '', index = ''] = /^(\w+)\[(\d+)\]$/.exec(address) ?? [];
  const groups = at(document, list);
  return Array.isArray(groups) ? (groups[Number(index)] as Json | undefined) : undefined;
}

const DRY_RUN = 'eksctl create cluster -f <file> --dry-run';

/** Answers in the words and at the places of a ClusterConfig. */
export function eksctlDialect(document: Json): Dialect {
  return {
    source: 'eksctl',
    say: inWords,
    place: (address, excerpt) => placed(document, address, excerpt),
    // Of a role that eksctl will make, AWS has nothing to show yet.
    collect: (command) =>
      command === 'terraform plan' || /odeGroups\[\d+\]/.test(command) ? DRY_RUN : command,
  };
}
