import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, context, definite, likely } from '../../../diagnosis/sign.ts';

/** A program wants the NVIDIA driver on a machine that has none, or no device for it. */
const cause = defineCause({
  id: 'nvidia-driver-absent',
  stage: 'usable',
  title: 'the machine has no NVIDIA driver or no NVIDIA device',
  scope: 'group',
  signs: {
    driverNotLoaded: definite(
      ['kubelet', 'event', 'containerd', 'pod-status', 'device-plugin', 'pod-app', 'journal'],
      /nvidia-container-cli: initialization error: (?:nvml error: )?(?<reason>driver not loaded|load library failed: libnvidia-ml\.so\.\d+)/,
    ),
    libraryMissing: likely(
      ['device-plugin', 'pod-app', 'client-output', 'event', 'kubelet'],
      /(?<reason>could not load NVML(?: library)?: libnvidia-ml\.so\.\d+|[Ff]ailed to initialize NVML: (?:ERROR_LIBRARY_NOT_FOUND|Driver Not Loaded))/,
    ),
    // So it is too where the driver is there and containers are not given it.
    libraryNotGiven: context(
      ['device-plugin', 'pod-app', 'client-output'],
      /(?<reason>[Ff]ailed to initialize NVML: could not load NVML library)\.$/,
    ),
    noDevices: context(
      ['device-plugin', 'pod-app'],
      /(?<reason>No devices found\. Waiting indefinitely)/,
    ),
    devicesServed: clears(
      ['device-plugin', 'pod-app'],
      /Registered device plugin for 'nvidia\.com\/gpu' with Kubelet/,
      { anchors: ['with Kubelet'] },
    ),
    headersMissing: likely(
      ['pod-app', 'client-output', 'device-plugin'],
      /(?<reason>\b[Kk]ernel headers (?:were |are )?not found|[Cc]ould not resolve Linux kernel version|[Uu]nable to find the kernel source tree)/,
    ),
    toolCannot: likely(
      ['client-output', 'pod-app', 'host-file', 'cloud-init'],
      /(?<reason>NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver)/,
      { anchors: ['NVIDIA-SMI has failed because it'] },
    ),
    // Containers lack the tool too; only together with the card it is the machine that does.
    toolMissing: context(
      ['client-output', 'unknown', 'host-file', 'journal', 'cloud-init'],
      /(?<reason>\bnvidia-smi: (?:command )?not found|command not found: nvidia-smi|\/proc\/driver\/nvidia\/version: No such file|(?:Module|module) nvidia not found)/,
      {
        anchors: [
          'nvidia-smi: command not found',
          'nvidia-smi: not found',
          'command not found: nvidia-smi',
          '/proc/driver/nvidia/version',
          'odule nvidia not found',
        ],
      },
    ),
    // A row of `lspci`.
    cardThere: context(
      ['client-output', 'unknown', 'host-file'],
      /(?:^|\s)(?:[\da-f]{4}:)?[\da-f]{2}:[\da-f]{2}\.\d (?:3D|VGA compatible|Display) controller(?: \[\d{4}\])?: (?<card>NVIDIA Corporation .{1,80})/,
      { anchors: ['NVIDIA Corporation'] },
    ),
    // A row of `lsmod`, and what the tool prints where the driver answers.
    driverLoaded: context(
      ['client-output', 'unknown', 'host-file'],
      /^\s*nvidia\s+\d{5,9}\s+\d{1,4}\b|\bNVIDIA-SMI \d{3}\.\d+|NVRM version: NVIDIA/,
      { anchors: ['nvidia ', 'NVIDIA-SMI ', 'NVRM version'] },
    ),
    platformUnknown: context(
      ['device-plugin', 'pod-app', 'client-output'],
      /Incompatible (?:strategy|platform) detected|invalid device discovery strategy/,
      { anchors: ['Incompatible strategy', 'Incompatible platform', 'invalid device discovery'] },
    ),
  },
  needs: ['kube/Node', 'aws/instance', 'aws/image'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['extended-resource-not-registered'],
  summary: ({ node, instance, reason, image, type }) =>
    image !== undefined
      ? `${node ?? instance ?? 'The machine'} is a ${type ?? 'GPU machine'} that runs the image ${image}, which has no NVIDIA driver, so it offers no nvidia.com/gpu (${reason ?? 'none allocatable'}).`
      : `${node ?? instance ?? 'The machine'} has no working NVIDIA driver (${reason ?? 'NVML is missing'}), so containers that want a GPU do not start there.`,
  remedy: () => [
    step(
      'See which image and type the nodes have: inf and trn types have no NVIDIA device.',
      'kubectl get nodes -o custom-columns=NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type',
    ),
    step(
      'Use the accelerated AMI (here for AL2023) or the GPU operator on g and p types, the Neuron plugin on inf and trn.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/nvidia/recommended/image_id --query Parameter.Value --output text',
    ),
    step(
      'Keep the device plugin on GPU nodes with a nodeSelector.',
      'kubectl -n kube-system get daemonset nvidia-device-plugin-daemonset -o yaml',
    ),
  ],
  decide: step(
    'Read what the device plugin found.',
    'kubectl -n kube-system logs -l name=nvidia-device-plugin-ds --prefix --tail=50',
  ),
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

export default matched(cause, (view) => matchImage(view) ?? matchMachine(view));

type Own = ViewOf<typeof cause>;

/** Types with an NVIDIA device; that of g4ad is of AMD. */
const NVIDIA = /^(?!g4ad\.)(?:p[2-6][a-z0-9-]*|g[3-6][a-z]{0,2}|gr6|g4dn)\./;
/** Names of the images of EKS that come without accelerator drivers. */
const PLAIN_IMAGE =
  /^amazon-eks-node-(?:al2023-(?:x86_64|arm64)-standard-|\d+\.\d+-v|arm64-\d+\.\d+-v)/;

/** The device plugin finds nothing on a GPU type whose image carries no driver. */
function matchImage(view: Own): Match | null {
  const none = view.sign('noDevices');
  const node = view.read('kube/Node');
  const instance = view
    .list('aws/instance')
    .find(({ value }) => (value.InstanceId ?? null) === view.instanceId);
  if (none === null || node.state !== 'seen' || instance === undefined) return null;
  const type = instance.value.InstanceType ?? '';
  const id = instance.value.ImageId ?? null;
  const image = view.list('aws/image').find(({ value }) => (value.ImageId ?? null) === id);
  const name = image?.value.Name ?? '';
  const gpus = node.value.allocatable['nvidia.com/gpu'] ?? '0';
  if (!NVIDIA.test(type) || gpus !== '0' || image === undefined || !PLAIN_IMAGE.test(name))
    return null;
  return found({ node: node.value.name, type, image: name, reason: 'No devices found' }, [
    none.last,
    view.quote(image, `${id ?? ''} ${name}`),
    view.quote(node, `Node ${node.value.name} (${type}) allocatable has no nvidia.com/gpu`),
  ]);
}

/** The card is on the bus of the machine, and the machine has neither the driver nor its tool. */
function matchMachine(view: Own): Match | null {
  const [card, missing] = [view.sign('cardThere')?.last, view.sign('toolMissing')?.last];
  if (card === undefined || missing === undefined || view.sign('driverLoaded') !== null)
    return null;
  const none = view.sign('noDevices')?.last;
  const reason = missing.captures['reason'] ?? 'nvidia-smi is missing';
  const proof = [card, missing, ...(none === undefined ? [] : [none])];
  return found({ reason }, proof, 'likely');
}
