import { clear, defineCause, found } from '../../../diagnosis/cause.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { instanceIdIn, ipInName } from '../../../evidence/names.ts';

/** The machine registered again under a new name, and its first Node is still there. */
export default defineCause({
  id: 'old-name-node-left-behind',
  stage: 'identified',
  title: 'the machine registered again under another name and its old Node is still there',
  scope: 'machine',
  signs: {},
  needs: ['kube/Node'],
  symptoms: ['node-not-ready'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-object-without-instance', 'node-heartbeat-lost'],
  match(view) {
    const nodes = view.list('kube/Node').filter((node) => node.value.kubeletVersion !== null);
    const current = nodes.find((node) => node.value.ready === true);
    const stale = nodes.find(
      (node) =>
        node.value.ready !== true &&
        node.value.name !== current?.value.name &&
        isSameMachine(node.value, current?.value),
    );
    if (nodes.length > 0 && nodes.every((node) => node.value.ready === true)) return clear;
    if (current === undefined || stale === undefined) return null;
    const details = { stale: stale.value.name, node: current.value.name };
    return found(details, [
      view.quote(stale, `Node ${stale.value.name} is not Ready`),
      view.quote(current, `Node ${current.value.name} of the same machine is Ready`),
    ]);
  },
  summary: ({ stale, node }) =>
    `The machine is Ready as ${node ?? 'its new name'}; ${stale ?? 'the other Node'} is what it was called before, and will stay NotReady.`,
  remedy: ({ stale }) => [
    {
      text: 'Move what is left of it, then delete the old Node.',
      command: `kubectl drain ${stale ?? '<old-node>'} --ignore-daemonsets --force && kubectl delete node ${stale ?? '<old-node>'}`,
    },
    {
      text: 'A control plane machine also has certificates and an etcd member under the old name: look before deleting.',
      command: "kubectl -n kube-system get pods -o wide | grep -E 'etcd|apiserver'",
    },
  ],
  decide: {
    text: 'Compare the machine ids of the two Nodes.',
    command:
      'kubectl get nodes -o custom-columns=NODE:.metadata.name,MACHINE:.status.nodeInfo.machineID,PROVIDER:.spec.providerID | sort -k2',
  },
  page: {
    why: 'Adding --cloud-provider to a running cluster, or a new host name, makes the kubelet register a second Node. Nobody deletes the first, as its instance exists.',
    prevent:
      'Decide on names before the first join; drain and delete the Node before renaming a machine.',
    notThis:
      'A Node without a kubelet version is phantom-node-under-other-name; a Node whose instance is gone is node-object-without-instance.',
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/47695',
      'https://github.com/kubernetes/kubernetes/issues/54482',
    ],
  },
});

/** One instance id, or one address spelled in both names; addresses alone are used again. */
function isSameMachine(stale: KubeNode, current: KubeNode | undefined): boolean {
  if (current === undefined) return false;
  const idOf = (node: KubeNode): string | null =>
    instanceIdIn(`${node.name} ${node.providerId ?? ''}`);
  if (idOf(stale) !== null && idOf(current) !== null) return idOf(stale) === idOf(current);
  return ipInName(stale.name) !== null && ipInName(stale.name) === ipInName(current.name);
}
