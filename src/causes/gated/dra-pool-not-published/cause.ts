import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** A DRA driver has not told the cluster which devices the node has. */
const cause = defineCause({
  id: 'dra-pool-not-published',
  stage: 'gated',
  title: 'a DRA driver has not published its resource pool for the node',
  scope: 'machine',
  signs: {
    condition: likely(
      ['node-claim', 'karpenter', 'object', 'event'],
      /(?:NodeClaim (?<claim>[a-z0-9.-]+) condition )?(?:Initialized=\w+ )?DRADriverPoolsNotPublished(?:.*?DRA driver "(?<driver>[^"]+)")?/,
    ),
    message: likely(
      ['node-claim', 'karpenter', 'object', 'event'],
      /DRA driver "(?<driver>[^"]+)" has not published/,
      { anchors: ['DRA driver'] },
    ),
    notAllocated: context(
      ['event', 'pod-status', 'scheduler'],
      /\d{1,5} (?:cannot allocate all claims|node\(s\) cannot allocate all claims)/,
      { anchors: ['cannot allocate all claims'] },
    ),
    // A row of `kubectl get resourceslices`: name, node, driver, pool, age.
    slice: context(
      ['client-output', 'unknown'],
      /^\S{1,253}\s{1,80}(?<node>[a-z0-9][\w.-]{1,252})\s{1,80}(?<driver>[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6})\s{1,80}\S{1,253}\s{1,80}\d{1,5}[smhdy]\S{0,8}$/,
      {
        anchors: ['gpu.', 'neuron.', 'dra.', '.nvidia.com', '.amazonaws.com', '.k8s.io', '.aws'],
        isBackground: true,
      },
    ),
    // The nodes listed are those that have the device.
    deviceNodesAsked: context(
      ['client-output', 'unknown'],
      /\bget (?:nodes?|no)\b.{0,120}(?:-l|--selector)[ =]?.{0,80}(?:gpu|neuron|accelerator|nvidia|dra)/,
      { anchors: ['get node', 'get no '], isBackground: true },
    ),
    driverUnknown: context(
      ['kubelet', 'kube-apiserver', 'event'],
      /DRA driver \S+ is not registered|can only create ResourceSlice with the same NodeName/,
    ),
  },
  needs: ['kube/Node'],
  symptoms: [],
  summary: ({ machine, claim, driver, bare }) =>
    sentence`The DRA driver ${driver} has not published the devices of ${bare ?? machine ?? claim ?? 'the node'}, so Karpenter does not count the node as initialised and pods with resource claims wait.`,
  remedy: ({ driver }) => [
    {
      text: 'See what was published for the node.',
      command: `kubectl get resourceslices --field-selector spec.nodeName=<node>${driver === undefined ? '' : `,spec.driver=${driver}`}`,
    },
    step(
      'Read the log of the driver’s kubelet plugin on the node.',
      'kubectl get pods -A -o wide --field-selector spec.nodeName=<node> | grep -iE "dra|kubelet-plugin"',
    ),
  ],
  decide: step(
    'Compare the slices of the node with what the driver should publish.',
    'kubectl get nodeclaims -o json',
  ),
  page: {
    why: 'With dynamic resource allocation a driver pod on the node lists its devices in ResourceSlices. Karpenter waits for the whole pool before it calls the node initialised; there is no time limit.',
    prevent:
      'Let the driver’s DaemonSet tolerate start-up taints, and use a machine image with the device’s kernel driver.',
    notThis:
      'Devices announced by a device plugin (nvidia.com/gpu in allocatable) are extended-resource-not-registered.',
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/initialization.go',
      'https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/',
    ],
  },
});

export default matched(cause, matchSlices);

type Own = ViewOf<typeof cause>;

/** Drivers publish within a minute or two of the node's being Ready. */
const YOUNG_MS = 5 * 60_000;

/** Of the nodes that have the device, one has no slice of the driver that the others have. */
function matchSlices(view: Own): Match | null {
  const [waits, slices] = [
    view.clusterSign('notAllocated') ?? view.sign('notAllocated'),
    slicesOf(view),
  ];
  const [slice] = slices;
  if (waits === null || slice === undefined || view.clusterSign('deviceNodesAsked') === null)
    return null;
  const served = new Set(slices.map(({ captures }) => captures['node']));
  const bare = view
    .everywhere('kube/Node')
    .find(({ value }) => value.ready === true && !served.has(value.name) && isSettled(value.ageMs));
  if (bare === undefined) return null;
  const driver = slice.captures['driver'] ?? '';
  return found(
    { driver, bare: bare.value.name },
    [
      waits.last,
      view.quote(bare, `Node ${bare.value.name} is Ready and has no ResourceSlice`),
      slice,
    ],
    'likely',
  );
}

function isSettled(ageMs: number | null): boolean {
  return ageMs !== null && ageMs >= YOUNG_MS;
}

/** The rows of slices; none where there are more than are kept. */
function slicesOf(view: Own): readonly Quote[] {
  const known = view.clusterSign('slice') ?? view.sign('slice');
  return known !== null && known.count === known.quotes.length ? known.quotes : [];
}
