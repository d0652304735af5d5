import { defineCause, found, type View } from '../../../diagnosis/cause.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { podCondition } from '../../../evidence/pods.ts';

/** A node without zone labels, for which pods with zonal volumes or spread rules cannot be placed. */
export default defineCause({
  id: 'topology-labels-missing',
  stage: 'usable',
  title: 'the node lacks its zone label',
  scope: 'machine',
  signs: {
    notPlaced: {
      in: ['event', 'pod-status', 'scheduler'],
      anchors: ['volume node affinity', 'topology spread constraints'],
      pattern:
        /nodes are available:.*(?<reason>volume node affinity conflict|didn't match pod topology spread constraints \(missing required label\))/,
      weight: 'context',
    },
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  match(view) {
    const waiting = view.sign('notPlaced') ?? view.clusterSign('notPlaced');
    if (waiting === null || isOver(view)) return null;
    const bare = view.list('kube/Node').find((fact) => lacksZone(fact.value));
    if (bare === undefined) return null;
    const quote = view.quote(
      bare,
      `Node ${bare.value.name} has no label topology.kubernetes.io/zone`,
    );
    return found(
      { bare: bare.value.name, ...waiting.last.captures },
      [quote, waiting.first],
      'likely',
    );
  },
  summary: ({ bare, reason }) =>
    `${bare ?? 'A node'} has no label topology.kubernetes.io/zone, so pods with zonal volumes or spread rules are not placed there${reason === undefined ? '' : ` (${reason})`}.`,
  remedy: ({ bare }) => [
    {
      text: 'Let the cloud controller manager initialise the node; it writes zone, region and instance type.',
      command: 'kubectl -n kube-system logs -l k8s-app=aws-cloud-controller-manager --tail=100',
    },
    {
      text: 'Or label it by hand.',
      command: `kubectl label node ${bare ?? '<node>'} topology.kubernetes.io/zone=<zone> topology.kubernetes.io/region=<region>`,
    },
  ],
  decide: {
    text: 'See which nodes lack labels.',
    command: 'kubectl get nodes -L topology.kubernetes.io/zone,node.kubernetes.io/instance-type',
  },
  page: {
    why: 'Zone, region and instance type come from the cloud provider: on EKS from the managed controller, elsewhere from the cloud controller manager. Without it, or with a Node made by hand, they are missing.',
    prevent: 'Run the cloud controller manager before the first worker joins.',
    notThis:
      'Where every node has its zone, the volume is simply in a zone without a fitting node. A node with the uninitialized taint is no-cloud-controller-manager or ccm-cannot-initialize-node.',
    alsoKnownAs: ['node(s) had volume node affinity conflict'],
    refs: [
      'https://github.com/kubernetes/cloud-provider/blob/HEAD/controllers/node/node_controller.go',
      'https://kubernetes.io/docs/reference/labels-annotations-taints/',
    ],
  },
});

/** Only a source that shows labels at all can show that one is missing. */
function lacksZone(node: KubeNode): boolean {
  const labels = Object.keys(node.labels);
  return (
    labels.includes('kubernetes.io/hostname') &&
    !labels.includes('topology.kubernetes.io/zone') &&
    !labels.includes('failure-domain.beta.kubernetes.io/zone')
  );
}

/** Live, pods that waited when the event was written have been placed since, or are gone. */
function isOver(view: View<'kube/Pod', never>): boolean {
  const waits = view
    .list('kube/Pod')
    .some(({ value }) => podCondition(value, 'PodScheduled', 'status') === 'False');
  return view.nowMs !== null && !waits;
}
