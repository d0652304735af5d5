import {
  clear,
  defineCause,
  found,
  type Match,
  step,
  matched,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

const SPEAKERS = ['karpenter', 'event', 'node-claim'] as const;

/** Karpenter finds no instance type that all of a pod's demands and its node pools leave. */
const cause = defineCause({
  id: 'no-instance-type-satisfies-nodepool',
  stage: 'launched',
  title: 'requests, DaemonSets, zones or requirements leave the node pool no instance type',
  scope: 'group',
  signs: {
    filteredOut: definite(
      SPEAKERS,
      /(?:nodepool "(?<pool>[\w.-]{1,253})".{0,2000}?)?(?<reason>no instance type (?:met all requirements|has enough resources|met the scheduling requirements or had enough resources|which (?:met the scheduling requirements and had enough resources, had|had enough resources and the required offering met|met the scheduling requirements and the required offering had)|met the requirements\/resources\/offering tuple)\b.{0,20})/,
    ),
    poolFilteredOut: definite(
      SPEAKERS,
      /(?<reason>NodePool requirements filtered out all (?:compatible )?(?:available )?instance types|nodepool requirements filtered out all instance types|\bNoCompatibleInstanceTypes\b|meet minValues requirements|minValues requirement is not met)/i,
      {
        anchors: [
          'requirements filtered out all',
          'NoCompatibleInstanceTypes',
          'meet minValues requirements',
          'minValues requirement is not met',
        ],
      },
    ),
    // For three minutes after a refusal, types without capacity have no offering either.
    offering: likely(
      SPEAKERS,
      /(?<reason>no instance type (?:has the required offering|had enough resources or had a required offering|met the scheduling requirements or had (?:a required offering|enough resources or had a required offering)|satisf(?:ied|ies)(?: the)? resources))\b/,
    ),
    // Said when nothing is left of what the provisioner allows.
    noOptions: context(
      ['karpenter'],
      /\b(?:Failed to find instance type option\(s\) for|No instance type found for|[Ff]iltered out all instance types)/,
      {
        anchors: [
          'find instance type option',
          'No instance type found',
          'iltered out all instance',
        ],
      },
    ),
    capacityRefused: context(
      ['karpenter', 'event', 'node-claim'],
      /\bInsufficientInstanceCapacity\b|insufficient capacity|\bUnfulfillableCapacity\b/i,
      {
        anchors: ['InsufficientInstanceCapacity', 'insufficient capacity', 'UnfulfillableCapacity'],
      },
    ),
    // Printed for each type that is too small, also where larger ones are left.
    typeExcluded: context(
      ['karpenter'],
      /Excluding instance type \S+ because there are not enough resources for (?:daemons|kubelet and system overhead)/,
    ),
    nominated: withdraws(SPEAKERS, /Pod should schedule on: nodeclaim|\blaunched nodeclaim\b/),
    incompatible: likely(
      SPEAKERS,
      /(?:nodepool "(?<pool>[\w.-]{1,253})".{0,2000}?)?\b(?<reason>incompatible requirements(?:, (?:label|key) [^;]{1,160})?)/,
    ),
    // Where the largest types are too small, no other one is left.
    largestExcluded: likely(
      ['karpenter'],
      /Excluding instance type \w[\w-]{1,20}\.(?:12xlarge|16xlarge|18xlarge|24xlarge|32xlarge|48xlarge|metal\S{0,12}) because (?<reason>there are not enough resources for (?:daemons|kubelet and system overhead))/,
      { anchors: ['Excluding instance type '], atLeast: 20, enoughOnce: 'end' },
    ),
  },
  needs: [],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['karpenter-launch-timeout'],
  summary: ({ pool, reason }) =>
    `Karpenter finds no instance type for a pod${pool === undefined ? '' : ` in NodePool ${pool}`} (${(reason ?? 'all are filtered out').trim().replace(/[,;.(:]+$/, '')}), so it creates no NodeClaim.`,
  remedy: ({ pool }) => [
    step(
      'Read what the pool allows, and widen it: families, sizes, zones, capacity type, minValues.',
      `kubectl get nodepool ${pool ?? '<node-pool>'} -o jsonpath='{.spec.template.spec.requirements}{"\\n"}{.spec.limits}{"\\n"}'`,
    ),
    step(
      'See what the pod asks for; DaemonSets of the node come on top of it.',
      'kubectl get pod <pod> -n <namespace> -o jsonpath=\'{.spec.containers[*].resources.requests}{"\\n"}{.spec.nodeSelector}{"\\n"}{.spec.affinity.nodeAffinity}{"\\n"}\'; kubectl get daemonsets -A',
    ),
    step(
      'For a zone: see which types EC2 offers there, and whether the node class has a subnet in it.',
      "aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=location,Values=<zone> --query 'InstanceTypeOfferings[].InstanceType' --output text",
    ),
  ],
  decide: step(
    'Read what Karpenter says of the pod.',
    'kubectl describe pod <pod> -n <namespace>; kubectl get nodepools -o yaml',
  ),
  page: {
    why: 'Karpenter takes all types and strikes out those that the pool, the pod and the DaemonSets exclude. A request larger than the largest allowed type, a volume in a zone without subnet, an architecture or a label that no type has leaves none.',
    prevent: 'Allow several families and sizes in each pool, and pin zones only where volumes do.',
    notThis:
      'When EC2 refused a type a few minutes ago, its offering is missing for that time: insufficient-instance-capacity. A taint that the pod does not tolerate, or a label that the pool lacks, is the pod’s own. An empty subnet or image selector is karpenter-nodeclass-not-ready.',
    alsoKnownAs: [
      'no instance type met the scheduling requirements or had a required offering',
      'NodePool requirements filtered out all compatible available instance types',
    ],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/#log-message-of-no-instance-type-met-the-scheduling-requirements-or-had-a-required-offering-is-reported',
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/provisioning/scheduling/nodeclaim.go',
    ],
  },
});

export default matched(cause, (view) => leaveToCapacity(view) ?? matchExcluded(view));

type Own = ViewOf<typeof cause>;

/** An offering that is missing beside a refusal of EC2 is missing because of it. */
function leaveToCapacity(view: Own): Match | null {
  const isOwn = view.sign('filteredOut') !== null || view.sign('poolFilteredOut') !== null;
  return !isOwn && view.sign('capacityRefused') !== null ? clear : null;
}

/** Types were too small for what each node has to run, and none was left of those allowed. */
function matchExcluded(view: Own): Match | null {
  const [excluded, none] = [view.sign('typeExcluded'), view.sign('noOptions')];
  if (excluded === null || none === null) return null;
  return found(
    { reason: 'there are not enough resources for daemons' },
    [excluded.last, none.last],
    'likely',
  );
}
