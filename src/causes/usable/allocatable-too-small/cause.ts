import type { Instance } from '../../../evidence/aws/instance.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import {
  attachedTogether,
  attachedWithoutNode,
  instancesWithoutNode,
  isTaggedFor,
} from '../../../domain/nodes/fleet.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { isOfAnyDaemonSet, isOnNode, podCondition, podName } from '../../../domain/pods/pods.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

const NO_SLOT = /Too many pods|Insufficient pods/;
/** Taints of Nodes that are closed for a while: they would have slots if they were well. */
const TROUBLE =
  /\/(?:not-ready|unreachable|uninitialized|unschedulable|(?:disk|memory|pid)-pressure|network-unavailable)$/;

/** Nodes take no more pods although nothing is wrong with them: their pod slots are used up. */
const cause = defineCause({
  id: 'allocatable-too-small',
  stage: 'usable',
  title: 'the nodes have no pod slots left for workloads',
  scope: 'machine',
  signs: {
    noSlots: likely(
      ['event', 'pod-status', 'scheduler', 'client-output'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s{1,200})?\b0\/(?<nodes>\d+) nodes are available:(?!.*(?:not-ready|unreachable|uninitialized|NotReady|unschedulable|-pressure|network-unavailable|untolerated taint\(s\))).*?(?:Insufficient pods|Too many pods)/,
      { anchors: ['Insufficient pods', 'Too many pods'] },
    ),
    noSlotsBesideTaints: context(
      ['event', 'pod-status', 'scheduler', 'client-output'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s{1,200})?\b0\/\d+ nodes are available:(?=.*(?:Insufficient pods|Too many pods)).*?untolerated taint\(s\)/,
      { anchors: ['untolerated taint(s)'] },
    ),
    refusedByKubelet: definite(
      ['event', 'pod-status', 'kubelet'],
      /Node didn't have enough (?:resource|capacity): pods, requested: 1, used: (?<used>\d+), capacity: (?<capacity>\d+)/,
      { anchors: ["Node didn't have enough"] },
    ),
    placed: withdraws(['event'], /Successfully assigned [\w.-]+\/(?<pod>[\w.-]+) to /),
  },
  needs: ['kube/Node', 'kube/Pod', 'aws/instance', 'aws/network-interface', 'aws/cluster'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  per: ['pod'],
  blocksAbove: false,
  summary: ({ pod, capacity, full, used, daemons, type }) =>
    full !== undefined
      ? sentence`All ${capacity} pod slots of ${full}${phrase` (${type})`} are taken: ${used} pods run there, ${daemons ?? '0'} of them of DaemonSets, so the pod ${pod} stays Pending.`
      : `${pod === undefined ? 'Pods stay' : `The pod ${pod} stays`} Pending because the nodes ${capacity === undefined ? 'have no pod slot left' : `take ${capacity} pods and are full`}; DaemonSets count too.`,
  remedy: ({ full }) => [
    {
      text: 'See how many pods each node takes, and which run on the full one.',
      command:
        full === undefined
          ? 'kubectl get nodes -o custom-columns=NAME:.metadata.name,PODS:.status.allocatable.pods,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type'
          : `kubectl get pods -A -o wide --field-selector spec.nodeName=${full}`,
    },
    step(
      'Give each interface prefixes instead of addresses, and raise maxPods in new nodes.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true',
    ),
    step(
      'Or take a larger instance type or more nodes.',
      'aws eks update-nodegroup-config --cluster-name <cluster> --nodegroup-name <node-group> --scaling-config desiredSize=<n>',
    ),
  ],
  decide: step(
    'Compare allocatable pods with the pods that run there.',
    'kubectl describe node <node>',
  ),
  page: {
    why: 'With the VPC CNI a node takes as many pods as its interfaces have addresses: 4 on a t3.nano, 11 on a t3.small. aws-node, kube-proxy and other DaemonSets use several of them.',
    prevent: 'Choose types by their pod limit, or use prefix delegation with a maxPods that fits.',
    notThis:
      'A pod that was placed and stays in ContainerCreating for want of an address is subnet-out-of-pod-addresses or max-pods-above-address-capacity. Insufficient cpu or memory is ordinary sizing. Nodes that are full only because others are NotReady have another cause.',
    alsoKnownAs: ['0/3 nodes are available: 3 Too many pods', 'Insufficient pods', 'OutOfpods'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/eni_max_pods.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html',
    ],
  },
});

export default matched(cause, matchSlots);

type Own = ViewOf<typeof cause>;

/** The Node is healthy, every slot is taken, and a pod waits for one. */
function matchSlots(view: Own): Match | null {
  const node = view.read('kube/Node');
  const pods = view.list('kube/Pod');
  const waiting = pods.filter(({ value }) => isUnscheduled(value));
  const open = openFleet(view, waiting.length > 0);
  if (open !== null) return open;
  if (view.node === null) return view.isLive && waiting.length === 0 ? clear : null;
  if (node.state !== 'seen' || node.value.ready !== true || node.value.unschedulable === true)
    return null;
  const here = pods.filter(({ value }) => isOnNode(value, node.value.name));
  const slots = Number(node.value.allocatable['pods'] ?? Number.NaN);
  if (!(here.length >= slots)) return null;
  const event =
    view.clusterSign('noSlots') ??
    view.sign('noSlots') ??
    view.clusterSign('noSlotsBesideTaints') ??
    view.sign('noSlotsBesideTaints');
  const pod = waiting.find(
    ({ value }) => value.name === event?.last.captures['pod'] || NO_SLOT.test(messageOf(value)),
  );
  if (pod === undefined) return clear;
  if (mayHideTrouble(view, `${messageOf(pod.value)} ${event?.last.excerpt ?? ''}`)) return null;
  const told = event === null ? [] : [event.last];
  return found(detailsOf(node.value, here, pod.value), [
    ...told,
    view.quote(
      node,
      `Node ${node.value.name} ${typeOf(node.value)} allocatable.pods ${slots}, pods on it ${here.length}`,
    ),
    view.quote(pod, `Pod ${podName(pod.value)} is not scheduled: ${messageOf(pod.value)}`),
  ]);
}

/** What cannot be said of full Nodes as long as the cluster lacks machines, or may lack them. */
function openFleet(view: Own, isWaiting: boolean): Match | null {
  if ((isWaiting || !view.isLive) && lacksMachines(view)) return unjoined;
  return isWaiting && view.wasRefused('ec2:DescribeInstances') ? unanswered : null;
}

/** Where machines of the cluster run without a Node, the others are full for want of them. */
function lacksMachines(view: Own): boolean {
  if (view.machinesWithoutNode().length > 0) return true;
  if (!view.isComplete('kube/Node') || view.read('kube/Node').state === 'unknown')
    return knowsFewer(view);
  const instances = view.everywhere('aws/instance');
  const beside = [
    view.everywhere('kube/Node'),
    view.everywhere('aws/network-interface'),
    view.everywhere('aws/cluster'),
  ];
  const known = LACKING.get(instances);
  if (known?.beside.every((list, index) => list === beside[index]) === true) return known.isLacking;
  const isLacking = hasLonely(view) || hasAttachedStrangers(view);
  LACKING.set(instances, { beside, isLacking });
  return isLacking;
}

interface Lacking {
  /** What else was seen that this rests on. */
  readonly beside: readonly (readonly unknown[])[];
  readonly isLacking: boolean;
}

/** Asked for every machine of the same evidence, by its instances. */
const LACKING = new WeakMap<readonly Seen<Instance>[], Lacking>();

function hasLonely(view: Own): boolean {
  const lonely = instancesWithoutNode({
    // One that is still on its way is what the pods wait for, as one is that never comes.
    nowMs: Number.POSITIVE_INFINITY,
    read: (kind) => view.read(kind),
    list: (kind) => view.everywhere(kind),
  });
  return lonely !== null && lonely.length > 0;
}

/** Machines that EC2 was not asked for, or does not show yet, still have their interfaces. */
function hasAttachedStrangers(view: Own): boolean {
  const [interfaces, instances, nodes] = [
    view.everywhere('aws/network-interface'),
    view.everywhere('aws/instance'),
    view.everywhere('kube/Node'),
  ];
  return attachedWithoutNode(interfaces, instances, nodes).length > 0;
}

/** Without the Nodes, or whose they are: the scheduler counts fewer of them than there are machines. */
function knowsFewer(view: Own): boolean {
  const counted = view.sign('noSlots')?.last.captures['nodes'];
  if (counted === undefined) return false;
  const running = view
    .everywhere('aws/instance')
    .filter(({ value }) => value.State?.Name === 'running' && isTaggedFor(value, null));
  const attached = attachedTogether(view.everywhere('aws/network-interface'));
  const { all, unjoined } = view.machinesWithLogs();
  return Math.max(running.length, attached, unjoined > 0 ? all : 0) > Number(counted);
}

const unjoined = cannotSay({
  reason: 'not-in-source',
  detail: 'machines of the cluster run without a Node, which may be all that the pods lack',
  collect: 'kubectl get nodes -o wide',
});

const unanswered = cannotSay({
  reason: 'not-collected',
  detail:
    'EC2 was asked for its machines and did not answer; one without a Node may be all that the pods lack',
  collect: 'aws ec2 describe-instances',
});

/** The key of a taint in the words of the scheduler. */
const NAMED_TAINT = /untolerated taint \{([^:}]+)/g;

/** A scheduler that names no taint does not say whether other Nodes are only not well yet. */
function mayHideTrouble(view: Own, said: string): boolean {
  const named = [...said.matchAll(NAMED_TAINT)].map(([, key = '']) => key);
  if (named.some((key) => TROUBLE.test(key)) || said.includes('were unschedulable')) return true;
  if (!said.includes('untolerated taint(s)')) return false;
  return view
    .everywhere('kube/Node')
    .some(
      ({ value }) =>
        value.ready !== true || (value.taints ?? []).some(({ key }) => TROUBLE.test(key)),
    );
}

function isUnscheduled(pod: Pod): boolean {
  const isPlaced = (pod.spec?.nodeName ?? null) !== null;
  return !isPlaced && podCondition(pod, 'PodScheduled', 'status') === 'False';
}

function messageOf(pod: Pod): string {
  return podCondition(pod, 'PodScheduled', 'message') ?? '';
}

function typeOf(node: KubeNode): string {
  return node.labels['node.kubernetes.io/instance-type'] ?? '';
}

function detailsOf(
  node: KubeNode,
  here: readonly Seen<Pod>[],
  pod: Pod,
): Readonly<Record<string, string>> {
  const daemons = here.filter(({ value }) => isOfAnyDaemonSet(value)).length;
  const type = typeOf(node);
  return {
    full: node.name,
    capacity: node.allocatable['pods'] ?? '',
    used: String(here.length),
    daemons: String(daemons),
    pod: podName(pod),
    ...(type === '' ? {} : { type }),
  };
}
