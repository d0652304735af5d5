import { defineCause, step, type Step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';

/** kubeadm's checks before the join found something in the way. */
export default defineCause({
  id: 'kubeadm-preflight-failed',
  stage: 'bootstrapped',
  title: 'kubeadm join stops in its preflight checks',
  scope: 'machine',
  signs: {
    checkFailed: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /\[ERROR (?<check>(?:FileAvailable|Port|FileContent(?!--proc-sys-net-bridge\S*\]: \S+ does not exist)|DirAvailable|NumCPU|Mem|KubeletVersion|KubernetesVersion|SystemVerification|IsPrivilegedUser|Hostname|HTTPProxy|Firewalld|Service-(?!Kubelet)|ImagePull|ControlPlaneNodesReady)[^\]]*)\]: ?(?<reason>[^\n[]{0,200})/,
    ),
    fatal: context(
      ['kubeadm', 'cloud-init', 'console'],
      /\[preflight\] Some fatal errors occurred/,
    ),
    joined: withdraws(['kubeadm', 'cloud-init', 'console'], /This node has joined the cluster/),
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'kubelet-without-kubeconfig'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  summary: ({ machine, check, reason }) =>
    sentence`kubeadm join on ${machine ?? 'the machine'} stops at the preflight check ${check}${reason === undefined || reason.trim() === '' ? '' : ` (${reason.trim()})`}, so the machine does not join.`,
  remedy: ({ check }) => [
    remedyOf(check),
    step('Join again with a fresh token.', 'kubeadm token create --print-join-command'),
  ],
  decide: step(
    'Read what the join printed: each failed check has its own line.',
    "sudo grep -A12 'error execution phase preflight' /var/log/cloud-init-output.log",
  ),
  page: {
    why: 'kubeadm refuses a machine that looks joined already (files, a kubelet on port 10250), lacks tools or kernel settings, or is too small. Images made from a joined machine and repeated joins without a reset are the common cases.',
    prevent:
      'Run kubeadm reset and remove /etc/kubernetes before making an image; set sysctls and packages in the image build.',
    notThis:
      '[ERROR CRI] is container-runtime-down, [ERROR Swap] swap-enabled, [ERROR FileExisting-…] host-package-missing. [WARNING …] lines stop nothing. When cloud-init shows that the image carried the files, it is ami-baked-from-joined-node.',
    alsoKnownAs: [
      '[preflight] Some fatal errors occurred',
      '[ERROR FileContent--proc-sys-net-ipv4-ip_forward]',
      '[ERROR Port-10250]: Port 10250 is in use',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/preflight/checks.go',
    ],
  },
});

function remedyOf(check = ''): Step {
  if (check.includes('ip_forward') || check.includes('bridge-nf')) {
    return step(
      'Set the kernel parameters for good.',
      "sudo modprobe br_netfilter && printf 'net.ipv4.ip_forward=1\\nnet.bridge.bridge-nf-call-iptables=1\\n' | sudo tee /etc/sysctl.d/99-kubernetes.conf && sudo sysctl --system",
    );
  }
  if (check.includes('Available') || check.includes('Port')) {
    return step(
      'Remove what an earlier join left behind.',
      'sudo kubeadm reset -f && sudo rm -rf /etc/cni/net.d',
    );
  }
  return step('See what the machine has.', 'kubelet --version; nproc; free -m; sudo ss -lntp');
}
