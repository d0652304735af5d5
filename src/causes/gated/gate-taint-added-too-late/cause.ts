import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import {
  askerWords,
  FIRST_OPENING,
  firstOpeningMs,
  identityAgent,
  longLivedAskers,
  placedMs,
} from '../../../domain/nodes/first-opening.ts';
import { isPodReady, podName } from '../../../domain/pods/pods.ts';

/** Pods bound longer before the taint than this belong to another life of the node. */
const BEFORE_MAX_MS = 300_000;

/** The gate taint came after the scheduler had already put pods on the new node. */
const cause = defineCause({
  id: 'gate-taint-added-too-late',
  stage: 'gated',
  title: 'pods were placed before the gate taint was on the node',
  scope: 'machine',
  signs: {
    closedFirst: context(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /Taints added: \[(?<taint>[^\]\s]+)(?:\s[^\]]*)?\], Taints removed: \[\], TaintLess: false, FirstTimeReady: ""/,
      { anchors: ['Taints added: '] },
    ),
    // ReplicaSet pods only: DaemonSet pods belong on a closed node.
    placed: context(
      ['event'],
      /Successfully assigned (?<pod>(?:[a-z0-9-]+\/)?[a-z0-9-]+-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}) to (?<node>[a-z0-9][a-z0-9.-]*)/,
    ),
    nodeRoleUsed: context(
      ['pod-app'],
      /User: arn:aws[\w-]*:sts::\d{12}:assumed-role\/(?<role>[^/\s]+)\/(?<instance>i-[0-9a-f]{8,17}) is not authorized to perform: (?<action>(?!ec2:|eks:|ecr:|ssm:|autoscaling:)[a-z0-9-]+:\w+)/,
      { anchors: [':assumed-role/'] },
    ),
    landsLateTold: likely(
      ['client-output', 'unknown'],
      /\bbefore the taint (?:lands|is (?:added|applied|set|there))\b/,
      { isTold: true },
    ),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: [],
  blocksAbove: false,
  explains: ['pod-started-before-kiam-redirect', 'pod-started-before-kube2iam-rule'],
  summary: ({ machine, node, pod, taint, gapS, opened, role }) =>
    opened !== undefined
      ? `The pod ${pod ?? ''} was placed on ${node ?? 'the node'} ${gapS ?? 'some'} seconds before the gate first opened it (${opened}), so the gate's taint was not there yet; the pod started without the agents that the gate waits for${role === undefined ? ' and has no role' : ` and works with the node’s role ${role}`}.`
      : sentence`The pod ${pod} was placed on ${machine ?? 'the node'} ${gapS ?? 'some'} seconds before the gate put its taint ${taint} there, so it started without the agents that the gate waits for.`,
  remedy: ({ pod, taint }) => [
    step(
      'Register nodes with the taint already on: kubelet registerWithTaints (NodeConfig: spec.kubelet.config.registerWithTaints), node group taints or Karpenter startupTaints.',
      `kubelet --register-with-taints=${taint ?? '<taint-key>'}=:NoSchedule`,
    ),
    step(
      'Move the pods that slipped in.',
      `kubectl -n ${pod?.split('/')[0] ?? '<namespace>'} delete pod ${pod?.split('/')[1] ?? '<pod>'}`,
    ),
  ],
  decide: step(
    'Compare when pods were bound with when the taint came.',
    'kubectl get events -A -o json',
  ),
  page: {
    why: 'A controller sees a new Node some time after the scheduler does. Between the moment the Node is Ready (or its not-ready taint goes) and the controller’s write, nothing holds pods back.',
    prevent:
      'Taints that the kubelet registers itself, or an admission policy that adds them when the Node is created.',
    notThis:
      'Pods bound after the taint was removed are gate-opened-too-early. DaemonSet pods and pods that tolerate the taint belong there.',
    refs: [
      'https://github.com/uswitch/nidhogg/issues/11',
      'https://github.com/kubernetes-sigs/node-readiness-controller',
    ],
  },
});

export default matched(cause, (view) => matchOrder(view) ?? matchFirstOpening(view));

type Own = ViewOf<typeof cause>;

function matchOrder(view: Own): Match | null {
  const closed = view.sign('closedFirst');
  const placed = view.sign('placed');
  const [at, before] = [closed?.first.moment.when ?? null, placed?.first.moment.when ?? null];
  if (closed === null || placed === null || at === null || before === null) return null;
  if (at.clock !== before.clock || at.yearless !== before.yearless) return null;
  const gapMs = at.ms - before.ms;
  if (gapMs <= 0) return clear;
  if (gapMs > BEFORE_MAX_MS) return null;
  return found(
    { ...closed.first.captures, ...placed.first.captures, gapS: String(Math.round(gapMs / 1000)) },
    [placed.first, closed.first],
    'likely',
  );
}

/** Seconds that a Node's annotation and a kubelet's stamp may lie apart by rounding. */
const ROUNDING_MS = 2000;

/**
 * A taint that holds pods back lets none be placed before the first opening: one that was, and fails
 * for want of its role although the agent is Ready, came before the taint.
 */
function matchFirstOpening(view: Own): Match | null {
  const node = view.read('kube/Node');
  const openedMs = node.state === 'seen' ? firstOpeningMs(node.value) : null;
  if (node.state !== 'seen' || openedMs === null) return null;
  const { name } = node.value;
  const agent = identityAgent(view.list('kube/Pod'), name);
  if (agent === null || !isPodReady(agent.value)) return null;
  const early = longLivedAskers(view.list('kube/Pod'), name, view.nowMs).find(
    (pod) => (placedMs(pod) ?? openedMs) < openedMs - ROUNDING_MS,
  );
  if (early === undefined) return isOrderKnown(view) ? null : clear;
  const used = view.sign('nodeRoleUsed');
  if (used === null && !view.shows('pod-without-identity')) return null;
  const opened = node.value.annotations[FIRST_OPENING] ?? '';
  const gapS = String(Math.round((openedMs - (placedMs(early) ?? openedMs)) / 1000));
  return found(
    { ...used?.last.captures, node: name, pod: podName(early.value), opened, gapS },
    [
      view.quote(early, askerWords(early)),
      view.quote(node, `Node ${name} ${FIRST_OPENING}: ${opened}`),
      ...(used === null ? [] : [used.last]),
    ],
    'likely',
  );
}

/** True where events tell the order themselves, which counts for more than its silence. */
function isOrderKnown(view: Own): boolean {
  return view.sign('closedFirst') !== null || view.sign('placed') !== null;
}
