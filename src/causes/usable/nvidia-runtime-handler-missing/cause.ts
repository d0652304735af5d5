import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';

/** Pods ask for the runtime handler nvidia, and the node's runtime has none of this name. */
export default defineCause({
  id: 'nvidia-runtime-handler-missing',
  stage: 'usable',
  title: 'the container runtime has no nvidia handler, which pods ask for',
  scope: 'machine',
  signs: {
    notConfigured: definite(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output', 'journal'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.{0,200})?(?:no runtime for "?(?<handler>nvidia[\w-]*)"? is configured|find runtime handler "?(?<handler2>nvidia[\w-]*)"? from runtime list|RuntimeHandler "?(?<handler3>nvidia[\w-]*)"? not supported)/,
    ),
    unknownToDocker: definite(
      ['event', 'kubelet', 'pod-status', 'client-output', 'journal'],
      /nknown (?:runtime specified|or invalid runtime name):? "?(?<handler>nvidia[\w-]*)/,
    ),
    binaryMissing: definite(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output', 'journal'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.{0,400})?\bexec:? "?(?<binary>[\w./-]{0,120}nvidia-container-runtime[\w.-]{0,20})"?: (?:no such file or directory|executable file not found|stat )/,
    ),
    started: withdraws(['event'], /\bStarted\s+pod\/(?<pod>[\w.-]{1,253})\s+Started container/),
    platformUnknown: context(
      ['device-plugin', 'pod-app', 'client-output'],
      /Incompatible (?:strategy|platform) detected|invalid device discovery strategy/,
      { anchors: ['Incompatible strategy', 'Incompatible platform', 'invalid device discovery'] },
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['extended-resource-not-registered'],
  summary: ({ node, machine, handler, handler2, handler3, binary, pod }) =>
    `The container runtime of ${node ?? machine ?? 'the node'} ${binary === undefined ? `has no handler ${handler ?? handler2 ?? handler3 ?? 'nvidia'}` : `does not find ${binary}`}, so ${pod === undefined ? 'pods that ask for it do' : `the pod ${pod} does`} not start there.`,
  remedy: () => [
    step(
      'See what the NVIDIA container toolkit of this node says; it writes the handler into the runtime’s configuration.',
      'kubectl get pods -A -o wide | grep -E "nvidia-container-toolkit|nvidia-driver|nvidia-operator-validator"',
    ),
    step(
      'Without the GPU operator, let the toolkit write it on the machine, then restart the runtime.',
      'sudo nvidia-ctk runtime configure --runtime=containerd && sudo systemctl restart containerd',
    ),
    step(
      'On EKS, use the accelerated AMI (here for AL2023), which carries driver and toolkit.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/nvidia/recommended/image_id --query Parameter.Value --output text',
    ),
  ],
  decide: step(
    'Look for the handler in the configuration of the node’s runtime.',
    'sudo containerd config dump | grep -A4 nvidia; kubectl get runtimeclass',
  ),
  page: {
    why: 'A RuntimeClass names a handler, and each node’s runtime must know it. The NVIDIA toolkit writes it into containerd’s or CRI-O’s configuration; a plain AMI has no toolkit, the GPU operator’s toolkit pod may wait for the driver, and a runtime whose configuration was overwritten after that has lost the handler.',
    prevent:
      'Tie GPU types to accelerated AMIs, and let user data not overwrite the runtime’s configuration after the toolkit.',
    notThis:
      'In a new GPU node’s first minutes this passes as soon as the operator’s toolkit pod is done. A driver that is absent is nvidia-driver-absent. RuntimeClass "nvidia" not found means that the cluster has no such object, whatever the node has.',
    alsoKnownAs: [
      'failed to get sandbox runtime: no runtime for "nvidia" is configured',
      'failed to find runtime handler nvidia from runtime list',
    ],
    refs: [
      'https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/troubleshooting.html',
      'https://github.com/NVIDIA/gpu-operator/issues/413',
      'https://github.com/NVIDIA/gpu-operator/issues/730',
    ],
  },
});
