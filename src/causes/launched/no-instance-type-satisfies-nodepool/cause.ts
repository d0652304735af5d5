import { clear, defineCause, type Match, type View } from '../../../diagnosis/cause.ts';

const SPEAKERS = ['karpenter', 'event', 'node-claim'] as const;

/** Karpenter finds no instance type that all of a pod's demands and its node pools leave. */
export default defineCause({
  id: 'no-instance-type-satisfies-nodepool',
  stage: 'launched',
  title: 'requests, DaemonSets, zones or requirements leave the node pool no instance type',
  scope: 'group',
  signs: {
    filteredOut: {
      in: SPEAKERS,
      anchors: [
        'no instance type met ',
        'no instance type has ',
        'no instance type had ',
        'no instance type which ',
        'no instance type satisfied ',
      ],
      pattern:
        /(?:nodepool "(?<pool>[\w.-]{1,253})".{0,2000}?)?(?<reason>no instance type (?:met all requirements|has enough resources|met the scheduling requirements or had enough resources|which (?:met the scheduling requirements and had enough resources, had|had enough resources and the required offering met|met the scheduling requirements and the required offering had)|met the requirements\/resources\/offering tuple)\b.{0,20})/,
      weight: 'definite',
    },
    poolFilteredOut: {
      in: SPEAKERS,
      anchors: [
        'requirements filtered out all',
        'NoCompatibleInstanceTypes',
        'meet minValues requirements',
        'minValues requirement is not met',
      ],
      pattern:
        /(?<reason>NodePool requirements filtered out all (?:compatible )?(?:available )?instance types|nodepool requirements filtered out all instance types|\bNoCompatibleInstanceTypes\b|meet minValues requirements|minValues requirement is not met)/i,
      weight: 'definite',
    },
    offering: {
      in: SPEAKERS,
      anchors: ['a required offering', 'the required offering', 'no instance type satisfied '],
      pattern:
        /(?<reason>no instance type (?:has the required offering|had enough resources or had a required offering|met the scheduling requirements or had (?:a required offering|enough resources or had a required offering)|satisfied resources))\b/,
      // For three minutes after a refusal, types without capacity have no offering either.
      weight: 'likely',
    },
    capacityRefused: {
      in: ['karpenter', 'event', 'node-claim'],
      anchors: ['InsufficientInstanceCapacity', 'insufficient capacity', 'UnfulfillableCapacity'],
      pattern: /\bInsufficientInstanceCapacity\b|insufficient capacity|\bUnfulfillableCapacity\b/i,
      weight: 'context',
    },
    nominated: {
      in: SPEAKERS,
      anchors: ['Pod should schedule on: nodeclaim', 'launched nodeclaim'],
      pattern: /Pod should schedule on: nodeclaim|\blaunched nodeclaim\b/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['karpenter-launch-timeout'],
  match: (view) => leaveToCapacity(view),
  summary: ({ pool, reason }) =>
    `Karpenter finds no instance type for a pod${pool === undefined ? '' : ` in NodePool ${pool}`} (${(reason ?? 'all are filtered out').trim().replace(/[,;.(:]+$/, '')}), so it creates no NodeClaim.`,
  remedy: ({ pool }) => [
    {
      text: 'Read what the pool allows, and widen it: families, sizes, zones, capacity type, minValues.',
      command: `kubectl get nodepool ${pool ?? '<node-pool>'} -o jsonpath='{.spec.template.spec.requirements}{"\\n"}{.spec.limits}{"\\n"}'`,
    },
    {
      text: 'See what the pod asks for; DaemonSets of the node come on top of it.',
      command:
        'kubectl get pod <pod> -n <namespace> -o jsonpath=\'{.spec.containers[*].resources.requests}{"\\n"}{.spec.nodeSelector}{"\\n"}{.spec.affinity.nodeAffinity}{"\\n"}\'; kubectl get daemonsets -A',
    },
    {
      text: 'For a zone: see which types EC2 offers there, and whether the node class has a subnet in it.',
      command:
        "aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=location,Values=<zone> --query 'InstanceTypeOfferings[].InstanceType' --output text",
    },
  ],
  decide: {
    text: 'Read what Karpenter says of the pod.',
    command: 'kubectl describe pod <pod> -n <namespace>; kubectl get nodepools -o yaml',
  },
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

type Signs = 'filteredOut' | 'poolFilteredOut' | 'offering' | 'capacityRefused' | 'nominated';

/** An offering that is missing beside a refusal of EC2 is missing because of it. */
function leaveToCapacity(view: View<never, Signs>): Match | null {
  const isOwn = view.sign('filteredOut') !== null || view.sign('poolFilteredOut') !== null;
  return !isOwn && view.sign('capacityRefused') !== null ? clear : null;
}
