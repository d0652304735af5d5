import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { filledGroups, groupOfInstance, sizeOf } from '../../../domain/instances/launch.ts';
import type { Quote, Sighting } from '../../../evidence/sighting.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';

const ENDED = ['shutting-down', 'terminated', 'stopped', 'stopping'];
const REASON =
  /^(?:Server\.(?:SpotInstanceTermination|SpotInstanceShutdown|InternalError|ScheduledStop)|Client\.InstanceInitiatedShutdown)$/;

/** The machine ended before it could become a node: reclaimed, shut down from inside, or replaced. */
const cause = defineCause({
  id: 'early-instance-termination',
  stage: 'launched',
  title: 'the instance ended before it could join',
  scope: 'machine',
  signs: {
    replacedByHealthCheck: context(
      ['aws-message', 'client-output'],
      /Terminating EC2 instance.*taken out of service in response to an? (?<check>ELB (?:system )?health.?check|EC2 instance status checks failure)/,
      { atLeast: 2 },
    ),
    launched: context(
      ['karpenter'],
      /\blaunched (?:machine|nodeclaim)\b.{0,400}"aws:\/\/\/[\w-]{1,40}\/(?<instance>i-[0-9a-f]{8,17})"/,
      { anchors: ['launched machine', 'launched nodeclaim'] },
    ),
    lostAgain: context(
      ['karpenter'],
      /\bgarbage collecting (?:machine|nodeclaim) with no cloudprovider representation\b.{0,400}"aws:\/\/\/[\w-]{1,40}\/(?<instance>i-[0-9a-f]{8,17})"/,
      { anchors: ['garbage collecting '] },
    ),
    registered: context(
      ['karpenter'],
      /\bregistered (?:machine|nodeclaim)\b.{0,400}"aws:\/\/\/[\w-]{1,40}\/(?<instance>i-[0-9a-f]{8,17})"/,
      { anchors: ['registered machine', 'registered nodeclaim'] },
    ),
    // EC2's own reason; an instance with a Node is judged by its facts.
    serverError: likely(
      ['aws-message', 'client-output', 'event', 'terraform', 'unknown'],
      /(?<reason>Server\.InternalError): Internal error on launch/,
    ),
    endedOutside: context(
      ['aws-message'],
      /taken out of service in response to an EC2 health check/,
    ),
  },
  needs: ['aws/instance', 'aws/auto-scaling-group', 'kube/Node', 'aws/spot-request'],
  symptoms: [],
  withdrawnBy: ['node-registered', 'node-ready'],
  explains: [
    'karpenter-registration-timeout',
    'node-creation-failure-verdict',
    'node-removed-by-karpenter',
  ],
  summary: ({ instance, reason, check, grace }) =>
    check === undefined
      ? sentence`Instance ${instance} ended (${reason ?? 'terminated'}) before it was a node.`
      : sentence`The Auto Scaling group replaces its instances again and again after an ${check}${phrase` (grace period ${grace} s)`}, before they can join.`,
  remedy: ({ check, group }) =>
    check === undefined
      ? [
          step(
            'See what ended it and who asked for that.',
            'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[LaunchTime,StateTransitionReason,StateReason]; aws cloudtrail lookup-events --lookup-attributes AttributeKey=ResourceName,AttributeValue=<instance> --query Events[].[EventTime,EventName,Username]',
          ),
          step(
            'For spot: see in which zones types of this size are more to be had, and let the group choose among them.',
            'aws ec2 get-spot-placement-scores --target-capacity 10 --single-availability-zone --instance-types <type> <type> <type>',
          ),
        ]
      : [
          step(
            'Give a machine more time than its bootstrap takes, and keep load balancer health checks off groups of nodes.',
            `aws autoscaling update-auto-scaling-group --auto-scaling-group-name ${group ?? '<group>'} --health-check-type EC2 --health-check-grace-period 600`,
          ),
        ],
  decide: step(
    'Read why the instance ended.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[State.Name,StateReason,StateTransitionReason]',
  ),
  page: {
    why: 'Spot machines are reclaimed, a boot script shuts its machine down, the host fails, or a health check with a short grace period replaces machines faster than they boot. The logs of the machine just stop.',
    prevent:
      'Set the grace period above the slowest bootstrap; use EC2 health checks for nodes; spread spot over many pools.',
    notThis:
      'A node that ended later in its life is instance-stopped-or-terminated. Client.InternalError is kms-key-access-missing; an impaired machine that keeps existing is impaired-status-check; a launch that was refused never had an id.',
    refs: [
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html',
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-healthchecks.html',
    ],
  },
});

export default matched(cause, matchInstance);

type Own = ViewOf<typeof cause>;

/** Shorter than any bootstrap; a group with load balancer checks then replaces machines for ever. */
const GRACE_SECONDS_MIN = 180;

/** Machines join within so long; one that lived longer did join, or had another cause not to. */
const EARLY_MS = 5 * 60_000;

function matchInstance(view: Own): Match | null {
  const replaced = matchGroup(view) ?? matchLost(view);
  if (replaced !== null) return replaced;
  const entry = view
    .list('aws/instance')
    .find((one) => (one.value.InstanceId ?? null) === view.instanceId);
  if (entry === undefined || view.instanceId === null) return null;
  // A machine that has a Node did join; its end belongs to a later stage.
  if (view.read('kube/Node').state === 'seen') return clear;
  if (isOfUnknownAge(entry.value) && view.everywhere('kube/Node').length > 0) return null;
  const reason = entry.value.StateReason?.Code ?? '';
  const state = entry.value.State?.Name ?? '';
  if (!ENDED.includes(state) || !REASON.test(reason)) return null;
  if (!isMissed(view, entry.value) || !isEarly(view, entry.value)) return clear;
  const since = entry.value.StateTransitionReason ?? '';
  const launched = entry.value.LaunchTime ?? '';
  const words = `Instance ${view.instanceId} launched ${launched} ${state} ${reason} ${since}`;
  const details = { instance: view.instanceId, reason };
  return found(
    details,
    [view.quote(entry, words), ...spotOf(view), ...gapOf(view, entry.value)],
    'likely',
  );
}

/** Beside Nodes of unknown instances, an end without a time may be that of a machine which joined. */
function isOfUnknownAge({ LaunchTime: launched }: Instance): boolean {
  return isoMs(launched ?? '') === null;
}

function instancesOf(sighting: Sighting | null): ReadonlySet<string | undefined> {
  return new Set(sighting?.quotes.map(({ captures }) => captures['instance']));
}

/** Karpenter launched it, and EC2 did not list it any more before it was registered. */
function matchLost(view: Own): Match | null {
  const [launched, lost] = [view.sign('launched'), view.sign('lostAgain')];
  if (launched === null || lost === null) return null;
  const joined = instancesOf(view.sign('registered'));
  const ids = instancesOf(launched).difference(joined);
  const one = lost.quotes.find(({ captures }) => ids.has(captures['instance']));
  if (one === undefined) return null;
  return found({ ...one.captures, reason: 'EC2 lists it no more' }, [launched.last, one], 'likely');
}

/** False where something else took its place: its group is full, or Karpenter launches again. */
function isMissed(view: Own, instance: Instance): boolean {
  const group = groupOfInstance(instance);
  if (group !== null) return !filledGroups(view.list('aws/auto-scaling-group')).has(group);
  const isLive = view.isLive;
  const isKarpenters = (instance.Tags ?? []).some(
    (tag) => tag.Key?.startsWith('karpenter.sh/') === true,
  );
  return !isLive || !isKarpenters;
}

/** By the time of its end where EC2 tells it, else by the time since its launch. */
function isEarly(view: Own, instance: Instance): boolean {
  const launchedMs = isoMs(instance.LaunchTime ?? '');
  const ended = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) GMT\)/.exec(
    instance.StateTransitionReason ?? '',
  );
  const endedMs = ended === null ? view.nowMs : isoMs(`${ended[1]}T${ended[2]}Z`);
  return launchedMs === null || endedMs === null || endedMs - launchedMs < EARLY_MS;
}

/** What EC2 says of the request that the machine was launched for. */
function spotOf(view: Own): readonly Quote[] {
  return view
    .list('aws/spot-request')
    .filter(({ value }) => (value.InstanceId ?? null) === view.instanceId)
    .map((request) => {
      const { SpotInstanceRequestId: id, Status: status } = request.value;
      const words = `${status?.Code ?? ''}: ${status?.Message ?? ''}`;
      return view.quote(request, `spot request ${id ?? ''} ${words}`);
    });
}

function gapOf(view: Own, instance: Instance): readonly Quote[] {
  const name = groupOfInstance(instance);
  return view.list('aws/auto-scaling-group').flatMap((group) => {
    const size = sizeOf(group.value);
    if (size === null || size.name !== name) return [];
    const words = `AutoScalingGroup ${name} has ${size.inService} of ${size.desired} instances in service`;
    return [view.quote(group, words)];
  });
}

function matchGroup(view: Own): Match | null {
  const replaced = view.sign('replacedByHealthCheck');
  const group = view
    .list('aws/auto-scaling-group')
    .find((one) => Number(one.value.HealthCheckGracePeriod ?? null) < GRACE_SECONDS_MIN);
  if (replaced === null || group === undefined) return null;
  const name = group.value.AutoScalingGroupName ?? '';
  const grace = group.value.HealthCheckGracePeriod ?? '';
  const quote = view.quote(group, `AutoScalingGroup ${name} HealthCheckGracePeriod ${grace}`);
  const details = { ...replaced.last.captures, group: name, grace: String(grace) };
  return found(details, [replaced.first, quote], 'likely');
}
