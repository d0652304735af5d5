import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

const ON_NODE = [
  'kubelet',
  'kubeadm',
  'cloud-init',
  'nodeup',
  'nodeadm',
  'containerd',
  'bottlerocket',
  'event',
  'ignition',
] as const;

/** A program on the machine goes through an HTTP proxy that does not work for this destination. */
const cause = defineCause({
  id: 'wrong-proxy-configuration',
  stage: 'reachable',
  title: 'the HTTP proxy is wrong, or the destination is missing in NO_PROXY',
  scope: 'machine',
  signs: {
    proxyUnreachable: definite(
      ON_NODE,
      /proxyconnect tcp: (?:dial tcp:? (?:lookup )?(?<proxy>[\w.-]+(?::\d+)?)|tls: first record does not look like a TLS handshake|EOF)/,
      { atLeast: 2, enoughOnce: 'end' },
    ),
    proxyUnreachableForCommands: definite(
      ON_NODE,
      /Failed to connect to proxy URL: "(?:https?:\/\/)?(?:[^@\s"]*@)?(?<proxy>[\w.-]+(?::\d+)?)/,
    ),
    proxyUnreachableAtJoin: definite(
      ['kubelet', 'kubeadm', 'nodeup', 'nodeadm'],
      /(?:[Uu]nable to register node|cluster-info|failed to get node config from server).*proxyconnect tcp: (?:dial tcp:? (?:lookup )?(?<proxy>[\w.-]+(?::\d+)?)|tls:|EOF)/,
    ),
    proxyWantsCredentials: definite(
      ON_NODE,
      /(?:Get|Post|Head) "?https?:\/\/(?<destination>[\w.-]+)(?![\w.-])[^\s"]*"?: Proxy Authentication Required/,
    ),
    proxyRefuses: likely(
      ['kubelet', 'kubeadm', 'nodeup'],
      /(?:Get|Post) "?https:\/\/(?<destination>[\w.-]+)(?::\d+)?\/apis?\/[^\s"]*"?: (?<answer>Forbidden|Service Unavailable|Bad Gateway|Gateway Timeout)(?!\w)/,
      {
        anchors: [': Forbidden', ': Service Unavailable', ': Bad Gateway', ': Gateway Timeout'],
        atLeast: 2,
        enoughOnce: 'end',
      },
    ),
    preflightWarning: context(
      ['kubeadm', 'cloud-init'],
      /\[WARNING HTTPProxy(?:CIDR)?\]: [Cc]onnection to "(?:https?:\/\/)?(?<destination>[\w.:/-]+)" uses proxy "(?:https?:\/\/)?(?:[^@\s"]*@)?(?<through>[\w.-]+(?::\d+)?)/,
    ),
    wentOn: context(
      ['kubeadm', 'cloud-init'],
      /\[ERROR |error execution phase|\[(?:kubelet-start|kubelet-check|discovery|certs|kubeconfig|control-plane|wait-control-plane|etcd)\]|Reading configuration from the cluster/,
      {
        anchors: [
          '[ERROR ',
          'error execution phase',
          '[kubelet-',
          '[discovery]',
          '[certs]',
          '[kubeconfig]',
          '[control-plane]',
          '[wait-control-plane]',
          '[etcd] ',
          'Reading configuration from the cluster',
        ],
      },
    ),
    notAUrl: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /proxy configuration validation failed: (?<fault>(?:invalid HTTPS?_PROXY URL|empty NO_PROXY pattern)[^"\\]{0,40})/,
      { anchors: ['proxy configuration validation failed: '] },
    ),
    toldNoProxy: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:NO_PROXY|no_proxy|noProxy)\b.{0,30}\b(?:(?:did|do|does)(?: not|n't) (?:include|contain|have|list|cover)|lack(?:s|ed|ing)?|(?:was|is) missing|without|missed|misses)\b|\b(?:[Mm]issing|[Ff]orgot|not) (?:\S+ ){1,6}?(?:in|from|to) (?:the )?(?:NO_PROXY|no_proxy|noProxy)\b/,
      { isTold: true, anchors: ['NO_PROXY', 'no_proxy', 'noProxy'] },
    ),
    toldRangeIgnored: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:kubelet|containerd|nodeadm|kubeadm)\b.{0,40}\b(?:ignores?|(?:does|do)(?: not|n't) (?:use|honou?r|respect|match|understand))\b.{0,30}(?:\bthe CIDR|\bCIDRs? (?:of|in)\b| ranges?\b|\bNO_PROXY\b|\bno_proxy\b)/,
      {
        isTold: true,
        anchors: [
          'the CIDR',
          'CIDR of',
          'CIDR in',
          'CIDRs of',
          'CIDRs in',
          ' range',
          'NO_PROXY',
          'no_proxy',
        ],
      },
    ),
    // Whoever saw that the proxy itself answers has seen a request that it does not let through.
    toldRefused: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:kubelets?|nodeadm|bootstrap(?:\.sh)?|containerd|nodes?|API server|EKS endpoint|cluster endpoint)\b[^.]{0,160}\b(?:40[37]|50[234]|Forbidden|Bad Gateway|Service Unavailable)\b[^.]{0,60}\b(?:from|by) (?:our|the|my|that) (?:\w+ ){0,2}proxy\b|\bproxy (?:answers?|returns?|responds?|replies)(?: to)?(?: (?:the )?(?:kubelet|nodes?|nodeadm))?(?: with)?(?: an?)?(?: HTTP)? (?:40[37]|50[234]|Forbidden)\b/,
      { isTold: true, anchors: [' proxy'] },
    ),
    // curl, which installers and user data call, in the words of 7 and of 8.
    tunnelRefused: likely(
      ON_NODE,
      /curl: \(56\) (?:Received HTTP code|CONNECT tunnel failed, response) (?<answer>40[37]|50[234])\b/,
      { anchors: ['Received HTTP code', 'CONNECT tunnel failed, response '] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  explains: [
    'failed-user-script',
    'describe-cluster-failed',
    'cluster-info-unreadable',
    'api-name-unresolvable',
    'pause-image-pull-failed',
    'tls-handshake-timeout',
  ],
  summary: ({ proxy, destination, answer, fault, through }) =>
    through !== undefined
      ? `Requests to ${destination ?? 'the cluster'} go through the proxy ${through}, because NO_PROXY does not name it; kubeadm warns that the cluster may not work so.`
      : fault !== undefined
        ? `The proxy of the NodeConfig cannot be used (${fault.trim().replace(/:$/, '')}), so nodeadm stops.`
        : proxy === undefined
          ? `The proxy answers ${answer ?? 'with a demand for credentials'} for ${destination ?? 'the destination'}, which the machine should reach directly or with credentials.`
          : `The machine is configured to use the proxy ${proxy}, which does not answer, so its requests end there and not at their destination.`,
  remedy: ({ destination }) => [
    step(
      'See which proxy each program is configured to use.',
      'systemctl show kubelet containerd nodeadm-run -p Environment -p EnvironmentFiles; sudo cat /etc/environment',
    ),
    {
      text: 'Correct it there (NodeConfig spec.instance.environment, Bottlerocket settings.network), and name what is direct in NO_PROXY.',
      command: `NO_PROXY=localhost,127.0.0.1,169.254.169.254,<vpc-cidr>,<service-cidr>,.internal,.eks.amazonaws.com${destination === undefined ? '' : `,${destination}`}`,
    },
    step(
      'Restart what read the old values.',
      'sudo systemctl daemon-reload && sudo systemctl restart containerd kubelet',
    ),
  ],
  decide: step(
    'Ask for the endpoint through the proxy and directly.',
    'curl -sk -m 10 -o /dev/null -w "%{http_code}\\n" https://<endpoint-name>/healthz; curl --noproxy "*" -sk -m 10 -o /dev/null -w "%{http_code}\\n" https://<endpoint-name>/healthz',
  ),
  page: {
    why: 'Proxy variables reach kubelet, containerd and the boot programs by different files. A proxy that is gone, written with https:// for a plain port, wants a password, or is used for the API server, the metadata service or service addresses breaks the request.',
    prevent:
      'Write the variables in one place that all units read, and put the endpoint, 169.254.169.254, the VPC and the service network into NO_PROXY.',
    notThis:
      'The address in the error is the proxy’s, not the API server’s. curl in support bundles runs with --noproxy and succeeds. Variables that arrive after the program started are proxy-configured-too-late; Bottlerocket’s boot programs that ignore user and password are proxy-credentials-ignored.',
    alsoKnownAs: ['proxyconnect tcp: dial tcp', 'Proxy Authentication Required'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/system/environment.go',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/network/proxy_validator.go',
    ],
  },
});

export default matched(cause, matchWarning);

/** kubeadm warns of the proxy, and nothing shows that it came any further. */
function matchWarning(view: ViewOf<typeof cause>): Match | null {
  const warned = view.sign('preflightWarning');
  if (warned === null || view.sign('wentOn') !== null) return null;
  return found(warned.first.captures, [warned.first], 'likely');
}
