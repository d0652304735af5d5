import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The kubelet protects kernel settings, and the image's differ from what it expects. */
export default defineCause({
  id: 'unexpected-kernel-parameters',
  stage: 'bootstrapped',
  title: 'kernel parameters differ and protectKernelDefaults is on',
  scope: 'machine',
  signs: {
    refused: definite(
      ['kubelet'],
      /invalid kernel flag: (?<key>(?:vm|kernel)\/\w+), expected value: (?<expected>-?\d+), actual value: (?<actual>-?\d+)/i,
      { anchors: ['nvalid kernel flag: '] },
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, key, expected, actual }) =>
    `The kernel parameter ${key?.replace('/', '.') ?? 'of the image'} on ${machine ?? 'the machine'} is ${actual ?? 'another'} where the kubelet expects ${expected ?? 'its default'}; with protectKernelDefaults it stops rather than change it.`,
  remedy: () => [
    step(
      'Set what the kubelet expects and start it again; put the same file into the image.',
      "printf 'vm.overcommit_memory=1\\nvm.panic_on_oom=0\\nkernel.panic=10\\nkernel.panic_on_oops=1\\nkernel.keys.root_maxkeys=1000000\\nkernel.keys.root_maxbytes=25000000\\n' | sudo tee /etc/sysctl.d/99-kubelet.conf && sudo sysctl --system && sudo systemctl restart kubelet",
    ),
  ],
  decide: step(
    'Compare the settings with what the kubelet expects (1, 0, 10, 1).',
    'sysctl vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops; grep -rn protectKernelDefaults /etc/kubernetes/kubelet',
  ),
  page: {
    why: 'With protectKernelDefaults the kubelet compares a few kernel settings with its own and ends when they differ, instead of setting them. CIS and STIG images bring other values, or a later file in /etc/sysctl.d overrides those of the EKS image.',
    prevent: 'Let the file of the image build sort last (99-…) and boot-test hardened images.',
    notThis:
      'Other endings of “Failed to start ContainerManager” are cgroup-driver-mismatch, stale-kubelet-state or swap-enabled.',
    alsoKnownAs: ['invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0'],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/pkg/kubelet/cm/container_manager_linux.go',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/3595',
    ],
  },
});
