import { clear, defineCause, found } from '../../../diagnosis/cause.ts';
import { instanceIdIn } from '../../../evidence/names.ts';

/** An instance has a second Node that no kubelet ever wrote to. */
export default defineCause({
  id: 'phantom-node-under-other-name',
  stage: 'identified',
  title: 'a Node was made in advance under another name than the kubelet registers',
  scope: 'machine',
  signs: {},
  needs: ['kube/Node'],
  symptoms: ['node-not-ready'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-object-without-instance', 'node-heartbeat-lost', 'old-name-node-left-behind'],
  match(view) {
    const nodes = view
      .list('kube/Node')
      .filter((node) => instanceIdIn(`${node.value.name} ${node.value.providerId ?? ''}`) !== null);
    const empty = nodes.find(
      (node) => node.value.kubeletVersion === null && node.value.ready !== true,
    );
    const real = nodes.find(
      (node) => node.value.kubeletVersion !== null && node.value.name !== empty?.value.name,
    );
    if (nodes.some((node) => node.value.conditions.length > 0) && empty === undefined) return clear;
    if (empty === undefined || real === undefined) return null;
    const details = { phantom: empty.value.name, node: real.value.name };
    return found(details, [
      view.quote(empty, `Node ${empty.value.name} has no kubelet version`),
      view.quote(
        real,
        `Node ${real.value.name} has kubelet version ${real.value.kubeletVersion ?? ''}`,
      ),
    ]);
  },
  summary: ({ phantom, node }) =>
    `The instance registered as ${node ?? 'its own name'}; ${phantom ?? 'a second Node'} is the same instance under a name that no kubelet uses, and will stay NotReady.`,
  remedy: ({ phantom }) => [
    {
      text: 'Delete the Node that no kubelet owns.',
      command: `kubectl delete node ${phantom ?? '<phantom-node>'}`,
    },
    {
      text: 'Upgrade Karpenter (releases since 0.28 make no Nodes in advance), or use IP names in the subnets.',
      command:
        'aws ec2 modify-subnet-attribute --subnet-id <subnet> --private-dns-hostname-type-on-launch ip-name',
    },
  ],
  decide: {
    text: 'See which Nodes have no kubelet version.',
    command:
      'kubectl get nodes -o custom-columns=NODE:.metadata.name,PROVIDER:.spec.providerID,KUBELET:.status.nodeInfo.kubeletVersion',
  },
  page: {
    why: 'Early Karpenter created the Node object at launch, under the name it expected the kubelet to use. With resource-based host names the kubelet used the full one, and both stayed.',
    prevent: 'A Karpenter release that lets the kubelet register.',
    notThis:
      'Two Nodes that both have a kubelet version are old-name-node-left-behind or several-nodes-for-nodeclaim.',
    refs: ['https://github.com/aws/karpenter-provider-aws/issues/2872'],
  },
});
