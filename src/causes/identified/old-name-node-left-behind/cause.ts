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
import { context } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { instanceIdIn, ipInName } from '../../../evidence/names.ts';

/** The machine registered again under a new name, and its first Node is still there. */
const cause = defineCause({
  id: 'old-name-node-left-behind',
  stage: 'identified',
  title: 'the machine registered again under another name and its old Node is still there',
  scope: 'machine',
  signs: {
    oldNameTold: context(
      ['client-output', 'unknown'],
      /\b(?:old|previous|former|original) (?:host ?name|node name)\b/i,
      { isTold: true, anchors: ['hostname', 'host name', 'node name', 'Hostname'] },
    ),
  },
  needs: ['kube/Node'],
  symptoms: ['node-not-ready'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-object-without-instance', 'node-heartbeat-lost'],
  summary: ({ stale, node, state }) =>
    `The machine is ${state ?? 'Ready'} as ${node ?? 'its new name'}; ${stale ?? 'the other Node'} is what it was called before, and will stay NotReady.`,
  remedy: ({ stale }) => [
    step(
      'Move what is left of it, then delete the old Node.',
      `kubectl drain ${stale ?? '<old-node>'} --ignore-daemonsets --force && kubectl delete node ${stale ?? '<old-node>'}`,
    ),
    step(
      'A control plane machine also has certificates and an etcd member under the old name: look before deleting.',
      "kubectl -n kube-system get pods -o wide | grep -E 'etcd|apiserver'",
    ),
  ],
  decide: step(
    'Compare the machine ids of the two Nodes.',
    'kubectl get nodes -o custom-columns=NODE:.metadata.name,MACHINE:.status.nodeInfo.machineID,PROVIDER:.spec.providerID | sort -k2',
  ),
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

export default matched(cause, matchNodes);

type Own = ViewOf<typeof cause>;

/** The Node that is reported to now, and an older one of the same machine that is not. */
function matchNodes(view: Own): Match | null {
  const nodes = view.list('kube/Node').filter((node) => node.value.kubeletVersion !== null);
  if (nodes.length > 0 && nodes.every((node) => node.value.ready === true)) return clear;
  const reported = nodes.filter(({ value }) => isReporting(value));
  if (nodes.length > 0 && reported.length === nodes.length) return clear;
  const current = reported.find(({ value }) => value.ready === true) ?? reported[0];
  const stale = nodes.find(
    ({ value }) => !isReporting(value) && isSameMachine(value, current?.value),
  );
  if (current !== undefined && stale === undefined) return matchTold(view, current, nodes);
  if (current === undefined || stale === undefined) return null;
  if (isNewer(stale.value, current.value)) return null;
  const details = {
    stale: stale.value.name,
    node: current.value.name,
    state: current.value.ready === true ? 'Ready' : 'reported to',
  };
  const match = found(details, [
    view.quote(stale, `Node ${stale.value.name} is not Ready${tiesOf(stale.value)}`),
    view.quote(
      current,
      `Node ${current.value.name} of the same machine is ${details.state}${tiesOf(current.value)}`,
    ),
  ]);
  const says = `its machine is ${details.state} as ${details.node}`;
  return withRepairs(match, deleting(stale.value, details.node, says));
}

/** Of two Nodes, one is Ready and somebody says that the other has the old name. */
function matchTold(
  view: Own,
  current: Seen<KubeNode>,
  nodes: readonly Seen<KubeNode>[],
): Match | null {
  const told = view.sign('oldNameTold') ?? view.clusterSign('oldNameTold');
  const stale = nodes.find(({ value }) => !isReporting(value));
  if (told === null || stale === undefined || nodes.length !== 2) return null;
  const details = { stale: stale.value.name, node: current.value.name, state: 'Ready' };
  return found(
    details,
    [told.last, view.quote(stale, `Node ${stale.value.name} is not Ready`)],
    'likely',
  );
}

/** Tables say only that a Node is not Ready; objects tell a kubelet's own False from silence. */
function isReporting(node: KubeNode): boolean {
  return node.ready === true || node.conditions.some(isOwnFalse);
}

function isOwnFalse({ type, status }: KubeNode['conditions'][number]): boolean {
  return type === 'Ready' && status === 'False';
}

function isNewer(stale: KubeNode, current: KubeNode): boolean {
  return (
    stale.createdMs !== null && current.createdMs !== null && stale.createdMs > current.createdMs
  );
}

/** What shows whose Node it is, as far as the source has it. */
function tiesOf(node: KubeNode): string {
  const ties = [
    node.machineId === null || node.machineId === '' ? null : `machineID ${node.machineId}`,
    node.internalIp === null ? null : `InternalIP ${node.internalIp}`,
    node.providerId === null ? null : `providerID ${node.providerId}`,
  ].filter((tie) => tie !== null);
  return ties.length === 0 ? '' : `; ${ties.join(', ')}`;
}

/** One instance id, one machine id and address, or one address spelled in both names. */
function isSameMachine(stale: KubeNode, current: KubeNode | undefined): boolean {
  if (current === undefined || stale.name === current.name) return false;
  const idOf = (node: KubeNode): string | null =>
    instanceIdIn(`${node.name} ${node.providerId ?? ''}`);
  if (idOf(stale) !== null && idOf(current) !== null) return idOf(stale) === idOf(current);
  // Machines of one cloned image share the machine id, and addresses are used again.
  const hasMachine = stale.machineId !== null && stale.machineId !== '';
  if (hasMachine && current.machineId !== null && current.machineId !== '')
    return stale.machineId === current.machineId && stale.internalIp === current.internalIp;
  return ipInName(stale.name) !== null && ipInName(stale.name) === ipInName(current.name);
}
