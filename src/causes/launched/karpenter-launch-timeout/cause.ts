import { defineCause } from '../../../diagnosis/cause.ts';

/** Karpenter's own verdict: five minutes without a launch. What stood in the way is another cause. */
export default defineCause({
  id: 'karpenter-launch-timeout',
  stage: 'launched',
  title: 'Karpenter gave up launching and deleted the NodeClaim',
  scope: 'group',
  signs: {
    timeout: {
      in: ['karpenter'],
      anchors: ['launch_timeout'],
      pattern: /terminating due to timeout.*\blaunch_timeout\b/,
      weight: 'likely',
    },
    poolUnhealthy: {
      in: ['node-claim'],
      anchors: ['condition NodeRegistrationHealthy=False'],
      pattern:
        /NodePool (?<pool>\S+) condition NodeRegistrationHealthy=False (?!RegistrationFailed)(?<reason>\w+)/,
      weight: 'context',
    },
    launchedAfter: {
      in: ['karpenter', 'event'],
      anchors: ['launched nodeclaim', 'Type: Launched, Status: '],
      pattern: /\blaunched nodeclaim\b|Type: Launched, Status: \w+ -> True/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ pool }) =>
    `Karpenter waited five minutes for a launch${pool === undefined ? '' : ` of NodePool ${pool}`} and deleted the claim; why EC2 did not launch stands in the Launched condition of the next one.`,
  remedy: () => [
    {
      text: 'Read the reason in the Launched condition of the newest claim, before it is deleted too.',
      command:
        'kubectl get nodeclaims -o jsonpath=\'{range .items[*]}{.metadata.name}{" "}{.status.conditions[?(@.type=="Launched")].reason}{" "}{.status.conditions[?(@.type=="Launched")].message}{"\\n"}{end}\'',
    },
    {
      text: 'Read the errors of the launches in the controller’s log.',
      command:
        "kubectl -n kube-system logs -l app.kubernetes.io/name=karpenter --tail=2000 | grep -E 'launching nodeclaim|fleet error|Reconciler error'",
    },
  ],
  decide: {
    text: 'Read why the claim is not launched.',
    command: 'kubectl get nodeclaims -o yaml',
  },
  page: {
    why: 'A claim that is not launched within five minutes is deleted and made anew. This is a verdict, not a cause: EC2 refused each attempt for a reason of its own.',
    prevent: 'Alarm on karpenter_nodeclaims_disrupted_total with reason launch_timeout.',
    notThis:
      'registration_timeout (15 minutes) is karpenter-registration-timeout: there the machine exists. Every other cause of the stage launched is more exact than this one.',
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/liveness.go',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});
