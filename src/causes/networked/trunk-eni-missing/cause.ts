import {
  branchesOf,
  TRUNK_KINDS,
  trunkReason,
  type TrunkReason,
  trunkTrouble,
  type TrunkTrouble,
} from '../../../capacity/trunk-trouble.ts';
import {
  cannotSay,
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { podName } from '../../../domain/pods/pods.ts';
import {
  POD_ENI,
  policiesOf,
  policyWords,
  waitsForBranch,
} from '../../../domain/pods/pod-security-groups.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { plannedGroups } from '../../../domain/planned/groups.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';
import { networkModeOf } from '../../../capacity/cni-settings.ts';
import { knownType } from '../../../capacity/known-type.ts';

/** ipamd and the controller together take less than two minutes on a new node. */
const YOUNG_MS = 300_000;

/** The label by which older CNIs ask for a trunk, and the controller answers. */
const HAS_TRUNK = 'vpc.amazonaws.com/has-trunk-attached';

/** Security groups for pods are on, and the node has no trunk interface to hang them on. */
const cause = defineCause({
  id: 'trunk-eni-missing',
  stage: 'networked',
  title: 'the node has no trunk interface for security groups of pods',
  scope: 'machine',
  signs: {
    noSlot: likely(['ipamd', 'aws-node'], /No slot available for a trunk ENI to be attached/),
    podRefused: definite(
      ['ipamd', 'aws-node', 'cni-plugin', 'event'],
      /No trunk ENI (?:found|Link Index found), cannot add a pod ENI/,
    ),
    creationFailed: likely(['event'], /\bTrunkENICreationFailed\b/),
    attached: withdraws(
      ['ipamd'],
      /[Ff]ound a trunk ENI|[Tt]runk ENI (?:attached|eni-[0-9a-f]+ is )/,
      { anchors: ['trunk ENI'] },
    ),
    featureRefused: likely(
      ['ipamd', 'aws-node'],
      /Failed to add SGP feature to CNINode resource(?:.*(?<reason>forbidden|not found))?/,
    ),
    featureMissing: context(
      ['ipamd', 'aws-node'],
      /Failed to add feature .{1,40} (?:in)?to CNINode|"no trunk found|error: no trunk found/,
      { anchors: ['Failed to add feature', 'no trunk found'] },
    ),
    // Nodes whose branch interfaces are all taken are short of them, too.
    notPlaced: context(
      ['event', 'pod-status', 'scheduler', 'client-output', 'unknown'],
      /0\/\d{1,6} nodes are available:.{0,400}\b\d{1,6} Insufficient vpc\.amazonaws\.com\/pod-eni/,
      { anchors: ['Insufficient vpc.amazonaws.com/pod-eni'] },
    ),
  },
  needs: TRUNK_KINDS,
  symptoms: ['sandbox-not-created', 'pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ machine, reason, pod }) =>
    sentence`${machine ?? 'The node'} has no trunk interface${phrase` (${reason})`}, so ${pod === undefined ? 'pods with a SecurityGroupPolicy get no branch interface and do not start there' : `the pod ${pod} gets no branch interface there and stays Pending`}.`,
  remedy: ({ why, node }) => [
    ...(why === 'switched-off'
      ? [
          step(
            'Switch security groups for pods on; nodes that start afterwards keep a slot for the trunk.',
            'kubectl -n kube-system set env daemonset aws-node ENABLE_POD_ENI=true',
          ),
        ]
      : []),
    ...(why === 'type'
      ? []
      : [
          step(
            'Replace nodes that ran before ENABLE_POD_ENI was set: their slots are taken by warm interfaces.',
            `kubectl drain ${node ?? '<node>'} --ignore-daemonsets --delete-emptydir-data`,
          ),
        ]),
    step(
      'Use types with trunking (most Nitro types, no t family).',
      "kubectl get nodes -o custom-columns='NAME:.metadata.name,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type,POD-ENI:.status.allocatable.vpc\\.amazonaws\\.com/pod-eni'",
    ),
  ],
  decide: step(
    'See what the controller and ipamd say of the trunk.',
    'kubectl get events -A --field-selector reason=TrunkENICreationFailed; kubectl get cninode <node> -o yaml',
  ),
  page: {
    why: 'Each pod with security groups of its own hangs on one trunk interface of the node, which takes a slot. On a node whose slots are all taken, or on a type without trunking, the controller cannot attach it.',
    prevent: 'Set ENABLE_POD_ENI before the nodes start, and choose types that can trunk.',
    notThis:
      'UnauthorizedOperation in the event is cluster-role-without-vpc-controller-policy; a trunk that exists and a branch that fails is branch-eni-allocation-failed.',
    alsoKnownAs: [
      'No slot available for a trunk ENI to be attached',
      'vpc.amazonaws.com/pod-eni 0',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/ipamd.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/2792',
    ],
  },
});

const judged = matched(cause, (view) => matchTrunk(view) ?? matchNotPlaced(view));

type Own = ViewOf<typeof cause>;

/** Pods wait for branch interfaces, and this node is one of those that could give none. */
function matchTrunk(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || !view.isLive) return null;
  if (branchesOf(node.value) > 0) return clear;
  const trouble = trunkTrouble(view);
  if (trouble === null) return matchUnread(view);
  const isAffected = trouble.nodes.some(({ value }) => value.name === node.value.name);
  const { createdMs } = node.value;
  if (!isAffected || createdMs === null || (view.nowMs ?? 0) - createdMs < YOUNG_MS) return null;
  const reason = trunkReason(view, trouble, node.value);
  if (reason === null && view.list('kube/CNINode').length === 0) return null;
  return foundTrunk(view, trouble, node, reason);
}

/** No node took a pod that wants a branch interface, and this one says that it has no trunk. */
function matchNotPlaced(view: Own): Match | null {
  const node = view.read('kube/Node');
  const waiting = view.sign('notPlaced') ?? view.clusterSign('notPlaced');
  if (view.isLive || waiting === null) return null;
  if (node.state !== 'seen') return haveAllTrunks(view) ? clear : null;
  const { name, labels } = node.value;
  if (hasTrunk(node.value)) return clear;
  const lack = lackOfTrunk(node.value);
  // Where another node has branch interfaces, the pod waits for one of those.
  if (lack === null || view.everywhere('kube/Node').some(({ value }) => hasTrunk(value)))
    return null;
  const type = labels['node.kubernetes.io/instance-type'] ?? '';
  const why: Details = knownType(type, [])?.trunk === false ? { why: 'type' } : {};
  const reason = why['why'] === 'type' ? `a ${type} cannot carry a trunk` : lack;
  const words = `Node ${name}: ${lack}`;
  return found(
    { node: name, machine: name, reason, ...why },
    [view.quote(node, words), waiting.first],
    'likely',
  );
}

function haveAllTrunks(view: Own): boolean {
  const nodes = view.list('kube/Node');
  return nodes.length > 0 && nodes.every(({ value }) => hasTrunk(value));
}

function hasTrunk(node: KubeNode): boolean {
  return node.labels[HAS_TRUNK] === 'true' || branchesOf(node) > 0;
}

/** How a Node shows that it has no trunk; null where it does not. */
function lackOfTrunk({ labels, allocatable }: KubeNode): string | null {
  if (labels[HAS_TRUNK] === 'false') return `its label ${HAS_TRUNK} is false`;
  return allocatable[POD_ENI] === '0' ? `it offers no ${POD_ENI}` : null;
}

/** A pod asks for a branch interface, and nobody read how the CNI is set. */
function matchUnread(view: Own): Match | null {
  const waits = view.list('kube/Pod').some(({ value }) => waitsForBranch(value));
  const isRead = view.list('kube/DaemonSet').some(({ value }) => value.name === 'aws-node');
  if (!waits || isRead) return null;
  return cannotSay({
    reason: 'not-collected',
    detail: 'whether the DaemonSet aws-node sets ENABLE_POD_ENI',
    collect: 'kubectl -n kube-system get daemonset aws-node -o yaml',
  });
}

function foundTrunk(
  view: Own,
  trouble: TrunkTrouble,
  node: Seen<KubeNode>,
  reason: TrunkReason | null,
): Match | null {
  const [pod] = trouble.waiting;
  if (pod === undefined) return null;
  const { name, allocatable } = node.value;
  const said = reason === null ? {} : { why: reason.why, reason: wordsOf(reason) };
  const details: Details = { node: name, pod: podName(pod.value), ...said };
  const accounts = view.list('kube/ServiceAccount');
  const policies = policiesOf(pod.value, view.list('kube/SecurityGroupPolicy'), accounts);
  const confidence = reason === null ? 'likely' : 'definite';
  const proof: readonly Quote[] = [
    view.quote(node, `Node ${name} allocatable ${POD_ENI} ${allocatable[POD_ENI] ?? 'absent'}`),
    ...(reason === null
      ? []
      : [view.quote(factOf(reason, trouble, node), details['reason'] ?? '')]),
    view.quote(pod, `Pod ${podName(pod.value)} asks for ${POD_ENI} and is Pending`),
    ...policies.slice(0, 1).map((policy) => view.quote(policy, policyWords(policy))),
  ];
  return found(details, proof, confidence);
}

function wordsOf(reason: TrunkReason): string {
  if (reason.why === 'switched-off')
    return 'ENABLE_POD_ENI is not true in the DaemonSet kube-system/aws-node';
  if (reason.why === 'type') return `a ${reason.type} cannot carry a trunk`;
  return reason.why === 'slots'
    ? `all ${reason.enis} interface slots of the ${reason.type} are taken`
    : `CNINode ${reason.cniNode.value.name} has no feature SecurityGroupsForPods`;
}

function factOf(reason: TrunkReason, trouble: TrunkTrouble, node: Seen<KubeNode>): Seen<unknown> {
  if (reason.why === 'not-asked') return reason.cniNode;
  return reason.why === 'switched-off' ? trouble.daemonSet : node;
}

const HAVE_TRUNK = new WeakMap<PlanView, boolean>();

/** True where some group of a plan may have machines with a trunk. */
function hasTrunkSomewhere(plan: PlanView): boolean {
  const has =
    HAVE_TRUNK.get(plan) ??
    plannedGroups(plan).some((group) => {
      const { types } = machineOf(plan, group);
      const isKnown = types.length > 0;
      return !isKnown || types.some((name) => knownType(name, [])?.trunk !== false);
    });
  HAVE_TRUNK.set(plan, has);
  return has;
}

export default foreseen(
  judged,
  (plan, group) => {
    const { types } = machineOf(plan, group);
    const cni = plannedCni(plan);
    if (cni === null) return NOT_SHOWN;
    if (!networkModeOf(cni.value).podEni) return clear;
    const trunks = types.map((name) => knownType(name, [])?.trunk ?? null);
    if (trunks.length === 0 || trunks.includes(null)) return NOT_SHOWN;
    // Pods that need a trunk may be meant for other groups of the cluster.
    if (trunks.includes(true) || hasTrunkSomewhere(plan)) return clear;
    return found(
      { machine: group.name, reason: `${types.join(', ')} can have no trunk interface` },
      [
        plan.quote(group.template ?? group.fact, `instance types ${types.join(', ')}`),
        plan.quote(cni, 'ENABLE_POD_ENI true'),
      ],
      'likely',
    );
  },
  {
    remedy: () => [
      step('Choose types that can have a trunk interface, such as m6i.large; t types cannot.'),
      step('Or take ENABLE_POD_ENI out of configuration_values of the add-on vpc-cni.'),
    ],
  },
);
