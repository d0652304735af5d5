import { amountOf } from '../../../domain/quantity.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { podCondition, podName } from '../../../domain/pods/pods.ts';

/** The launcher makes nodes for pods that do not fit on them, again and again. */
const cause = defineCause({
  id: 'launcher-overestimates-node-size',
  stage: 'usable',
  title: 'Karpenter or the autoscaler expects more room on a node than it has',
  scope: 'group',
  signs: {
    lessThanExpected: definite(
      ['event', 'karpenter', 'node-claim'],
      /expected (?<expected>\S{1,40}) of resource (?<resource>memory|cpu|pods|ephemeral-storage), but found (?<actual>\S{1,40}) \((?<share>[\d.]+)% of expected\)/,
    ),
    checkFailed: context(
      ['event', 'node-claim'],
      /\bFailedConsistencyCheck\b|condition ConsistentStateFound=False/,
    ),
    told: likely(
      ['client-output', 'unknown'],
      /\b(?:[Kk]arpenter|[Aa]utoscaler)\b.{0,60}\b(?:spins? up|spun up|launch(?:es|ed)|provision(?:s|ed)|creates?|created|adds?|added|picks?|picked|chooses?|chose|starts?)\b.{0,60}\b(?:nodes?|instances?|machines?)\b.{0,30}(?:without enough|with(?: too)? (?:little|less)|too small)\b.{0,40}\b(?:allocatable|memory|cpu|capacity)\b/,
      { isTold: true, anchors: ['arpenter', 'utoscaler'] },
    ),
    // Amounts as people note them: `NodeClaim status.allocatable.memory: 3388Mi`.
    claimed: context(
      ['client-output', 'unknown', 'node-claim'],
      /\b[Nn]ode ?[Cc]laims?\b[^!?]{0,80}?\ballocatable\b[^!?\d]{0,40}?\bmemory\b\W{0,12}(?:(?:is|of|says|shows)\s)?\W{0,4}(?<expected>\d{1,12}(?:\.\d{1,4})?(?:[KMG]i?|k))\b/,
      { anchors: ['llocatable'] },
    ),
    given: context(
      ['client-output', 'unknown', 'node-status'],
      /\b(?:[Nn]odes?|kubelet)\b(?! ?[Cc]laim)[^!?]{0,80}?\ballocatable\b[^!?\d]{0,40}?\bmemory\b\W{0,12}(?:(?:is|of|says|shows)\s)?\W{0,4}(?<actual>\d{1,12}(?:\.\d{1,4})?(?:[KMG]i?|k))\b/,
      { anchors: ['llocatable'] },
    ),
    claimedShort: context(
      ['client-output', 'unknown', 'node-claim', 'karpenter', 'event'],
      /\b[Nn]ode ?[Cc]laims?\b[^!?]{0,40}?\ballocatable\b\s{1,3}(?:is|of|says|shows|=|:)\s{0,3}[~≈]?(?<expected>\d{1,12}(?:\.\d{1,4})?(?:Ki|Mi|Gi))\b/,
      { anchors: ['llocatable'], isBackground: true },
    ),
    givenShort: context(
      ['client-output', 'unknown', 'node-status', 'karpenter', 'event'],
      /\b[Nn]odes?\b(?! ?[Cc]laim)[^!?]{0,40}?\ballocatable\b\s{1,3}(?:is|of|says|shows|=|:)\s{0,3}[~≈]?(?<actual>\d{1,12}(?:\.\d{1,4})?(?:Ki|Mi|Gi))\b/,
      { anchors: ['llocatable'], isBackground: true },
    ),
    lacksMemory: context(
      ['event', 'pod-status', 'client-output', 'unknown'],
      /nodes are available: .{0,400}Insufficient memory/,
    ),
    refusedByKubelet: context(
      ['event', 'pod-status', 'kubelet'],
      /Node didn't have enough resource: (?<resource>memory|cpu|ephemeral-storage), requested/,
    ),
    toldOverhead: likely(
      ['client-output', 'unknown'],
      /\b(?:real|actual|true)\b.{0,30}\boverhead\b.{0,80}\b(?:does(?: not|n't)|do(?: not|n't)|cannot|can't) fit\b|\b[Kk]arpenter\b.{0,80}\b(?:(?:under|over)estimate|miscalculate)[sd]?\b.{0,60}\b(?:overhead|allocatable|capacity)\b/,
      { isTold: true, anchors: ['overhead', 'arpenter'] },
    ),
  },
  needs: ['kube/Node', 'kube/NodeClaim', 'kube/Pod'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, pod, resource, expected, actual, share }) =>
    pod === undefined
      ? `${node ?? 'The node'} has less ${resource ?? 'memory'} than its launcher expected${expected === undefined ? '' : ` (${actual ?? 'less'} of ${expected}${share === undefined ? '' : `, ${share} %`})`}, so pods for which it was made may not fit, and further nodes are made in vain.`
      : `Karpenter expected ${expected ?? 'more'} of allocatable memory on ${node ?? 'the node'}, which has ${actual ?? 'less'}, so the pod ${pod} stays Pending there and further nodes are made in vain.`,
  remedy: () => [
    step(
      'Let Karpenter reckon with more overhead of the virtual machine (the default is 0.075).',
      'kubectl -n kube-system set env deployment/karpenter VM_MEMORY_OVERHEAD_PERCENT=0.1',
    ),
    step(
      'Tell it what the kubelet reserves: kubelet settings belong into the EC2NodeClass, not into user data alone.',
      'kubectl get ec2nodeclasses -o yaml',
    ),
    step(
      'For the Cluster Autoscaler from zero nodes, set the node-template tags of the group to what its nodes have.',
      'aws autoscaling describe-tags --filters Name=auto-scaling-group,Values=<group> --query "Tags[?contains(Key,\'node-template\')]"',
    ),
    step(
      'Or ask for a little less in the pod: requests that fill a type to its last megabyte hit this first.',
      'kubectl get pods -A --field-selector status.phase=Pending',
    ),
  ],
  decide: step(
    'Compare what the NodeClaim expects with what the Node has.',
    'kubectl get nodeclaims -o custom-columns=NODE:.status.nodeName,EXPECTED:.status.allocatable.memory,PODS:.status.allocatable.pods; kubectl get nodes -o custom-columns=NAME:.metadata.name,MEMORY:.status.allocatable.memory,PODS:.status.allocatable.pods',
  ),
  page: {
    why: 'Before a node exists its size is an estimate: the type’s memory less an overhead and the kubelet’s reserves. Firmware, kernel and image take a share that differs by type and image; a custom image or user data may reserve more. A pod between the two numbers makes Karpenter launch a node that the scheduler then does not use.',
    prevent:
      'Requests that leave some room, kubelet settings where the launcher reads them, and an overhead that fits the small types.',
    notThis:
      'Pod slots that are used up are allocatable-too-small. A device such as nvidia.com/gpu that is missing is extended-resource-not-registered. Insufficient memory without a new node is ordinary sizing; a taint in the way is another cause.',
    alsoKnownAs: ['FailedConsistencyCheck', 'OutOfmemory', 'VM_MEMORY_OVERHEAD_PERCENT'],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/issues/7060',
      'https://github.com/aws/karpenter-provider-aws/pull/6805',
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/consistency/nodeshape.go',
    ],
  },
});

export default matched(cause, (view) => matchClaims(view) ?? matchNoted(view));

type Own = ViewOf<typeof cause>;

/** A node that came out smaller than its NodeClaim says, and a pod that lacks memory. */
function matchClaims(view: Own): Match | null {
  const pod = view
    .everywhere('kube/Pod')
    .find(({ value }) =>
      (podCondition(value, 'PodScheduled', 'message') ?? '').includes('Insufficient memory'),
    );
  if (pod === undefined) return null;
  for (const claim of view.everywhere('kube/NodeClaim')) {
    const name = claim.value.status?.nodeName ?? null;
    const node = view.everywhere('kube/Node').find(({ value }) => value.name === name);
    const expected = claim.value.status?.allocatable?.['memory'];
    const actual = node?.value.allocatable['memory'];
    const [expectedBytes, actualBytes] = [amountOf(expected), amountOf(actual)];
    if (node === undefined || expectedBytes === null || actualBytes === null) continue;
    if (actualBytes >= expectedBytes || node.value.ready !== true) continue;
    const details = {
      node: node.value.name,
      pod: podName(pod.value),
      expected: expected ?? '',
      actual: actual ?? '',
    };
    return found(
      details,
      [
        view.quote(
          claim,
          `NodeClaim ${claim.value.name} expects allocatable.memory ${details.expected}`,
        ),
        view.quote(node, `Node ${node.value.name} has allocatable.memory ${details.actual}`),
        view.quote(
          pod,
          `Pod ${details.pod}: ${podCondition(pod.value, 'PodScheduled', 'message') ?? ''}`,
        ),
      ],
      'likely',
    );
  }
  return null;
}

/** The two amounts side by side, as somebody noted them, and a pod that lacks memory. */
function matchNoted(view: Own): Match | null {
  const seen = (name: 'claimed' | 'given' | 'claimedShort' | 'givenShort' | 'lacksMemory') =>
    (view.sign(name) ?? view.clusterSign(name))?.last;
  const [claimed, given] = [
    seen('claimed') ?? seen('claimedShort'),
    seen('given') ?? seen('givenShort'),
  ];
  const lacks = seen('lacksMemory');
  if (claimed === undefined || given === undefined || lacks === undefined) return null;
  const { expected } = claimed.captures;
  const { actual } = given.captures;
  const [expectedBytes, actualBytes] = [amountOf(expected), amountOf(actual)];
  if (expectedBytes === null || actualBytes === null || actualBytes >= expectedBytes) return null;
  const details = { resource: 'memory', expected: expected ?? '', actual: actual ?? '' };
  return found(details, [claimed, given, lacks], 'likely');
}
