import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Calico asks the API server through the service address, which does not answer on this node. */
const cause = defineCause({
  id: 'service-ip-unreachable-for-calico',
  stage: 'networked',
  title: 'Calico does not reach the API server through the service address',
  scope: 'machine',
  signs: {
    noToken: definite(
      ['calico-node'],
      /Unable to create token for CNI kubeconfig.*dial tcp (?<address>[\d.]+|\[[\da-f:]+\]):443: (?:i\/o timeout|connect: )/,
    ),
    noTypha: context(
      ['calico-node'],
      /(?:Unable to get Typha service endpoints|Typha discovery enabled but discovery failed).*dial tcp (?<address>[\d.]+|\[[\da-f:]+\]):443: (?:i\/o timeout|connect: )/,
    ),
    noDatastore: likely(
      ['calico-node', 'event', 'kubelet', 'containerd'],
      /(?:Hit error connecting to datastore|Failed to (?:get config from|connect to) datastore|Failed to reach apiserver|Failed to initialize datastore|Unable to query node configuration|Failed to update CNI token|[Ff]ailed to (?:fetch|query|get) node resource|error getting ClusterInformation).*dial tcp (?<address>10\.96\.0\.1|172\.20\.0\.1|10\.100\.0\.1|100\.64\.0\.1|\[fd[\da-f:]+::1\]):443: (?:i\/o timeout|connect: )/,
    ),
    connected: withdraws(
      ['calico-node'],
      /Datastore connection verified|Calico node started successfully|Created \/host\/etc\/cni\/net\.d|Wrote updated CNI kubeconfig file/,
    ),
    datastoreAwaited: context(
      ['calico-node'],
      /Unable to access datastore to query node configuration|Unable to ensure datastore is migrated/,
    ),
    // A line of the installer that was pasted without its beginning.
    serviceSilent: context(
      ['calico-node', 'client-output', 'unknown', 'event', 'pod-app'],
      /\bdial tcp (?<address>10\.96\.0\.1|172\.20\.0\.1|10\.100\.0\.1|100\.64\.0\.1|10\.43\.0\.1|\[fd[\da-f:]+::1\]):443: (?:i\/o timeout|connect: )/,
    ),
    toldInstaller: context(
      ['client-output', 'unknown'],
      /\bcalico-node\b.{0,40}\b(?:Init:(?:Error|CrashLoopBackOff|0\/\d)|does not start|never starts|crash\w*)|\b(?:install-cni|calico-node|upgrade-ipam)\b(?: container| pod| log)? (?:says|prints|logs|fails with|reports|ends with)\b/,
      { isTold: true, anchors: ['calico-node', 'install-cni', 'upgrade-ipam'] },
    ),
    // Older programs of calico ask for its own objects first and end with what they get.
    objectsUnanswered: likely(
      ['calico-node', 'event', 'kubelet', 'containerd'],
      /https:\/\/(?<address>10\.96\.0\.1|172\.20\.0\.1|10\.100\.0\.1|100\.64\.0\.1|\[fd[\da-f:]+::1\]):443\/apis\/crd\.projectcalico\.org\/[^"\s]{1,300}: (?:dial tcp \S{1,60}: (?:i\/o timeout|connect: )|context deadline exceeded)/,
      { anchors: ['/apis/crd.projectcalico.org/'] },
    ),
  },
  needs: [],
  symptoms: ['cni-uninitialized', 'sandbox-not-created'],
  withdrawnBy: ['node-ready'],
  explains: [
    'calico-nodename-not-written',
    'calico-dataplane-not-ready',
    'cni-configuration-missing',
  ],
  summary: ({ address, machine }) =>
    `Calico on ${machine ?? 'the node'} gets no answer from the service address ${address ?? 'of the API server'}, so it installs no CNI there.`,
  remedy: () => [
    step(
      'See that kube-proxy runs and writes rules on the node.',
      'kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide; kubectl -n kube-system logs -l k8s-app=kube-proxy --tail=30',
    ),
    step(
      'Or give Calico the API server’s own address.',
      'kubectl -n kube-system create configmap kubernetes-services-endpoint --from-literal=KUBERNETES_SERVICE_HOST=<api-host> --from-literal=KUBERNETES_SERVICE_PORT=443',
    ),
    step(
      'See that the service range does not overlap the VPC’s.',
      'kubectl get service kubernetes; aws ec2 describe-vpcs --query Vpcs[].CidrBlock',
    ),
  ],
  decide: step(
    'Try the address from the node.',
    'curl -sk -m 5 https://$(kubectl get service kubernetes -o jsonpath={.spec.clusterIP})/version',
  ),
  page: {
    why: 'Calico’s init container asks for a token through the service kubernetes. Without kube-proxy’s rules, without a default route, or with a service range inside the VPC’s own, the packets go nowhere.',
    prevent: 'kube-proxy before Calico, or the endpoint given directly.',
    notThis:
      'A kube-proxy whose log says why is kube-proxy-not-working; one whose rules are wiped is calico-ebpf-fights-kube-proxy. “Unauthorized” instead of a time-out is another matter.',
    alsoKnownAs: [
      'Unable to create token for CNI kubeconfig',
      'dial tcp 10.96.0.1:443: i/o timeout',
    ],
    refs: [
      'https://github.com/projectcalico/calico/issues/6278',
      'https://github.com/projectcalico/calico/issues/7529',
      'https://github.com/projectcalico/calico/issues/8463',
    ],
  },
});

export default matched(cause, matchTold);

/** Somebody names the installer, and beside that stands what it prints. */
function matchTold(view: ViewOf<typeof cause>): Match | null {
  const [silent, installer] = [view.sign('serviceSilent'), view.sign('toldInstaller')];
  if (silent === null || installer === null) return null;
  return found(silent.last.captures, [silent.first, installer.first], 'likely');
}
