import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The kubelet’s certificate ran out and nothing is left to get a new one with. */
const cause = defineCause({
  id: 'expired-kubelet-client-certificate',
  stage: 'authenticated',
  title: 'the kubelet’s client certificate has expired',
  scope: 'machine',
  signs: {
    expired: definite(
      ['kubelet'],
      /[Pp]art of the existing bootstrap client certificate (?:in \S+ )?is expired: (?<expired>\d{4}-\d{2}-\d{2})/,
    ),
    activeExpired: definite(
      ['kubelet'],
      /[Tt]he currently active client certificate has expired(?:,? but| and) the server is/,
    ),
    noBootstrapFile: context(
      ['kubelet'],
      /unable to load bootstrap kubeconfig: stat (?<file>\S+): no such file or directory/,
    ),
    // A kubelet whose first request nobody approves ends with these words too.
    noValidCertificate: context(
      ['kubelet'],
      /[Nn]o valid client certificate is found (?:and|but) the server is|since a valid client cert was found(?:,? but| and) the server is/,
      { anchors: ['o valid client certificate is found', 'since a valid client cert was found'] },
    ),
    toldExpired: likely(
      ['client-output', 'unknown'],
      /\b[Kk]ubelet(?:'s|s)? (?:client )?cert(?:ificate)?s?\b.{0,30}\b(?:expired|ran out|(?:is|are) (?:expired|out of date|too old))\b(?!.{0,40}\bserving\b)|\b[Kk]ubelet(?:'s|s)? (?:client )?cert(?:ificate)?s? (?:expiration|expiry)\b.{0,40}\b(?:caus|mak|made|left|leav|led|result|broke|took)\w{0,3}\b|\b(?:[Ee]xpiration|[Ee]xpiry) of (?:the |our )?kubelet(?:'s|s)? (?:client )?cert(?:ificate)?s?\b.{0,40}\b(?:caus|mak|made|left|leav|led|result|broke|took)\w{0,3}\b/,
      { isTold: true, anchors: ['ubelet cert', 'ubelet client cert', 's cert', 's client cert'] },
    ),
    // Any client may have such a certificate; where Nodes fall silent it is the kubelets'.
    refusedByServer: context(
      ['kube-apiserver'],
      /Unable to authenticate the request(?: due to an error|" err)?[:=].{0,20}x509: certificate has expired or is not yet valid/,
      { anchors: ['Unable to authenticate the request'] },
    ),
    nodesSilent: context(
      ['event', 'node-status', 'client-output', 'unknown'],
      /\bKubelet stopped posting node status\b/,
      { isBackground: true },
    ),
  },
  needs: [],
  symptoms: ['kubelet-unauthorized'],
  explains: ['node-heartbeat-lost'],
  summary: ({ machine, expired }) =>
    sentence`The client certificate of the kubelet on ${machine ?? 'the machine'} expired${phrase` on ${expired}`} and there is no bootstrap kubeconfig to get another one; the kubelet exits.`,
  remedy: () => [
    step(
      'On a control plane machine, make a kubeconfig for this node.',
      'sudo kubeadm kubeconfig user --org system:nodes --client-name system:node:<node> > kubelet.conf',
    ),
    step(
      'Put it on the machine in place of the old one, and start again.',
      'sudo cp kubelet.conf /etc/kubernetes/kubelet.conf && sudo rm -f /var/lib/kubelet/pki/kubelet-client* && sudo systemctl restart kubelet',
    ),
  ],
  decide: step(
    'Read when the certificate ends.',
    'sudo openssl x509 -in /var/lib/kubelet/pki/kubelet-client-current.pem -noout -enddate -subject',
  ),
  page: {
    why: 'The kubelet renews its certificate while it runs. A machine that was off longer than the certificate lives (a year with kubeadm), or lost its pki folder, comes back with one that is too old, and kubeadm keeps no bootstrap kubeconfig.',
    prevent: 'Start stopped machines within the certificate’s life, or rebuild them instead.',
    notThis:
      'EKS nodes use IAM tokens and never print this. Certificates of the API server itself that expired are untrusted-api-certificate. A clock far ahead (wrong-node-clock) makes good certificates look expired.',
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/98150',
      'https://github.com/kubernetes/kubernetes/issues/84252',
      'https://github.com/kubernetes/kubeadm/issues/2054',
    ],
  },
});

/** The API server takes certificates for expired, and Nodes are silent. */
export default matched(cause, (view) => {
  const refused = view.sign('refusedByServer') ?? view.clusterSign('refusedByServer');
  const silent = view.sign('nodesSilent') ?? view.clusterSign('nodesSilent');
  if (refused === null || silent === null || view.isLive) return null;
  return found({}, [refused.last, silent.last], 'likely');
});
