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
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { podName } from '../../../domain/pods/pods.ts';
import {
  groupsOf,
  hasBranch,
  podsWithoutBranch,
  policiesOf,
  policyWords,
} from '../../../domain/pods/pod-security-groups.ts';
import { placeOf, waitingWords } from '../../../domain/pods/pods-seen.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { SecurityGroupPolicy } from '../../../evidence/kube/network.ts';

/** A pod is to get a security group which EC2 does not know. */
const cause = defineCause({
  id: 'pod-security-group-not-found',
  stage: 'networked',
  title: 'a SecurityGroupPolicy names a security group that does not exist',
  scope: 'cluster',
  signs: {
    refused: definite(
      ['event', 'vpc-resource-controller', 'client-output'],
      /(?:\bpod\/(?<pod>\S+)\s.{0,200})?(?:branch (?:ENI|interface)|BranchAllocationFailed|creating network interface).*?(?:Invalid(?:Group|SecurityGroup(?:ID)?|GroupId)\.(?:NotFound|Malformed)|The security group '?sg-[0-9a-f]+'? does not exist)(?:.*?(?<group>sg-[0-9a-f]{8,17}))?/,
    ),
    otherNetwork: definite(
      ['event', 'vpc-resource-controller', 'client-output'],
      /(?:\bpod\/(?<pod>\S+)\s.{0,200})?(?:branch (?:ENI|interface)|BranchAllocationFailed).*belong to different networks/,
    ),
    allocated: withdraws(['event'], /ResourceAllocated(?:\s+pod\/(?<pod>\S+))?/),
  },
  needs: ['kube/Pod', 'kube/SecurityGroupPolicy', 'kube/ServiceAccount', 'aws/security-group'],
  symptoms: ['sandbox-not-created'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['branch-eni-allocation-failed'],
  summary: ({ pod, policy, groups, group }) =>
    policy === undefined
      ? sentence`EC2 does not know the security group ${group} that a SecurityGroupPolicy gives the pod ${pod}, so no branch interface is made and the pod does not start.`
      : sentence`The SecurityGroupPolicy ${policy} names ${groups ?? 'security groups'}, which the VPC of the nodes does not have, so no branch interface is made for the pod ${pod} and it does not start.`,
  remedy: ({ policy, groups, group }) => [
    step(
      'See which policies name it, and whether the group exists and in which VPC.',
      `kubectl get securitygrouppolicies -A -o yaml | grep -n -B12 ${group ?? groups?.split(', ')[0] ?? 'sg-'}; aws ec2 describe-security-groups --group-ids ${group ?? groups?.split(', ')[0] ?? '<security-group>'} --query "SecurityGroups[].VpcId"`,
    ),
    step(
      `Name groups of the nodes’ VPC instead${groups === undefined ? '' : ` of ${groups}`}, then delete the pods that wait.`,
      `kubectl -n ${policy?.split('/')[0] ?? '<namespace>'} edit securitygrouppolicy ${policy?.split('/')[1] ?? '<policy>'}`,
    ),
  ],
  decide: step(
    'Read the controller’s events on the pod, and the policies’ groups.',
    'kubectl get events -A | grep Branch; kubectl get securitygrouppolicies -A -o yaml',
  ),
  page: {
    why: 'The controller asks EC2 for an interface with the policy’s groups. A group that was deleted and made again has another id; one of another VPC, account or region is as good as none.',
    prevent:
      'Take the ids in SecurityGroupPolicy objects from the state of the tool that makes the groups, and change both together.',
    notThis:
      'A refusal of another kind is branch-eni-allocation-failed; no trunk on the node is trunk-eni-missing. Groups of an ENIConfig are eniconfig-names-wrong-network, those of a launch template invalid-subnet-or-security-group.',
    alsoKnownAs: [
      'failed to allocate branch ENI to pod: InvalidGroup.NotFound',
      'InvalidSecurityGroupID.NotFound: The security group does not exist',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sg-pods-example-deployment.html',
      'https://github.com/aws/amazon-vpc-resource-controller-k8s/blob/HEAD/pkg/provider/branch/provider.go',
    ],
  },
});

export default matched(cause, matchGroups);

type Own = ViewOf<typeof cause>;

/** A policy of such a pod names groups which the complete list of the VPC's groups lacks. */
function matchGroups(view: Own): Match | null {
  const policies = view.list('kube/SecurityGroupPolicy');
  if (policies.length === 0) return null;
  const asking = podsWithoutBranch(view.list('kube/Pod'), view);
  const waiting = asking.filter(({ value }) => !hasBranch(value));
  if (asking.length > 0 && waiting.length === 0) return clear;
  if (waiting.length === 0) return null;
  const groups = view.list('aws/security-group');
  if (groups.length === 0) return unread;
  const known = new Set(groups.map(({ value }) => value.GroupId ?? ''));
  const accounts = view.list('kube/ServiceAccount');
  for (const pod of waiting) {
    for (const policy of policiesOf(pod.value, policies, accounts)) {
      const missing = groupsOf(policy).filter((id) => !known.has(id));
      if (missing.length > 0) return foundPolicy(view, waiting, pod, policy, missing);
    }
  }
  return null;
}

const unread = cannotSay({
  reason: 'not-collected',
  detail: 'which security groups the VPC has',
  collect: 'aws ec2 describe-security-groups --query SecurityGroups[].GroupId',
});

function foundPolicy(
  view: Own,
  waiting: readonly Seen<Pod>[],
  pod: Seen<Pod>,
  policy: Seen<SecurityGroupPolicy>,
  missing: readonly string[],
): Match {
  const { namespace, name } = policy.value;
  const groups = missing.join(', ');
  const nodes = waiting.map(placeOf).filter((node) => node !== null);
  const details = { pod: podName(pod.value), policy: `${namespace ?? ''}/${name}`, groups };
  const vpc = view.list('aws/security-group')[0]?.value.VpcId ?? 'of the nodes';
  const proof = [
    view.quote(policy, `${policyWords(policy)}; the VPC ${vpc} has no ${groups}`),
    view.quote(pod, waitingWords(pod)),
  ];
  return found(details, proof, 'definite', [...new Set(nodes)]);
}
