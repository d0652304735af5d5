import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** Pods bound longer before the taint than this belong to another life of the node. */
const BEFORE_MAX_MS = 300_000;

/** The gate taint came after the scheduler had already put pods on the new node. */
export default defineCause({
  id: 'gate-taint-added-too-late',
  stage: 'gated',
  title: 'pods were placed before the gate taint was on the node',
  scope: 'machine',
  signs: {
    closedFirst: {
      in: ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      anchors: ['Taints added: '],
      pattern:
        /Taints added: \[(?<taint>[^\]\s]+)[^\]]*\], Taints removed: \[\], TaintLess: false, FirstTimeReady: ""/,
      weight: 'context',
    },
    placed: {
      in: ['event'],
      anchors: ['Successfully assigned'],
      // ReplicaSet pods only: DaemonSet pods belong on a closed node.
      pattern:
        /Successfully assigned (?<pod>[a-z0-9-]+\/[a-z0-9-]+-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}) to (?<node>[a-z0-9][a-z0-9.-]*)/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  blocksAbove: false,
  match: (view) => matchOrder(view),
  summary: ({ machine, pod, taint, gapS }) =>
    `The pod ${pod ?? ''} was placed on ${machine ?? 'the node'} ${gapS ?? 'some'} seconds before the gate put its taint ${taint ?? ''} there, so it started without the agents that the gate waits for.`.replace(
      'pod  was',
      'pod was',
    ),
  remedy: ({ pod, taint }) => [
    {
      text: 'Register nodes with the taint already on: kubelet registerWithTaints (NodeConfig: spec.kubelet.config.registerWithTaints), node group taints or Karpenter startupTaints.',
      command: `kubelet --register-with-taints=${taint ?? '<taint-key>'}=:NoSchedule`,
    },
    {
      text: 'Move the pods that slipped in.',
      command: `kubectl -n ${pod?.split('/')[0] ?? '<namespace>'} delete pod ${pod?.split('/')[1] ?? '<pod>'}`,
    },
  ],
  decide: {
    text: 'Compare when pods were bound with when the taint came.',
    command: 'kubectl get events -A -o json',
  },
  page: {
    why: 'A controller sees a new Node some time after the scheduler does. Between the moment the Node is Ready (or its not-ready taint goes) and the controller’s write, nothing holds pods back.',
    prevent:
      'Taints that the kubelet registers itself, or an admission policy that adds them when the Node is created.',
    notThis:
      'Pods bound after the taint was removed are gate-opened-too-early. DaemonSet pods and pods that tolerate the taint belong there.',
    refs: [
      'https://github.com/uswitch/nidhogg/issues/11',
      'https://github.com/kubernetes-sigs/node-readiness-controller',
    ],
  },
});

function matchOrder(view: View<never, 'closedFirst' | 'placed'>): Match | null {
  const closed = view.sign('closedFirst');
  const placed = view.sign('placed');
  const [at, before] = [closed?.first.moment.when ?? null, placed?.first.moment.when ?? null];
  if (closed === null || placed === null || at === null || before === null) return null;
  if (at.clock !== before.clock || at.yearless !== before.yearless) return null;
  const gapMs = at.ms - before.ms;
  if (gapMs <= 0) return clear;
  if (gapMs > BEFORE_MAX_MS) return null;
  return found(
    { ...closed.first.captures, ...placed.first.captures, gapS: String(Math.round(gapMs / 1000)) },
    [placed.first, closed.first],
    'likely',
  );
}
