import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { type ShortGroup, shortGroups } from '../../../domain/instances/launch.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { AutoScalingGroup, LifecycleHook } from '../../../evidence/aws/groups.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';

/** The Auto Scaling group may not launch, or a lifecycle hook that nobody answers ends the launch. */
const cause = defineCause({
  id: 'asg-suspended-or-hook-pending',
  stage: 'launched',
  title: 'launching is suspended in the Auto Scaling group, or a lifecycle hook is not answered',
  scope: 'group',
  signs: {
    hookAbandoned: definite(
      ['aws-message', 'terraform', 'client-output'],
      /failed to complete user's Lifecycle Action\b.*(?:abandoned|Timeout|timed out)/i,
      { anchors: ['Lifecycle Action'] },
    ),
    hookNotCompleted: likely(['nodeup', 'cloud-init'], /failed to complete lifecycle hook/, {
      atLeast: 2,
      enoughOnce: 'end',
    }),
    // Parts of the answer that a query chose; EC2's list of all processes names this one too.
    launchNamed: context(
      ['client-output', 'unknown'],
      /^[\s-]{0,20}"?ProcessName"?:\s{1,2}"?Launch"?,?\s{0,4}$/,
      { anchors: ['ProcessName'] },
    ),
    suspendedAt: context(
      ['client-output', 'unknown'],
      /^[\s-]{0,20}"?SuspensionReason"?:\s{1,2}["']?(?:User suspended|[Aa]dministratively suspended|Suspended) /,
      { anchors: ['SuspensionReason'] },
    ),
    launchRow: likely(
      ['client-output', 'unknown'],
      /^[\s|[{]{0,10}(?:SUSPENDEDPROCESSES\s{1,4})?(?:"ProcessName":\s?)?"?Launch"?[\s|,]{1,30}(?:"SuspensionReason":\s?)?"?User suspended at \d{4}-/,
      { anchors: ['User suspended at'] },
    ),
    toldSuspended: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:ASG|[Aa]uto[ -]?[Ss]caling [Gg]roup)\b.{0,60}\b(?:[Ll]aunch(?:ing)?(?: process(?:es)?)?)\b.{0,20}\b(?:was |were |is |are )?suspended\b|\b[Ss]uspended\b.{0,30}\b[Ll]aunch\b.{0,40}\b(?:ASG|[Aa]uto[ -]?[Ss]caling [Gg]roup)\b|\bSuspendedProcesses: ?\[?"?Launch\b/,
      { isTold: true, anchors: ['suspended', 'Suspended'] },
    ),
  },
  needs: ['aws/auto-scaling-group', 'aws/instance', 'aws/lifecycle-hook'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['early-instance-termination', 'node-creation-failure-verdict'],
  summary: ({ group, suspended, instance, size, minutes, hook }) => {
    if (suspended !== undefined)
      return `The process Launch of the Auto Scaling group${group === undefined ? '' : ` ${group}`} is suspended, so it starts no instance${size === undefined ? ' whatever its size says' : ` and stays at ${size}`}.`;
    return instance === undefined
      ? 'A lifecycle hook of the Auto Scaling group is not completed, so the instance is abandoned and terminated before it is in service.'
      : `Instance ${instance} of the Auto Scaling group ${group ?? ''} waits in Pending:Wait for ${minutes ?? 'many'} minutes, since nobody answers ${hook === undefined ? 'a lifecycle hook' : `the lifecycle hook ${hook}`}, and is not in service.`;
  },
  remedy: ({ group, suspended, instance, hook }) =>
    suspended === undefined
      ? [
          step(
            'See which hooks wait for an answer, and how long.',
            `aws autoscaling describe-lifecycle-hooks --auto-scaling-group-name ${group ?? '<group>'}`,
          ),
          step(
            'Answer for the instance that waits, and allow its role autoscaling:CompleteLifecycleAction.',
            `aws autoscaling complete-lifecycle-action --lifecycle-action-result CONTINUE --instance-id ${instance ?? '<instance>'} --lifecycle-hook-name ${hook ?? '<hook>'} --auto-scaling-group-name ${group ?? '<group>'}`,
          ),
        ]
      : [
          step(
            'Let the group launch again.',
            `aws autoscaling resume-processes --auto-scaling-group-name ${group ?? '<group>'} --scaling-processes Launch`,
          ),
        ],
  decide: step(
    'See which processes are suspended and in which state the group’s instances are.',
    'aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names <group> --query AutoScalingGroups[].[SuspendedProcesses,Instances[].[InstanceId,LifecycleState]]',
  ),
  page: {
    why: 'Somebody suspended Launch during maintenance, or AWS did after days of failing launches. A launch hook holds an instance in Pending:Wait until a program answers; if none does, the instance is abandoned and replaced, for ever.',
    prevent:
      'Resume processes in the same script that suspends them, and alarm on instances in Pending:Wait.',
    notThis:
      'Pending:Wait for some minutes is normal, and warm pool instances are stopped on purpose. Launches that are tried and refused say why: insufficient-instance-capacity, account-quota-reached and others. Health checks that end instances are early-instance-termination.',
    refs: [
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html',
      'https://github.com/kubernetes/kops/blob/HEAD/upup/pkg/fi/nodeup/command.go',
    ],
  },
});

const judged = matched(cause, matchGroups);

type Own = ViewOf<typeof cause>;

/** A hook holds an instance for minutes while programs set it up; nothing takes this long. */
const HOOK_NORMAL_MS = 1_800_000;

/** Only a group that wants more instances than it has in service misses any. */
function matchGroups(view: Own): Match | null {
  const groups = view.list('aws/auto-scaling-group');
  for (const one of shortGroups(groups, [])) {
    const match = matchSuspension(view, one) ?? matchHook(view, one);
    if (match !== null) return match;
  }
  const chosen = matchChosen(view) ?? matchLines(view);
  if (chosen !== null) return chosen;
  const signs = view.sign('hookAbandoned') ?? view.sign('hookNotCompleted');
  return groups.length > 0 && signs === null ? clear : null;
}

/** Of a group of which only this was pasted, nobody knows how many instances it misses. */
function matchChosen(view: Own): Match | null {
  const [group, ...others] = view.list('aws/auto-scaling-group');
  if (view.isLive || group === undefined || others.length > 0) return null;
  const { value } = group;
  const launch = (value.SuspendedProcesses ?? []).find(
    ({ ProcessName: name }) => name === 'Launch',
  );
  if (launch === undefined || (value.DesiredCapacity ?? null) !== null) return null;
  const name = value.AutoScalingGroupName ?? 'the group';
  const words = `AutoScalingGroup ${name} SuspendedProcesses Launch (${launch.SuspensionReason ?? ''})`;
  return found({ group: name, suspended: 'yes' }, [view.quote(group, words)], 'likely');
}

/** Lines of an answer in a form of which the group itself cannot be read. */
function matchLines(view: Own): Match | null {
  if (view.isLive || view.list('aws/auto-scaling-group').length > 0) return null;
  const launch = view.sign('launchNamed') ?? view.clusterSign('launchNamed');
  const reason = view.sign('suspendedAt') ?? view.clusterSign('suspendedAt');
  if (launch === null || reason === null) return null;
  return found({ suspended: 'yes' }, [launch.last, reason.last], 'likely');
}

function matchSuspension(view: Own, { group, size }: ShortGroup): Match | null {
  const suspension = (group.value.SuspendedProcesses ?? []).find(
    (entry) => entry.ProcessName === 'Launch',
  );
  if (suspension === undefined) return null;
  const standing = `${size.inService} of ${size.desired} instances`;
  const reason = suspension.SuspensionReason ?? '';
  const words = `AutoScalingGroup ${size.name} SuspendedProcesses Launch (${reason}), ${standing} in service`;
  return found({ group: size.name, suspended: 'yes', size: standing }, [view.quote(group, words)]);
}

function matchHook(view: Own, { group, size }: ShortGroup): Match | null {
  const { nowMs } = view;
  const waiting = (group.value.Instances ?? [])
    .filter((entry) => entry.LifecycleState === 'Pending:Wait')
    .map((entry) => entry.InstanceId ?? '');
  for (const { value } of nowMs === null ? [] : view.list('aws/instance')) {
    const instance = value.InstanceId ?? '-';
    const launchedMs = isoMs(value.LaunchTime ?? '');
    if (nowMs === null || launchedMs === null || !waiting.includes(instance)) continue;
    if (nowMs - launchedMs < HOOK_NORMAL_MS) continue;
    const minutes = String(Math.floor((nowMs - launchedMs) / 60_000));
    const words = `AutoScalingGroup ${size.name} instance ${instance} Pending:Wait, launched ${minutes} minutes ago`;
    const details = { group: size.name, instance, minutes };
    const proof = view.quote(group, words);
    const [hook] = launchHooksOf(view, size.name);
    if (hook === undefined) return found(details, [proof], 'likely');
    const name = hook.value.LifecycleHookName ?? '';
    return found({ ...details, hook: name }, [proof, view.quote(hook, wordsOfHook(hook.value))]);
  }
  return null;
}

function launchHooksOf(view: Own, group: string): readonly Seen<LifecycleHook>[] {
  return view
    .list('aws/lifecycle-hook')
    .filter(({ value }) => value.AutoScalingGroupName === group)
    .filter(({ value }) => value.LifecycleTransition?.endsWith('_LAUNCHING') === true);
}

function wordsOfHook(hook: LifecycleHook): string {
  const [name, group] = [hook.LifecycleHookName ?? '', hook.AutoScalingGroupName ?? ''];
  const [seconds, result] = [hook.HeartbeatTimeout ?? '', hook.DefaultResult ?? ''];
  return `lifecycle hook ${name} of ${group}: HeartbeatTimeout ${seconds} s, then ${result}`;
}

export default foreseen(
  judged,
  (plan, group) => {
    if (group.kind !== 'AutoScalingGroup') return null;
    const { SuspendedProcesses: processes } = group.fact.value as AutoScalingGroup;
    const isSuspended = (processes ?? []).some(({ ProcessName: name }) => name === 'Launch');
    if (processes === undefined || processes === null) return NOT_SHOWN;
    if (!isSuspended) return clear;
    return found({ group: group.name, suspended: 'Launch' }, [
      plan.quote(group.fact, 'suspended_processes Launch'),
    ]);
  },
  {
    remedy: () => [step('Take Launch out of suspended_processes of the aws_autoscaling_group.')],
  },
);
