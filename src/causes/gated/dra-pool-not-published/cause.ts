import { defineCause } from '../../../diagnosis/cause.ts';

/** A DRA driver has not told the cluster which devices the node has. */
export default defineCause({
  id: 'dra-pool-not-published',
  stage: 'gated',
  title: 'a DRA driver has not published its resource pool for the node',
  scope: 'machine',
  signs: {
    condition: {
      in: ['node-claim', 'karpenter', 'object', 'event'],
      anchors: ['DRADriverPoolsNotPublished'],
      pattern:
        /(?:NodeClaim (?<claim>[a-z0-9.-]+) condition )?(?:Initialized=\w+ )?DRADriverPoolsNotPublished(?:.*?DRA driver "(?<driver>[^"]+)")?/,
      weight: 'likely',
    },
    message: {
      in: ['node-claim', 'karpenter', 'object', 'event'],
      anchors: ['DRA driver'],
      pattern: /DRA driver "(?<driver>[^"]+)" has not published/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, claim, driver }) =>
    `The DRA driver ${driver ?? ''} has not published the devices of ${machine ?? claim ?? 'the node'}, so Karpenter does not count the node as initialised and pods with resource claims wait.`.replace(
      'driver  has',
      'driver has',
    ),
  remedy: ({ driver }) => [
    {
      text: 'See what was published for the node.',
      command: `kubectl get resourceslices --field-selector spec.nodeName=<node>${driver === undefined ? '' : `,spec.driver=${driver}`}`,
    },
    {
      text: 'Read the log of the driver’s kubelet plugin on the node.',
      command:
        'kubectl get pods -A -o wide --field-selector spec.nodeName=<node> | grep -iE "dra|kubelet-plugin"',
    },
  ],
  decide: {
    text: 'Compare the slices of the node with what the driver should publish.',
    command: 'kubectl get nodeclaims -o json',
  },
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
