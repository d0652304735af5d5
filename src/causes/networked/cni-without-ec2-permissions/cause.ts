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
import { foreseen, plannedDetails } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { networkTrouble } from '../../../domain/nodes/network-trouble.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { policyStep } from '../../../domain/planned/remedies.ts';
import { plannedRight } from '../../../domain/planned/rights.ts';
import { RIGHTS_KINDS, rightOf, type WantedRight } from '../../../domain/instances/role-rights.ts';

/** The VPC CNI has credentials, and EC2 refuses the call it makes with them. */
const cause = defineCause({
  id: 'cni-without-ec2-permissions',
  stage: 'networked',
  title: 'the VPC CNI’s role lacks EC2 permissions',
  scope: 'machine',
  signs: {
    callRefused: definite(
      ['ipamd', 'aws-node'],
      /(?:Failed to (?:call ec2:)?|failed to call (?:ec2:)?|operation error EC2: |unable to )(?<action>DescribeInstances\b|CreateNetworkInterface|AttachNetworkInterface|AssignPrivateIpAddresses|DescribeNetworkInterfaces|ModifyNetworkInterfaceAttribute|CreateTags|create network interface|attach ENI)\b.*UnauthorizedOperation/,
      { strict: true },
    ),
    refusedWithRole: definite(
      ['ipamd', 'aws-node'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/\S* is not authorized to perform: ec2:(?<action>CreateNetworkInterface|AttachNetworkInterface|AssignPrivateIpAddresses|DescribeNetworkInterfaces|ModifyNetworkInterfaceAttribute)\b/,
      { strict: true },
    ),
    refusedToCilium: definite(
      ['cilium'],
      /(?:operation error EC2: |unable to |Unable to (?:synchronize|retrieve) EC2 )(?<action>Describe(?:NetworkInterfaces|Subnets|Vpcs|SecurityGroups|RouteTables)|CreateNetworkInterface|AttachNetworkInterface|AssignPrivateIpAddresses|ModifyNetworkInterfaceAttribute|CreateTags|create ENI|attach ENI|(?:VPC|interface|subnets|security group|route table) list)\b.*(?:UnauthorizedOperation|not authorized to perform)/,
      { anchors: ['UnauthorizedOperation', 'not authorized to perform'] },
    ),
    refusedTail: likely(
      ['ipamd'],
      /^(?!.*(?:DescribeInstanceTypes|DescribeSubnets|DescribeTags|Ipv6|IPv6|[Dd]elete|[Dd]etach|[Uu]nassign|leaked)).*UnauthorizedOperation: You are not authorized/,
      { strict: true },
    ),
    startRefused: likely(
      ['ipamd', 'aws-node', 'pod-app', 'client-output', 'unknown'],
      /Initialization failure: .{0,300}UnauthorizedOperation(?:.{0,300}not authorized to perform: ec2:(?<action>\w{1,60}))?/,
      { anchors: ['Initialization failure: '] },
    ),
    eventOfDaemon: definite(
      ['event'],
      /MissingIAMPermissions.{0,200}failed to call (?:ec2:)?(?<action>\w+) due to missing permissions/,
      { anchors: ['MissingIAMPermissions'] },
    ),
    enisRead: withdraws(
      ['ipamd'],
      /DescribeAllENIs success|Successfully created and attached a new ENI|[Ss]uccessfully increased IP/,
    ),
    attachedByCilium: withdraws(['cilium'], /Attached ENI to instance/),
    describeRefused: context(
      ['ipamd', 'aws-node', 'cilium'],
      /(?:Failed to call ec2:|operation error EC2: )Describe\w+\b.*UnauthorizedOperation/,
      { anchors: ['UnauthorizedOperation'] },
    ),
    // Without this call alone the daemon stays in the subnet of the instance; here it gives up.
    subnetUnchecked: likely(
      ['ipamd', 'aws-node'],
      /UnauthorizedOperation.*Quit ENI creation attempt/,
      { strict: true },
    ),
    // No other program on a node asks for these, or says so in these words.
    callOfCni: likely(
      ['ipamd', 'aws-node', 'event'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/\S* is not authorized to perform: ec2:(?<action>(?:Una|A)ssignPrivateIpAddresses|AttachNetworkInterface)\b|Failed to (?<action2>CreateNetworkInterface) UnauthorizedOperation/,
      { anchors: ['is not authorized to perform: ec2:', 'Failed to CreateNetworkInterface'] },
    ),
    toldUnattached: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bAmazonEKS_CNI_(?:IPv6_)?Policy\b.{0,40}\b(?:was|is|were)(?: not|n't) (?:attached|added|there|in)\b|\b(?:missing|[Ww]ithout(?: the)?|[Ff]orgot(?: to (?:attach|add))?(?: the)?|lack(?:s|ed|ing)?(?: the)?|(?:did|do|does)(?: not|n't) have(?: the)?)\s`?(?:\w+ ){0,2}`?AmazonEKS_CNI_(?:IPv6_)?Policy\b|\b[Aa]ttach(?:ed|ing)\b.{0,30}\bAmazonEKS_CNI_(?:IPv6_)?Policy\b.{0,60}\b(?:fix|solv|resolv|help|work|join)\w{0,4}/,
      { isTold: true, anchors: ['AmazonEKS_CNI_'] },
    ),
  },
  needs: [
    'kube/Node',
    'kube/Pod',
    'kube/DaemonSet',
    'kube/ServiceAccount',
    'aws/instance',
    'aws/instance-profile',
    'aws/pod-identity-association',
    ...RIGHTS_KINDS,
  ],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized', 'sandbox-not-created', 'node-not-ready'],
  withdrawnBy: ['networking-initialized'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'cni-image-without-matching-manifest',
    'leaked-network-interfaces',
  ],
  summary: ({ action, role, machine, policy, planned }) =>
    planned !== undefined
      ? sentence`The node role ${role} of ${planned}, with which aws-node will ask EC2, will lack ${policy}, so pods on its machines will get no addresses and the Nodes will stay NotReady.`
      : policy !== undefined
        ? `The role ${role ?? ''} of ${machine ?? 'the machine'}, with which aws-node asks EC2, lacks ${policy}, so the node gets no pod addresses.`
        : sentence`EC2 refuses ${action ?? 'the calls'} to the CNI of ${machine ?? 'the machine'}${phrase` (role ${role})`}, so the node gets no pod addresses.`,
  remedy: ({ role, planned, address }) =>
    planned !== undefined
      ? [
          step(policyStep(CNI_POLICY, address)),
          step(
            'Or give the CNI a role: service_account_role_arn or pod_identity_association of the aws_eks_addon vpc-cni.',
          ),
        ]
      : [
          step(
            'Attach the CNI policy to the role that aws-node runs with: the service account’s role if it has one, else the node role.',
            `aws iam attach-role-policy --role-name ${role ?? '<cni-or-node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy`,
          ),
          step('Restart the CNI.', 'kubectl -n kube-system rollout restart daemonset/aws-node'),
        ],
  decide: step(
    'Read which EC2 call is refused.',
    "sudo grep -E 'UnauthorizedOperation|is not authorized to perform' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  ),
  page: {
    why: 'ipamd lists, creates and fills network interfaces with the EC2 API. The role it runs with is the one annotated on the service account aws-node, or the node role where there is none; a new node role without AmazonEKS_CNI_Policy is the usual reason.',
    prevent:
      'Create node roles from one template, or give aws-node a role of its own and keep the policy off the nodes.',
    notThis:
      'No credentials at all is cni-without-aws-credentials; a role that cannot be assumed is cni-role-not-assumable. A refused DescribeInstanceTypes is instance-type-lookup-denied and a refused AssignIpv6Addresses is ipv6-prefix-not-assigned. A refused DescribeSubnets does no harm: the CNI falls back to the node’s own subnet.',
    alsoKnownAs: [
      'UnauthorizedOperation: You are not authorized to perform this operation',
      'MissingIAMPermissions',
      'aws-node CrashLoopBackOff',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/iam-policy.md',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
    ],
  },
});

export default foreseen(matched(cause, matchPolicies), foresee);

type Own = ViewOf<typeof cause>;

const CNI_POLICY = 'AmazonEKS_CNI_Policy';
/** The first thing that ipamd does for more addresses. */
const INTERFACES: WantedRight = {
  action: 'ec2:CreateNetworkInterface',
  given: /^AmazonEKS_CNI_Policy$/,
  without:
    /^(?:AmazonEKSWorkerNode\w*Policy|AmazonEC2ContainerRegistry\w+|AmazonSSMManagedInstanceCore|CloudWatchAgentServerPolicy|AmazonEBSCSIDriverPolicy)$/,
};

/** The service account has a role of its own, through IRSA or Pod Identity, or nobody can say. */
function hasOwnRole(view: Own): boolean {
  const account = view
    .list('kube/ServiceAccount')
    .find(({ value }) => value.name === 'aws-node' && value.namespace === 'kube-system');
  if (account === undefined) return true;
  if (account.value.annotations['eks.amazonaws.com/role-arn'] !== undefined) return true;
  return view
    .list('aws/pod-identity-association')
    .some(({ value }) => value.serviceAccount === 'aws-node');
}

function roleOf(view: Own): string | null {
  const instance = view
    .list('aws/instance')
    .find(({ value }) => value.InstanceId === view.instanceId);
  const arn = instance?.value.IamInstanceProfile?.Arn ?? null;
  const profile = view
    .list('aws/instance-profile')
    .find(({ value }) => arn !== null && value.Arn === arn);
  return (profile?.value.Roles ?? [])[0]?.RoleName ?? null;
}

/** aws-node does not work, runs with the node role, and no policy of that role gives it ENI rights. */
function matchPolicies(view: Own): Match | null {
  if (
    view.anySign(
      'callRefused',
      'refusedWithRole',
      'refusedToCilium',
      'refusedTail',
      'eventOfDaemon',
    )
  )
    return null;
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  const trouble = daemonSet === undefined ? null : networkTrouble(view, 'aws-node');
  if (trouble === null || hasOwnRole(view)) return null;
  const role = roleOf(view);
  const held = role === null ? null : rightOf(view, role, INTERFACES);
  if (role === null || held === null) return null;
  if (held.right === 'given') return clear;
  if (held.right === 'unknown') return cannotSay(held.why);
  return found(
    { role, policy: CNI_POLICY },
    [
      view.quote(held.attached, `role ${role} has the policies ${held.names}`),
      view.quote(trouble.fact, trouble.words),
    ],
    'likely',
  );
}

/** True where the plan gives the CNI a role of its own. */
function hasPlannedRole(plan: PlanView): boolean {
  const addons = plan.list('aws/addon').filter(({ value }) => value.addonName === 'vpc-cni');
  return (
    addons.some(({ value }) => (value.serviceAccountRoleArn ?? null) !== null) ||
    plan
      .list('aws/pod-identity-association')
      .some(({ value }) => value.serviceAccount === 'aws-node')
  );
}

/** A plan in which neither the nodes nor the CNI get the policy; IRSA by a manifest is not seen. */
function foresee(plan: PlanView, group: PlannedGroup): Match {
  if (hasPlannedRole(plan)) return clear;
  const right = plannedRight(plan, group, INTERFACES);
  if (right.kind === 'unknown') return cannotSay(right.why);
  if (right.kind === 'given') return clear;
  const name = group.role?.name ?? '';
  return found(
    { ...plannedDetails(group), policy: CNI_POLICY },
    [plan.quote(group.fact, `role ${name} has the policies ${right.held.names}`)],
    'likely',
  );
}
