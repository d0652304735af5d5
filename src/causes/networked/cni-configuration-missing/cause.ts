import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** Nobody installed a CNI: the kubelet waits for a configuration that no pod will write. */
export default defineCause({
  id: 'cni-configuration-missing',
  stage: 'networked',
  title: 'no CNI is installed in the cluster',
  scope: 'cluster',
  signs: {
    nodeWaits: {
      in: ['node-status'],
      anchors: ['condition Ready=False'],
      pattern:
        /condition Ready=False KubeletNotReady.*(?:cni plugin not initialized|cni config uninitialized|NetworkPluginNotReady)/,
      weight: 'context',
      strict: true,
    },
    kubeletWaits: {
      in: ['kubelet'],
      anchors: ['cni plugin not initialized', 'cni config uninitialized'],
      pattern: /network not ready.*(?:cni plugin not initialized|cni config uninitialized)/,
      weight: 'context',
      atLeast: 3,
    },
    pluginCalled: {
      in: ['event', 'kubelet', 'containerd', 'pod-status'],
      anchors: ['plugin type='],
      pattern: /\bplugin type="(?!loopback)[a-z]/,
      weight: 'context',
    },
    cniListed: {
      in: ['client-output', 'pod-status', 'event', 'unknown'],
      // Bare names stand in every line of some logs.
      anchors: [
        'aws-node-',
        'aws-node  ',
        'calico-node-',
        'calico-node  ',
        'cilium-',
        'cilium  ',
        'kube-flannel-',
        'kube-flannel  ',
        'weave-net-',
        'weave-net  ',
        'kube-router-',
        'kube-router  ',
        'canal-',
        'canal  ',
        'antrea-agent-',
        'antrea-agent  ',
        'kindnet-',
        'kindnet  ',
        'ovnkube-node-',
        'ovnkube-node  ',
        'multus-',
        'multus  ',
      ],
      pattern:
        /\b(?:aws-node|calico-node|cilium|kube-flannel|weave-net|kube-router|canal|antrea-agent|kindnet|ovnkube-node|multus)(?:-(?:ds-)?[a-z0-9]{5}\b| {2})/,
      weight: 'context',
    },
    proxyListed: {
      in: ['client-output', 'pod-status', 'unknown'],
      anchors: ['kube-proxy'],
      pattern:
        /^(?:kube-system\s+)?(?:pod\/|daemonset\.apps\/)?kube-proxy(?:-[a-z0-9]{5})?\s+\d+(?:\/\d+)?\s+/,
      weight: 'context',
    },
    dnsListed: {
      in: ['client-output', 'pod-status', 'unknown'],
      anchors: ['coredns-'],
      pattern:
        /^(?:kube-system\s+)?(?:pod\/)?coredns-[a-z0-9-]+\s+0\/1\s+(?:Pending|ContainerCreating)/,
      weight: 'context',
    },
  },
  needs: ['kube/DaemonSet'],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: ['networking-initialised', 'node-ready'],
  explains: ['controller-manager-not-leading'],
  match: (view) => matchAbsence(view),
  summary: () =>
    'The cluster lists no CNI daemon set at all, so no node ever gets a CNI configuration and all stay NotReady.',
  remedy: () => [
    {
      text: 'On EKS install the VPC CNI.',
      command: 'aws eks create-addon --cluster-name <cluster> --addon-name vpc-cni',
    },
    {
      text: 'On kubeadm and kOps clusters apply the manifest of the CNI of your choice, with the cluster’s pod range.',
      command: 'kubectl apply -f <cni-manifest>',
    },
  ],
  decide: { text: 'See which daemon sets there are.', command: 'kubectl get daemonsets -A' },
  page: {
    why: 'A kubelet is Ready only when /etc/cni/net.d has a configuration, and the CNI’s own pod writes it. kubeadm installs none; Terraform modules install the add-on after the node group unless told otherwise, and the node group waits for Ready nodes.',
    prevent: 'Install the CNI before the nodes (in terraform-aws-eks 21: before_compute = true).',
    notThis:
      '“cni plugin not initialized” by itself is a consequence of everything that stops the CNI. A CNI that exists and has no pod here is cni-pod-not-scheduled, one whose pods are refused webhook-blocks-system-pods; one that crashes tells why in its log. Healthy nodes print it in their first half minute.',
    alsoKnownAs: [
      'cni plugin not initialized',
      'cni config uninitialized',
      'NetworkPluginNotReady',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
    ],
  },
});

type Signs =
  | 'pluginCalled'
  | 'nodeWaits'
  | 'kubeletWaits'
  | 'cniListed'
  | 'proxyListed'
  | 'dnsListed';

function matchAbsence(view: View<'kube/DaemonSet', Signs>): Match | null {
  const waits = view.sign('nodeWaits') ?? view.sign('kubeletWaits') ?? view.sign('dnsListed');
  const daemonSets = view.list('kube/DaemonSet');
  const isCni = (name: string): boolean =>
    /aws-node|calico|cilium|flannel|weave|kube-router|canal|antrea|kindnet|ovn|multus/.test(name);
  // The runtime calls a plugin only by a configuration.
  if (view.sign('pluginCalled') !== null) return clear;
  if (daemonSets.some((entry) => isCni(entry.value.name))) return clear;
  // Pods of before are no sign of one that a whole list does not have any more.
  const isWhole = view.nowMs !== null && view.isComplete('kube/DaemonSet');
  if (!isWhole && view.sign('cniListed') !== null) return clear;
  if (waits === null || view.isCut('kube/DaemonSet')) return null;
  const listed = matchListing(view, waits.first);
  if (listed !== null) return listed;
  const proxy = daemonSets.find((entry) => entry.value.name === 'kube-proxy');
  if (proxy !== undefined)
    return found(
      {},
      [waits.first, view.quote(proxy, 'DaemonSets listed: kube-proxy, no CNI')],
      'likely',
    );
  const rows = view.sign('proxyListed');
  const dns = view.sign('dnsListed');
  return rows === null || dns === null
    ? null
    : found({}, [waits.first, rows.first, dns.first], 'likely');
}

/** A whole list of daemon sets, as Rollcall itself asks for it, without any CNI. */
function matchListing(view: View<'kube/DaemonSet', Signs>, waits: Quote): Match | null {
  if (view.nowMs === null) return null;
  const listed = view.list('kube/DaemonSet');
  const names = listed.map(({ value }) => value.name).slice(0, 8);
  const [first] = listed;
  const proof =
    first === undefined
      ? []
      : [view.quote(first, `DaemonSets listed: ${names.join(', ')}; no CNI`)];
  return found({}, [waits, ...proof]);
}
