import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { readyForMs } from '../../../domain/nodes/ready-node.ts';

/** Device drivers take up to a few minutes; a node Ready for longer without its devices has a fault. */
const READY_FOR_MS = 300_000;

interface Family {
  readonly types: RegExp;
  readonly resource: string;
}

/** Instance families by the resource that a device plugin announces for them. */
const FAMILIES: readonly Family[] = [
  {
    types: /^(?!g4ad\.)(?:p[2-6][a-z0-9-]*|g[3-6][a-z]{0,2}|gr6|g4dn)\./,
    resource: 'nvidia.com/gpu',
  },
  { types: /^(?:inf|trn)[1-3][a-z]?\./, resource: 'aws.amazon.com/neuron' },
];

/** The node has the hardware, and nobody announced it to the kubelet. */
const cause = defineCause({
  id: 'extended-resource-not-registered',
  stage: 'gated',
  title: 'an accelerator or other device of the node was never registered',
  scope: 'machine',
  signs: {
    condition: likely(
      ['node-claim', 'karpenter', 'object', 'event', 'device-plugin', 'client-output'],
      /Resource "(?<resource>[^"]+)" was requested but not registered/,
    ),
    inflight: likely(
      ['karpenter', 'event', 'client-output'],
      /Expected resource "(?<resource>[^"]+)" didn't register on the node/,
    ),
    reason: likely(
      ['node-claim', 'karpenter', 'object', 'device-plugin', 'client-output'],
      /\bResourceNotRegistered\b/,
    ),
    refused: likely(
      ['kubelet', 'device-plugin'],
      /Bad registration request from device plugin\b|requested API version "?[\w.]+"? is not supported by kubelet/,
    ),
    pluginEnded: context(
      ['kubelet', 'event', 'containerd'],
      /ListAndWatch ended unexpectedly for device plugin|device plugin registration gRPC server failed|requested number of devices unavailable for (?<resource>[\w./-]+)|unresolvable CDI devices/,
      {
        anchors: [
          'ListAndWatch ended unexpectedly',
          'device plugin registration gRPC',
          'number of devices unavailable',
          'unresolvable CDI devices',
        ],
      },
    ),
    insufficient: context(
      ['event', 'pod-status', 'scheduler', 'client-output'],
      /\b0\/\d+ nodes are available:.*\bInsufficient (?<resource>nvidia\.com\/gpu|amd\.com\/gpu|aws\.amazon\.com\/neuron\w*|vpc\.amazonaws\.com\/efa)\b/,
      {
        anchors: [
          'Insufficient nvidia',
          'Insufficient amd',
          'Insufficient aws.',
          'Insufficient vpc.',
        ],
      },
    ),
    pluginTold: context(
      ['client-output', 'unknown', 'pod-status'],
      /\b(?<plugin>(?:nvidia|neuron|k8s|efa|amdgpu)-device-plugin)\b|\bnvidia-smi\b/,
      { isTold: true },
    ),
    toldNoPlugin: context(
      ['client-output', 'unknown'],
      /\b(?:no(?! (?:evidence|indication|proof|sign)\b)|without(?: an?| the| any)?|never|not|[Ff]orgot to)\b[^.,;]{0,60}\b(?:device[ -]plugins?|(?:GPU|gpu)[ -][Oo]perator)\b(?! (?:problem|issue|error|trouble|restart|log|crash|fail))|\bnothing(?: else)? (?:is |was )?(?:installed|deployed|applied|added|configured)\b[^.,;]{0,30}\bfor (?:the )?(?:GPU|gpu)s?\b/,
      {
        isTold: true,
        anchors: [
          'device plugin',
          'device-plugin',
          'gpu operator',
          'gpu-operator',
          'GPU operator',
          'GPU-operator',
          'GPU Operator',
          'nothing ',
        ],
      },
    ),
    announced: context(
      ['client-output', 'unknown', 'node-status', 'object'],
      /^\s*"?(?:nvidia\.com\/gpu|amd\.com\/gpu|aws\.amazon\.com\/neuron\w*|vpc\.amazonaws\.com\/efa)"?:? {1,40}"?[1-9]/,
    ),
    toldNone: context(
      ['client-output', 'unknown'],
      /\b(?:[Ss]ees?|[Ss]hows?|[Ss]hown|[Hh]as|[Hh]ave|[Tt]here (?:are|is)|[Rr]eports?|[Ll]ists?|[Gg]ets?) (?:no|0|zero|<none>) (?:(?:allocatable|available|NVIDIA|nvidia) )?(?:GPUs?\b|nvidia\.com\/gpu\b)(?! on (?:\w+ )?(?:nodes?|machines?|instances?) without)|\bnvidia\.com\/gpu\b.{0,40}(?:\b(?:is|are|was|were) (?:\w+ )?(?:missing|absent)\b|(?:\b(?:never|not|no longer)|n't) (?:\w+ )?(?:listed|shown|there|advertised|announced|appears?|shows? up)\b)/,
      {
        isTold: true,
        anchors: [
          ' no GPU',
          ' 0 GPU',
          'zero GPU',
          '<none> GPU',
          'allocatable GPU',
          'available GPU',
          'NVIDIA GPU',
          'nvidia GPU',
          'nvidia.com/gpu',
        ],
      },
    ),
  },
  needs: ['kube/Node'],
  symptoms: ['pod-not-scheduled'],
  blocksAbove: false,
  summary: ({ machine, resource, type }) =>
    sentence`The node ${machine}${phrase` (${type})`} does not announce ${resource ?? 'the extended resource that pods ask for'}, so pods that want it stay Pending.`,
  remedy: ({ resource }) => [
    step(
      'See whether a device plugin runs on the node.',
      'kubectl get pods -A -o wide --field-selector spec.nodeName=<node> | grep -iE "device-plugin|neuron|nvidia|efa"',
    ),
    resource?.startsWith('aws.amazon.com/neuron') === true
      ? step(
          'Install the Neuron device plugin.',
          'helm upgrade --install neuron oci://public.ecr.aws/neuron/neuron-helm-chart -n kube-system',
        )
      : step(
          'Install the device plugin, with tolerations for the node’s taints.',
          'helm upgrade --install nvdp nvidia-device-plugin --repo https://nvidia.github.io/k8s-device-plugin -n kube-system',
        ),
    step(
      'Use the accelerated variant of the machine image and see whether the driver finds the device.',
      'nvidia-smi || neuron-ls',
    ),
  ],
  decide: step('Read what the node announces.', 'kubectl get node <node> -o json'),
  page: {
    why: 'The kubelet knows devices only from device plugins. Without the plugin’s pod, or without a driver for it to talk to, the resource is missing or 0, and Karpenter calls the node not initialized.',
    prevent:
      'Accelerated machine images, device plugins as add-ons, tolerations that match the node group’s taints.',
    notThis:
      '`Insufficient nvidia.com/gpu` alone is also said when all devices are taken. A plugin that runs and finds no driver is nvidia-driver-absent; vpc.amazonaws.com/pod-eni is trunk-eni-missing.',
    alsoKnownAs: ['Insufficient nvidia.com/gpu', 'ResourceNotRegistered'],
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/initialization.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/device-management-nvidia.html',
    ],
  },
});

export default matched(cause, matchNode);

type Own = ViewOf<typeof cause>;

function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  const told = matchTold(view);
  if (told !== null) return told;
  if (node.state === 'seen') {
    const asked = matchAsked(view, node);
    if (asked !== null) return asked;
  }
  if (
    node.state !== 'seen' ||
    readyForMs(node.value) < READY_FOR_MS ||
    Object.keys(node.value.allocatable).length === 0
  )
    return null;
  const type = node.value.labels['node.kubernetes.io/instance-type'] ?? '';
  const family = FAMILIES.find(({ types }) => types.test(type));
  if (family === undefined) return null;
  if (announces(node.value, family.resource)) return clear;
  return found(
    { resource: family.resource, type },
    [view.quote(node, `Node ${node.value.name} (${type}) allocatable has no ${family.resource}`)],
    'likely',
  );
}

/** MIG slices and Neuron cores have names of their own under the same domain. */
function announces(node: KubeNode, resource: string): boolean {
  const domain = resource.slice(0, resource.indexOf('/') + 1);
  return Object.entries(node.allocatable).some(
    ([name, amount]) => name.startsWith(domain) && amount !== '0',
  );
}

const DEVICE = /^(?:nvidia\.com\/|amd\.com\/|aws\.amazon\.com\/neuron|vpc\.amazonaws\.com\/efa)/;

/** Somebody asked all Nodes for the device that a plugin should announce, and none has any. */
function matchAsked(view: Own, node: Seen<KubeNode>): Match | null {
  const plugin = view.sign('pluginTold') ?? view.clusterSign('pluginTold');
  const resource = Object.keys(node.value.allocatable).find((name) => DEVICE.test(name));
  if (resource === undefined || plugin === null || view.isLive) return null;
  const isNowhere = view
    .everywhere('kube/Node')
    .every(({ value }) => value.allocatable[resource] === '0');
  if (!isNowhere) return null;
  const words = `Node ${node.value.name} allocatable ${resource} 0`;
  return found({ resource }, [view.quote(node, words), plugin.last], 'likely');
}

/** No Node has enough of it although its plugin was installed; a Node that shows some is only full. */
function matchTold(view: Own): Match | null {
  const plugin = view.sign('toldNoPlugin') ?? view.sign('pluginTold');
  // Of tools that see no card, the driver may be the reason.
  const none = plugin?.first.captures['plugin'] === undefined ? null : view.sign('toldNone');
  const lacking = view.sign('insufficient') ?? none;
  if (lacking === null || plugin === null || view.sign('announced') !== null) return null;
  if (view.isLive || view.everywhere('kube/Node').length > 0) return null;
  return found(lacking.first.captures, [lacking.first, plugin.first], 'likely');
}
