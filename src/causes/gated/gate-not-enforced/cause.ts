import {
  clear,
  defineCause,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import { placedMs, utcText } from '../../../domain/nodes/first-opening.ts';
import { type NotEnforced, notEnforcedOn } from '../../../domain/nodes/not-enforced.ts';
import { isOfAnyDaemonSet, isOnNode, podCondition, podName } from '../../../domain/pods/pods.ts';
import { tolerates } from '../../../domain/pods/taint-refusals.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { isoMs } from '../../../evidence/time.ts';

/** Stamps of the API server have whole seconds. */
const ROUNDING_MS = 1000;

/** A Node came without the taint of its NodeGate, and pods were placed before the gate put it. */
const cause = defineCause({
  id: 'gate-not-enforced',
  stage: 'gated',
  title: 'the node registered without the taint of its gate',
  scope: 'machine',
  signs: {
    putLate: context(
      ['event'],
      /NodeGate (?<gate>[a-z0-9.-]{1,253}) put (?<taint>[\w./-]{1,317}):(?<effect>\w{1,20}) on a node that was created without it/,
      { anchors: ['on a node that was created without it'] },
    ),
    // Only a gate that found a Node without its taint writes it.
    marked: context(
      ['client-output', 'unknown', 'object', 'node-status'],
      /\bgate\.rollcall\.dev\/[0-9a-f-]{4,36}\.not-enforced["']?[:=]\s{0,3}["']?(?<at>\d{4}-\d\d-\d\dT[\d:.]{5,15}Z)/,
      { anchors: ['.not-enforced'] },
    ),
    notOpened: context(
      ['event'],
      /NodeGate (?<gate>[a-z0-9.-]{1,253}) put (?<taint>[\w./-]{1,317}):(?<effect>\w{1,20}) back, which something else removed/,
      { anchors: [' back, which something else removed'] },
    ),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: [],
  blocksAbove: false,
  explains: ['pod-started-before-kiam-redirect', 'pod-started-before-kube2iam-rule'],
  summary: ({ node, machine, gate, taint, pod, gapS }) =>
    pod === undefined
      ? sentence`${node ?? machine ?? 'The node'} registered without the taint ${taint}, so pods could be placed there until NodeGate ${gate} put it.`
      : sentence`${node ?? machine ?? 'The node'} registered without the taint ${taint}: the pod ${pod} was placed there ${gapS ?? 'some'} s before the gate put it, and nothing was proven by then.`,
  remedy: ({ taint, effect, node, pod }) => [
    step(
      'Register nodes with the taint: kubelet registerWithTaints (NodeConfig: spec.kubelet.config.registerWithTaints), node group taints or Karpenter startupTaints. From Kubernetes 1.36 on, gate.taintAtCreate of the installation has an admission policy do it.',
      `kubelet --register-with-taints=${taint ?? '<taint-key>'}=:${effect ?? 'NoSchedule'}`,
    ),
    step('Look for pods that came first.', `rollcall gate slip-ins ${node ?? '<node>'}`),
    step(
      'Have the pod made again.',
      `kubectl -n ${pod?.split('/')[0] ?? '<namespace>'} delete pod ${pod?.split('/')[1] ?? '<pod>'}`,
    ),
  ],
  decide: step(
    'Compare when pods were bound with when the gate put its taint.',
    'kubectl get node <node> -o json; kubectl get pods -A --field-selector spec.nodeName=<node> -o json',
  ),
  page: {
    why: 'A gate sees a new Node no earlier than the scheduler does. A Node that registers without the taint is open until the gate’s write, for milliseconds while the controller runs and for as long as it is down otherwise. The gate keeps on the Node when it put the taint: the annotation gate.rollcall.dev/<uid of the gate>.not-enforced.',
    prevent:
      'Taints that the kubelet registers itself, or an admission policy that adds them when the Node is created; the metric rollcall_gate_nodes_not_enforced shows which gates lack it.',
    notThis:
      'A taint that something removed later is put back by the gate (GateRestored). nidhogg’s gates are gate-taint-added-too-late. A Node without its taint on which no pod was placed before works as it should, and only the gate’s status tells.',
    refs: [
      'https://github.com/uswitch/nidhogg/issues/11',
      'https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/',
    ],
  },
});

export default matched(cause, (view) => matchMarks(view) ?? matchEvent(view) ?? matchMarked(view));

type Own = ViewOf<typeof cause>;

function matchMarks(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const marks = notEnforcedOn(node.value);
  if (marks.length === 0) return null;
  for (const mark of marks) {
    const early = view.list('kube/Pod').find((pod) => isEarly(pod, node.value, mark));
    if (early !== undefined) return matchPod(view, node, mark, early);
  }
  const isWhole = view.isComplete('kube/Pod') && !view.isCut('kube/Pod');
  return isWhole ? clear : null;
}

function matchPod(view: Own, node: Seen<KubeNode>, mark: NotEnforced, pod: Seen<Pod>): Match {
  const { name } = node.value;
  const { atMs, taint } = mark;
  const bound = boundMs(pod) ?? atMs;
  const gapS = String(Math.round((atMs - bound) / 1000));
  return found(
    { node: name, taint: taint.key, effect: taint.effect, pod: podName(pod.value), gapS },
    [
      view.quote(pod, `Pod ${podName(pod.value)} bound at ${utcText(bound)}`),
      view.quote(
        node,
        `Node ${name}: its gate put ${taint.key}:${taint.effect} at ${utcText(atMs)}`,
      ),
    ],
  );
}

/** Where the Node itself was not read, its Event is all that tells of the open window. */
function matchEvent(view: Own): Match | null {
  const put = view.sign('putLate');
  if (put === null) return view.sign('notOpened') === null ? null : clear;
  if (view.read('kube/Node').state === 'seen') return null;
  return found(put.last.captures, [put.last], 'likely');
}

/** A person shows the mark of the gate, and no pods that would say more. */
function matchMarked(view: Own): Match | null {
  const told = (view.sign('marked') ?? view.clusterSign('marked'))?.last;
  if (view.isLive || view.list('kube/Pod').length > 0) return null;
  if (told !== undefined) return foundInShown(found({}, [told], 'likely'));
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const [key, at] = Object.entries(node.value.annotations).find(([name]) => MARK.test(name)) ?? [];
  if (key === undefined) return null;
  const words = `Node ${node.value.name} has the annotation ${key}: ${at ?? ''}`;
  return foundInShown(found({ node: node.value.name }, [view.quote(node, words)], 'likely'));
}

const MARK = /^gate\.rollcall\.dev\/[^./]{4,36}\.not-enforced$/;

function boundMs(pod: Seen<Pod>): number | null {
  const bound = isoMs(podCondition(pod.value, 'PodScheduled', 'lastTransitionTime') ?? '');
  return bound ?? placedMs(pod);
}

/** Pods that belong on a shut node, and those of the host's own network, came neither early nor late. */
function isEarly(pod: Seen<Pod>, node: KubeNode, { atMs, taint }: NotEnforced): boolean {
  const { value } = pod;
  if (!isOnNode(value, node.name) || isOfAnyDaemonSet(value) || isMirror(value)) return false;
  if (value.spec?.hostNetwork === true) return false;
  const own = { ...taint, value: '', addedMs: null };
  if ((value.spec?.tolerations ?? []).some((one) => tolerates(one, own))) return false;
  const bound = boundMs(pod);
  const isOfThisNode = bound !== null && bound >= (node.createdMs ?? 0) - ROUNDING_MS;
  return isOfThisNode && bound < atMs - ROUNDING_MS;
}

function isMirror(pod: Pod): boolean {
  return (pod.metadata?.ownerReferences ?? []).some((owner) => owner.kind === 'Node');
}
