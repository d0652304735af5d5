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
import type { KubeNode } from '../../../evidence/kinds.ts';
import { isPodReady, POD_NORMAL_MS, podName } from '../../../domain/pods/pods.ts';
import {
  placeOf,
  podsOfSet,
  podWords,
  stateWords,
  unreadyPods,
} from '../../../domain/pods/pods-seen.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** Daemon sets of pod networks that divide the Node's own range, as their manifests name them. */
const ALWAYS = /^(?:kube-flannel-ds|kube-flannel|kube-router|kindnet)$/;
/** The configuration by which others are told to do so, by daemon set. */
const BY_CONFIGURATION: Readonly<Record<string, RegExp>> = {
  cilium: /^ipam: kubernetes$/m,
  'calico-node': /usePodCidr/,
};
/** Where that configuration lies. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  cilium: 'cilium-config',
  'calico-node': 'calico-config',
};

/** The cluster’s pod range is used up or nobody divides it, so the Node gets no part of it. */
const cause = defineCause({
  id: 'pod-cidr-not-assigned',
  stage: 'networked',
  title: 'the node gets no pod range',
  scope: 'cluster',
  signs: {
    noneLeft: definite(
      ['controller-manager', 'cloud-controller', 'event'],
      /CIDR allocation failed; there are no remaining CIDRs left|\bCIDRNotAvailable\b/,
    ),
    cniWaits: likely(
      ['pod-app', 'kubelet', 'event', 'containerd', 'kube-proxy'],
      /node "(?<nodeName>[^"\s]+)" pod cidr not assigned|no podCidr for node (?<nodeName2>[\w.-]+)|timeout waiting for PodCIDR allocation on node (?<nodeName3>[\w.-]+)/,
      {
        anchors: ['pod cidr not assigned', 'no podCidr for node', 'waiting for PodCIDR allocation'],
      },
    ),
    routeWithoutRange: likely(
      ['controller-manager', 'cloud-controller', 'event'],
      /error creating (?:AWS )?route \(\): .*InvalidParameterValue: Value \(\) for parameter destinationCidrBlock/,
      { anchors: ['for parameter destinationCidrBlock'] },
    ),
    ciliumWaits: likely(['cilium'], /required IPv[46] PodCIDR not available/),
    rangeUnset: likely(
      ['controller-manager', 'cloud-controller'],
      /Must specify --cluster-cidr if --allocate-node-cidrs is set|(?:Invalid|must be specified:?) --cluster-cidr\b|mask size of cluster CIDR must be less than/,
      { anchors: ['--cluster-cidr', 'mask size of cluster CIDR'] },
    ),
    notStored: context(
      ['controller-manager', 'cloud-controller', 'cilium'],
      /CIDR assignment for node failed|Failed to update node PodCIDR|cannot proceed without updating CIDR map|does not exist in cluster cidrs configuration|unable to derive PodCIDR/,
    ),
    cniUnconfigured: likely(['kubelet'], /netConfig. This is most likely due to lack of PodCIDR/, {
      atLeast: 20,
      enoughOnce: 'alone',
    }),
    leased: withdraws(['pod-app'], /Running backend\.|Lease acquired|Node \S{1,253} has CIDR \[/),
    ciliumServed: withdraws(
      ['cilium'],
      /Received own node information from API server|Daemon initialization completed/,
    ),
    rangeReceived: withdraws(
      ['kubelet'],
      /(?:Updating|Setting) Pod CIDR\b.{0,60}(?: -> |newPodCIDR=\\?")[\da-f]/,
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/DaemonSet', 'kube/ConfigMap'],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: [],
  explains: [
    'cni-configuration-missing',
    'pod-route-not-created',
    'controller-manager-not-leading',
  ],
  summary: ({ nodeName, nodeName2, nodeName3, pod, having, all, flag }) =>
    pod !== undefined
      ? sentence`The Node ${nodeName} has no spec.podCIDR (${having ?? '0'} of ${all ?? 'the'} Nodes have one), which ${pod} needs to give pods addresses${phrase`: kube-controller-manager runs without ${flag}`}.`
      : sentence`The Node ${nodeName ?? nodeName2 ?? nodeName3} gets no part of the cluster’s pod range, so a CNI that relies on it (flannel, kubenet, host-local) gives pods no addresses.`,
  remedy: () => [
    step(
      'See which nodes have a range, and delete Node objects of machines that are gone: they keep theirs.',
      "kubectl get nodes -o custom-columns='NAME:.metadata.name,CIDR:.spec.podCIDR,AGE:.metadata.creationTimestamp'",
    ),
    step(
      'Where no node has one, let the controller manager divide a range: --allocate-node-cidrs=true and --cluster-cidr (kubeadm: networking.podSubnet).',
      "kubectl -n kube-system get pods -l component=kube-controller-manager -o yaml | grep -E 'allocate-node-cidrs|cluster-cidr|node-cidr-mask'",
    ),
    step('Where it is used up, a larger range or a smaller part per node needs new Node objects.'),
  ],
  decide: step(
    'List the ranges of the nodes.',
    "kubectl get nodes -o custom-columns='NAME:.metadata.name,CIDR:.spec.podCIDR'",
  ),
  page: {
    why: 'The controller manager gives each Node a part of --cluster-cidr. A /16 with a /24 a node is enough for 256 Node objects, dead ones counted.',
    prevent:
      'Choose the range by the number of nodes; let Node objects of terminated instances be deleted.',
    notThis:
      'CNIs with addresses of their own (VPC CNI, Calico, Cilium in cluster-pool mode) need no podCIDR. A range without a route is pod-route-not-created.',
    alsoKnownAs: [
      'CIDRNotAvailable',
      'Error registering network: failed to acquire lease: node pod cidr not assigned',
    ],
    refs: ['https://github.com/kubernetes/kubernetes/tree/HEAD/pkg/controller/nodeipam'],
  },
});

export default matched(cause, matchNodes);

type Own = ViewOf<typeof cause>;

/** Nodes without a range on which the network that lives on it does not work. */
function matchNodes(view: Own): Match | null {
  const broken = dependents(view).flatMap((name) =>
    unreadyPods(podsOfSet(view.list('kube/Pod'), name), view),
  );
  if (broken.length === 0 || !view.isLive) return null;
  const nodes = view.list('kube/Node').filter(({ value }) => value.taints !== null);
  if (nodes.length === 0) return unread;
  const pairs = broken.flatMap((pod) => {
    const node = nodes.find(({ value }) => value.name === placeOf(pod));
    return node === undefined ? [] : [{ node, pod }];
  });
  const [first, ...others] = pairs.filter(({ node }) => isWithout(view, node.value));
  if (first === undefined) return isTold(view) || pairs.length === 0 ? null : clear;
  return foundNodes(view, nodes, [first, ...others]);
}

interface Pair {
  readonly node: Seen<KubeNode>;
  readonly pod: Seen<Pod>;
}

function foundNodes(
  view: Own,
  nodes: readonly Seen<KubeNode>[],
  pairs: readonly [Pair, ...(readonly Pair[])],
): Match {
  const [{ node, pod }] = pairs;
  const having = nodes.filter(({ value }) => value.podCidr !== null).length;
  const controller = view.list('kube/Pod').find(isAllocatorOff);
  const flag = controller === undefined ? {} : { flag: '--allocate-node-cidrs=true' };
  const counts = { having: String(having), all: String(nodes.length) };
  const { name } = node.value;
  return found(
    { nodeName: name, pod: podName(pod.value), ...counts, ...flag },
    [
      view.quote(node, `Node ${name} spec.podCIDR absent; ${having} of ${nodes.length} have one`),
      view.quote(pod, `${podWords(pod)}: ${stateWords(pod)}`),
      ...(controller === undefined
        ? []
        : [view.quote(controller, `${podWords(controller)}: no --allocate-node-cidrs=true`)]),
    ],
    'definite',
    pairs.map((pair) => pair.node.value.name),
  );
}

const unread = cannotSay({
  reason: 'not-collected',
  detail: 'whether the Nodes have a pod range',
  collect: "kubectl get nodes -o custom-columns='NAME:.metadata.name,CIDR:.spec.podCIDR'",
});

function isTold(view: Own): boolean {
  return view.anySign('noneLeft', 'cniWaits', 'cniUnconfigured');
}

/** Daemon sets whose pods need the Node's range. */
function dependents(view: Own): readonly string[] {
  return view
    .list('kube/DaemonSet')
    .map(({ value }) => value.name)
    .filter((name) => ALWAYS.test(name) || isConfigured(view, name));
}

function isConfigured(view: Own, name: string): boolean {
  const config = view
    .list('kube/ConfigMap')
    .find(({ value }) => value.name === CONFIGURATIONS[name]);
  const entries = Object.entries(config?.value.data ?? {});
  const text = entries.map(([key, value]) => `${key}: ${value}`).join('\n');
  return BY_CONFIGURATION[name]?.test(text) === true;
}

/** No range for longer than the controller manager takes to give one, and no network with it. */
function isWithout({ nowMs }: Own, node: KubeNode): boolean {
  const ageMs = nowMs === null || node.createdMs === null ? 0 : nowMs - node.createdMs;
  return node.podCidr === null && node.ready !== true && ageMs > POD_NORMAL_MS;
}

/** A controller manager that runs and was not told to divide a range. */
function isAllocatorOff(pod: Seen<Pod>): boolean {
  if (!pod.value.name.startsWith('kube-controller-manager-') || !isPodReady(pod.value))
    return false;
  const [container] = pod.value.spec?.containers ?? [];
  const words = [...(container?.command ?? []), ...(container?.args ?? [])];
  return words.length > 0 && !words.some((word) => /^--allocate-node-cidrs(?:=true)?$/.test(word));
}
