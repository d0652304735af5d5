import {
  cniNodeOf,
  TRUNK_KINDS,
  trunkReason,
  trunkTrouble,
} from '../../../capacity/trunk-trouble.ts';
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
import { definite, likely } from '../../../diagnosis/sign.ts';
import { roleName } from '../../../domain/nodes/fleet.ts';
import { podName } from '../../../domain/pods/pods.ts';
import { asksForTrunk } from '../../../domain/pods/pod-security-groups.ts';
import { RIGHTS_KINDS, rightOf, type WantedRight } from '../../../domain/instances/role-rights.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';
import { networkModeOf } from '../../../capacity/cni-settings.ts';
import { heldRight } from '../../../domain/planned/rights.ts';
import { policyStep } from '../../../domain/planned/remedies.ts';

const POLICY = 'AmazonEKSVPCResourceController';

/** The controller begins every trunk and branch with it. */
const INTERFACES: WantedRight = {
  action: 'ec2:CreateNetworkInterface',
  given: /^(?:AmazonEKSVPCResourceController|AmazonEKSNetworkingPolicy)$/,
  without: /^Amazon(?!EKSVPCResourceController$|EKSNetworkingPolicy$)/,
};

/** The controller acts with the cluster’s role, and that role may not make trunk interfaces. */
const cause = defineCause({
  id: 'cluster-role-without-vpc-controller-policy',
  stage: 'networked',
  title: 'the EKS cluster role lacks AmazonEKSVPCResourceController',
  scope: 'cluster',
  signs: {
    refused: definite(
      ['event'],
      /(?:TrunkENICreationFailed|BranchAllocationFailed).*(?:UnauthorizedOperation|is not authorized to perform|verify the cluster IAM role)/,
    ),
    advised: definite(
      ['event', 'vpc-resource-controller'],
      /verify the cluster IAM role has AmazonEKSVPCResourceController policy/,
    ),
    advisedByEks: likely(
      ['event', 'vpc-resource-controller'],
      /Insufficient permissions: Unable to create Elastic Network Interface/,
    ),
    toldUnattached: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bAmazonEKSVPCResourceController\b.{0,40}\b(?:was|is|were)(?: not|n't) (?:attached|added|there|in)\b|\b(?:missing|[Ww]ithout(?: the)?|[Ff]orgot(?: to (?:attach|add))?(?: the)?|lack(?:s|ed|ing)?(?: the)?|(?:did|do|does)(?: not|n't) have(?: the)?)\s`?(?:\w+ ){0,2}`?AmazonEKSVPCResourceController\b|\bAmazonEKSVPCResourceController policy (?:was|is)(?: not|n't) attached\b/,
      { isTold: true, anchors: ['AmazonEKSVPCResourceController'] },
    ),
    toldTaken: likely(
      ['client-output', 'unknown'],
      /\b(?:[Tt]ook|[Rr]emoved|[Dd]etached|[Dd]eleted) (?:the )?`?(?:AmazonEKS)?VPCResourceController\b|\b[Tt]ak(?:e|es|ing|en) (?:the )?`?(?:AmazonEKS)?VPCResourceController\b.{0,20}\boff\b/,
      { isTold: true, anchors: ['VPCResourceController'] },
    ),
  },
  needs: [...TRUNK_KINDS, 'aws/cluster', ...RIGHTS_KINDS],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['trunk-eni-missing', 'branch-eni-allocation-failed', 'windows-ipam-disabled'],
  summary: ({ role }) =>
    sentence`The cluster’s IAM role${phrase` ${role}`} may not create network interfaces (${POLICY} is not attached), so the VPC resource controller makes no trunk or branch interface and pods that need one do not start.`,
  remedy: ({ role }) => [
    {
      text: 'Attach the policy to the role of the cluster (not of the nodes).',
      command: `aws iam attach-role-policy --policy-arn arn:aws:iam::aws:policy/${POLICY} --role-name ${role === undefined ? `"$(aws eks describe-cluster --name <cluster> --query cluster.roleArn --output text | sed 's#.*/##')"` : roleName(role)}`,
    },
    step('Then replace the nodes that have no trunk.', 'kubectl get cninodes'),
  ],
  decide: step(
    'List the policies of the cluster role.',
    'aws iam list-attached-role-policies --role-name "$(aws eks describe-cluster --name <cluster> --query cluster.roleArn --output text | sed \'s#.*/##\')"',
  ),
  page: {
    why: 'Security groups for pods and Windows address management run in the control plane with the cluster role. AmazonEKSClusterPolicy alone does not cover them.',
    prevent: 'Attach the policy where the cluster role is made.',
    notThis:
      'A full node or a type without trunking is trunk-eni-missing. Refusals in ipamd’s own log are of the node or CNI role: cni-without-ec2-permissions.',
    alsoKnownAs: ['TrunkENICreationFailed UnauthorizedOperation'],
    refs: [
      'https://github.com/aws/amazon-vpc-resource-controller-k8s/pull/24',
      'https://docs.aws.amazon.com/eks/latest/userguide/security-groups-pods-deployment.html',
    ],
  },
});

const judged = matched(cause, matchRole);

type Own = ViewOf<typeof cause>;

/** The node's agent asked for a trunk, none came, and the role that would make it may not. */
function matchRole(view: Own): Match | null {
  const trouble = trunkTrouble(view);
  if (trouble === null) return null;
  const asked = trouble.nodes.flatMap(({ value }) => {
    const cniNode = cniNodeOf(view, value);
    const isDone = cniNode !== undefined && asksForTrunk(cniNode);
    return isDone && trunkReason(view, trouble, value) === null ? [{ node: value, cniNode }] : [];
  });
  const [first] = asked;
  const [pod] = trouble.waiting;
  const cluster = view.list('aws/cluster')[0];
  const role = cluster?.value.roleArn ?? null;
  if (first === undefined || pod === undefined || role === null) return null;
  const held = rightOf(view, roleName(role), INTERFACES);
  if (held === null) return unread(roleName(role));
  if (held.right === 'given') return view.sign('refused') === null ? clear : null;
  if (held.right === 'unknown') return cannotSay(held.why);
  const proof = [
    view.quote(held.attached, `role ${role} has ${held.names}, not ${POLICY}`),
    view.quote(
      first.cniNode,
      `CNINode ${first.node.name} asks for SecurityGroupsForPods, and ${podName(pod.value)} waits`,
    ),
  ];
  return found(
    { role },
    proof,
    'likely',
    asked.map(({ node }) => node.name),
  );
}

function unread(role: string): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: `which policies the role ${role} of the cluster has`,
    collect: `aws iam list-attached-role-policies --role-name ${role}`,
  });
}

export default foreseen(
  judged,
  (plan, { cluster, clusterName }) => {
    const cni = plannedCni(plan);
    const arn = cluster?.value.roleArn ?? null;
    if (cni === null || cluster === null || arn === null) return NOT_SHOWN;
    if (!networkModeOf(cni.value).podEni) return clear;
    const role = plan.list('aws/role').find(({ value }) => value.Arn === arn);
    const doubt = plan.doubtOf('aws/attached-policies');
    const held = role === undefined ? null : heldRight(plan, role.value.RoleName ?? '', INTERFACES);
    if (role === undefined || held === null || doubt !== null) return NOT_SHOWN;
    if (held.right !== 'missing') return held.right === 'given' ? clear : NOT_SHOWN;
    return found(
      { role: role.value.RoleName ?? '', address: role.address },
      [
        plan.quote(role, `policies: ${held.names}`),
        plan.quote(cni, `ENABLE_POD_ENI true in cluster ${clusterName ?? ''}`),
      ],
      'likely',
    );
  },
  {
    remedy: ({ address }) => [step(policyStep(POLICY, address))],
  },
);
