import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** Karpenter's own verdict: five minutes without a launch. What stood in the way is another cause. */
export default defineCause({
  id: 'karpenter-launch-timeout',
  stage: 'launched',
  title: 'Karpenter gave up launching and deleted the NodeClaim',
  scope: 'group',
  signs: {
    timeout: {
      in: ['karpenter'],
      // Releases with one time-out for both say so of launches too; the NodePool tells them apart.
      anchors: ['launch_timeout', 'terminating due to registration ttl'],
      pattern: /terminating due to (?:timeout.*\blaunch_timeout\b|registration ttl)/,
      weight: 'context',
    },
    poolUnhealthy: {
      in: ['node-claim'],
      anchors: ['condition NodeRegistrationHealthy=False'],
      pattern:
        /NodePool (?<pool>\S+) condition NodeRegistrationHealthy=False (?!RegistrationFailed)(?<reason>\w+)(?: (?<message>.{1,160}))?/,
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
  symptoms: ['launch-timed-out'],
  withdrawnBy: [],
  blocksAbove: false,
  match: (view) => matchTimeout(view),
  summary: ({ pool, reason, message }) =>
    `Karpenter waited in vain for a launch${pool === undefined ? '' : ` of NodePool ${pool}`} and deleted the claim (${reason ?? 'launch refused'}${message === undefined ? '' : `: ${message.trim()}`}).`,
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
    why: 'A claim that is not launched within five minutes is deleted and made again. The time-out is a verdict, not a cause: EC2 refused each attempt for a reason of its own, which newer releases copy to the condition NodeRegistrationHealthy of the NodePool.',
    prevent: 'Alarm on karpenter_nodeclaims_disrupted_total with reason launch_timeout.',
    notThis:
      'registration_timeout (15 minutes) is karpenter-registration-timeout: there the machine exists. Every other cause of the stage launched is more exact than this one.',
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/liveness.go',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});

/** The time-out alone has a dozen reasons; the NodePool says that the launch was refused and why. */
function matchTimeout(view: View<never, 'timeout' | 'poolUnhealthy'>): Match | null {
  const timeout = view.sign('timeout');
  const pool = view.sign('poolUnhealthy');
  if (timeout === null || pool === null) return null;
  return found(pool.last.captures, [timeout.last, pool.last], 'likely');
}
