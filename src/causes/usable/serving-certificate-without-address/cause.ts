import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

const CALLERS = [
  'pod-app',
  'client-output',
  'event',
  'kube-apiserver',
  'journal',
  'object',
  // Its log reads like a kubelet’s in old releases of metrics-server.
  'kubelet',
] as const;

/** Who calls the kubelet by this address does not find it in the certificate that it serves. */
export default defineCause({
  id: 'serving-certificate-without-address',
  stage: 'usable',
  title: 'the kubelet’s serving certificate lacks the address it is called by',
  scope: 'machine',
  signs: {
    noSans: definite(
      CALLERS,
      /(?::10250\b.*|error dialing backend: .*|[Ff]ailed to scrape node.*|unable to fully scrape metrics.*)x509: cannot validate certificate for (?<address>[\da-fXx*.:]+) because it doesn't contain any IP SANs/,
    ),
    otherNames: definite(
      CALLERS,
      /(?::10250\b.*|error dialing backend: .*|[Ff]ailed to scrape node.*)x509: certificate is (?:valid for (?<names>[^"]{3,300}?), not (?<address>[\w.:-]+)|not valid for any names, but wanted to match (?<address2>[\w.-]+))/,
    ),
    legacyName: definite(
      CALLERS,
      /(?::10250\b.*|error dialing backend: .*|[Ff]ailed to scrape node.*)x509: certificate relies on legacy Common Name field/,
    ),
    noSansAlone: likely(
      CALLERS,
      /^(?!.*(?:connect to the server|couldn't get|:2379|:2380|:6443|:443\/|webhook|etcd|\/api\/v1)).*x509: cannot validate certificate for (?<address>[\da-fXx*.:]+) because it doesn't contain any IP SANs/,
    ),
    scraped: context(['pod-app'], /"Storing metrics"|Scraping metrics from node .* succeeded/),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, address, address2, names }) =>
    `The certificate that the kubelet of ${node ?? address ?? address2 ?? 'the node'} serves ${names === undefined ? 'does not hold the address by which it is called' : `is for ${names} and not for ${address ?? 'the address by which it is called'}`}, so metrics, and logs and exec where the API server checks it, fail while the node is Ready.`,
  remedy: ({ address }) => [
    step(
      'Let the kubelet ask the cluster for its certificate (serverTLSBootstrap: true), which holds the node’s names and addresses; then restart it.',
      "sudo sed -i '$aserverTLSBootstrap: true' /var/lib/kubelet/config.yaml && sudo systemctl restart kubelet",
    ),
    step(
      'kubeadm clusters have no approver: approve the requests, or run one.',
      'kubectl get csr --field-selector spec.signerName=kubernetes.io/kubelet-serving',
    ),
    step(
      'If the node’s address changed, remove the old certificate so that the kubelet asks again.',
      'sudo rm /var/lib/kubelet/pki/kubelet-server-current.pem && sudo systemctl restart kubelet',
    ),
    step(
      'See what the certificate holds now.',
      `openssl s_client -connect ${address ?? '<node-address>'}:10250 </dev/null 2>/dev/null | openssl x509 -noout -issuer -ext subjectAltName`,
    ),
  ],
  decide: step(
    'Read the names in the certificate that the kubelet serves.',
    'openssl s_client -connect <node-address>:10250 </dev/null 2>/dev/null | openssl x509 -noout -issuer -ext subjectAltName',
  ),
  page: {
    why: 'Without serverTLSBootstrap the kubelet signs its own certificate, which holds the host name alone; metrics-server calls by address and checks. A certificate that was issued for another name or an earlier address fails in the same way.',
    prevent:
      'serverTLSBootstrap with an approver, and node names and addresses that do not change in a machine’s life. Turning the check off (--kubelet-insecure-tls) hides it.',
    notThis:
      'tls: internal error is kubelet-serving-certificate-missing. “signed by unknown authority” is stale-serving-certificate or a self-signed one. The same words about port 443 or 6443 are about the API server’s certificate (untrusted-api-certificate).',
    alsoKnownAs: [
      "x509: cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs",
      'Failed to scrape node x509',
    ],
    refs: [
      'https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/#cannot-use-the-metrics-server-securely-in-a-kubeadm-cluster',
      'https://github.com/kubernetes-sigs/metrics-server/blob/HEAD/KNOWN_ISSUES.md',
      'https://github.com/kelseyhightower/kubernetes-the-hard-way/issues/146',
    ],
  },
});
