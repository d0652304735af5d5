import {
  clear,
  cannotSay,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { podName, waitingReason } from '../../../domain/pods/pods.ts';
import {
  placeOf,
  podsThat,
  podWords,
  stateWords,
  unreadyPods,
} from '../../../domain/pods/pods-seen.ts';
import { endpointsOf, endpointWords } from '../../../domain/pods/services.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Deployment } from '../../../evidence/kube/workloads.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { addressOf, cidrOf, isInside } from '../../../domain/network/cidr.ts';
import { serviceSubnetOf } from '../../../domain/planned/kubeadm.ts';

const SERVICE = { namespace: 'kube-system', name: 'kube-dns' };

/** Pods get no answer from the cluster's DNS service. */
const cause = defineCause({
  id: 'cluster-dns-unreachable',
  stage: 'usable',
  title: 'pods get no answer from the cluster’s DNS',
  scope: 'cluster',
  signs: {
    serverSilent: likely(
      ['pod-app', 'client-output', 'csi-driver', 'karpenter', 'calico-node', 'event'],
      /(?:lookup (?<name>[\w.-]+) on (?<server>(?:\d+\.){3}10|169\.254\.20\.10):53: (?:read udp|dial udp|dial tcp|i\/o timeout)|read udp (?:[\d.]+|\[[\da-f:]+\]):\d+->(?<server2>(?:\d+\.){3}10|169\.254\.20\.10):53: (?:i\/o timeout|read: connection refused))/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    // Only the search list of a pod makes a full name of one word.
    shortNameUnanswered: likely(
      ['pod-app', 'client-output', 'unknown'],
      /\blookup (?<name>[a-z][a-z\d-]{0,61}[a-z\d](?:\.[a-z\d-]{1,63}\.svc)?)(?: on \S{1,60})?: (?:read udp \S{1,100}: )?i\/o timeout/,
      { anchors: ['lookup '], atLeast: 2, enoughOnce: 'alone' },
    ),
    nameUnanswered: context(
      ['pod-app', 'client-output', 'unknown'],
      /\blookup (?<name>[a-z\d][\w-]{0,62}(?:\.[\w-]{1,63}){1,10})(?: on \S{1,60})?: (?:read udp \S{1,100}: )?i\/o timeout/,
      { anchors: ['lookup '] },
    ),
    toldServer: context(
      ['client-output', 'unknown'],
      /\b[Cc]ore-?(?:DNS|dns)\b[^.]{0,60}\b(?:on [Ff]argate|not reachable|unreachable|(?:is|are|was|were) (?:blocked|scaled (?:down )?to (?:0|zero)))\b/,
      { isTold: true, anchors: ['oredns', 'oreDNS', 'ore-dns', 'ore-DNS'] },
    ),
    toolUnanswered: likely(
      ['client-output', 'pod-app'],
      /communications error to (?<server>(?:\d+\.){3}10|169\.254\.20\.10)#53: (?:timed out|connection refused)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    knownNameLost: likely(
      ['client-output', 'pod-app'],
      /(?:can't resolve|bad address) '?(?<name>kubernetes\.default(?:\.svc)?(?:\.cluster\.local)?)\b/,
    ),
    knownNameAsked: context(
      ['client-output', 'pod-app'],
      /(?:^|[\s#$>])(?:nslookup|dig|host|getent|ping|curl|wget)\s.{0,200}(?:kubernetes\.default\b|\.svc\.cluster\.local\b)/,
      { anchors: ['kubernetes.default', '.svc.cluster.local'] },
    ),
    askedInVain: context(
      ['pod-app', 'client-output'],
      /connection timed out; no servers could be reached|Temporary failure in name resolution|getaddrinfo EAI_AGAIN/,
    ),
    // A search list makes a name of the cluster of what a pod asks for.
    clusterNameUnanswered: context(
      ['pod-app', 'client-output'],
      /lookup [\w.-]{1,200}\.svc\.[\w.-]{1,100} on (?<server>(?:\d+\.){3}10|169\.254\.20\.10):53: .{0,200}i\/o timeout/,
      { anchors: ['.svc.'] },
    ),
    // Who sees that DNS fails from other nodes only has seen that packets between nodes are lost.
    toldAcross: context(
      ['client-output', 'unknown'],
      /\b(?:same|own) (?:worker )?(?:node ?group|node|host|machine|group)\b.{0,60}\b(?:works?|ok(?:ay)?|fine|answers?|resolves?|reachable)\b|\b(?:works?|ok(?:ay)?|fine|answers?|resolves?|reachable)\b.{0,60}\b(?:same|own) (?:worker )?(?:node ?group|node|host|machine|group)\b|\bsame (?:worker )?(?:node|host|machine) as (?:[Cc]ore-?(?:dns|DNS)|the (?:dns|DNS))\b/i,
      { isTold: true, isBackground: true, anchors: ['same ', ' own '] },
    ),
    loop: definite(
      ['coredns', 'pod-app', 'client-output'],
      /plugin\/loop: (?:Loop \((?<server>\S+) -> \S+\) detected|Seen "?HINFO IN [^"]{1,200}"? more than twice, loop detected|Forwarding loop detected in )/,
    ),
    upstreamSilent: likely(
      ['coredns'],
      /plugin\/errors: 2 (?<name>\S+) .*read udp \S+->(?<server>[\d.]+):53: i\/o timeout/,
      { atLeast: 5 },
    ),
    addressUnset: likely(
      ['event', 'kubelet'],
      /kubelet does not have (?<unset>ClusterDNS IP) configured/,
    ),
    fileUnread: context(
      ['kubelet', 'event', 'node-status'],
      /Could not open resolv conf file|CoreDNSCorefile(?:Reload|Validation)Failed/,
    ),
  },
  needs: ['kube/EndpointSlice', 'kube/Deployment', 'kube/Pod', 'kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ server, pod, state, replicas, unset }) =>
    replicas !== undefined
      ? `The Deployment kube-system/coredns is scaled to ${replicas}, so the Service kube-dns has no endpoint and programs in pods find neither services nor hosts by name.`
      : pod !== undefined
        ? `No CoreDNS pod is Ready (${pod}: ${state ?? 'not Ready'}), so the Service kube-dns has no endpoint and programs in pods find neither services nor hosts by name.`
        : unset !== undefined
          ? 'The configuration of the kubelet has no clusterDNS, so pods get the resolver of the machine and find no services by name.'
          : `The DNS server ${server ?? 'of the cluster'} does not answer, so programs in pods find neither services nor hosts by name.`,
  remedy: ({ server, pod, replicas }) => [
    ...(replicas === undefined
      ? []
      : [
          step(
            'Run CoreDNS again.',
            'kubectl -n kube-system scale deployment coredns --replicas=2',
          ),
        ]),
    ...(pod === undefined
      ? []
      : [
          step(
            'Read why its container ended.',
            `kubectl -n kube-system logs ${pod.split('/').at(-1) ?? pod} --previous --tail=100`,
          ),
        ]),
    step(
      'See whether CoreDNS runs, and on which nodes.',
      'kubectl -n kube-system get pods,endpoints -l k8s-app=kube-dns -o wide',
    ),
    step(
      'Compare the server that pods ask with the service’s address; new nodes take it from cluster.cidr or --dns-cluster-ip.',
      'kubectl -n kube-system get service kube-dns',
    ),
    {
      text: 'Let nodes reach each other on port 53, UDP and TCP.',
      command:
        `kubectl run dns-check --rm -i --restart=Never --image=public.ecr.aws/docker/library/busybox:1.36 -- nslookup kubernetes.default ${server ?? ''}`.trimEnd(),
    },
  ],
  decide: step(
    'See whether CoreDNS runs, on which nodes, and what it says.',
    'kubectl -n kube-system logs -l k8s-app=kube-dns --prefix --tail=200',
  ),
  page: {
    why: 'Pods ask the kube-dns service address. kube-proxy sends that to a CoreDNS pod, mostly on another node: closed port 53 between nodes, a kube-proxy without rules, CoreDNS pods that are Pending, or a wrong address in the kubelet’s clusterDNS leave the question without an answer.',
    prevent:
      'Let nodes talk to each other on all ports, run CoreDNS on two nodes, use node-local DNS on large clusters.',
    notThis:
      'no such host is an answer. Questions to the VPC’s resolver (an address that ends in .2) or of the kubelet itself are api-name-unresolvable. On one node only, look at kube-proxy-not-working and node-to-node-traffic-blocked.',
    alsoKnownAs: [
      'lookup on 172.20.0.10:53: read udp i/o timeout',
      'connection timed out; no servers could be reached',
    ],
    refs: [
      'https://repost.aws/knowledge-center/eks-dns-failure',
      'https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/',
    ],
  },
});

const judged = matched(
  cause,
  (view) => matchEndpoints(view) ?? (isLostBetweenNodes(view) ? betweenNodes : matchTool(view)),
);

/** A server that answers on its own node is there; loops and unset addresses are the server's own. */
function isLostBetweenNodes(view: Own): boolean {
  const isServer = view.anySign('loop', 'addressUnset', 'upstreamSilent');
  return !view.isLive && !isServer && view.sign('toldAcross') !== null;
}

const betweenNodes = cannotSay({
  reason: 'not-in-source',
  detail: 'the DNS server answers on its own node, so packets between nodes are lost',
  collect: 'kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide',
});

type Own = ViewOf<typeof cause>;

/** A name that every cluster has is asked for, and no server answers. */
function matchTool(view: Own): Match | null {
  const asked = view.sign('knownNameAsked')?.last;
  const silent = view.sign('askedInVain')?.last;
  if (silent === undefined) return matchTold(view);
  // It names the server of the cluster itself, so that both may be told apart from each other.
  const named = view.sign('clusterNameUnanswered')?.last;
  if (named !== undefined) return found(named.captures, [named, silent], 'likely');
  if (asked === undefined) return null;
  if (asked.moment.at.document !== silent.moment.at.document) return null;
  return found({}, [asked, silent], 'likely');
}

/** Names are asked for in vain, where CoreDNS has other security groups than the nodes, or does not run. */
function matchTold(view: Own): Match | null {
  const [asked, server] = [view.sign('nameUnanswered')?.last, view.sign('toldServer')?.last];
  if (asked === undefined || server === undefined || view.isLive) return null;
  return found({}, [asked, server], 'likely');
}

/** CoreDNS itself does not run, on nodes that do: its Service has endpoints and none is ready. */
function matchEndpoints(view: Own): Match | null {
  const slices = view.list('kube/EndpointSlice');
  const endpoints = endpointsOf(SERVICE, slices);
  const [slice] = endpoints.slices;
  if (slice === undefined) return slices.length === 0 ? matchUnlisted(view) : null;
  if (endpoints.ready > 0) return null;
  const proof = view.quote(slice, endpointWords(SERVICE, endpoints));
  const stopped = stoppedDeployment(view);
  if (stopped !== null) {
    const words = 'Deployment kube-system/coredns spec.replicas 0';
    return found({ replicas: '0' }, [proof, view.quote(stopped, words)]);
  }
  const [pod] = failingPods(view, ANY_FAILURE);
  if (pod === undefined) return null;
  const state = stateWords(pod);
  const words = `${podWords(pod)}: ${state}`;
  return found({ pod: podName(pod.value), state }, [proof, view.quote(pod, words)]);
}

/** CoreDNS pods fail, and nobody read whether others of them answer. */
function matchUnlisted(view: Own): Match | null {
  if (!view.isLive || failingPods(view).length === 0) return null;
  return cannotSay({
    reason: 'not-collected',
    detail: 'whether the Service kube-system/kube-dns has endpoints',
    collect: 'kubectl -n kube-system get endpointslices -l kubernetes.io/service-name=kube-dns',
  });
}

function stoppedDeployment(view: Own): Seen<Deployment> | null {
  const own = view
    .list('kube/Deployment')
    .find(({ value }) => value.namespace === 'kube-system' && value.name === 'coredns');
  return own !== undefined && own.value.spec?.replicas === 0 ? own : null;
}

/** States in which a container is the pod's own failing, by the kubelet's reasons; '' for unready. */
const ANY_FAILURE =
  /^(?:|CrashLoopBackOff|RunContainerError|CreateContainerConfigError|CreateContainerError|InvalidImageName|ErrImagePull|ImagePullBackOff)$/;
const CRASH = /^CrashLoopBackOff$/;

/** CoreDNS pods that fail on a Ready node; those that wait for their sandbox have other causes. */
function failingPods(view: Own, states: RegExp = CRASH): readonly Seen<Pod>[] {
  const ready = new Set(
    view
      .list('kube/Node')
      .filter(({ value }) => value.ready === true)
      .map(({ value }) => value.name),
  );
  const own = podsThat(view.list('kube/Pod'), isCoreDns);
  return unreadyPods(own, view).filter((pod) => {
    const place = placeOf(pod);
    return place !== null && ready.has(place) && states.test(waitingReason(pod.value) ?? '');
  });
}

function isCoreDns({ namespace, name }: Pod): boolean {
  return namespace === 'kube-system' && name.startsWith('coredns-');
}

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own, controlPlane, shownBy }) => {
    const servers = own.kubelet?.clusterDns ?? [];
    const range = controlPlane === null ? undefined : serviceSubnetOf(controlPlane);
    const blocks = (range ?? '')
      .split(',')
      .map(cidrOf)
      .filter((block) => block !== null);
    const [server] = servers;
    const address = addressOf(server ?? '');
    if (server === undefined || address === null || blocks.length === 0) return NOT_SHOWN;
    if (blocks.some((block) => isInside(address, block))) return clear;
    // Node-local DNS has an address that only the machine itself knows.
    if (servers.length > 1 || server.startsWith('169.254.')) return NOT_SHOWN;
    const words = `KubeletConfiguration clusterDNS ${server}`;
    const of = `ClusterConfiguration networking.serviceSubnet ${range ?? ''}`;
    return found(
      { server, range: range ?? '' },
      [plan.quote(fact, words), plan.quote(shownBy, of)],
      'likely',
    );
  },
  {
    summary: ({ server, range }) =>
      `Pods will ask ${server ?? 'a server'} for names, which is not in the service range ${range ?? ''}, so no Service kube-dns can have that address.`,
    remedy: () => [
      step(
        'Take clusterDNS out of the KubeletConfiguration; kubeadm writes the tenth address of the service range.',
      ),
    ],
  },
);
