import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The kubelet does not start on a machine with swap, unless it is told to. */
export default defineCause({
  id: 'swap-enabled',
  stage: 'bootstrapped',
  title: 'swap is on and the kubelet refuses to run with it',
  scope: 'machine',
  signs: {
    kubeletRefuses: definite(
      ['kubelet'],
      /(?<!\[(?:WARNING|ERROR) Swap\]: )[Rr]unning with swap on is not supported/,
    ),
    // Where swap is allowed, the kubelet says the same and goes on.
    swapSeen: likely(['kubelet'], /swap_util\.go:\d+\] "?Swap is on\b/),
    nodeadmRefuses: definite(
      ['nodeadm', 'cloud-init', 'console', 'client-output'],
      /partition type swap found on the host/,
    ),
    kubeadmRefuses: definite(['kubeadm', 'cloud-init', 'console'], /\[ERROR Swap\]/),
    toldOn: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Ss]wap\b.{0,20}\b(?:was|is|were) (?:on|enabled|active|still on|not (?:disabled|off))\b.{0,60}\b(?:kubelet|kubeadm|swapoff|join\w{0,3}|start\w{0,3})|\b[Kk]ubelet\b.{0,60}\b(?:because|since|as|due to)\b.{0,20}\bswap\b|\bswapoff -a`?.{0,40}\b(?:fix|solv|resolv|help|work|join|came|come)\w{0,4}/,
      { isTold: true, anchors: ['swapoff -a', 'kubelet', 'Kubelet', 'wap was', 'wap is '] },
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['kubeadm-preflight-failed', 'failed-user-script'],
  withdrawnBy: ['joined', 'kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine }) =>
    `Swap is on at ${machine ?? 'the machine'} and the kubelet is not allowed to run with it, so it stops at its start.`,
  remedy: () => [
    step(
      'Switch swap off now and for the next boot.',
      "sudo swapoff -a && sudo sed -ri '/\\sswap\\s/s/^/#/' /etc/fstab && sudo systemctl restart kubelet",
    ),
    step(
      'Instance types whose instance store comes as swap (m1.small, c1.medium) are better excluded.',
      'swapon --show; cat /proc/swaps',
    ),
  ],
  decide: step(
    'See whether any swap is active.',
    'swapon --show; journalctl -u kubelet -n 10 --no-pager',
  ),
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
