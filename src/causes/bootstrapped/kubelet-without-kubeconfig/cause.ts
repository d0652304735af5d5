import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** The kubelet runs on a machine that has never joined a cluster. */
const cause = defineCause({
  id: 'kubelet-without-kubeconfig',
  stage: 'bootstrapped',
  title: 'the kubelet runs on a machine that never joined',
  scope: 'machine',
  signs: {
    // Printed as soon as the kubelet drops a kubeconfig of any kind, one that ran out too.
    noBootstrapFile: context(
      ['kubelet'],
      /unable to load bootstrap kubeconfig: stat (?<file>\/?[\w./-]*): no such file or directory/,
    ),
    noClientCertificate: context(
      ['kubelet'],
      /unable to read existing bootstrap client config(?: from [^\s:]+)?: invalid configuration: .*unable to read client-cert (?<certificate>\S+) .*no such file or directory/,
    ),
    noConfig: likely(
      ['kubelet'],
      /[Ff]ailed to load [Kk]ubelet config file.*open (?<file>\/[\w./-]+\.(?:ya?ml|json)): no such file or directory/,
    ),
    certificateExpired: context(
      ['kubelet'],
      /[Pp]art of the existing bootstrap client certificate .*is expired|certificate has expired/,
    ),
    joinFailed: context(
      ['kubeadm', 'cloud-init', 'console', 'nodeup', 'ignition'],
      /error execution phase|Some fatal errors occurred|couldn't validate the identity of the API Server|unable to fetch the kubeadm-config|failed to request (?:the )?cluster-info|:22623\/config/,
      {
        anchors: [
          'error execution phase',
          'Some fatal errors occurred',
          'validate the identity of the API',
          'kubeadm-config',
          'cluster-info',
          ':22623/config',
        ],
      },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, file }) =>
    `The kubelet of ${machine ?? 'the machine'} finds no ${file ?? 'kubeconfig'}: the machine has never joined a cluster, or its join did not complete.`,
  remedy: () => [
    step(
      'Make a fresh join command on a control-plane machine.',
      'kubeadm token create --print-join-command',
    ),
    step(
      'Run it on the machine and read what it says.',
      'sudo kubeadm join <endpoint>:6443 --token <token> --discovery-token-ca-cert-hash sha256:<hash> -v5',
    ),
  ],
  decide: step(
    'See what a join has left behind; only the client certificate proves that one succeeded.',
    'sudo ls -l /etc/kubernetes /var/lib/kubelet /var/lib/kubelet/pki; sudo grep -n kubeadm /var/log/cloud-init-output.log',
  ),
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

export default matched(cause, matchNeverJoined);

type Own = ViewOf<typeof cause>;

/** A missing bootstrap file alone is no proof; that no certificate was ever written is. */
function matchNeverJoined(view: Own): Match | null {
  if (view.sign('certificateExpired') !== null || view.sign('joinFailed') !== null) return clear;
  const [file, certificate] = [view.sign('noBootstrapFile'), view.sign('noClientCertificate')];
  if (file === null || certificate === null) return null;
  return found(file.last.captures, [certificate.last, file.last], 'likely');
}
