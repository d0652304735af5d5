import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The kubelet runs on a machine that has never joined a cluster. */
export default defineCause({
  id: 'kubelet-without-kubeconfig',
  stage: 'bootstrapped',
  title: 'the kubelet runs on a machine that never joined',
  scope: 'machine',
  signs: {
    noBootstrapFile: {
      in: ['kubelet'],
      anchors: ['unable to load bootstrap kubeconfig'],
      pattern:
        /unable to load bootstrap kubeconfig: stat (?<file>\/?[\w./-]*): no such file or directory/,
      // Printed as soon as the kubelet drops a kubeconfig of any kind, one that ran out too.
      weight: 'context',
    },
    noClientCertificate: {
      in: ['kubelet'],
      anchors: ['unable to read existing bootstrap client config'],
      pattern:
        /unable to read existing bootstrap client config(?: from [^\s:]+)?: invalid configuration: .*unable to read client-cert (?<certificate>\S+) .*no such file or directory/,
      weight: 'context',
    },
    noConfig: {
      in: ['kubelet'],
      anchors: ['ubelet config file'],
      pattern:
        /[Ff]ailed to load [Kk]ubelet config file.*open (?<file>\/[\w./-]+\.(?:ya?ml|json)): no such file or directory/,
      weight: 'likely',
    },
    certificateExpired: {
      in: ['kubelet'],
      anchors: ['existing bootstrap client certificate', 'certificate has expired'],
      pattern:
        /[Pp]art of the existing bootstrap client certificate .*is expired|certificate has expired/,
      weight: 'context',
    },
    joinFailed: {
      in: ['kubeadm', 'cloud-init', 'console', 'nodeup', 'ignition'],
      anchors: [
        'error execution phase',
        'Some fatal errors occurred',
        'validate the identity of the API',
        'kubeadm-config',
        'cluster-info',
        ':22623/config',
      ],
      pattern:
        /error execution phase|Some fatal errors occurred|couldn't validate the identity of the API Server|unable to fetch the kubeadm-config|failed to request (?:the )?cluster-info|:22623\/config/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  match: (view) => matchNeverJoined(view),
  summary: ({ machine, file }) =>
    `The kubelet of ${machine ?? 'the machine'} finds no ${file ?? 'kubeconfig'}: the machine has never joined a cluster, or its join did not complete.`,
  remedy: () => [
    {
      text: 'Make a fresh join command on a control-plane machine.',
      command: 'kubeadm token create --print-join-command',
    },
    {
      text: 'Run it on the machine and read what it says.',
      command:
        'sudo kubeadm join <endpoint>:6443 --token <token> --discovery-token-ca-cert-hash sha256:<hash> -v5',
    },
  ],
  decide: {
    text: 'See what a join has left behind; only the client certificate proves that one succeeded.',
    command:
      'sudo ls -l /etc/kubernetes /var/lib/kubelet /var/lib/kubelet/pki; sudo grep -n kubeadm /var/log/cloud-init-output.log',
  },
  page: {
    why: 'The kubeadm packages enable the kubelet, which restarts every few seconds until kubeadm join has written its configuration. Where the join never ran, for example because user data ended before it, these lines are all there is.',
    prevent:
      'Let user data run kubeadm join with a token that outlives the boot, and report its exit code.',
    notThis:
      'When kubeadm itself says why it stopped, that is the cause and these lines its consequence. “part of the existing bootstrap client certificate is expired” before the same line is expired-kubelet-client-certificate.',
    alsoKnownAs: [
      'unable to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory',
      'open /var/lib/kubelet/config.yaml: no such file or directory',
    ],
    refs: ['https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubelet/app/server.go'],
  },
});

type Signs = 'noBootstrapFile' | 'noClientCertificate' | 'certificateExpired' | 'joinFailed';

/** A missing bootstrap file alone is no proof; that no certificate was ever written is. */
function matchNeverJoined(view: View<never, Signs>): Match | null {
  if (view.sign('certificateExpired') !== null || view.sign('joinFailed') !== null) return clear;
  const [file, certificate] = [view.sign('noBootstrapFile'), view.sign('noClientCertificate')];
  if (file === null || certificate === null) return null;
  return found(file.last.captures, [certificate.last, file.last], 'likely');
}
