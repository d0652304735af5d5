import { defineCause } from '../../../diagnosis/cause.ts';

/** Pods get no answer from the cluster's DNS service. */
export default defineCause({
  id: 'cluster-dns-unreachable',
  stage: 'usable',
  title: 'pods get no answer from the cluster’s DNS',
  scope: 'cluster',
  signs: {
    serverSilent: {
      in: ['pod-app', 'client-output', 'csi-driver', 'karpenter', 'calico-node', 'event'],
      anchors: [
        ':53: read udp',
        ':53: dial udp',
        ':53: dial tcp',
        ':53: i/o timeout',
        ':53: read: connection refused',
      ],
      pattern:
        /(?:lookup (?<name>[\w.-]+) on (?<server>(?:\d+\.){3}10|169\.254\.20\.10):53: (?:read udp|dial udp|dial tcp|i\/o timeout)|read udp (?:[\d.]+|\[[\da-f:]+\]):\d+->(?<server2>(?:\d+\.){3}10|169\.254\.20\.10):53: (?:i\/o timeout|read: connection refused))/,
      weight: 'likely',
      atLeast: 3,
    },
    askedInVain: {
      in: ['pod-app', 'client-output'],
      anchors: ['no servers could be reached', 'Temporary failure in name resolution', 'EAI_AGAIN'],
      pattern:
        /connection timed out; no servers could be reached|Temporary failure in name resolution|getaddrinfo EAI_AGAIN/,
      weight: 'context',
    },
    loop: {
      in: ['coredns', 'pod-app', 'client-output'],
      anchors: ['plugin/loop: Loop'],
      pattern: /plugin\/loop: Loop \((?<server>\S+) -> \S+\) detected/,
      weight: 'definite',
    },
    upstreamSilent: {
      in: ['coredns'],
      anchors: ['plugin/errors: 2'],
      pattern: /plugin\/errors: 2 (?<name>\S+) .*read udp \S+->(?<server>[\d.]+):53: i\/o timeout/,
      weight: 'likely',
      atLeast: 5,
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ server }) =>
    `The DNS server ${server ?? 'of the cluster'} does not answer, so programs in pods find neither services nor hosts by name.`,
  remedy: ({ server }) => [
    {
      text: 'See whether CoreDNS runs, and on which nodes.',
      command: 'kubectl -n kube-system get pods,endpoints -l k8s-app=kube-dns -o wide',
    },
    {
      text: 'Compare the server that pods ask with the service’s address; new nodes take it from cluster.cidr or --dns-cluster-ip.',
      command: 'kubectl -n kube-system get service kube-dns',
    },
    {
      text: 'Let nodes reach each other on port 53, UDP and TCP.',
      command:
        `kubectl run dns-check --rm -i --restart=Never --image=public.ecr.aws/docker/library/busybox:1.36 -- nslookup kubernetes.default ${server ?? ''}`.trimEnd(),
    },
  ],
  decide: {
    text: 'See whether CoreDNS runs, on which nodes, and what it says.',
    command: 'kubectl -n kube-system logs -l k8s-app=kube-dns --prefix --tail=200',
  },
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
