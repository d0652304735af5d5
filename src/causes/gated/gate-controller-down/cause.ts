import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  defineCause,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { FIRST_OPENING } from '../../../domain/nodes/first-opening.ts';
import type { KubeNode, KubeTaint } from '../../../evidence/kinds.ts';
import { lostLeases } from '../../../domain/nodes/leases.ts';
import {
  complaintOf,
  isOfDaemonSet,
  isOnNode,
  isPodReady,
  podName,
  readyChangedMs,
  waitingReason,
} from '../../../domain/pods/pods.ts';
import { podsThat } from '../../../domain/pods/pods-seen.ts';
import {
  conditionsSinceMs,
  isTaintOfRule,
  unmetCondition,
} from '../../../domain/nodes/readiness-rules.ts';
import { lastHeardMs } from '../../../domain/nodes/ready-node.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import {
  refusalWords,
  refusedPod,
  taintThatKeepsOut,
} from '../../../domain/pods/taint-refusals.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

const GATE_TAINT = /^(?:nidhogg\.uswitch\.com|readiness\.k8s\.io)(?:\/|$)/;
const CONTROLLER = /nidhogg|node-readiness-controller|nrr-controller/;
/** Leases by which these controllers elect their leader; that of the second is ba65f13e.readiness…. */
const LEASE = /nidhogg|(?:^|\.)readiness\.node\.x-k8s\.io$|node-readiness/;
/** A controller at work opens a gate within seconds. */
const OPENING_NORMAL_MS = 120_000;

/** Nobody removes gate taints, because the controller that does is not at work itself. */
const cause = defineCause({
  id: 'gate-controller-down',
  stage: 'gated',
  title: 'the gate controller is down or kept out, so taints stay on every new node',
  scope: 'cluster',
  signs: {
    keptOut: definite(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /pod\/(?<controller>nidhogg-[a-z0-9-]+|[a-z0-9-]*node-readiness-controller-[a-z0-9-]+)\s.*(?:untolerated|had) taint \{(?<taint>(?:nidhogg\.uswitch\.com|readiness\.k8s\.io)[^:}\s]*)/,
      { anchors: ['nidhogg-', 'node-readiness-controller-'] },
    ),
    refused: context(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /pod\/(?<pod>nidhogg-[a-z0-9-]+|[a-z0-9-]*node-readiness-controller-[a-z0-9-]+)\s.*had untolerated taint\(s\)/,
      { anchors: ['nidhogg-', 'node-readiness-controller-'] },
    ),
    doesNotStart: definite(
      ['nidhogg', 'kiam-agent', 'calico-node'],
      /unable to (?:set up (?:overall controller manager|client config)|get handler config)/,
    ),
    cannotWork: likely(
      ['nidhogg', 'kiam-agent', 'calico-node'],
      /error calu?c?ulating taints for node.*(?<why>forbidden|timed out|connection refused|deadline exceeded)/,
      { atLeast: 3 },
    ),
    toldOf: context(
      ['client-output', 'unknown'],
      /\b(?<controller>node-readiness-controller|nidhogg)\b/,
      { isTold: true, isBackground: true },
    ),
    toldWaiting: context(
      ['client-output', 'unknown'],
      /\b(?:controller|nidhogg)(?: itself| pods?)?(?: itself)? (?:is|are|stays?|remains?|hangs?|sits?)(?: \w+){0,2} (?<why>Pending|CrashLoopBackOff|Evicted|ImagePullBackOff|scaled to (?:0|zero))(?!\w)/,
      {
        isTold: true,
        anchors: ['Pending', 'CrashLoopBackOff', 'Evicted', 'ImagePullBackOff', 'scaled to '],
      },
    ),
    // What a pod is told that waits behind the gate, with no word of whose pod it is.
    keptByGate: context(
      ['event', 'pod-status', 'client-output', 'unknown'],
      /nodes are available: .{0,400}(?:untolerated|had) taint \{(?<taint>(?:nidhogg\.uswitch\.com|readiness\.k8s\.io)\/[^:}\s]{1,200})/,
      { anchors: ['nidhogg.uswitch.com/', 'readiness.k8s.io/'] },
    ),
    notRunning: context(
      ['client-output', 'pod-status'],
      /(?<![a-z0-9-])(?<controller>nidhogg-[a-z0-9-]{1,80}|[a-z0-9-]{0,80}node-readiness-controller-[a-z0-9-]{1,80})\s+0\/\d+\s+(?<why>CrashLoopBackOff|Error|ErrImagePull|ImagePullBackOff|Pending)\b/,
    ),
  },
  needs: ['kube/Node', 'kube/Deployment', 'kube/Pod', 'kube/Lease', 'kube/NodeReadinessRule'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed', 'readiness-rule-unsatisfied'],
  summary: ({ controller, why, taint, waiting }) =>
    sentence`The gate controller ${controller} ${taint === undefined ? `does not work${phrase` (${why})`}` : `cannot be scheduled because of its own taint ${taint}`}, so ${waiting ?? 'no new node'} ${waiting === undefined ? 'is' : 'are not'} opened for pods.`,
  remedy: ({ controller, taint, namespace }) => [
    step(
      'See the controller’s state and log.',
      `kubectl get pods -A -o wide | grep -E 'nidhogg|node-readiness'; kubectl -n ${namespace ?? '<namespace>'} logs ${controller ?? 'deploy/<controller>'} --tail=100`,
    ),
    step(
      'Let it tolerate every taint and run two replicas with leader election.',
      `kubectl -n ${namespace ?? '<namespace>'} patch statefulset nidhogg --type=merge -p '{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}'`,
    ),
    step('To free the nodes at once.', `kubectl taint nodes --all ${taint ?? '<taint-key>'}-`),
  ],
  decide: step(
    'See whether the controller runs and is Ready.',
    "kubectl get nodes -o json; kubectl get pods -A | grep -E 'nidhogg|node-readiness'",
  ),
  page: {
    why: 'Whoever adds or removes gate taints is itself a pod. Without toleration for its own taints it cannot start when all nodes are new; with one replica a node loss stops it.',
    prevent:
      'Tolerations `operator: Exists`, priority system-cluster-critical, two replicas, an alarm on nodes that carry the taint for more than minutes.',
    notThis:
      'All new nodes are stuck. One node alone is gate-daemonset-pod-not-ready or -absent. `Operation cannot be fulfilled on nodes` in its log is a conflict that it retries.',
    refs: [
      'https://github.com/uswitch/nidhogg/blob/HEAD/pkg/nidhogg/handler.go',
      'https://github.com/pelotech/nidhogg',
    ],
  },
});

export default matched(cause, matchCluster);

type Own = ViewOf<typeof cause>;

/** A controller that is seen not to run counts where nodes wait for it. */
function matchCluster(view: Own): Match | null {
  const nodes = view
    .list('kube/Node')
    .filter(({ value }) => (value.taints ?? []).some(({ key }) => GATE_TAINT.test(key)));
  const [first] = nodes;
  if (first === undefined && isAtWork(view))
    return clearUnlessSeen(view, ['keptOut', 'doesNotStart', 'cannotWork', 'notRunning']);
  const told = matchTold(view);
  if (first === undefined && told !== null) return told;
  if (first === undefined) return matchRefused(view);
  if (view.sign('keptOut') !== null || view.sign('doesNotStart') !== null) return null;
  const waiting = nodes.length === 1 ? first.value.name : `${nodes.length} nodes`;
  const proof = view.quote(first, `Node ${first.value.name} carries a gate taint`);
  const kept = matchKeptOut(view, proof);
  if (kept !== null) return kept;
  const down = view.sign('notRunning');
  if (down !== null) return found({ ...down.last.captures, waiting }, [down.last, proof], 'likely');
  const byPods = matchPods(view, nodes) ?? matchLease(view, nodes);
  if (byPods !== null) return byPods;
  const idle = view
    .list('kube/Deployment')
    .find(
      ({ value }) =>
        CONTROLLER.test(value.name) && (value.status?.availableReplicas ?? '0') === '0',
    );
  if (idle === undefined) return null;
  return found(
    { controller: idle.value.name, why: 'no replica is available', waiting },
    [view.quote(idle, `Deployment ${idle.value.name} availableReplicas 0`), proof],
    'likely',
  );
}

/** Somebody names the controller that opens nodes and says that it does not run. */
function matchTold(view: Own): Match | null {
  const [controller, waiting] = [view.sign('toldOf'), view.sign('toldWaiting')];
  if (controller === null || waiting === null) return null;
  const details = { ...controller.last.captures, ...waiting.last.captures };
  return found(details, [controller.first, waiting.first], 'likely');
}

/** Its own pod is listed as not running, and pods wait behind the taint that it would remove. */
function matchRefused(view: Own): Match | null {
  const down = (view.sign('notRunning') ?? view.clusterSign('notRunning'))?.last;
  const kept = (view.sign('keptByGate') ?? view.clusterSign('keptByGate'))?.last;
  if (down === undefined || kept === undefined || view.isLive) return null;
  const { controller } = down.captures;
  const why = down.captures['why'] ?? '';
  const taint = why === 'Pending' ? { taint: kept.captures['taint'] ?? '' } : {};
  return foundInShown(
    found({ controller: controller ?? '', why, ...taint }, [down, kept], 'likely'),
  );
}

/** The controller is Ready; where no Node seen is shut either, it has done its work. */
function isAtWork(view: Own): boolean {
  const pods = podsThat(view.list('kube/Pod'), isController);
  return view.list('kube/Node').length > 0 && pods.some(({ value }) => isPodReady(value));
}

function isController({ name }: Pod): boolean {
  return CONTROLLER.test(name);
}

/** The controller waits for a Node, and one gate taint is on all of them. */
function matchKeptOut(view: Own, proof: Quote): Match | null {
  const pods = podsThat(view.list('kube/Pod'), isController);
  const kept = refusedPod(pods, view.sign('refused')?.last ?? null);
  const nodes = view.list('kube/Node').map(({ value }) => value);
  if (kept === null) return null;
  const taint = taintThatKeepsOut(kept, nodes, (key) => GATE_TAINT.test(key));
  if (taint === null) return null;
  const { pod, event, namespace } = kept;
  const details = { controller: kept.name, taint, ...(namespace === null ? {} : { namespace }) };
  return found(details, [
    ...(pod === null ? [] : [view.quote(pod, refusalWords(pod, kept))]),
    ...(event === null ? [] : [event]),
    proof,
  ]);
}

/** Nodes stay shut though what their gate waits for is Ready, and no pod of its controller is. */
function matchPods(view: Own, nodes: readonly Seen<KubeNode>[]): Match | null {
  const pods = podsThat(view.list('kube/Pod'), isController);
  // Who opened a Node before lives somewhere, if not as a pod; shut again it is by somebody else.
  // So may who has had no time yet to open it.
  const isElsewhere = (node: KubeNode): boolean =>
    pods.length === 0 && (FIRST_OPENING in node.annotations || isNewlyMet(view, node));
  const shut = nodes.filter(({ value }) => !waitsForPod(view, value) && !isElsewhere(value));
  const [first] = shut;
  if (first === undefined || pods.some(({ value }) => isPodReady(value))) return null;
  const [pod] = pods;
  // Without any pod of the controller only a whole list of pods proves that there is none.
  if (view.isCut('kube/Pod') || (pod === undefined && !view.isComplete('kube/Pod'))) return null;
  const names = shut.map(({ value }) => value.name);
  const waiting = names.length === 1 ? first.value.name : `${names.length} nodes`;
  const taint = (first.value.taints ?? []).find(({ key }) => GATE_TAINT.test(key))?.key ?? '';
  const proof = view.quote(
    first,
    `Node ${first.value.name} is Ready and carries the taint ${taint}`,
  );
  if (pod === undefined)
    return found({ why: 'no pod of it exists', waiting }, [proof], 'definite', names);
  const why = waitingReason(pod.value) ?? pod.value.status?.phase ?? 'not Ready';
  const words = `Pod ${podName(pod.value)} is not Ready: ${why} ${complaintOf(pod.value)}`;
  const namespace = pod.value.namespace ?? 'default';
  const details = { controller: pod.value.name, namespace, why, waiting };
  return found(details, [view.quote(pod, words), proof], 'definite', names);
}

/** The controller's pod is Ready, and its Lease shows that it does nothing. */
function matchLease(view: Own, nodes: readonly Seen<KubeNode>[]): Match | null {
  const shut = nodes.filter(({ value }) => !waitsForPod(view, value));
  const [first] = shut;
  const [lost] = lostLeases(view.list('kube/Lease'), LEASE, view.nowMs);
  if (first === undefined || lost === undefined) return null;
  const names = shut.map(({ value }) => value.name);
  const waiting = names.length === 1 ? first.value.name : `${names.length} nodes`;
  const taint = (first.value.taints ?? []).find(({ key }) => GATE_TAINT.test(key))?.key ?? '';
  const why = `its Lease ${lost.name} is not renewed`;
  const pod = podsThat(view.list('kube/Pod'), isController)[0]?.value;
  const namespace = pod?.namespace ?? lost.fact.value.namespace ?? 'default';
  const controller = pod === undefined ? {} : { controller: pod.name };
  const proof = [
    view.quote(lost.fact, lost.words),
    view.quote(first, `Node ${first.value.name} is Ready and carries the taint ${taint}`),
  ];
  return found({ ...controller, namespace, why, waiting }, proof, 'definite', names);
}

/** What a gate waits for is itself not there or not Ready, so the controller may not open. */
function waitsForPod(view: Own, node: KubeNode): boolean {
  return gatesOf(node).some((taint) =>
    taint.key.startsWith('readiness.k8s.io/')
      ? waitsForCondition(view, node, taint)
      : readyGatePods(view, node, taint).length === 0,
  );
}

/** What a gate waits for became Ready so lately that a controller at work may not have opened it. */
function isNewlyMet(view: Own, node: KubeNode): boolean {
  const heardMs = view.nowMs ?? lastHeardMs(node);
  return gatesOf(node)
    .flatMap((taint) => readyGatePods(view, node, taint))
    .some((pod) => heardMs - (readyChangedMs(pod) ?? -Infinity) <= OPENING_NORMAL_MS);
}

function gatesOf({ taints }: KubeNode): readonly KubeTaint[] {
  return (taints ?? []).filter(({ key }) => GATE_TAINT.test(key));
}

/** Ready pods on the Node of the DaemonSet that a gate of nidhogg names. */
function readyGatePods(view: Own, node: KubeNode, { key }: KubeTaint): readonly Pod[] {
  const gate = key.slice(key.indexOf('/') + 1);
  return view
    .list('kube/Pod')
    .map(({ value }) => value)
    .filter(
      (pod) =>
        isOnNode(pod, node.name) &&
        gate.startsWith(`${pod.namespace ?? ''}.`) &&
        isOfDaemonSet(pod, gate.slice(gate.indexOf('.') + 1)) &&
        isPodReady(pod),
    );
}

/** A rule is open to be kept when all that it wants has been there for longer than a removal takes. */
function waitsForCondition(view: Own, node: KubeNode, taint: KubeTaint): boolean {
  const rules = view
    .list('kube/NodeReadinessRule')
    .filter(({ value }) => isTaintOfRule(value, taint));
  const { nowMs } = view;
  if (rules.length === 0 || nowMs === null) return true;
  return rules.some(({ value }) => {
    const sinceMs = conditionsSinceMs(value, node);
    const isSettled = sinceMs !== null && nowMs - sinceMs > OPENING_NORMAL_MS;
    return unmetCondition(value, node) !== null || !isSettled;
  });
}
