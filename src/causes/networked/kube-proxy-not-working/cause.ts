import {
  defineCause,
  found,
  type Match,
  matched,
  type SignNameOf,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { networkTrouble } from '../../../domain/nodes/network-trouble.ts';
import { isOfAnyDaemonSet } from '../../../domain/pods/pods.ts';
import { placeOf, podWords, stateWords, unreadyPods } from '../../../domain/pods/pods-seen.ts';

/** kube-proxy is down or writes no rules, so service addresses lead nowhere on the node. */
const cause = defineCause({
  id: 'kube-proxy-not-working',
  stage: 'networked',
  title: 'kube-proxy does not work on the node',
  scope: 'machine',
  signs: {
    apiRemoved: definite(
      ['kube-proxy'],
      /[Ff]ailed to (?:watch|list) \S+: failed to list (?<resource>[\w*.]+): the server could not find the requested resource/,
      { strict: true, atLeast: 2, enoughOnce: 'end' },
    ),
    endpointSlicesRemoved: likely(
      ['kube-proxy'],
      /failed to list \*(?<resource>v1(?:beta1)?\.EndpointSlice): the server could not find the requested resource/,
      { anchors: ['EndpointSlice: the server could not find'], atLeast: 2, enoughOnce: 'end' },
    ),
    nodeNameUnknown: likely(
      ['kube-proxy'],
      /(?:Failed to retrieve node (?:info|IPs).*nodes "(?<node>[^"\s]+)" (?:not found|is forbidden))|Failed to retrieve node IP: host IP unknown|can't determine this node's IP/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    gaveUp: likely(
      ['kube-proxy'],
      /unable to create proxier: (?<reason>.{1,160})|"(?:Error running [\w-]{1,40}" err="(?!.{0,120}PodCIDR)|command failed" err="(?=[^"]{0,160}(?:prox(?:y|ier)\b|iptables|ipvs|nftables|conntrack)))(?<reason2>[^"]{1,160})|server\.go:\d{1,4}\] (?<reason3>open \/proc\/sys\/net\/netfilter\/nf_conntrack_max: permission denied)/,
    ),
    crashes: likely(
      ['pod-status', 'event'],
      /Pod kube-proxy-\w+ container kube-proxy waiting (?:CrashLoopBackOff|CreateContainerConfigError|RunContainerError)|BackOff\s+pod\/kube-proxy-\w+\s+.*restarting failed container/,
      { anchors: ['kube-proxy'] },
    ),
    row: likely(
      ['client-output', 'unknown', 'pod-status'],
      /\bkube-proxy-[a-z0-9]{5}\s+0\/1\s+(?:CrashLoopBackOff|Error|RunContainerError|CreateContainerConfigError)\b/,
    ),
    // A tag that the registry does not have stays away however often it is asked for.
    imageAbsent: likely(
      ['event', 'pod-status', 'kubelet', 'containerd', 'client-output'],
      /[Ff]ailed to pull (?:and unpack )?image "?\S{0,200}\/(?<image>kube-proxy:[\w.-]{1,128})"?.{0,600}(?:manifest unknown|not found|no match for platform)/,
      { anchors: ['kube-proxy:'] },
    ),
    monitored: definite(['event', 'node-status'], /\bKubeProxyNotReady\b/),
    // Windows writes what the service says into the event log, a line for each record.
    serviceEnded: context(
      ['client-output', 'unknown', 'journal', 'kube-proxy'],
      /\bkube-proxy\s+\d{1,6}\s+ChildProcess exited\b/,
    ),
    ownTrace: context(
      ['client-output', 'unknown', 'journal', 'kube-proxy'],
      /\bcmd\/kube-proxy\/app[./][\w.()*]{0,80}/,
    ),
    toldFallsBack: context(
      ['client-output', 'unknown'],
      /\b(?:falls?|fell) back to (?:the address )?127\.0\.0\.1\b/,
      { isTold: true, isBackground: true },
    ),
    toldOfNode: context(
      ['client-output', 'unknown'],
      /\bkube-proxy\b.{0,80}\b(?:[Nn]odes?|[Hh]ost ?name|[Ii][Pp])\b/,
      { isTold: true, isBackground: true, anchors: ['kube-proxy'] },
    ),
    nodeIp: withdraws(
      ['kube-proxy'],
      /(?:[Ss]uccessfully retrieved (?:node IP|NodeIPs)|[Dd]etected node IP)\D{0,20}(?<node>\d{1,3}(?:\.\d{1,3}){3})?/,
    ),
    nodeAwaited: context(
      ['kube-proxy'],
      /Timed out waiting for node(?: \S+)? to exist|Failed to retrieve node IPs|nftables sync failed|Failed to execute iptables-(?:save|restore)/,
    ),
    noChains: likely(
      ['client-output', 'unknown', 'host-file'],
      /\b(?:[Nn]o|without(?: any)?|missing) KUBE-(?:SVC|SEP|SERVICES)\b|\bKUBE-(?:SVC|SEP)\S{0,20} (?:chains?|rules?) (?:are|is|were) (?:missing|not)\b/,
      { isTold: true },
    ),
    toldNotInstalled: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bkube-proxy(?: add-?on| daemon ?set| DaemonSet)? (?:was|is|were) (?:never|not) (?:installed|deployed|running)\b|\b(?:never|not|n't) install(?:ed)?(?: the)? kube-proxy\b|\b[Ff]orgot to (?:install|deploy|add)(?: the)? kube-proxy\b/,
      { isTold: true, anchors: ['kube-proxy'] },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/DaemonSet'],
  symptoms: ['cni-daemon-silent'],
  withdrawnBy: [],
  explains: [
    'service-ip-unreachable-for-cni',
    'service-ip-unreachable-for-calico',
    'calico-nodename-not-written',
    'calico-dataplane-not-ready',
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
  ],
  summary: ({ resource, machine, reason, absent, image }) =>
    absent !== undefined
      ? `${absent}, so service addresses lead nowhere on ${machine ?? 'the node'} and the CNI does not reach the API server through them.`
      : sentence`kube-proxy does not work on ${machine ?? 'the node'}${phrase` (it asks for ${resource}, which this API server no longer serves)`}${phrase` (it ends with: ${reason})`}${phrase` (the registry has no image ${image})`}, so service addresses lead nowhere there.`,
  remedy: () => [
    step(
      'Bring kube-proxy to the cluster’s own minor version.',
      'aws eks update-addon --cluster-name <cluster> --addon-name kube-proxy --resolve-conflicts OVERWRITE',
    ),
    step(
      'Where it does not find its Node, give it the Node’s name: --hostname-override=$(NODE_NAME) with NODE_NAME from spec.nodeName.',
      'kubectl -n kube-system edit daemonset kube-proxy',
    ),
  ],
  decide: step(
    'Read what kube-proxy complains about.',
    'kubectl -n kube-system logs -l k8s-app=kube-proxy --tail=50 --prefix',
  ),
  page: {
    why: 'kube-proxy turns service addresses into pod addresses. After a control-plane upgrade an old one watches APIs that are gone; under a host name that is not the Node’s name it never finds its own addresses.',
    prevent: 'Upgrade kube-proxy with the control plane, as a managed add-on.',
    notThis:
      'A few “nodes not found” in the first seconds are normal: the Node had not registered yet. When kube-proxy is well and its rules vanish, it is calico-ebpf-fights-kube-proxy; time-outs to the service address alone are service-ip-unreachable-for-cni.',
    alsoKnownAs: [
      "can't determine this node's IP, assuming 127.0.0.1",
      'kube-proxy the server could not find the requested resource',
    ],
    refs: [
      'https://github.com/aws/eks-node-monitoring-agent/blob/HEAD/monitors/networking/monitor.go',
      'https://github.com/kubernetes/kubernetes/issues/35641',
    ],
  },
});

export default matched(cause, (view) => matchEnded(view) ?? matchTold(view) ?? matchPods(view));

type Own = ViewOf<typeof cause>;

const NAMED: readonly SignNameOf<typeof cause>[] = [
  'apiRemoved',
  'endpointSlicesRemoved',
  'nodeNameUnknown',
  'gaveUp',
  'crashes',
  'row',
  'imageAbsent',
  'monitored',
  'noChains',
];
/** CNIs that can serve service addresses themselves. */
const REPLACES_PROXY = /^(?:cilium|kube-router|calico-node|antrea-agent|ovnkube-node)$/;

/** An image that is not pulled is another's failing. */
const CRASHED = /^(?:waiting (?:CrashLoopBackOff|\w*Container\w*Error)|ended Error)/;

/** A service that ends with a trace of its own functions was not stopped by anybody. */
function matchEnded(view: Own): Match | null {
  const [ended, trace] = [view.sign('serviceEnded'), view.sign('ownTrace')];
  return ended === null || trace === null ? null : found({}, [ended.last, trace.first], 'likely');
}

/** Without its Node kube-proxy takes the loopback for the node's address. */
function matchTold(view: Own): Match | null {
  const [back, proxy] = [view.sign('toldFallsBack'), view.sign('toldOfNode')];
  return back === null || proxy === null ? null : found({}, [proxy.first, back.first], 'likely');
}

function matchPods(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (view.anySign(...NAMED)) return null;
  if (node.state !== 'seen' || !view.isLive) return null;
  const { name } = node.value;
  const pods = view.list('kube/Pod').filter((pod) => placeOf(pod) === name);
  const own = pods.filter((pod) => pod.value.name.startsWith('kube-proxy-'));
  const [broken] = unreadyPods(own, view);
  if (broken !== undefined && CRASHED.test(stateWords(broken))) {
    const words = `${podWords(broken)} ${stateWords(broken)}`;
    return found({ reason: stateWords(broken) }, [view.quote(broken, words)], 'likely');
  }
  // Where no DaemonSet has a pod on the node, kube-proxy is not what is missing.
  const hasOthers = pods.some((pod) => isOfAnyDaemonSet(pod.value));
  const hasNone = own.length === 0 && hasOthers && view.isComplete('kube/Pod');
  return hasNone ? matchAbsence(view, name) : null;
}

/** No kube-proxy at all, and the CNI, which asks the API server through a service, does not work. */
function matchAbsence(view: Own, node: string): Match | null {
  const sets = view.list('kube/DaemonSet');
  const trouble = networkTrouble(view, 'aws-node');
  const cni = sets.find(({ value }) => value.name === 'aws-node');
  if (trouble === null || cni === undefined) return null;
  if (view.isCut('kube/DaemonSet')) return null;
  if (sets.some(({ value }) => REPLACES_PROXY.test(value.name))) return null;
  const isListed = sets.some(({ value }) => value.name === 'kube-proxy');
  const absent = isListed
    ? `The DaemonSet kube-proxy has no pod on ${node}`
    : 'There is no DaemonSet kube-proxy';
  const names = sets.map(({ value }) => value.name).slice(0, 8);
  return found(
    { absent },
    [
      view.quote(cni, `${absent}; DaemonSets listed: ${names.join(', ')}`),
      view.quote(trouble.fact, trouble.words),
    ],
    'likely',
  );
}
