import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode, KubeTaint } from '../../../evidence/kinds.ts';
import { joinedNode, unmetSelector } from '../../../domain/nodes/labels.ts';
import { readyForMs } from '../../../domain/nodes/ready-node.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';

const PREFIX = 'nidhogg.uswitch.com';
/** The DaemonSet controller places pods within seconds; a Node younger than this may still get its pod. */
const READY_FOR_MS = 120_000;

/** The gate waits for a DaemonSet's pod on this node, and the DaemonSet has none there. */
const cause = defineCause({
  id: 'gate-daemonset-pod-absent',
  stage: 'gated',
  title: 'the DaemonSet that a gate waits for has no pod on the node',
  scope: 'machine',
  signs: {
    daemonSetUnknown: definite(
      ['nidhogg', 'kiam-agent', 'calico-node'],
      /Could not fetch (?:selector from )?daemonset (?<name>\S+) (?:from|in) namespace (?<namespace>[a-z0-9-]+)/,
      { anchors: ['Could not fetch daemonset', 'Could not fetch selector from daemonset'] },
    ),
    toldTaint: context(
      ['client-output', 'unknown', 'node-status', 'event'],
      /\bnidhogg\.uswitch\.com\/(?<namespace>[a-z0-9-]{1,63})\.(?<name>[a-z0-9-]{1,63})/,
      { isTold: true, isBackground: true },
    ),
    // What a gate names was there under that name, and is not any more.
    toldRemoved: context(
      ['client-output', 'unknown'],
      /\b(?:[Dd]aemon ?[Ss]et|the (?:old|former|previous)(?: one)?)\b[^!?]{0,120}?\b(?:(?:got|was|been|is) (?:deleted|removed|renamed|uninstalled)|(?:no longer|does not|doesn't) exists?|(?:was|is) gone)\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: ['aemon', 'the old', 'the former', 'the previous'],
      },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/DaemonSet'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed'],
  summary: ({ machine, name, namespace, why }) =>
    sentence`The gate waits for a pod of DaemonSet ${namespace ?? '<namespace>'}/${name ?? '<name>'} on ${machine ?? 'the node'}, and there is none${phrase`: ${why}`}; its taint never goes away.`,
  remedy: ({ name, namespace, node }) => [
    step(
      'See why the DaemonSet does not want this node: selector, affinity, architecture, tolerations.',
      `kubectl -n ${namespace ?? '<namespace>'} get daemonset ${name ?? '<name>'} -o jsonpath='{.spec.template.spec.nodeSelector}{.spec.template.spec.affinity}{.spec.template.spec.tolerations}'`,
    ),
    step(
      'Let it tolerate the gate.',
      `kubectl -n ${namespace ?? '<namespace>'} patch daemonset ${name ?? '<name>'} --type=merge -p '{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}'`,
    ),
    step(
      'Or take the DaemonSet out of the gate’s configuration and the taint off the node.',
      `kubectl taint node ${node ?? '<node>'} ${PREFIX}/${namespace ?? '<namespace>'}.${name ?? '<name>'}-`,
    ),
  ],
  decide: step(
    'List the DaemonSet’s pods by node.',
    'kubectl get node <node> -o json; kubectl get pods -A --field-selector spec.nodeName=<node> -o json',
  ),
  page: {
    why: 'Gates in the manner of nidhogg taint a node with <namespace>.<daemonset> until that DaemonSet’s pod is Ready there. A DaemonSet that does not select the node, does not tolerate the taint, or was renamed leaves the gate shut for ever.',
    prevent:
      'Same node selector for gate and DaemonSet; tolerations `operator: Exists` on every gated agent.',
    notThis:
      'A pod that is there and not Ready is gate-daemonset-pod-not-ready. A controller that does not work leaves all nodes shut: gate-controller-down.',
    refs: ['https://github.com/uswitch/nidhogg', 'https://github.com/pelotech/nidhogg'],
  },
});

export default matched(cause, (view) => matchNode(view) ?? matchSelector(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

interface Gate {
  readonly namespace: string;
  readonly name: string;
}

function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  const pods = view.list('kube/Pod').map(({ value }) => value);
  if (node.state !== 'seen') return null;
  const here = pods.filter(({ spec }) => spec?.nodeName === node.value.name);
  const gates = gatesOf(node.value);
  const gate = gates.find((entry) => !here.some((pod) => isPodOf(pod, entry)));
  if (gates.length > 0 && gate === undefined) return clearUnlessSeen(view, ['daemonSetUnknown']);
  if (readyForMs(node.value) < READY_FOR_MS || view.isCut('kube/Pod')) return null;
  // Only a listing that shows pods of the gated namespace proves that one is missing.
  if (
    gate === undefined ||
    !(view.isLive || here.some(({ namespace }) => namespace === gate.namespace))
  )
    return null;
  const owner = ownerOf(view, gate);
  const isListed = view.isComplete('kube/DaemonSet');
  const none = isListed ? { why: 'no such DaemonSet exists' } : {};
  const why = owner === undefined ? none : reasonOf(owner.value, node.value);
  const told =
    owner === undefined
      ? []
      : [view.quote(owner, `DaemonSet ${gate.namespace}/${gate.name}: ${reasonWords(why)}`)];
  return found(
    { ...gate, ...why },
    [
      view.quote(
        node,
        `Node ${node.value.name} taint ${PREFIX}/${gate.namespace}.${gate.name}, no pod of ${gate.name} on it`,
      ),
      ...told,
    ],
    !view.isLive ? 'likely' : 'definite',
  );
}

/** A node keeps the taint of a gate whose DaemonSet somebody took away or gave another name. */
function matchTold(view: Own): Match | null {
  const taint = view.sign('toldTaint') ?? view.clusterSign('toldTaint');
  const removed = view.sign('toldRemoved');
  if (taint === null || removed === null || view.isLive) return null;
  return found(taint.last.captures, [taint.last, removed.last], 'likely');
}

/** The DaemonSet of a gate selects other nodes than this one, so that it never has a pod here. */
function matchSelector(view: Own): Match | null {
  const parts = view.list('kube/Node').filter(({ value }) => value.name === view.node);
  const node = joinedNode(parts.map(({ value }) => value));
  const tainted = parts.find(({ value }) => gatesOf(value).length > 0);
  if (node === null || tainted === undefined || view.isCut('kube/Pod')) return null;
  for (const gate of gatesOf(node)) {
    const owner = ownerOf(view, gate);
    const unmet = owner === undefined ? null : unmetSelector(selectorOf(owner.value), node);
    if (owner === undefined || unmet === null) continue;
    const why = `its nodeSelector wants ${unmet}`;
    const proof = [
      view.quote(tainted, `Node ${node.name} taint ${PREFIX}/${gate.namespace}.${gate.name}`),
      view.quote(owner, `DaemonSet ${gate.namespace}/${gate.name}: ${why}`),
    ];
    return found({ ...gate, node: node.name, why }, proof, 'likely');
  }
  return null;
}

function gatesOf(node: KubeNode): readonly Gate[] {
  return (node.taints ?? []).map(gateOf).filter((entry) => entry !== null);
}

function ownerOf(view: Own, gate: Gate): Seen<DaemonSet> | undefined {
  return view
    .list('kube/DaemonSet')
    .find(({ value }) => value.name === gate.name && value.namespace === gate.namespace);
}

function selectorOf(daemonSet: DaemonSet): Readonly<Record<string, string>> {
  return daemonSet.spec?.template?.spec?.nodeSelector ?? {};
}

function reasonWords(reason: { readonly why?: string }): string {
  return reason.why ?? 'nothing in it speaks against the node';
}

/** Older releases put `<namespace>.<name>` into the taint's value. */
function gateOf({ key, value }: KubeTaint): Gate | null {
  const text = key.startsWith(`${PREFIX}/`)
    ? key.slice(PREFIX.length + 1)
    : key === PREFIX
      ? value
      : '';
  const dot = text.indexOf('.');
  return dot < 1 ? null : { namespace: text.slice(0, dot), name: text.slice(dot + 1) };
}

function isPodOf(pod: Pod, gate: Gate): boolean {
  return (
    pod.namespace === gate.namespace &&
    (pod.metadata?.ownerReferences ?? []).some((owner) => owner.name === gate.name)
  );
}

function reasonOf(daemonSet: DaemonSet, node: KubeNode): { readonly why?: string } {
  const unmet = unmetSelector(selectorOf(daemonSet), node);
  if (unmet !== null) return { why: `its nodeSelector wants ${unmet}` };
  const tolerations = daemonSet.spec?.template?.spec?.tolerations;
  if (tolerations === undefined) return {};
  const tolerates = (tolerations ?? []).some((entry) => {
    const key = entry.key ?? null;
    return key === null ? entry.operator === 'Exists' : key.startsWith(PREFIX);
  });
  return tolerates ? {} : { why: 'it does not tolerate the taint itself' };
}
