import {
  defineCause,
  found,
  type Match,
  step,
  matched,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, withdraws } from '../../../diagnosis/sign.ts';

const SPEAKERS = ['pod-app', 'event', 'controller-manager', 'client-output', 'object'] as const;

/** An instance did not register in time, so the autoscaler leaves its group alone for a while. */
const cause = defineCause({
  id: 'autoscaler-blocked-by-unregistered-instance',
  stage: 'launched',
  title: 'the Cluster Autoscaler stops scaling a group after an instance that never registered',
  scope: 'group',
  signs: {
    wrongNumber: context(
      SPEAKERS,
      /wrong number of nodes for node group: (?<group>[\w./:-]{1,255}) expected: \d{1,6} actual: \d{1,6}/,
    ),
    timedOut: context(SPEAKERS, /Scale-up timed out for node group (?<group>[\w./:-]{1,255})/),
    timedOutEvent: context(
      SPEAKERS,
      /Nodes added to group (?<group>[\w./:-]{1,255}) failed to register within (?<after>[\dhms.]{1,20})|\bScaleUpTimedOut\b/,
    ),
    disabled: context(
      SPEAKERS,
      /Disabling scale-up for node group (?<group>[\w./:-]{1,255}) until (?:[^;]{0,80}; errorClass=Other; errorCode=timeout|[^;]{0,80}$)/,
    ),
    backoff: context(
      SPEAKERS,
      /Node group (?<group>[\w./:-]{1,255}) is not ready for scaleup - (?:backoff with status: .{0,200}ErrorCode:timeout|unhealthy)/,
    ),
    longUnregistered: context(
      SPEAKERS,
      /(?:Backoff|Unhealthy).{0,400}\blongUnregistered(?:=|: )[1-9]/,
    ),
    readinessUnknown: context(
      SPEAKERS,
      /Failed to find readiness information for (?<group>[\w./:-]{1,255})|Readiness for node group (?<group2>[\w./:-]{1,255}) not found/,
    ),
    // Versions before 1.15 take their own placeholder for an instance that they cannot remove.
    placeholderKept: context(
      SPEAKERS,
      /Failed to get nodegroup for (?:aws:\/\/\/[a-z0-9-]{0,40}\/)?i-(?<placeholder>placeholder)-(?<group>[\w.-]{1,255}?)-\d{1,4}: wrong id/,
    ),
    // EC2's refusal is why, which the autoscaler does not repeat.
    placeholderUnfulfilled: context(SPEAKERS, /\bplaceholder-cannot-be-fulfilled\b/),
    notRemoved: context(
      SPEAKERS,
      /Failed to remove (?:unregistered nodes?|node \S{1,200}): (?<reason>node group min size reached, skipping unregistered.{0,40}|(?<=unregistered nodes?: ).{0,200})/,
    ),
    unregistered: context(SPEAKERS, /\b[1-9]\d* unregistered nodes present/, {
      isBackground: true,
    }),
    scaledUp: withdraws(SPEAKERS, /Scale up in group [\w./:-]{1,255} finished successfully in/i, {
      anchors: ['finished successfully in'],
    }),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['node-registered', 'node-ready'],
  blocksAbove: false,
  explains: ['node-removed-by-autoscaler'],
  summary: ({ group, after, placeholder }) =>
    placeholder !== undefined
      ? `EC2 launched fewer instances than the group ${group ?? 'in question'} asks for, and the Cluster Autoscaler, which counts placeholders for them, does not scale the group up meanwhile.`
      : `An instance of the group ${group ?? 'in question'} did not become a Node${after === undefined ? '' : ` within ${after}`}, so the Cluster Autoscaler does not scale the group up for a while (5 to 30 minutes, longer each time).`,
  remedy: ({ group, placeholder }) => [
    ...(placeholder === undefined
      ? []
      : [
          step(
            'Read why the group got no instance: most often EC2 had no capacity of its types.',
            `aws autoscaling describe-scaling-activities --auto-scaling-group-name ${group ?? '<group>'} --max-items 5 --query 'Activities[].[StatusCode,StatusMessage]'`,
          ),
        ]),
    step(
      'Find out why the instance did not register; its console says how far it came.',
      `aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names ${group ?? '<group>'} --query 'AutoScalingGroups[].Instances[].[InstanceId,LifecycleState,HealthStatus,LaunchTemplate.Version]'`,
    ),
    step('Run Rollcall with that instance.', 'rollcall diagnose <instance>'),
    step(
      'Once it is fixed, restart the autoscaler: that ends the wait.',
      'kubectl -n kube-system rollout restart deployment cluster-autoscaler',
    ),
  ],
  decide: step(
    'Read what the autoscaler knows of its groups.',
    "kubectl -n kube-system get configmap cluster-autoscaler-status -o jsonpath='{.data.status}'",
  ),
  page: {
    why: 'After --max-node-provision-time (15 minutes) without a Node the autoscaler counts the scale-up as failed, removes the instance and leaves the group alone, first for 5 minutes, later for up to 30. The reason is on the machine, which is then gone.',
    prevent:
      'Test a new launch template with one machine before the group uses it, and alarm on cluster_autoscaler_failed_scale_ups_total.',
    notThis:
      'This says who stopped, not why the instance did not register: with the logs of a machine its own cause comes first. errorClass=OutOfResourcesErrorClass is EC2’s refusal: insufficient-instance-capacity, account-quota-reached. That the autoscaler ended the instance is node-removed-by-autoscaler.',
    alsoKnownAs: [
      'Scale-up timed out for node group',
      'is not ready for scaleup - backoff',
      'Disabling scale-up for node group',
    ],
    refs: [
      'https://github.com/kubernetes/autoscaler/blob/HEAD/cluster-autoscaler/clusterstate/clusterstate.go',
      'https://github.com/kubernetes/autoscaler/blob/HEAD/cluster-autoscaler/core/scaleup/orchestrator/orchestrator.go',
      'https://github.com/kubernetes/autoscaler/blob/HEAD/cluster-autoscaler/FAQ.md',
    ],
  },
});

export default matched(cause, (view) => matchBackoff(view));

type Own = ViewOf<typeof cause>;

const DECIDING = [
  'timedOut',
  'timedOutEvent',
  'disabled',
  'backoff',
  'longUnregistered',
  'notRemoved',
  'placeholderKept',
  'wrongNumber',
] as const;

/** The autoscaler's words, unless logs of a machine can tell what kept it from registering. */
function matchBackoff(view: Own): Match | null {
  if (view.machinesWithLogs().unjoined > 0) return null;
  const seen = DECIDING.map((name) => view.sign(name)).filter((sign) => sign !== null);
  if (seen.length === 0) return matchUnregistered(view);
  const details = Object.assign({}, ...seen.toReversed().map(({ last }) => last.captures));
  return found(
    details,
    seen.map(({ last }) => last),
    'likely',
  );
}

/** A group without a Node that could tell of it, and an instance that is none. */
function matchUnregistered(view: Own): Match | null {
  const [unknown, waiting] = [view.sign('readinessUnknown'), view.sign('unregistered')];
  if (unknown === null || waiting === null) return null;
  const { group, group2 } = unknown.last.captures;
  const name = group ?? group2;
  return found(name === undefined ? {} : { group: name }, [unknown.last, waiting.last], 'likely');
}
