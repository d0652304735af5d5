import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** ipamd asks the API server through the service address, and that address does not answer. */
const cause = defineCause({
  id: 'service-ip-unreachable-for-cni',
  stage: 'networked',
  title: 'the VPC CNI does not reach the API server through the service address',
  scope: 'machine',
  signs: {
    addressSilent: definite(
      ['ipamd', 'aws-node'],
      /^(?!.*(?:Unable to reach API Server|Still waiting for API server connectivity)).*dial tcp (?<address>(?:10\.100|172\.20|10\.96|100\.64)\.0\.1):443: (?:i\/o timeout|connect: )/,
      { strict: true },
    ),
    // A try every few seconds: on a healthy node one or two pass before kube-proxy has its rules.
    addressStaysSilent: definite(
      ['ipamd', 'aws-node'],
      /(?:Unable to reach API Server|Still waiting for API server connectivity).*dial tcp (?<address>(?:10\.100|172\.20|10\.96|100\.64)\.0\.1):443: (?:i\/o timeout|connect: )/,
      { strict: true, atLeast: 3, enoughOnce: 'alone' },
    ),
    triesGoOn: likely(
      ['ipamd', 'aws-node'],
      /Unable to reach API Server(?!.*no configuration has been provided)(?:.*dial tcp (?<address>[\d.]+):443)?/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    // The service's address is the first of its range, and a version is asked for there.
    serviceSilent: likely(
      ['ipamd', 'aws-node'],
      /(?:Unable to reach API Server|Still waiting for API server connectivity).*https:\/\/(?<address>(?:10\.100|172\.20|10\.96|100\.64)\.0\.1):443\/version.*(?:Client\.Timeout exceeded|context deadline exceeded)/,
      { atLeast: 3, enoughOnce: 'end' },
    ),
    tried: context(
      ['ipamd', 'aws-node'],
      /Unable to reach API Server(?:.*dial tcp (?<address>[\d.]+):443)?/,
    ),
    serverVersionUnread: likely(
      ['ipamd', 'aws-node'],
      /(?:Failed to check API server connectivity|error communicating with apiserver|Failed to communicate with K8S Server)(?!.*no configuration has been provided)(?:.*dial tcp (?<address>[\d.]+):443)?/i,
      {
        anchors: [
          'Failed to check API server connectivity',
          'error communicating with apiserver',
          'Failed to communicate with K8S Server',
        ],
      },
    ),
    // Old releases exit without a word when the answer stays away, and are started again.
    asksAgain: likely(['ipamd'], /Testing communication with server/, {
      atLeast: 4,
      enoughOnce: 'alone',
    }),
    // The client's own words, of whichever program it is part.
    discoverySilent: context(
      ['ipamd', 'aws-node', 'client-output', 'unknown', 'pod-app'],
      /couldn't get current server API group list.*dial tcp (?<address>(?:10\.100|172\.20|10\.96|100\.64)\.0\.1):443: (?:i\/o timeout|connect: )/,
      { anchors: ['get current server API group list'] },
    ),
    toldOfDaemon: context(
      ['client-output', 'unknown'],
      /\b(?:is|[Ff]rom|of|in|[Ll]og) (?:\w+ ){0,2}(?:aws-node|L-IPAMD|VPC CNI)\b|\b(?:aws-node|L-IPAMD|VPC CNI)\b[^.]{0,60}\b(?:fail(?:s|ed|ing)?|crash\w*|restart\w*|stuck|not start\w*) (?:to start )?(?:with|and (?:says?|logs?|prints?)|because|due)\b/,
      { isTold: true, isBackground: true, anchors: ['aws-node', 'L-IPAMD', 'VPC CNI'] },
    ),
    carriedOn: context(['ipamd'], /Proceeding without API server connectivity/),
    monitored: likely(['event', 'node-status'], /IPAM-D has failed to connect to API Server/),
    serverAnswered: withdraws(
      ['ipamd', 'aws-node'],
      /Successful communication with the Cluster|Running with Kubernetes cluster version|node init completed successfully|Communication with server successful|API server connectivity established|Background API server check completed|API server connectivity status from false to true|after API server became available/,
    ),
    withoutServer: context(
      ['ipamd', 'aws-node', 'event', 'node-status'],
      /Skipping GetNode\(\) as Kubernetes API client is unavailable|Kubernetes client in direct mode \(no cache\)|Skipping event recorder initialization|apiserver connectivity issue|Failed to recreate k8s client|\bIPAMDNotReady\b/,
    ),
    // Twice is what a machine does that was rebooted, unless somebody says that it goes on.
    askedTwice: context(['ipamd'], /Testing communication with server/, { atLeast: 2 }),
    toldCrashing: context(
      ['client-output', 'unknown'],
      /\b(?:aws-node|VPC CNI|ipamd|L-IPAMD)\b[^.]{0,80}\b(?:CrashLoopBackOff|crash-?loop\w*|crash(?:es|ing)|restart(?:s|ing)|keeps? (?:dying|restarting|crashing))\b/,
      { isTold: true, anchors: ['aws-node', 'VPC CNI', 'ipamd', 'L-IPAMD'] },
    ),
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'cni-image-without-matching-manifest',
    'leftover-cni-configuration',
  ],
  summary: ({ address, machine }) =>
    `ipamd on ${machine ?? 'the node'} gets no answer from the service address ${address ?? 'of the API server'}, so the CNI does not start; kube-proxy has no rules for it there.`,
  remedy: () => [
    step(
      'See that kube-proxy runs on this node, and install it where it is missing.',
      'kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide; aws eks create-addon --cluster-name <cluster> --addon-name kube-proxy',
    ),
    step(
      'Then restart the CNI; one that merely started first is well after it.',
      'kubectl -n kube-system rollout restart daemonset/aws-node',
    ),
  ],
  decide: step(
    'Look for the chain of the service default/kubernetes on the node.',
    'sudo iptables-save -t nat | grep KUBE-SVC-NPX46M4PTMTKRN6Y',
  ),
  page: {
    why: 'aws-node talks to the API server through the service kubernetes, which exists only as rules that kube-proxy writes. Without kube-proxy, or before its first round, the address leads nowhere although the kubelet reaches the real endpoint.',
    prevent: 'Install kube-proxy before the nodes; newer CNI releases wait longer.',
    notThis:
      'When kube-proxy’s own log shows why it writes nothing, it is kube-proxy-not-working. “no configuration has been provided” is a missing service-account token. A kubelet that does not reach the endpoint either has a cause of the stage reachable.',
    alsoKnownAs: [
      'Failed to check API server connectivity',
      'dial tcp 172.20.0.1:443: i/o timeout',
      'dial tcp 10.100.0.1:443: i/o timeout',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/k8sapi/k8sutils.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/872',
    ],
  },
});

export default matched(cause, matchTold);

type Own = ViewOf<typeof cause>;

/** A line which any client may print, and the word that it is the CNI's. */
function matchTold(view: Own): Match | null {
  const [asked, crashing] = [view.sign('askedTwice'), view.sign('toldCrashing')];
  if (asked !== null && crashing !== null) return found({}, [asked.last, crashing.first], 'likely');
  const silent = view.sign('discoverySilent');
  const told = view.sign('toldOfDaemon') ?? view.clusterSign('toldOfDaemon');
  if (silent === null || told === null) return null;
  return found(silent.last.captures, [silent.last, told.first], 'likely');
}
