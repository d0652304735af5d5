import { defineCause } from '../../../diagnosis/cause.ts';

/** The kubelet does not start on a machine with swap, unless it is told to. */
export default defineCause({
  id: 'swap-enabled',
  stage: 'bootstrapped',
  title: 'swap is on and the kubelet refuses to run with it',
  scope: 'machine',
  signs: {
    kubeletRefuses: {
      in: ['kubelet'],
      anchors: ['unning with swap on is not supported'],
      pattern: /(?<!\[(?:WARNING|ERROR) Swap\]: )[Rr]unning with swap on is not supported/,
      weight: 'definite',
    },
    kubeadmRefuses: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['[ERROR Swap]'],
      pattern: /\[ERROR Swap\]/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['kubeadm-preflight-failed', 'failed-user-script'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  summary: ({ machine }) =>
    `Swap is on at ${machine ?? 'the machine'} and the kubelet is not allowed to run with it, so it stops at its start.`,
  remedy: () => [
    {
      text: 'Switch swap off now and for the next boot.',
      command:
        "sudo swapoff -a && sudo sed -ri '/\\sswap\\s/s/^/#/' /etc/fstab && sudo systemctl restart kubelet",
    },
    {
      text: 'Instance types whose instance store comes as swap (m1.small, c1.medium) are better excluded.',
      command: 'swapon --show; cat /proc/swaps',
    },
  ],
  decide: {
    text: 'See whether any swap is active.',
    command: 'swapon --show; journalctl -u kubelet -n 10 --no-pager',
  },
  page: {
    why: 'A kubelet counts memory as if there were no swap and refuses to start with it (failSwapOn, on by default). Swap comes from a custom AMI, a cloud-init swap setting or the instance store of very old types.',
    prevent:
      'Build images without swap; set failSwapOn: false only together with memorySwap, knowingly.',
    notThis: '“[WARNING Swap]” of kubeadm does not stop anything.',
    alsoKnownAs: [
      'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false',
    ],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://github.com/kubernetes/kubernetes/blob/HEAD/pkg/kubelet/cm/container_manager_linux.go',
    ],
  },
});
