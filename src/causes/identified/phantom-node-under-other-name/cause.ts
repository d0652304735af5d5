import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { deleting } from '../../../diagnosis/repair.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { instanceIdIn } from '../../../evidence/names.ts';

/** An instance has a second Node that no kubelet ever wrote to. */
const cause = defineCause({
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
  summary: ({ phantom, node }) =>
    `The instance registered as ${node ?? 'its own name'}; ${phantom ?? 'a second Node'} is the same instance under a name that no kubelet uses, and will stay NotReady.`,
  remedy: ({ phantom }) => [
    step(
      'Delete the Node that no kubelet owns.',
      `kubectl delete node ${phantom ?? '<phantom-node>'}`,
    ),
    step(
      'Upgrade Karpenter (releases since 0.28 make no Nodes in advance), or use IP names in the subnets.',
      'aws ec2 modify-subnet-attribute --subnet-id <subnet> --private-dns-hostname-type-on-launch ip-name',
    ),
  ],
  decide: step(
    'See which Nodes have no kubelet version.',
    'kubectl get nodes -o custom-columns=NODE:.metadata.name,PROVIDER:.spec.providerID,KUBELET:.status.nodeInfo.kubeletVersion',
  ),
  page: {
    why: 'Early Karpenter created the Node object at launch, under the name it expected the kubelet to use. With resource-based host names the kubelet used the full one, and both stayed.',
    prevent: 'A Karpenter release that lets the kubelet register.',
    notThis:
      'Two Nodes that both have a kubelet version are old-name-node-left-behind or several-nodes-for-nodeclaim.',
    refs: ['https://github.com/aws/karpenter-provider-aws/issues/2872'],
  },
});

export default matched(cause, matchNodes);

type Own = ViewOf<typeof cause>;

/** A Node that no kubelet ever wrote, beside one of the same instance that a kubelet has. */
function matchNodes(view: Own): Match | null {
  const nodes = view
    .list('kube/Node')
    .filter((node) => instanceIdIn(`${node.value.name} ${node.value.providerId ?? ''}`) !== null);
  const empty = nodes.find(({ value }) => !hasKubelet(value) && value.ready !== true);
  const real = nodes.find(({ value }) => hasKubelet(value) && value.name !== empty?.value.name);
  const areWhole = nodes.every(({ value }) => value.conditions.length > 0 || hasKubelet(value));
  if (nodes.length > 0 && areWhole && empty === undefined) return clear;
  if (empty === undefined || real === undefined) return null;
  const [phantom, node] = [empty.value, real.value];
  const match = found({ phantom: phantom.name, node: node.name }, [
    view.quote(empty, `Node ${phantom.name} has no kubelet version${providerOf(phantom)}`),
    view.quote(
      real,
      `Node ${node.name} has kubelet version ${node.kubeletVersion ?? ''}${providerOf(node)}`,
    ),
  ]);
  const says = `no kubelet ever wrote to it, and its instance is ${node.name}`;
  return withRepairs(match, deleting(phantom, node.name, says));
}

function providerOf({ providerId }: KubeNode): string {
  return providerId === null ? '' : `; providerID ${providerId}`;
}

/** The API server shows an empty version where no kubelet has written one. */
function hasKubelet({ kubeletVersion }: KubeNode): boolean {
  return kubeletVersion !== null && kubeletVersion !== '';
}
