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
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { instanceOfNode } from '../../../domain/naming/seen-names.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { isTerminated } from '../../../domain/nodes/fleet.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';

/** EC2 and the cloud controller agree: the instance behind the Node does not run any more. */
const cause = defineCause({
  id: 'instance-stopped-or-terminated',
  stage: 'retained',
  title: 'the instance was stopped or terminated',
  scope: 'machine',
  signs: {
    shutdownTaint: definite(['node-status'], /taint node\.cloudprovider\.kubernetes\.io\/shutdown/),
    shutdownSeenByScheduler: likely(
      ['event'],
      /(?:untolerated taint|had taints?) \{node\.cloudprovider\.kubernetes\.io\/shutdown/,
    ),
    deleted: context(
      ['event', 'controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /[Dd]eleting [Nn]ode (?:(?:since it is |\()?no longer present in cloud provider\)?"?:? (?:node=)?"?(?<node>[a-z0-9][a-z0-9.-]*)|(?<node2>[a-z0-9][a-z0-9.-]*) because it(?:'s not present according to| does not exist in the) cloud provider)/,
    ),
    stateChanged: likely(
      ['karpenter', 'client-output', 'unknown'],
      /initiating delete from interruption message.{0,300}"messageKind": ?"(?:StateChangeKind|instance_(?:stopped|stopping|terminated|terminating))"/,
      { anchors: ['initiating delete from interruption'] },
    ),
    stopping: likely(['event'], /\bInstanceStopping\b.{0,300}Instance is stopping/),
    terminating: context(
      ['event', 'cloud-controller'],
      /\bInstanceTerminating\b.{0,300}Instance is terminating|the instance i-[0-9a-f]{8,17} is terminated|failed to apply shutdown taint to node/,
      { anchors: ['InstanceTerminating', ' is terminated', 'failed to apply shutdown taint'] },
    ),
    endedUnasked: context(
      ['aws-message', 'client-output'],
      /taken out of service in response to an EC2 (?:instance )?health check indicating it has been (?:terminated or stopped|terminated|stopped)/,
    ),
    endReason: context(
      ['aws-message', 'client-output'],
      /\b(?:Client\.(?:InstanceInitiatedShutdown|UserInitiatedShutdown)|Server\.ScheduledStop)\b|\b(?:shutdown -[hP]|poweroff|halt|StopInstances|TerminateInstances) (?:command|call|API)\b/,
      {
        anchors: [
          'InitiatedShutdown',
          'ScheduledStop',
          'shutdown -',
          'poweroff ',
          'halt ',
          'Instances ',
        ],
      },
    ),
    neverJoined: context(
      ['client-output', 'aws-message'],
      /\b(?:never join|not join|(?:do|did|does|could|can|had)n't join|before (?:it|they) join|fail(?:s|ed)? to join|without joining)|NodeCreationFailure/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'never join',
          'not join',
          't join',
          'before it join',
          'before they join',
          ' to join',
          'without joining',
          'NodeCreationFailure',
        ],
      },
    ),
    retired: likely(
      ['aws-message', 'client-output', 'unknown'],
      /\b(?<retired>i-[0-9a-f]{8,17})\b.{0,40}\b(?:would be|was|is|were|has been|will be|scheduled (?:for|to be)) (?:retired\b|retirement\b)|\binstance (?:was|has been) retired\b|\bscheduled for retirement\b|\binstance-retirement\b/,
      { isTold: true, anchors: ['retire'] },
    ),
  },
  needs: [
    'kube/Node',
    'aws/instance',
    'aws/auto-scaling-group',
    'aws/scaling-activity',
    'aws/trail-event',
  ],
  symptoms: ['node-object-deleted', 'node-not-ready'],
  explains: [
    'node-heartbeat-lost',
    'node-deleted-as-not-in-cloud',
    'no-reregistration-after-deletion',
    'idle-connection-dropped',
  ],
  summary: ({ machine, instance, state, reason, alone, by }) =>
    alone !== undefined
      ? sentence`The instance ${instance} of the cluster is ${state ?? 'stopped'}${phrase` (${reason})`}${phrase`, by ${by}`}, and has no Node.`
      : sentence`The instance ${instance ?? 'behind'} ${instance === undefined ? (machine ?? 'the Node') : `of ${machine ?? 'the Node'}`} is ${state ?? 'stopped'}${phrase` (${reason})`}${phrase`, by ${by}`}; the Node is treated accordingly, and nothing on the Kubernetes side is wrong.`,
  remedy: ({ instance, state }) =>
    state === 'terminated' || state === 'shutting-down'
      ? [
          step(
            'See who terminated it; the node group replaces it by itself.',
            `aws cloudtrail lookup-events --lookup-attributes AttributeKey=ResourceName,AttributeValue=${instance ?? '<instance>'} --query 'Events[].[EventTime,EventName,Username]'`,
          ),
        ]
      : [
          step(
            'Find out who stopped it, then start it or let its group replace it.',
            `aws cloudtrail lookup-events --lookup-attributes AttributeKey=ResourceName,AttributeValue=${instance ?? '<instance>'} --query 'Events[].[EventTime,EventName,Username]'`,
          ),
          step(
            'Start it again.',
            `aws ec2 start-instances --instance-ids ${instance ?? '<instance>'}`,
          ),
        ],
  decide: step(
    'Ask EC2 for the state of the instance and for why it changed.',
    'kubectl get node <node> -o json; aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'A stopped instance keeps its Node with the taint node.cloudprovider.kubernetes.io/shutdown; a terminated one loses it. Both are the cloud controller doing its work.',
    prevent:
      'Keep schedules and clean-up scripts away from instances of node groups; watch spot interruptions.',
    notThis:
      'A Node that outlives its terminated instance is node-object-without-instance. A running instance whose Node is deleted is node-deleted-as-not-in-cloud.',
    alsoKnownAs: ['node.cloudprovider.kubernetes.io/shutdown'],
    refs: [
      'https://github.com/kubernetes/cloud-provider/blob/HEAD/controllers/nodelifecycle/node_lifecycle_controller.go',
    ],
  },
});

export default matched(cause, (view) => matchState(view) ?? matchActivity(view));

type Own = ViewOf<typeof cause>;

/** A Node that is not Ready on a stopped instance, or a Node deleted for one that is gone. */
function matchState(view: Own): Match | null {
  const instances = view.list('aws/instance');
  const nodes = view.list('kube/Node');
  const node = nodes.find(({ value }) => value.ready !== true);
  const own = node === undefined ? null : instanceOfNode(node.value, instances);
  const instance = own ?? (nodes.length === 0 ? instances[0] : onlyInstance(view));
  if (instance === undefined) return null;
  const state = instance.value.State?.Name ?? '';
  if (state === 'running' && view.isLive && view.sign('deleted') === null) return clear;
  const isStopping = state.startsWith('stopp');
  const isAlone =
    (isStopping || isTakenBack(view, instance.value)) && isMissed(view, instance.value);
  const isGone = isTerminated(instance.value) && view.sign('deleted') !== null;
  if (!isGone && !isAlone && (!isStopping || node === undefined)) return null;
  if (isGone && nodes.length === 0 && isReplaced(view, instance.value)) return null;
  return foundFor(view, { instance, node, state, isAlone });
}

/** Of one instance and one Node that somebody shows together, one is the other's. */
function onlyInstance(view: Own): Seen<Instance> | undefined {
  const [instance, ...instances] = view.everywhere('aws/instance');
  const isPair = instances.length === 0 && view.everywhere('kube/Node').length === 1;
  return !view.isLive && isPair ? instance : undefined;
}

interface Stopped {
  readonly instance: Seen<Instance>;
  readonly node: Seen<KubeNode> | undefined;
  readonly state: string;
  /** True where no Node is its own. */
  readonly isAlone: boolean;
}

function foundFor(view: Own, { instance, node, state, isAlone }: Stopped): Match {
  const { InstanceId: id = '', StateTransitionReason: transition, StateReason } = instance.value;
  const [reason, why] = [transition ?? '', StateReason?.Message ?? ''];
  const silent =
    node === undefined ? [] : [view.quote(node, `Node ${node.value.name} is not Ready`)];
  const deleted = view.sign('deleted');
  const [ended] = [...trailOf(view, id), ...activityOf(view, id)];
  const details = { instance: id, state, reason: reason === '' ? why : reason };
  const alone = isAlone ? { alone: 'yes' } : {};
  const by = ended?.by === undefined ? {} : { by: ended.by };
  return found({ ...details, ...alone, ...by }, [
    view.quote(instance, `${id} ${state} ${reason} ${why}`.trim()),
    ...silent,
    ...(deleted === null ? [] : [deleted.last]),
    ...(ended === undefined ? [] : [ended.quote]),
  ]);
}

/** Who or what ended the instance, and the object that says so. */
interface Ended {
  readonly by?: string;
  readonly quote: Quote;
}

function trailOf(view: Own, id: string): readonly Ended[] {
  return view
    .list('aws/trail-event')
    .filter(({ value }) =>
      /^(?:Stop|Terminate)Instances$|^BidEvictedEvent$/.test(value.EventName ?? ''),
    )
    .filter(({ value }) => (value.Resources ?? []).some((one) => one.ResourceName === id))
    .map((event) => {
      const { EventTime: when, EventName: name, Username: who } = event.value;
      const by = who ?? '';
      const quote = view.quote(event, `CloudTrail ${when ?? ''} ${name ?? ''} of ${id} by ${by}`);
      return by === '' ? { quote } : { by, quote };
    });
}

/** The Auto Scaling group says why it took a machine out: a scale-in, a refresh, a health check. */
function activityOf(view: Own, id: string): readonly Ended[] {
  return view
    .list('aws/scaling-activity')
    .filter(({ value }) => value.Description?.startsWith(`Terminating EC2 instance: ${id}`))
    .map((activity) => {
      const group = activity.value.AutoScalingGroupName ?? '';
      const reason = activity.value.Cause ?? '';
      const words = `Auto Scaling group ${group} activity Terminating EC2 instance: ${id} ${reason}`;
      return { quote: view.quote(activity, words) };
    });
}

/**
 * True for an instance without Node that its group does not keep stopped, in a warm pool or on
 * standby.
 */
function isMissed(view: Own, instance: Instance): boolean {
  if (!view.isLive || view.read('kube/Node').state !== 'absent') return false;
  const id = instance.InstanceId ?? null;
  const name = (instance.Tags ?? []).find((entry) => entry.Key === 'aws:autoscaling:groupName');
  const group = view
    .list('aws/auto-scaling-group')
    .find(({ value }) => (value.AutoScalingGroupName ?? null) === (name?.Value ?? null));
  if ((group?.value.WarmPoolConfiguration ?? undefined) !== undefined) return false;
  const member = (group?.value.Instances ?? []).find((entry) => (entry.InstanceId ?? null) === id);
  return !/^(?:Warmed|Standby|EnteringStandby)/.test(member?.LifecycleState ?? '');
}

/** True where its group has all the machines it wants again: then the end was no loss. */
function isReplaced(view: Own, instance: Instance): boolean {
  if (!view.isLive) return false;
  const tagOf = (key: string): string | null => {
    const tag = (instance.Tags ?? []).find((entry) => entry.Key === key);
    return tag?.Value ?? null;
  };
  if (tagOf('karpenter.sh/nodepool') !== null) return true;
  const name = tagOf('aws:autoscaling:groupName');
  const group = view
    .list('aws/auto-scaling-group')
    .find(({ value }) => (value.AutoScalingGroupName ?? null) === name);
  const wanted = group?.value.DesiredCapacity ?? Infinity;
  const serving = (group?.value.Instances ?? []).filter(
    (entry) => entry.LifecycleState === 'InService',
  );
  return group !== undefined && serving.length >= wanted;
}

/** The group tells that an instance ended by itself, and somebody tells who asked for that. */
function matchActivity(view: Own): Match | null {
  const [ended, reason] = [view.sign('endedUnasked'), view.sign('endReason')];
  if (ended === null || reason === null || view.sign('neverJoined') !== null) return null;
  return found({}, [ended.first, reason.first], 'likely');
}

/** Machines join within so long. */
const JOINED_MS = 5 * 60_000;
const ENDED_AT = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) GMT\)/;

/** A Spot Instance that lived long enough to have been a node, and nothing took its place. */
function isTakenBack(view: Own, instance: Instance): boolean {
  const isSpot = (instance.StateReason?.Code ?? '').startsWith('Server.SpotInstance');
  if (!isTerminated(instance) || !isSpot || isReplaced(view, instance)) return false;
  const [, day, time] = ENDED_AT.exec(instance.StateTransitionReason ?? '') ?? [];
  const endedMs = day === undefined ? view.nowMs : isoMs(`${day}T${time ?? ''}Z`);
  const launchedMs = isoMs(instance.LaunchTime ?? '');
  return launchedMs !== null && endedMs !== null && endedMs - launchedMs >= JOINED_MS;
}
