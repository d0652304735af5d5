import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** A machine that belonged to another cluster kept the certificate which that cluster gave it. */
export default defineCause({
  id: 'stale-serving-certificate',
  stage: 'usable',
  title: 'the kubelet serves a certificate of the cluster it belonged to before',
  scope: 'machine',
  signs: {
    notOfThisCluster: definite(
      ['nodeadm', 'journal', 'client-output', 'cloud-init'],
      /[Kk]ubelet (?:server )?certificate is not valid for the current cluster/,
    ),
    sameNameOtherKey: definite(
      ['pod-app', 'client-output', 'event', 'kube-apiserver', 'journal'],
      /(?:(?:(?<![\d.])(?<address>[\d.]{7,15})|[\dxX*.]{7,15}|<[\w -]{1,40}>):10250\b.{0,200}|error dialing backend: .{0,100}|[Ff]ailed to scrape node.{0,200})x509: certificate signed by unknown authority \(possibly because of .{0,80}trying to verify candidate authority certificate/,
    ),
    unknownAuthority: likely(
      ['kube-apiserver', 'client-output', 'event', 'pod-app', 'journal'],
      /(?:(?:(?<![\d.])(?<address>[\d.]{7,15})|[\dxX*.]{7,15}|<[\w -]{1,40}>):10250\/(?:containerLogs|exec|attach|portForward|run)\b.{0,200}|error dialing backend: .{0,100})x509: certificate signed by unknown authority/,
    ),
    scrapeRefused: context(
      ['pod-app', 'journal'],
      /(?:[Ff]ailed to scrape node|:10250\/(?:metrics|stats)).*x509: certificate signed by unknown authority/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, machine, address }) =>
    `The kubelet of ${node ?? machine ?? address ?? 'the node'} serves a certificate that this cluster’s authority did not sign, as a machine does that kept its files from an earlier cluster; logs, exec and metrics of its pods fail.`,
  remedy: () => [
    step(
      'Remove the old certificate on the machine; the kubelet asks this cluster for one when it starts.',
      'sudo rm -f /var/lib/kubelet/pki/kubelet-server-current.pem /var/lib/kubelet/pki/kubelet.crt /var/lib/kubelet/pki/kubelet.key && sudo systemctl restart kubelet',
    ),
    step(
      'Approve its request where nothing does.',
      'kubectl get csr --field-selector spec.signerName=kubernetes.io/kubelet-serving',
    ),
  ],
  decide: step(
    'Compare the issuer and date of the certificate that the kubelet serves with this cluster.',
    'sudo openssl x509 -in /var/lib/kubelet/pki/kubelet-server-current.pem -noout -issuer -subject -dates',
  ),
  page: {
    why: 'The kubelet keeps its serving certificate under /var/lib/kubelet/pki and uses it as long as it is valid. A hybrid or on-premises host that is joined to a new cluster, or a kubeadm cluster that was created again, finds a certificate there which an authority of the same name, but another key, has signed.',
    prevent:
      'Run nodeadm uninstall or kubeadm reset, and remove /var/lib/kubelet/pki, before a machine joins another cluster.',
    notThis:
      'A certificate that holds the wrong names is serving-certificate-without-address. metrics-server says the same of a certificate that the kubelet signed itself, which only serverTLSBootstrap ends. A kubelet that cannot join because of the API server’s certificate is untrusted-api-certificate.',
    alsoKnownAs: [
      'kubelet certificate is not valid for the current cluster',
      'error dialing backend: x509: certificate signed by unknown authority',
    ],
    refs: [
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/node/hybrid/certificate_validator.go',
      'https://github.com/kubernetes/kubernetes/issues/14097',
      'https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/#tls-certificate-errors',
    ],
  },
});
