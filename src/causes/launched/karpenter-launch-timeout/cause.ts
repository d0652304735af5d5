import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Karpenter's own verdict: five minutes without a launch. What stood in the way is another cause. */
const cause = defineCause({
  id: 'karpenter-launch-timeout',
  stage: 'launched',
  title: 'Karpenter gave up launching and deleted the NodeClaim',
  scope: 'group',
  signs: {
    // Releases with one time-out for both say so of launches too; the NodePool tells them apart.
    timeout: context(
      ['karpenter'],
      /terminating due to (?:timeout.*\blaunch_timeout\b|registration ttl)/,
      { anchors: ['launch_timeout', 'terminating due to registration ttl'] },
    ),
    // Who shows hardly more than the verdict is told it; in a log its reason is looked for.
    timeoutAlone: likely(['karpenter'], /terminating due to timeout.*\blaunch_timeout\b/, {
      anchors: ['launch_timeout'],
      atLeast: 1_000,
      enoughOnce: 'alone',
    }),
    poolUnhealthy: context(
      ['node-claim'],
      /NodePool (?<pool>\S+) condition NodeRegistrationHealthy=False (?!RegistrationFailed)(?<reason>\w+)(?: (?<message>.{1,160}))?/,
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched nodeclaim\b|Type: Launched, Status: \w+ -> True/,
    ),
  },
  needs: [],
  symptoms: ['launch-timed-out'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ pool, reason, message }) =>
    sentence`Karpenter waited in vain for a launch${phrase` of NodePool ${pool}`} and deleted the claim (${reason ?? 'launch refused'}${message === undefined ? '' : `: ${message.trim()}`}).`,
  remedy: () => [
    step(
      'Read the reason in the Launched condition of the newest claim, before it is deleted too.',
      'kubectl get nodeclaims -o jsonpath=\'{range .items[*]}{.metadata.name}{" "}{.status.conditions[?(@.type=="Launched")].reason}{" "}{.status.conditions[?(@.type=="Launched")].message}{"\\n"}{end}\'',
    ),
    step(
      'Read the errors of the launches in the controller’s log.',
      "kubectl -n kube-system logs -l app.kubernetes.io/name=karpenter --tail=2000 | grep -E 'launching nodeclaim|fleet error|Reconciler error'",
    ),
  ],
  decide: step('Read why the claim is not launched.', 'kubectl get nodeclaims -o yaml'),
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

export default matched(cause, matchTimeout);

type Own = ViewOf<typeof cause>;

/** The time-out alone has a dozen reasons; the NodePool says that the launch was refused and why. */
function matchTimeout(view: Own): Match | null {
  const timeout = view.sign('timeout');
  const pool = view.sign('poolUnhealthy');
  if (timeout === null || pool === null) return null;
  return found(pool.last.captures, [timeout.last, pool.last], 'likely');
}
