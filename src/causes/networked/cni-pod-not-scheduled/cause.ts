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
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { KubeTaint } from '../../../evidence/kinds.ts';
import { unmetSelector } from '../../../domain/nodes/labels.ts';
import { placeOf, podsOfSet } from '../../../domain/pods/pods-seen.ts';
import { tolerates } from '../../../domain/pods/taint-refusals.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';

/** The CNI’s daemon set has no pod on this node: it does not fit, or does not tolerate the taints. */
const cause = defineCause({
  id: 'cni-pod-not-scheduled',
  stage: 'networked',
  title: 'the CNI’s pod is not scheduled on the node',
  scope: 'machine',
  signs: {
    // That the other nodes do not fit says nothing: such a pod is meant for one.
    unschedulable: likely(
      ['event', 'pod-status'],
      /(?:FailedScheduling\s+(?:pods?\/)?|Pod )(?<pod>(?:aws-node|calico-node|cilium(?!-operator)|kube-flannel-ds|weave-net|kube-router|canal)-[a-z0-9-]*[a-z0-9]{5})\s+(?:condition PodScheduled=False .{0,1000}|.{0,1000}?)(?<reason>Insufficient \w+|untolerated taint(?:\(s\)| \{[^}]*\})|didn't (?:tolerate|have free ports)[^,.]*|Too many pods)/,
      { anchors: ['FailedScheduling', 'PodScheduled=False'] },
    ),
    pendingRow: context(
      ['client-output', 'pod-status', 'unknown'],
      /^(?:kube-system\s+)?(?:pod\/)?(?<pod>(?:aws-node|calico-node|cilium(?!-operator)|kube-flannel-ds|weave-net|kube-router|canal)-[a-z0-9-]{0,40}[a-z0-9]{5})\s+0\/\d\s+Pending\s/,
      { anchors: ['Pending'] },
    ),
    // A pod that all Nodes but one do not match is one of a DaemonSet, and meant for that one.
    meantForOne: context(
      ['event', 'client-output', 'unknown'],
      /FailedScheduling\s.{0,120}\b0\/(?<all>\d{1,4}) nodes are available: (?=(?:[^.]{0,200}, )?(?<others>\d{1,4}) node\(s\) didn't (?:match (?:Pod's )?node (?:affinity(?:\/selector)?|selector)|satisfy plugin\(s\) \[NodeAffinity\]))[^.]{0,200}\b1 (?<reason>Insufficient \w+|Too many pods)/,
      { anchors: ['nodes are available: '] },
    ),
    toldAbsent: context(
      ['client-output', 'unknown'],
      /\b(?:aws-node|calico-node|cilium|kube-flannel(?:-ds)?|weave-net|kube-router|canal)\b.{0,40}\b(?:(?:is|are) (?:running|scheduled|deployed|present) (?:on|in) (?:every|all|each)\b.{0,40}\b(?:except|but|other than|apart from)\b|(?:is|are|does|do|was|were) ?n[o']t (?:scheduled|get scheduled|running|run|deployed|started|created|placed)\b.{0,30}\b(?:on|in)\b.{0,40}\b(?:tainted|taints?|node group|instance group|nodes? (?:with|in)))/i,
      {
        isTold: true,
        anchors: [
          'aws-node',
          'calico-node',
          'cilium',
          'kube-flannel',
          'weave-net',
          'kube-router',
          'canal',
        ],
      },
    ),
    toldTaints: context(
      ['client-output', 'unknown'],
      /\b(?:with|has|have|tainted|custom|our|own|following) (?:a |an |the |this |that |these |its |own |custom )?taints?\b|\btainted (?:nodes?|instance groups?|node ?groups?)\b|\btolerat(?:e|es|ions?)\b/i,
      { isTold: true, isBackground: true, anchors: ['taint', 'olerat', 'OLERAT'] },
    ),
    // A pod that is there and fails is not absent; a taint of the Node's own state keeps none out.
    toldNotPlaced: context(
      ['client-output', 'unknown'],
      /\b(?:aws-node|calico-node|cilium|kube-flannel(?:-ds)?|weave-net|kube-router|canal)\b(?: \w+){0,2} (?:is|are|was|were|does|do|gets?) ?n[o']t (?:get )?(?:scheduled|deployed|started|created|placed)\b.{0,20}\b(?:on (?:it|them|this one|(?:this|that|these|those|the new) nodes?)|there)\b/i,
      {
        isTold: true,
        anchors: [
          'aws-node',
          'calico-node',
          'cilium',
          'kube-flannel',
          'weave-net',
          'kube-router',
          'canal ',
        ],
      },
    ),
    toldOwnTaint: context(
      ['client-output', 'unknown', 'user-data', 'kubelet'],
      /--register-with-taints=(?!node\.kubernetes\.io)|\bregister(?:s|ed|ing)? with (?:an? |this |these |the |our )?(?:\w+ )?taints?\b|\b(?:our|own|custom) taints?\b|\btainted (?:nodes?|node ?groups?|instance groups?)\b/,
      { isTold: true, isBackground: true, anchors: ['taints=', ' taint', 'tainted '] },
    ),
    scheduled: withdraws(
      ['event'],
      /Successfully assigned \S+\/(?<pod>(?:aws-node|calico-node|cilium|kube-flannel-ds|weave-net|kube-router|canal)-\S+) to /,
    ),
    noRoom: context(
      ['event'],
      /\bFailedPlacement\b.{0,100}daemonset\/(?:aws-node|calico-node|cilium)\b/,
      { anchors: ['FailedPlacement'] },
    ),
  },
  needs: ['kube/Node', 'kube/DaemonSet', 'kube/Pod'],
  symptoms: ['cni-uninitialized'],
  per: ['pod'],
  explains: ['cni-configuration-missing', 'controller-manager-not-leading'],
  summary: ({ pod, reason, taint, daemonSet, machine, selector }) =>
    selector !== undefined
      ? `The daemon set ${daemonSet ?? 'of the CNI'} only goes to nodes with the label ${selector}, which ${machine ?? 'the node'} lacks, so the node gets no pod network.`
      : taint === undefined && daemonSet !== undefined
        ? `The daemon set ${daemonSet} has no pod on ${machine ?? 'the node'}, so the node gets no pod network.`
        : taint === undefined
          ? sentence`The CNI’s pod ${pod} finds no place on its node (${reason ?? 'not schedulable'}), so the node gets no pod network.`
          : `The CNI’s daemon set does not tolerate the taint ${taint} of ${machine ?? 'the node'}, so it has no pod there and the node gets no pod network.`,
  remedy: ({ daemonSet, selector }) => [
    ...(selector === undefined
      ? []
      : [
          step(
            'Let the CNI go to every node.',
            `kubectl -n kube-system patch daemonset ${daemonSet ?? '<cni-daemonset>'} --type json -p '[{"op":"remove","path":"/spec/template/spec/nodeSelector"}]'`,
          ),
        ]),
    step(
      'Let the CNI tolerate every taint.',
      `kubectl -n kube-system patch daemonset ${daemonSet ?? '<cni-daemonset>'} --type json -p '[{"op":"add","path":"/spec/template/spec/tolerations","value":[{"operator":"Exists"}]}]'`,
    ),
    step(
      'Where it lacks room, use a larger instance or a priority class system-node-critical.',
      'kubectl describe node <node>',
    ),
  ],
  decide: step(
    'Compare the daemon set’s tolerations and selectors with the node’s taints and labels.',
    "kubectl describe node <node> | grep -A3 Taints; kubectl -n kube-system get daemonset -o custom-columns='NAME:.metadata.name,TOLERATIONS:.spec.template.spec.tolerations,SELECTOR:.spec.template.spec.nodeSelector'",
  ),
  page: {
    why: 'Daemon sets tolerate the taints of node conditions by themselves, own taints they do not. On small instances other pods may have taken the memory first.',
    prevent: 'Tolerations with operator Exists and priority system-node-critical for every CNI.',
    notThis:
      'A daemon set that may not create its pods shows FailedCreate (webhook-blocks-system-pods); one that does not exist is cni-configuration-missing.',
    alsoKnownAs: ['aws-node Pending Insufficient cpu', 'calico-node not running on tainted node'],
    refs: [
      'https://github.com/kubernetes/kops/issues/2495',
      'https://github.com/kubernetes/kubernetes/issues/57120',
    ],
  },
});

export default matched(cause, matchPod);

type Own = ViewOf<typeof cause>;

const CNI = /^(?:aws-node|calico-node|cilium|kube-flannel-ds|weave-net|kube-router|canal)$/;

function matchPod(view: Own): Match | null {
  const refused = view.sign('unschedulable');
  if (refused === null)
    return matchTolerations(view) ?? matchNowhere(view) ?? matchDescribed(view) ?? matchTold(view);
  // A scheduler that names no taint leaves it to the Node and the daemon set to name it.
  if (view.node === null || refused.last.captures['reason'] !== 'untolerated taint(s)') return null;
  const named = matchTolerations(view);
  if (named?.verdict !== 'found' || named.details['taint'] === undefined) return null;
  return { ...named, proof: [refused.last, ...named.proof] };
}

/** A pod of the CNI waits, and the scheduler's words, which name no pod, are about one of its kind. */
function matchDescribed(view: Own): Match | null {
  const row = view.sign('pendingRow') ?? view.clusterSign('pendingRow');
  const meant = view.sign('meantForOne') ?? view.clusterSign('meantForOne');
  const { all = '0', others = '0', reason = '' } = meant?.last.captures ?? {};
  if (row === null || meant === null || Number(all) - Number(others) !== 1) return null;
  const pod = row.last.captures['pod'] ?? '';
  return found({ pod, reason }, [row.last, meant.last], 'likely');
}

function matchTolerations(view: Own): Match | null {
  const node = view.read('kube/Node');
  const daemonSet = view.list('kube/DaemonSet').find((entry) => CNI.test(entry.value.name));
  if (node.state !== 'seen' || daemonSet === undefined) return null;
  if (node.value.ready !== false) return clear;
  // A table of daemon sets shows no tolerations, so it tells nothing about a taint.
  const tolerations = daemonSet.value.spec?.template?.spec?.tolerations;
  const taints = tolerations === undefined ? [] : (node.value.taints ?? []);
  const taint = taints.find(
    (entry) => isOwnTaint(entry) && !(tolerations ?? []).some((one) => tolerates(one, entry)),
  );
  const name = daemonSet.value.name;
  const proof = [view.quote(daemonSet, `DaemonSet ${name}`), view.quote(node, 'Node is not Ready')];
  const wanted = daemonSet.value.spec?.template?.spec?.nodeSelector ?? {};
  const selector = unmetSelector(wanted, node.value);
  if (view.isCut('kube/Pod')) return null;
  if (selector !== null && !hasPod(view, name, node.value.name))
    return found({ selector, daemonSet: name }, [
      view.quote(daemonSet, `DaemonSet ${name} nodeSelector ${selector}`),
      view.quote(node, `Node ${node.value.name} is not Ready and has no label ${selector}`),
    ]);
  if (taint === undefined)
    return hasNoPod(view, name) ? found({ daemonSet: name }, proof, 'likely') : null;
  if (hasPod(view, name, node.value.name)) return null;
  const text = `${taint.key}=${taint.value}:${taint.effect}`;
  return found(
    { taint: text, daemonSet: name },
    [...proof, view.quote(node, `Node taint ${text}`)],
    'likely',
  );
}

/** The CNI's daemon set wants no node at all, where another one of the same cluster wants some. */
function matchNowhere(view: Own): Match | null {
  const sets = view.list('kube/DaemonSet');
  const wanted = ({ value }: Seen<DaemonSet>): number =>
    Number(value.status?.desiredNumberScheduled);
  const own = sets.find((set) => CNI.test(set.value.name) && wanted(set) === 0);
  const other = sets.find((set) => !CNI.test(set.value.name) && wanted(set) > 0);
  // With two network plugins the other one may be the one that is meant.
  const isServed = sets.some((set) => CNI.test(set.value.name) && wanted(set) > 0);
  if (own === undefined || other === undefined || isServed) return null;
  const { name } = own.value;
  return found(
    { daemonSet: name },
    [
      view.quote(own, `DaemonSet ${name} desires no pod on any node`),
      view.quote(other, `DaemonSet ${other.value.name} desires ${wanted(other)}`),
    ],
    'likely',
  );
}

function hasPod(view: Own, daemonSet: string, node: string): boolean {
  const pods = podsOfSet(view.list('kube/Pod'), daemonSet);
  return pods.some((pod) => placeOf(pod) === node);
}

/** One pod alone may have been picked out by name; two are a listing. */
const PODS_MIN = 2;

/** The node's pods are listed, kube-proxy runs among them, and the CNI's is not there. */
function hasNoPod(view: Own, daemonSet: string): boolean {
  const pods = view.list('kube/Pod').filter((pod) => (pod.value.spec?.nodeName ?? null) !== null);
  const onNode = (prefix: string): boolean => pods.some((pod) => pod.value.name.startsWith(prefix));
  return pods.length >= PODS_MIN && onNode('kube-proxy-') && !onNode(`${daemonSet}-`);
}

/** The daemon set controller adds tolerations for the taints of node conditions itself. */
function isOwnTaint(taint: KubeTaint): boolean {
  return taint.effect !== 'PreferNoSchedule' && !taint.key.startsWith('node.kubernetes.io/');
}

/** Somebody compared: the CNI is on the other nodes, and these have taints. */
function matchTold(view: Own): Match | null {
  const placed = [view.sign('toldNotPlaced'), view.sign('toldOwnTaint')];
  const compared = [view.sign('toldAbsent'), view.sign('toldTaints')];
  const [absent = null, taints = null] = compared.includes(null) ? placed : compared;
  if (absent === null || taints === null) return null;
  return found({}, [absent.first, taints.first], 'likely');
}
