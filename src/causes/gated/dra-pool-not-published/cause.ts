import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

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
    toldUninitialized: context(
      ['client-output', 'unknown'],
      /\b(?:never|not|n't) (?:becomes?|became|become|gets?|got|get) [Ii]nitialized\b|\b(?:stays?|remains?) uninitialized\b|(?<!type: )\bInitialized\b.{0,12}\b(?:Unknown|False)\b/,
      { isTold: true, isBackground: true, anchors: ['nitialized'] },
    ),
    // The pod that would announce the devices of a node.
    driverNotRunning: context(
      ['client-output', 'pod-status', 'unknown'],
      /(?<![a-z0-9-])(?<pod>[a-z0-9-]{0,60}\bdra-(?:driver|plugin|kubelet)[a-z0-9-]{0,60}-[a-z0-9]{5})\s{1,20}0\/\d{1,2}\s{1,20}\S/,
      { anchors: ['dra-driver', 'dra-plugin', 'dra-kubelet'] },
    ),
    claimsUnmet: context(
      ['client-output', 'unknown', 'event', 'scheduler', 'pod-status'],
      /\bcannot allocate all claims\b/,
    ),
    driverUnknown: context(
      ['kubelet', 'kube-apiserver', 'event'],
      /DRA driver \S+ is not registered|can only create ResourceSlice with the same NodeName/,
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, claim, driver }) =>
    sentence`The DRA driver ${driver} has not published the devices of ${machine ?? claim ?? 'the node'}, so Karpenter does not count the node as initialized and pods with resource claims wait.`,
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
    why: 'With dynamic resource allocation a driver pod on the node lists its devices in ResourceSlices. Karpenter waits for the whole pool before it calls the node initialized; there is no time limit.',
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

/** The pod that announces a node's devices does not run, and claims or Karpenter wait for them. */
export default matched(cause, (view) => {
  const seen = (name: 'driverNotRunning' | 'claimsUnmet' | 'toldUninitialized') =>
    (view.sign(name) ?? view.clusterSign(name))?.last;
  const [driver, waits] = [seen('driverNotRunning'), seen('toldUninitialized')];
  if (driver === undefined || waits === undefined || view.isLive) return null;
  const unmet = seen('claimsUnmet');
  return found({}, [driver, waits, ...(unmet === undefined ? [] : [unmet])], 'likely');
});
