import { defineCause } from '../../../diagnosis/cause.ts';

/** kubeadm's checks before the join found something in the way. */
export default defineCause({
  id: 'kubeadm-preflight-failed',
  stage: 'bootstrapped',
  title: 'kubeadm join stops in its preflight checks',
  scope: 'machine',
  signs: {
    checkFailed: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['[ERROR '],
      pattern:
        /\[ERROR (?<check>(?:FileAvailable|Port|FileContent(?!--proc-sys-net-bridge\S*\]: \S+ does not exist)|DirAvailable|NumCPU|Mem|KubeletVersion|KubernetesVersion|SystemVerification|IsPrivilegedUser|Hostname|HTTPProxy|Firewalld|ImagePull|ControlPlaneNodesReady)[^\]]*)\]: ?(?<reason>[^\n[]{0,200})/,
      weight: 'definite',
    },
    fatal: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['Some fatal errors occurred'],
      pattern: /\[preflight\] Some fatal errors occurred/,
      weight: 'context',
    },
    joined: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['This node has joined the cluster'],
      pattern: /This node has joined the cluster/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'kubelet-without-kubeconfig'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  summary: ({ machine, check, reason }) =>
    `kubeadm join on ${machine ?? 'the machine'} stops at the preflight check ${check ?? ''}${reason === undefined || reason.trim() === '' ? '' : ` (${reason.trim()})`}, so the machine does not join.`.replace(
      '  ',
      ' ',
    ),
  remedy: ({ check }) => [
    remedyOf(check),
    {
      text: 'Join again with a fresh token.',
      command: 'kubeadm token create --print-join-command',
    },
  ],
  decide: {
    text: 'Read what the join printed: each failed check stands in a line of its own.',
    command: "sudo grep -A12 'error execution phase preflight' /var/log/cloud-init-output.log",
  },
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

function remedyOf(check = ''): { readonly text: string; readonly command: string } {
  if (check.includes('ip_forward') || check.includes('bridge-nf')) {
    return {
      text: 'Set the kernel parameters for good.',
      command:
        "sudo modprobe br_netfilter && printf 'net.ipv4.ip_forward=1\\nnet.bridge.bridge-nf-call-iptables=1\\n' | sudo tee /etc/sysctl.d/99-kubernetes.conf && sudo sysctl --system",
    };
  }
  if (check.includes('Available') || check.includes('Port')) {
    return {
      text: 'Remove what an earlier join left behind.',
      command: 'sudo kubeadm reset -f && sudo rm -rf /etc/cni/net.d',
    };
  }
  return {
    text: 'See what the machine has.',
    command: 'kubelet --version; nproc; free -m; sudo ss -lntp',
  };
}
