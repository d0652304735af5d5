import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The runtime uses the configuration of a CNI that no longer runs, beside the one that does. */
export default defineCause({
  id: 'leftover-cni-configuration',
  stage: 'networked',
  title: 'a configuration of another CNI was left in /etc/cni/net.d',
  scope: 'machine',
  signs: {
    ciliumGone: {
      in: ['event', 'kubelet', 'containerd', 'pod-status'],
      anchors: ['cilium.sock'],
      pattern:
        /plugin type="(?<plugin>cilium-cni)".*cilium\.sock: connect: (?:no such file or directory|connection refused)/,
      weight: 'context',
      atLeast: 2,
    },
    calicoGone: {
      in: ['event', 'kubelet', 'containerd', 'pod-status'],
      anchors: ['/var/lib/calico/nodename'],
      pattern: /plugin type="(?<plugin>calico)".*stat \/var\/lib\/calico\/nodename: no such file/,
      weight: 'context',
      atLeast: 2,
    },
    flannelGone: {
      in: ['event', 'kubelet', 'containerd', 'pod-status'],
      anchors: ['/run/flannel/subnet.env'],
      pattern: /plugin type="(?<plugin>flannel)".*\/run\/flannel\/subnet\.env: no such file/,
      weight: 'context',
      atLeast: 2,
    },
    vpcCniRuns: {
      in: ['ipamd', 'aws-node', 'client-output', 'unknown', 'pod-status'],
      anchors: ['node init completed', 'Successfully copied CNI plugin', 'aws-node-'],
      pattern:
        /node init completed successfully|Successfully copied CNI plugin|\baws-node-[a-z0-9]{5}\s+(?:1\/1|2\/2|3\/3)\s+Running/,
      weight: 'context',
    },
    otherRuns: {
      in: ['client-output', 'unknown', 'pod-status', 'event', 'calico-node', 'cilium'],
      anchors: ['calico-node-', 'cilium-', 'kube-flannel'],
      pattern: /\b(?<running>calico-node|cilium|kube-flannel)(?:-ds)?-[a-z0-9]{5}\b/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['calico-nodename-not-written'],
  match: (view) => matchLeftover(view),
  summary: ({ plugin, machine }) =>
    `The runtime of ${machine === undefined || machine === 'cluster' ? 'the node' : machine} still uses the configuration of ${plugin ?? 'a CNI'} that no longer runs there, so pods get no network from the VPC CNI that does.`,
  remedy: () => [
    {
      text: 'Remove the stale files (the first in order wins) and restart the runtime.',
      command:
        "ls /etc/cni/net.d; sudo sh -c 'cd /etc/cni/net.d && rm -f 05-cilium.conf* 10-calico.conflist calico-kubeconfig 10-flannel.conflist' && sudo systemctl restart containerd kubelet",
    },
    {
      text: 'Or replace the node, which also clears interfaces and rules that were left.',
      command: 'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    },
  ],
  decide: {
    text: 'List the configurations on the node; the first in order is used.',
    command: 'ls -l /etc/cni/net.d',
  },
  page: {
    why: 'Removing a CNI’s daemon set does not remove what it wrote on the hosts. The runtime takes the first file by name.',
    prevent: 'Replace all nodes after changing the CNI.',
    notThis:
      'While the named CNI is installed and only starting, its plugin prints the same: calico-nodename-not-written. Chained plugins share one file on purpose.',
    alsoKnownAs: [
      'cilium.sock no such file or directory after uninstall',
      'calico nodename after uninstall',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/projectcalico/calico/issues/4241',
    ],
  },
});

type Signs = 'ciliumGone' | 'calicoGone' | 'flannelGone' | 'vpcCniRuns' | 'otherRuns';

function matchLeftover(view: View<never, Signs>): Match | null {
  const gone = view.sign('ciliumGone') ?? view.sign('calicoGone') ?? view.sign('flannelGone');
  const runs = view.sign('vpcCniRuns');
  const left = gone?.last.captures['plugin']?.replace('-cni', '') ?? '';
  const running = (view.sign('otherRuns')?.quotes ?? []).map(({ captures }) => captures['running']);
  // What belongs to a CNI that is there is not left over.
  if (gone !== null && running.some((name) => name?.includes(left) === true)) return clear;
  if (gone === null || runs === null || view.sign('otherRuns') !== null) return null;
  return found(gone.first.captures, [gone.first, runs.first], 'likely');
}
