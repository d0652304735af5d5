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
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { isSettled, podName, waitsForSandbox } from '../../../domain/pods/pods.ts';
import {
  asksForBranch,
  groupsOf,
  hasBranch,
  policiesOf,
  policyWords,
} from '../../../domain/pods/pod-security-groups.ts';
import { placeOf, waitingWords } from '../../../domain/pods/pods-seen.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { SecurityGroupPolicy } from '../../../evidence/kube/network.ts';

/** The controller cannot make a pod’s branch interface, or cannot write it onto the pod. */
const cause = defineCause({
  id: 'branch-eni-allocation-failed',
  stage: 'networked',
  title: 'a pod’s branch interface is not allocated or not written onto the pod',
  scope: 'cluster',
  signs: {
    notAnnotated: definite(
      ['event'],
      /BranchENIAnnotationFailed(?:\s+pod\/(?<pod>\S+))?(?:.*(?<reason>is forbidden|denied the request|is invalid))?/,
    ),
    notAllocated: likely(['event'], /BranchAllocationFailed(?:\s+pod\/(?<pod>\S+))?/),
    refused: likely(
      ['event', 'vpc-resource-controller', 'client-output'],
      /(?:\bpod\/(?<pod>\S+)\s+)?failed to (?:allocate branch ENI to pod|annotate pod with branch ENI details): (?<reason2>[^,"]{1,120})/,
    ),
    daemonWaits: context(['ipamd', 'aws-node'], /failed to get Branch ENI resource/),
    allocated: withdraws(['event'], /ResourceAllocated(?:\s+pod\/(?<pod>\S+))?/),
  },
  needs: ['kube/Pod', 'kube/SecurityGroupPolicy', 'kube/ServiceAccount', 'aws/security-group'],
  symptoms: ['sandbox-not-created'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ pod, reason, policy, groups }) =>
    policy !== undefined
      ? `The SecurityGroupPolicy ${policy} names ${groups ?? 'security groups'}, which the VPC of the nodes does not have, so no branch interface is made for the pod ${pod ?? ''} and it does not start.`
      : sentence`The VPC resource controller does not get a branch interface onto the pod ${pod}${phrase` (${reason})`}, so pods with security groups of their own do not start.`,
  remedy: ({ policy, groups }) => [
    ...(policy === undefined
      ? []
      : [
          step(
            `Name groups of the VPC instead of ${groups ?? 'these'}, then delete the pods that wait.`,
            `kubectl -n ${policy.split('/')[0] ?? '<namespace>'} edit securitygrouppolicy ${policy.split('/')[1] ?? '<policy>'}`,
          ),
        ]),
    step(
      'Read the innermost reason in the event.',
      'kubectl get events -A --field-selector involvedObject.kind=Pod | grep -E "BranchAllocationFailed|BranchENIAnnotationFailed"',
    ),
    step(
      'Where it is forbidden or denied, exempt eks-vpc-resource-controller from the policy or webhook that refuses its patch of pods.',
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    ),
    step(
      'Where EC2 refuses, check the security groups and subnets that the policies name.',
      'kubectl get securitygrouppolicies -A -o yaml',
    ),
  ],
  decide: step(
    'Read the controller’s events on the pod.',
    'kubectl get events -A | grep -E "Branch|ResourceAllocated"',
  ),
  page: {
    why: 'The controller makes an interface and writes it as annotation onto the pod; the CNI waits for that annotation. A pod security policy, a mutating webhook or a security group of another VPC stops one of the two steps. “older entry already exist” is the retry after a patch that was refused.',
    prevent:
      'Exempt the controller’s service account from policies on pods; test SecurityGroupPolicy objects.',
    notThis:
      'One failure followed by ResourceAllocated is harmless. No trunk on the node is trunk-eni-missing; UnauthorizedOperation is cluster-role-without-vpc-controller-policy.',
    alsoKnownAs: [
      'cannot create new eni entry already exist, older entry',
      'failed to annotate pod with branch ENI details',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-resource-controller-k8s/issues/8',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/1288',
    ],
  },
});

export default matched(cause, matchGroups);

type Own = ViewOf<typeof cause>;

/** Pods on their nodes that ask for a branch interface and have waited to start too long. */
function waitingFor(view: Own): readonly Seen<Pod>[] {
  const { nowMs } = view;
  if (nowMs === null) return [];
  return view.list('kube/Pod').filter(({ value }) => {
    const waits = asksForBranch(value) && waitsForSandbox(value);
    return waits && isSettled(value, nowMs);
  });
}

/** A policy of such a pod names groups which the complete list of the VPC's groups lacks. */
function matchGroups(view: Own): Match | null {
  const policies = view.list('kube/SecurityGroupPolicy');
  if (policies.length === 0) return null;
  const asking = waitingFor(view);
  const waiting = asking.filter(({ value }) => !hasBranch(value));
  if (asking.length > 0 && waiting.length === 0 && view.sign('notAnnotated') === null) return clear;
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
