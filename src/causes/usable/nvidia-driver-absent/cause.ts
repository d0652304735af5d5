import { defineCause } from '../../../diagnosis/cause.ts';

/** A program wants the NVIDIA driver on a machine that has none, or no device for it. */
export default defineCause({
  id: 'nvidia-driver-absent',
  stage: 'usable',
  title: 'the machine has no NVIDIA driver or no NVIDIA device',
  scope: 'group',
  signs: {
    driverNotLoaded: {
      in: ['kubelet', 'event', 'containerd', 'pod-status', 'device-plugin', 'pod-app', 'journal'],
      anchors: ['nvidia-container-cli: initialization error'],
      pattern:
        /nvidia-container-cli: initialization error: (?:nvml error: )?(?<reason>driver not loaded|load library failed: libnvidia-ml\.so\.\d+)/,
      weight: 'definite',
    },
    libraryMissing: {
      in: ['device-plugin', 'pod-app', 'client-output', 'event', 'kubelet'],
      anchors: ['could not load NVML library', 'Failed to initialize NVML'],
      pattern:
        /(?<reason>could not load NVML library: libnvidia-ml\.so\.\d+|[Ff]ailed to initialize NVML: (?:ERROR_LIBRARY_NOT_FOUND|could not load NVML library|Driver Not Loaded))/,
      weight: 'likely',
    },
    devicesServed: {
      in: ['device-plugin', 'pod-app'],
      anchors: ['with Kubelet'],
      pattern: /Registered device plugin for 'nvidia\.com\/gpu' with Kubelet/,
      weight: 'clears',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['extended-resource-not-registered'],
  summary: ({ node, instance, reason }) =>
    `${node ?? instance ?? 'The machine'} has no working NVIDIA driver (${reason ?? 'NVML is missing'}), so containers that want a GPU do not start there.`,
  remedy: () => [
    {
      text: 'See which image and type the nodes have: inf and trn types have no NVIDIA device.',
      command:
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type',
    },
    {
      text: 'Use the accelerated AMI (here for AL2023) or the GPU operator on g and p types, the Neuron plugin on inf and trn.',
      command:
        'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/nvidia/recommended/image_id --query Parameter.Value --output text',
    },
    {
      text: 'Keep the device plugin on GPU nodes with a nodeSelector.',
      command: 'kubectl -n kube-system get daemonset nvidia-device-plugin-daemonset -o yaml',
    },
  ],
  decide: {
    text: 'Read what the device plugin found.',
    command: 'kubectl -n kube-system logs -l name=nvidia-device-plugin-ds --prefix --tail=50',
  },
  page: {
    why: 'The standard AMIs carry no NVIDIA driver. On an image that does carry it, the driver does not load without a device: inf and trn types have AWS’s own accelerators.',
    prevent: 'Tie AMI variant and instance types together in the node group or NodePool.',
    notThis:
      'A device plugin that runs on every node says the same on nodes without GPU, where it does no harm. A driver that is there but whose version differs from the library’s needs a reboot.',
    alsoKnownAs: [
      'nvml error: driver not loaded',
      'could not load NVML library: libnvidia-ml.so.1',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1817',
      'https://github.com/awslabs/amazon-eks-ami/issues/1470',
    ],
  },
});
