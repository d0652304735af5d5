import { defineCause, found } from '../../../diagnosis/cause.ts';

const DELIBERATE =
  /^(?:karpenter\.sh\/(?:disrupted|disruption)|ToBeDeletedByClusterAutoscaler|node\.kubernetes\.io\/unschedulable|aws-node-termination-handler\/[\w-]+)$/;

/** Somebody or some controller closed a healthy node on purpose, and pods wait for it. */
export default defineCause({
  id: 'cordon-or-deliberate-taint',
  stage: 'usable',
  title: 'the node is cordoned or tainted on purpose',
  scope: 'machine',
  signs: {
    closed: {
      in: ['event', 'kubelet'],
      anchors: ['NodeNotSchedulable'],
      pattern: /Node (?<node>[\w.-]+) status is now: NodeNotSchedulable/,
      weight: 'context',
    },
    podsWait: {
      in: ['event', 'pod-status', 'scheduler'],
      anchors: [
        'node(s) were unschedulable',
        'karpenter.sh/disrupt',
        'ToBeDeletedByClusterAutoscaler',
      ],
      pattern:
        /\b0\/(?<total>\d+) nodes are available: (?<closedNodes>\d+) node\(s\) (?:were unschedulable|had (?:untolerated )?taint \{(?:karpenter\.sh\/disrupt\w+|ToBeDeletedByClusterAutoscaler)[^}]*\}[^.,]*)\./,
      weight: 'context',
    },
    opened: {
      in: ['event', 'kubelet'],
      anchors: ['status is now: NodeSchedulable'],
      pattern: /Node (?<node>[\w.-]+) status is now: NodeSchedulable/,
      weight: 'withdraws',
    },
  },
  needs: ['kube/Node'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  match(view) {
    const waiting = view.sign('podsWait');
    const all =
      waiting !== null && waiting.last.captures['total'] === waiting.last.captures['closedNodes'];
    if (all) return found(waiting.last.captures, [waiting.first], 'likely');
    const closed = view.sign('closed');
    const node = view.read('kube/Node');
    if (closed === null || node.state !== 'seen' || node.value.ready === false) return null;
    const taint = node.value.taints?.find((entry) => DELIBERATE.test(entry.key))?.key;
    if (node.value.unschedulable !== true && taint === undefined) return null;
    const quote = view.quote(node, `Node ${node.value.name} ${taint ?? 'unschedulable'}`);
    return found({ ...closed.last.captures, ...(taint === undefined ? {} : { taint }) }, [
      closed.last,
      quote,
    ]);
  },
  summary: ({ node, total, taint }) =>
    total === undefined
      ? `${node ?? 'The node'} is closed to new pods on purpose (${taint ?? 'cordoned'}); nothing else is wrong with it.`
      : `All ${total} nodes are cordoned or about to be removed, so new pods stay Pending.`,
  remedy: ({ node }) => [
    {
      text: 'See who closed it: the managers of its fields name the actor.',
      command: `kubectl get node ${node ?? '<node>'} --show-managed-fields -o yaml`,
    },
    {
      text: 'Open it again, or let the drain finish.',
      command: `kubectl uncordon ${node ?? '<node>'}`,
    },
  ],
  decide: {
    text: 'See which nodes are closed.',
    command:
      'kubectl get nodes -o custom-columns=NAME:.metadata.name,CLOSED:.spec.unschedulable,TAINTS:.spec.taints[*].key',
  },
  page: {
    why: 'kubectl drain, node group updates, the cluster autoscaler, Karpenter and the termination handler all close a node before they remove it. Where that stops halfway, a healthy node stays closed.',
    prevent: 'Watch for nodes that stay cordoned, and for disruption budgets that block a drain.',
    notThis:
      'Taints not-ready, unreachable and uninitialized are set because something is wrong, and startup taints wait for an agent. DeletionCandidateOfClusterAutoscaler only makes a node less preferred.',
    alsoKnownAs: ['SchedulingDisabled', 'node(s) were unschedulable'],
    refs: ['https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/'],
  },
});
