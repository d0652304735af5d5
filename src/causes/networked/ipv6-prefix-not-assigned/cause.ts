import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { type NetworkTrouble, networkTrouble } from '../../../domain/nodes/network-trouble.ts';
import { RIGHTS_KINDS, rightOf, type WantedRight } from '../../../domain/instances/role-rights.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';

/** In an IPv6 cluster the node’s first interface gets no /80 prefix for pods. */
const cause = defineCause({
  id: 'ipv6-prefix-not-assigned',
  stage: 'networked',
  title: 'the VPC CNI cannot assign an IPv6 prefix to the node',
  scope: 'machine',
  signs: {
    refused: definite(
      ['ipamd', 'aws-node', 'event'],
      /AssignIpv6Addresses\b.*(?<reason>UnauthorizedOperation|is not authorized|missing permissions)|is not authorized to perform: ec2:AssignIpv6Addresses/,
    ),
    notAllocated: definite(
      ['ipamd', 'aws-node'],
      /Failed to allocate IPv6 Prefix(?:es)?|allocate IPv6 prefix: failed|assignIPv6Prefix; err:/,
    ),
    wrongMode: definite(
      ['ipamd', 'aws-node'],
      /(?<reason>IPv6 is (?:only supported|supported only) in Prefix [Dd]elegation [Mm]ode|IPv4 and IPv6 are both enabled)/,
    ),
    assigned: withdraws(
      ['ipamd'],
      /Successfully allocated an IPv6Prefix|node init completed successfully/,
    ),
    healFailed: context(
      ['ipamd', 'aws-node', 'event'],
      /IPv6 self-heal alloc failed|Failed to configure IPv6 settings|Kubelet detected an IPv6 node IP/,
    ),
  },
  needs: [
    'aws/cluster',
    'aws/instance',
    'aws/instance-profile',
    ...RIGHTS_KINDS,
    'aws/pod-identity-association',
    'kube/DaemonSet',
    'kube/ServiceAccount',
    'kube/Node',
    'kube/Pod',
  ],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: [
    'cni-without-ec2-permissions',
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
  ],
  summary: ({ reason, machine, role, policies }) =>
    role !== undefined
      ? `The VPC CNI of ${machine ?? 'the node'} gets no IPv6 prefix: its role ${role} has ${policies ?? 'policies'}, and none allows ec2:AssignIpv6Addresses, so an IPv6 cluster has no pod addresses there.`
      : sentence`The VPC CNI of ${machine ?? 'the node'} gets no IPv6 prefix${phrase` (${reason})`}, so an IPv6 cluster has no pod addresses there.`,
  remedy: ({ role }) => [
    step(
      'Give the CNI’s role a policy with ec2:AssignIpv6Addresses, DescribeInstances, DescribeTags, DescribeNetworkInterfaces, DescribeInstanceTypes and CreateTags; AmazonEKS_CNI_Policy has no IPv6 action.',
      `aws iam put-role-policy --role-name ${role ?? '<cni-role>'} --policy-name AmazonEKS_CNI_IPv6_Policy --policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["ec2:AssignIpv6Addresses","ec2:DescribeInstances","ec2:DescribeTags","ec2:DescribeNetworkInterfaces","ec2:DescribeInstanceTypes"],"Resource":"*"},{"Effect":"Allow","Action":"ec2:CreateTags","Resource":"arn:aws:ec2:*:*:network-interface/*"}]}'`,
    ),
    step(
      'Set the IPv6 mode as one set; only Nitro types can have prefixes.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true ENABLE_IPv6=true ENABLE_IPv4=false',
    ),
  ],
  decide: step(
    'Read what ipamd says of IPv6.',
    "sudo grep -iE 'ipv6' /var/log/aws-routed-eni/ipamd.log | grep -iE 'error|fail|unauthor' | tail -n 5",
  ),
  page: {
    why: 'IPv6 needs its own permissions, Nitro instances and prefix mode; the managed CNI policy is for IPv4 only.',
    prevent: 'Make the IPv6 policy part of the CNI role’s template.',
    notThis:
      '“both disabled” is cni-image-without-matching-manifest. Other refused calls are cni-without-ec2-permissions.',
    alsoKnownAs: ['AssignIpv6Addresses UnauthorizedOperation', 'AmazonEKS_CNI_IPv6_Policy'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html',
    ],
  },
});

export default matched(cause, matchCluster);

type Own = ViewOf<typeof cause>;

const ASSIGN: WantedRight = {
  action: 'ec2:AssignIpv6Addresses',
  given: /^AmazonEKS_CNI_IPv6_Policy$/,
  without:
    /^(?:AmazonEKS_CNI_Policy|AmazonEKSWorkerNode\w*Policy|AmazonEC2ContainerRegistry\w+|AmazonSSMManagedInstanceCore|CloudWatchAgentServerPolicy|AmazonEBSCSIDriverPolicy)$/,
};

/** In a cluster of the IPv6 family, a machine without prefix whose network does not come up. */
function matchCluster(view: Own): Match | null {
  if (view.anySign('refused', 'notAllocated', 'wrongMode')) return null;
  const cluster = view.list('aws/cluster').find(({ value }) => isIpv6(value));
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  const instance = view
    .list('aws/instance')
    .find(({ value }) => value.InstanceId === view.instanceId);
  if (cluster === undefined || daemonSet === undefined || instance === undefined) return null;
  if (hasPrefix(instance.value)) return clear;
  const trouble = networkTrouble(view, 'aws-node');
  if (trouble === null) return null;
  const shown: Shown = { cluster, instance, trouble };
  return matchMode(view, daemonSet, shown) ?? matchRole(view, shown);
}

interface Shown {
  readonly cluster: Seen<Cluster>;
  readonly instance: Seen<Instance>;
  readonly trouble: NetworkTrouble;
}

function isIpv6(cluster: Cluster): boolean {
  return cluster.kubernetesNetworkConfig?.ipFamily === 'ipv6';
}

function hasPrefix(instance: Instance): boolean {
  return (instance.NetworkInterfaces ?? []).some((entry) => (entry.Ipv6Prefixes ?? []).length > 0);
}

function quotes(view: Own, { cluster, instance, trouble }: Shown): ReturnType<Own['quote']>[] {
  const name = cluster.value.name ?? '';
  return [
    view.quote(cluster, `cluster ${name} kubernetesNetworkConfig.ipFamily ipv6`),
    view.quote(instance, `${view.instanceId ?? ''} has no interface with Ipv6Prefixes`),
    view.quote(trouble.fact, trouble.words),
  ];
}

/** ipamd ends at once where IPv6 is asked for without prefix mode, or beside IPv4. */
function matchMode(view: Own, daemonSet: Seen<DaemonSet>, shown: Shown): Match | null {
  const [container] = daemonSet.value.spec?.template?.spec?.containers ?? [];
  const valueOf = (name: string): string | null => {
    const entry = (container?.env ?? []).find((one) => one.name === name);
    return entry?.value ?? null;
  };
  if (valueOf('ENABLE_IPv6') !== 'true') return null;
  const reason =
    valueOf('ENABLE_PREFIX_DELEGATION') === 'false'
      ? 'ENABLE_PREFIX_DELEGATION is false'
      : valueOf('ENABLE_IPv4') === 'true'
        ? 'ENABLE_IPv4 is true beside ENABLE_IPv6'
        : null;
  if (reason === null) return null;
  return found({ reason }, [
    view.quote(daemonSet, `DaemonSet kube-system/aws-node: ${reason}`),
    ...quotes(view, shown),
  ]);
}

/** aws-node works with the node's role, and no policy of that role allows an IPv6 action. */
function matchRole(view: Own, shown: Shown): Match | null {
  const role = nodeRole(view, shown.instance.value);
  const held = role === null ? null : rightOf(view, role, ASSIGN);
  if (role === null || held === null || hasOwnRole(view)) return null;
  if (held.right === 'unknown') return cannotSay(held.why);
  if (held.right === 'given') return null;
  const policies = held.names === 'none' ? 'no policy' : held.names;
  const proof = view.quote(held.attached, `role ${role} has ${policies}`);
  return found({ role, policies }, [proof, ...quotes(view, shown)], 'likely');
}

function nodeRole(view: Own, instance: Instance): string | null {
  const arn = instance.IamInstanceProfile?.Arn ?? null;
  const profile = view
    .list('aws/instance-profile')
    .find(({ value }) => arn !== null && value.Arn === arn);
  return (profile?.value.Roles ?? [])[0]?.RoleName ?? null;
}

/** The service account has a role of its own, or nobody can say. */
function hasOwnRole(view: Own): boolean {
  const account = view
    .list('kube/ServiceAccount')
    .find(({ value }) => value.name === 'aws-node' && value.namespace === 'kube-system');
  return (
    account === undefined ||
    account.value.annotations['eks.amazonaws.com/role-arn'] !== undefined ||
    view
      .list('aws/pod-identity-association')
      .some(({ value }) => value.serviceAccount === 'aws-node')
  );
}
