import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** Nobody installed a CNI: the kubelet waits for a configuration that no pod will write. */
const cause = defineCause({
  id: 'cni-configuration-missing',
  stage: 'networked',
  title: 'no CNI is installed in the cluster',
  scope: 'cluster',
  signs: {
    nodeWaits: context(
      ['node-status'],
      /condition Ready=False KubeletNotReady.*(?:cni plugin not initialized|cni config uninitialized|NetworkPluginNotReady)/,
      { strict: true },
    ),
    // The row of a description that somebody picked out.
    rowWaits: context(
      ['client-output', 'node-status', 'unknown'],
      /^\s{0,8}Ready\s+False\s.{0,200}KubeletNotReady\s.{0,160}(?:cni plugin not initialized|cni config uninitialized)/,
      { anchors: ['KubeletNotReady'] },
    ),
    kubeletWaits: context(
      ['kubelet'],
      /network not ready.*(?:cni plugin not initialized|cni config uninitialized)/,
      { atLeast: 3 },
    ),
    pluginCalled: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /\bplugin type="(?!loopback)[a-z]/,
    ),
    // Bare names stand in every line of some logs.
    cniListed: context(
      ['client-output', 'pod-status', 'event', 'unknown'],
      /\b(?:aws-node|calico-node|cilium|kube-flannel|weave-net|kube-router|canal|antrea-agent|kindnet|ovnkube-node|multus)(?:-(?:ds-)?[a-z0-9]{5}\b| {2})/,
      {
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
      },
    ),
    proxyListed: context(
      ['client-output', 'pod-status', 'unknown'],
      /^(?:kube-system\s+)?(?:pod\/|daemonset\.apps\/)?kube-proxy(?:-[a-z0-9]{5})?\s+\d+(?:\/\d+)?\s+/,
    ),
    // A row of daemon sets of all namespaces: five counts behind the name.
    proxySetListed: context(
      ['client-output', 'unknown'],
      /^kube-system\s+(?:daemonset\.apps\/)?kube-proxy(?:\s+\d+){5}\s/,
      { anchors: ['kube-proxy'] },
    ),
    // The same of one namespace, or without the column of namespaces.
    proxySetAlone: context(
      ['client-output', 'unknown'],
      /^(?:daemonset\.apps\/)?kube-proxy(?:\s+\d+){5}\s/,
      { anchors: ['kube-proxy'] },
    ),
    directoryAbsent: context(
      ['client-output', 'unknown', 'host-file'],
      /\/etc\/cni\/net\.d'?: No such file or directory|^The directory \/etc\/cni\/net\.d is empty$|\btotal 0$/,
      { anchors: ['/etc/cni/net.d', 'total 0'] },
    ),
    dnsListed: context(
      ['client-output', 'pod-status', 'unknown'],
      /^(?:kube-system\s+)?(?:pod\/)?coredns-[a-z0-9-]+\s+0\/1\s+(?:Pending|ContainerCreating)/,
    ),
    notWritten: context(
      ['cilium', 'calico-node', 'containerd', 'kubelet'],
      /failed to write CNI (?:configuration file|plugin kubeconfig)|cni conf dir is removed|Node not becoming ready in time after startup/i,
      {
        anchors: ['rite CNI ', 'cni conf dir is removed', 'not becoming ready in time'],
      },
    ),
    waitsInWords: context(
      ['client-output', 'unknown', 'node-status', 'terraform', 'aws-message', 'kubelet'],
      /cni plugin not initialized|cni config uninitialized|\bNetworkPluginNotReady\b|no network(?:s| config) found in \/etc\/cni\/net\.d/,
    ),
    // Who makes the group wait for Ready nodes, and the network after it, waits for ever.
    toldLater: context(
      ['client-output', 'unknown', 'terraform'],
      /\bnode ?groups?\b[^.]{0,60}\b(?:first|before)\b[^.]{0,80}\b(?:[Aa]dd-?ons?|vpc-cni|VPC CNI|CNI|aws-node)\b|\b(?:vpc-cni|VPC CNI|CNI|aws-node|[Aa]dd-?ons?)\b[^.]{0,60}\b(?:only|not|waits?)\b[^.]{0,30}\b(?:after|until|once|for)\b[^.]{0,40}\bnode ?groups?\b/,
      { isTold: true, anchors: ['node group', 'nodegroup', 'node groups', 'nodegroups'] },
    ),
    toldMissing: likely(
      ['client-output', 'unknown'],
      /\bCNI config(?:uration)?(?: files?)? (?:was|is|were|are|went) (?:missing|absent|gone|deleted|removed|empty)\b|\bno (?:CNI )?config(?:uration)? (?:files? )?in \/etc\/cni\/net\.d\b/,
      { isTold: true },
    ),
    toldNotInstalled: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:never|not|n't) install(?:ed)?(?: the| an?| any)? (?:vpc-cni|VPC CNI|aws-node|CNI)\b|\b[Ff]orgot to (?:install|deploy|add|apply)(?: the| an?)? (?:vpc-cni|VPC CNI|aws-node|CNI)\b|\b(?:vpc-cni|VPC CNI|aws-node|CNI)(?: add-?on| plugin)? (?:was|is|were) (?:never|not) (?:installed|deployed)\b/,
      { isTold: true, anchors: ['install', 'deploy', 'to add ', 'to apply '] },
    ),
  },
  needs: ['kube/DaemonSet'],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: ['controller-manager-not-leading'],
  summary: () =>
    'The cluster lists no CNI daemon set at all, so no node ever gets a CNI configuration and all stay NotReady.',
  remedy: () => [
    step(
      'On EKS install the VPC CNI.',
      'aws eks create-addon --cluster-name <cluster> --addon-name vpc-cni',
    ),
    step(
      'On kubeadm and kOps clusters apply the manifest of the CNI of your choice, with the cluster’s pod range.',
      'kubectl apply -f <cni-manifest>',
    ),
  ],
  decide: step('See which daemon sets there are.', 'kubectl get daemonsets -A'),
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

export default matched(cause, matchAbsence);

type Own = ViewOf<typeof cause>;

function matchAbsence(view: Own): Match | null {
  const waits =
    view.sign('nodeWaits') ??
    view.sign('rowWaits') ??
    view.sign('kubeletWaits') ??
    view.sign('dnsListed');
  const daemonSets = view.list('kube/DaemonSet');
  const isCni = (name: string): boolean =>
    /aws-node|calico|cilium|flannel|weave|kube-router|canal|antrea|kindnet|ovn|multus/.test(name);
  // The runtime calls a plugin only by a configuration.
  if (view.sign('pluginCalled') !== null) return clear;
  if (daemonSets.some((entry) => isCni(entry.value.name))) return clear;
  // Pods of before are no sign of one that a whole list does not have any more.
  const isWhole = view.isLive && view.isComplete('kube/DaemonSet');
  if (!isWhole && view.sign('cniListed') !== null) return clear;
  const order = matchOrder(view);
  if (order !== null) return order;
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
  return matchRows(view, waits.first);
}

/** Rows of daemon sets or of pods that have kube-proxy and no CNI. */
function matchRows(view: Own, waits: Quote): Match | null {
  const directory = view.sign('directoryAbsent');
  // The set of a CNI may be in another namespace, and its configuration would be in the directory.
  const alone = directory === null ? null : view.sign('proxySetAlone');
  const set = view.sign('proxySetListed') ?? alone;
  if (set !== null && view.sign('cniListed') === null)
    return found(
      {},
      [waits, set.first, ...(directory === null ? [] : [directory.first])],
      'likely',
    );
  const [rows, dns] = [view.sign('proxyListed'), view.sign('dnsListed')];
  return rows === null || dns === null ? null : found({}, [waits, rows.first, dns.first], 'likely');
}

/** Nodes wait for a network that somebody installs once they are Ready. */
function matchOrder(view: Own): Match | null {
  const [waits, later] = [view.sign('waitsInWords'), view.sign('toldLater')];
  if (waits === null || later === null || view.list('kube/DaemonSet').length > 0) return null;
  return found({}, [waits.first, later.first], 'likely');
}

/** A whole list of daemon sets, as Rollcall itself asks for it, without any CNI. */
function matchListing(view: Own, waits: Quote): Match | null {
  if (!view.isLive) return null;
  const listed = view.list('kube/DaemonSet');
  const names = listed.map(({ value }) => value.name).slice(0, 8);
  const [first] = listed;
  const proof =
    first === undefined
      ? []
      : [view.quote(first, `DaemonSets listed: ${names.join(', ')}; no CNI`)];
  return found({}, [waits, ...proof]);
}
