import {
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import { budgetWords, heldPod } from '../../../domain/pods/budgets.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode, KubeTaint } from '../../../evidence/kinds.ts';
import type { Toleration } from '../../../evidence/kube/object.ts';
import { podCondition, podName } from '../../../domain/pods/pods.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import {
  refusalWords,
  type TaintRefusal,
  taintRefusal,
  untoleratedTaints,
} from '../../../domain/pods/taint-refusals.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

const DELIBERATE =
  /^(?:karpenter\.sh\/(?:disrupted|disruption)|ToBeDeletedByClusterAutoscaler|node\.kubernetes\.io\/unschedulable|aws-node-termination-handler\/[\w-]+)$/;
/** Taints that say that something is wrong or not yet there, and those of control planes. */
const NOT_DELIBERATE =
  /^(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io|node-role\.kubernetes\.io|nidhogg\.uswitch\.com|readiness\.k8s\.io|karpenter\.sh|node\.cilium\.io)(?:\/|$)|agent-not-ready|startup/;
const ROLE = /^node-role\.kubernetes\.io\//;

/** Somebody or some controller closed a healthy node on purpose, and pods wait for it. */
const cause = defineCause({
  id: 'cordon-or-deliberate-taint',
  stage: 'usable',
  title: 'the node is cordoned or tainted on purpose',
  scope: 'machine',
  signs: {
    closed: context(
      ['event', 'kubelet'],
      /Node (?<node>[\w.-]+) status is now: NodeNotSchedulable/,
    ),
    podsWait: context(
      ['event', 'pod-status', 'scheduler'],
      /\b0\/(?<total>\d+) nodes are available: (?<closedNodes>\d+) node\(s\) (?:were unschedulable|had (?:untolerated )?taint \{(?:karpenter\.sh\/disrupt\w+|ToBeDeletedByClusterAutoscaler)[^}]*\}[^.,]*)\./,
      {
        anchors: [
          'node(s) were unschedulable',
          'karpenter.sh/disrupt',
          'ToBeDeletedByClusterAutoscaler',
        ],
      },
    ),
    untolerated: context(
      ['event', 'pod-status', 'scheduler'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.*)?untolerated taint(?:\(s\)| \{(?<key>[\w./-]{1,317}))/,
    ),
    opened: withdraws(['event', 'kubelet'], /Node (?<node>[\w.-]+) status is now: NodeSchedulable/),
    // A row of `kubectl get nodes` without its header, shown alone.
    closedRow: likely(
      ['client-output', 'unknown'],
      /^(?<node>[a-z0-9][\w.-]{1,252})\s{2,}(?:Not)?Ready,SchedulingDisabled\s{2,}\S+\s{2,}(?:\d+[smhdy])+\s{2,}v1\./,
      { anchors: ['Ready,SchedulingDisabled'], atLeast: 1_000, enoughOnce: 'alone' },
    ),
    // Who owns the field, as the Node's own record of its writers has it.
    ownedField: context(['object', 'client-output', 'unknown'], /^\s*"?f:unschedulable"?: ?\{\}/),
    writerNamed: context(
      ['object', 'client-output', 'unknown'],
      /^\s*(?:- )?"?manager"?: "?(?<manager>[\w.-]{1,100})"?,?\s*$/,
      { isBackground: true },
    ),
    staysClosed: likely(
      ['client-output', 'unknown'],
      /\b(?:remains?|stays?|stuck|left|keeps?|kept)\b.{0,40}\b(?:SchedulingDisabled|cordoned)\b|\bSchedulingDisabled\b.{0,40}\b(?:forever|never|until)\b/,
      { isTold: true },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/NodePool', 'kube/NodeClaim', 'kube/PodDisruptionBudget'],
  symptoms: ['pod-not-scheduled', 'node-cordoned'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, total, taint, pod, budget, held }) =>
    budget !== undefined
      ? `${node ?? 'The node'} is closed to new pods on purpose (${taint ?? 'cordoned'}) and cannot be emptied: the PodDisruptionBudget ${budget} allows no disruption, so the pod ${held ?? ''} is not evicted.`
      : pod !== undefined
        ? `${node ?? 'The node'} carries the taint ${taint ?? ''} that somebody put there on purpose, and the pod ${pod} does not tolerate it, so it stays Pending.`
        : total === undefined
          ? `${node ?? 'The node'} is closed to new pods on purpose (${taint ?? 'cordoned'}); nothing else is wrong with it.`
          : `All ${total} nodes are cordoned or about to be removed, so new pods stay Pending.`,
  remedy: ({ node, taint, budget }) => [
    ...(budget === undefined
      ? []
      : [
          step(
            'To let the drain finish, let the budget spare one pod at a time.',
            `kubectl -n ${budget.split('/')[0] ?? '<namespace>'} patch pdb ${budget.split('/')[1] ?? '<budget>'} --type=merge -p '{"spec":{"minAvailable":null,"maxUnavailable":1}}'`,
          ),
        ]),
    step(
      'See who closed it: the managers of its fields name the actor.',
      `kubectl get node ${node ?? '<node>'} --show-managed-fields -o yaml`,
    ),
    {
      text: 'Open it again, or let the drain finish.',
      command:
        taint === undefined
          ? `kubectl uncordon ${node ?? '<node>'}`
          : `kubectl taint node ${node ?? '<node>'} ${taint.replace(/[=:].*$/, '').replace(/^'/, '')}-`,
    },
  ],
  decide: step(
    'See when which nodes were closed, and which still are.',
    'kubectl get events -A --field-selector reason=NodeNotSchedulable; kubectl get nodes -o custom-columns=NAME:.metadata.name,CLOSED:.spec.unschedulable,TAINTS:.spec.taints[*].key',
  ),
  page: {
    why: 'kubectl drain, node group updates, the cluster autoscaler, Karpenter and the termination handler all close a node before they remove it. Where that stops halfway, a healthy node stays closed.',
    prevent: 'Watch for nodes that stay cordoned, and for disruption budgets that block a drain.',
    notThis:
      'Taints not-ready, unreachable and uninitialized are set because something is wrong, and startup taints wait for an agent. DeletionCandidateOfClusterAutoscaler only makes a node less preferred.',
    alsoKnownAs: ['SchedulingDisabled', 'node(s) were unschedulable'],
    refs: ['https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/'],
  },
});

export default matched(cause, matchClosed);

type Own = ViewOf<typeof cause>;

function matchClosed(view: Own): Match | null {
  const waiting = view.sign('podsWait');
  if (!view.isLive && view.sign('staysClosed') !== null) return null;
  const all =
    waiting !== null && waiting.last.captures['total'] === waiting.last.captures['closedNodes'];
  const node = view.read('kube/Node');
  if (view.node === null || node.state !== 'seen')
    return all ? found(waiting.last.captures, [waiting.first], 'likely') : byAll(view);
  if (node.value.ready !== true) return null;
  return byState(view, node) ?? byTaint(view, node) ?? (isOpen(node.value) ? clear : null);
}

/** Every Node is about to be removed, by its taint, and that is why pods wait. */
function byAll(view: Own): Match | null {
  const nodes = view.everywhere('kube/Node');
  const [refused] = refusedPods(view);
  const tolerations = refused?.tolerations ?? null;
  if (view.instanceId !== null || refused === undefined || tolerations === null) return null;
  const closing = nodes.flatMap((node) => {
    const taint = untoleratedTaints(node.value, tolerations).find(({ key }) =>
      DELIBERATE.test(key),
    );
    const words = `Node ${node.value.name} carries the taint ${taint?.key ?? ''}`;
    return taint === undefined || node.value.ready !== true ? [] : [view.quote(node, words)];
  });
  if (closing.length < nodes.length) return null;
  const total = String(nodes.length);
  const proof = [view.quote(refused.pod, refusalWords(refused.pod, refused)), ...closing];
  return found({ total }, proof, 'likely');
}

/** Cordoned, or about to be removed by a controller that says so in a taint of its own. */
function byState(view: Own, node: Seen<KubeNode>): Match | null {
  const closed = view.sign('closed');
  const told = closed === null ? [] : [closed.last];
  const taint = (node.value.taints ?? []).find(({ key }) => DELIBERATE.test(key))?.key;
  if (node.value.unschedulable !== true && taint === undefined) return null;
  // A file may show one moment of a rotation that is under way; live, the Node is closed now.
  const owned = view.sign('ownedField') ?? view.clusterSign('ownedField');
  if (!view.isLive && closed === null)
    return owned === null ? null : foundWriter(view, node, owned.last);
  const writer = node.value.taintWriters.at(-1)?.manager;
  const by = writer === undefined ? '' : `, spec.taints last written by ${writer}`;
  const state = node.value.unschedulable === true ? 'spec.unschedulable true' : 'open';
  const words = `Node ${node.value.name} is Ready, ${state}, taint ${taint ?? 'none'}${by}`;
  const name = { node: node.value.name };
  const details = taint === undefined ? name : { ...name, taint };
  const { held, proof } = heldBack(view, node.value.name);
  return found({ ...details, ...held }, [view.quote(node, words), ...proof, ...told]);
}

/** A Node that is closed, shown together with the program that closed it. */
function foundWriter(view: Own, node: Seen<KubeNode>, owned: Quote): Match | null {
  const writer = view.sign('writerNamed') ?? view.clusterSign('writerNamed');
  if (writer === null || node.value.unschedulable !== true) return null;
  const words = `Node ${node.value.name} is Ready, spec.unschedulable true`;
  return found({ node: node.value.name }, [view.quote(node, words), owned, writer.last], 'likely');
}

/** The pod that keeps the Node from being emptied, with the budget that forbids it. */
function heldBack(
  view: Own,
  node: string,
): { readonly held: Details; readonly proof: readonly Quote[] } {
  const budgets = view.list('kube/PodDisruptionBudget');
  const one = heldPod(node, view.list('kube/Pod'), budgets);
  if (one === null) return { held: {}, proof: [] };
  const budget = `${one.budget.value.namespace ?? ''}/${one.budget.value.name}`;
  const held = podName(one.pod.value);
  const words = `PodDisruptionBudget ${budget}: ${budgetWords(one.budget)}`;
  const proof = [view.quote(one.budget, words), view.quote(one.pod, `Pod ${held} is on ${node}`)];
  return { held: { budget, held }, proof };
}

/** A taint of the cluster's own making that a waiting pod was refused for. */
function byTaint(view: Own, node: Seen<KubeNode>): Match | null {
  const event = view.clusterSign('untolerated');
  const refused = refusedPods(view);
  for (const taint of node.value.taints ?? []) {
    if (NOT_DELIBERATE.test(taint.key) || isStartup(view, taint)) continue;
    const pod =
      view.list('kube/Pod').find(({ value }) => {
        const said = saidOf(value, event?.last ?? null);
        return isWaiting(value) && said.includes(`taint {${taint.key}`) && isTaintsOnly(said);
      }) ?? (isMetByAll(view, node.value, taint, refused) ? refused[0]?.pod : undefined);
    if (pod === undefined) continue;
    const text = `${taint.key}=${taint.value}:${taint.effect}`;
    return found({ node: node.value.name, taint: text, pod: podName(pod.value) }, [
      view.quote(node, `Node ${node.value.name} is Ready and carries the taint ${text}`),
      view.quote(pod, `Pod ${podName(pod.value)} is Pending`),
      ...(event === null ? [] : [event.last]),
    ]);
  }
  return null;
}

/** What the scheduler says of a pod, by its condition and by an event that names it. */
function saidOf(pod: Pod, event: Quote | null): string {
  const message = podCondition(pod, 'PodScheduled', 'message') ?? '';
  return event?.captures['pod'] === pod.name ? `${message} ${event.excerpt}` : message;
}

function isWaiting(pod: Pod): boolean {
  return podCondition(pod, 'PodScheduled', 'status') === 'False';
}

interface Refused extends TaintRefusal {
  readonly pod: Seen<Pod>;
}

/** The pods that all the Nodes seen refuse for taints which the scheduler does not name. */
function refusedPods(view: Own): readonly Refused[] {
  const event = view.clusterSign('untolerated')?.last ?? null;
  return view.list('kube/Pod').flatMap((pod) => {
    const isNamed = event?.captures['pod'] === pod.value.name;
    const refusal = taintRefusal(pod.value, isNamed ? event.excerpt : null);
    if (refusal === null || !isWaiting(pod.value)) return [];
    const isByAll = refusal.refusing === view.everywhere('kube/Node').length;
    return isByAll ? [{ ...refusal, pod }] : [];
  });
}

/** True where all refused pods meet this taint on the Node, and would be let in without it. */
function isMetByAll(
  view: Own,
  node: KubeNode,
  taint: KubeTaint,
  refused: readonly Refused[],
): boolean {
  return refused.every(({ pod, tolerations }) => {
    if (tolerations === null || !mayGoTo(pod.value, node)) return false;
    const [met, other] = untoleratedTaints(node, tolerations);
    if (met?.key !== taint.key || other !== undefined) return false;
    // A Node in trouble that would have taken the pod is why it waits, not the one set apart.
    return !view
      .everywhere('kube/Node')
      .some(({ value }) => mayGoTo(pod.value, value) && isTroubled(view, value, tolerations));
  });
}

function isTroubled(view: Own, node: KubeNode, tolerations: readonly Toleration[]): boolean {
  return untoleratedTaints(node, tolerations).every(
    (taint) => !ROLE.test(taint.key) && (NOT_DELIBERATE.test(taint.key) || isStartup(view, taint)),
  );
}

/** Taints are looked at first: a pod may be refused for one on a Node that it would not go to. */
function mayGoTo(pod: Pod, node: KubeNode): boolean {
  const wanted = Object.entries(pod.spec?.nodeSelector ?? {});
  const affinity = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !affinity && wanted.every(([key, value]) => node.labels[key] === value);
}

/** Karpenter's start-up taints wait for an agent, which is another matter. */
function isStartup(view: Own, { key }: KubeTaint): boolean {
  const specs = [
    ...view
      .list('kube/NodePool')
      .map(({ value }) => value.spec?.template?.spec?.startupTaints ?? []),
    ...view.list('kube/NodeClaim').map(({ value }) => value.spec?.startupTaints ?? []),
  ];
  return specs.flat().some((entry) => entry.key === key);
}

function isOpen(node: KubeNode): boolean {
  return node.unschedulable === false && (node.taints ?? []).length === 0;
}

/** True where taints alone keep the pod out; a dedicated node among full ones is as it should be. */
function isTaintsOnly(said: string): boolean {
  const from = said.indexOf('nodes are available: ');
  const reasons = said.slice(from + 'nodes are available: '.length).split('. ')[0] ?? '';
  return from >= 0 && reasons.split(', ').every((reason) => reason.includes('untolerated taint'));
}
