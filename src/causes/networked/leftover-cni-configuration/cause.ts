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
import { addressOf, type Cidr, cidrOf, isInside } from '../../../domain/network/cidr.ts';
import { environmentOf, isPodReady, podName } from '../../../domain/pods/pods.ts';
import {
  isReadyPod,
  placeOf,
  podsOfSet,
  podWords,
  stateWords,
  unreadyPods,
  waitingPods,
  waitingWords,
} from '../../../domain/pods/pods-seen.ts';
import type { Sighting } from '../../../evidence/sighting.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** What installs and what leaves which files behind; files as the projects' manifests name them. */
const LEFT: Readonly<Record<string, { readonly sets: RegExp; readonly files: string }>> = {
  cilium: { sets: /cilium/, files: '05-cilium.conf 05-cilium.conflist' },
  calico: { sets: /calico|canal/, files: '10-calico.conflist calico-kubeconfig' },
  flannel: { sets: /flannel|canal/, files: '10-flannel.conflist' },
};
/** Daemon sets of pod networks, as their manifests name them. */
const NETWORKS = ['aws-node', 'calico-node', 'cilium', 'kube-flannel-ds', 'kube-router', 'canal'];
/** One complaint belongs to the start of a plugin. */
const COMPLAINTS_MIN = 2;

/** The runtime uses the configuration of a CNI that no longer runs, beside the one that does. */
const cause = defineCause({
  id: 'leftover-cni-configuration',
  stage: 'networked',
  title: 'a configuration of another CNI was left in /etc/cni/net.d',
  scope: 'machine',
  signs: {
    ciliumGone: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /plugin type="(?<plugin>cilium-cni)".*cilium\.sock: connect: (?:no such file or directory|connection refused)/,
    ),
    calicoGone: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /(?:plugin type="calico"|etworkPlugin cni failed to set up pod).*stat \/var\/lib\/(?<plugin>calico)\/nodename: no such file/,
    ),
    flannelGone: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /(?:plugin type="flannel"|etworkPlugin cni failed to set up pod).*\/run\/(?<plugin>flannel)\/subnet\.env: no such file/,
    ),
    vpcCniRuns: context(
      ['ipamd', 'aws-node', 'client-output', 'unknown', 'pod-status'],
      /node init completed successfully|Successfully copied CNI plugin|\baws-node(?:-[a-z0-9]{5})?\s+(?:1\/1|2\/2|3\/3)\s+[Rr]unning/,
    ),
    setAbsent: context(
      ['client-output', 'unknown'],
      /\bdaemonsets\.apps "(?<absent>cilium|calico|flannel|kube-flannel|canal)(?:-\w{1,5})?" not found/,
      { anchors: ['daemonsets.apps'] },
    ),
    otherRuns: context(
      ['client-output', 'unknown', 'pod-status', 'event', 'calico-node', 'cilium'],
      /\b(?<running>calico-node|cilium|kube-flannel)(?:-ds)?-[a-z0-9]{5}\b/,
      { anchors: ['calico-node-', 'cilium-', 'kube-flannel'] },
    ),
    // The file that the runtime reads first, among those of `ls /etc/cni/net.d`.
    oldFile: context(
      ['client-output', 'unknown', 'host-file'],
      /(?:^|[\s/])\d{2}-(?<file>cilium|calico|flannel|canal)\.conf(?:list)?(?:\s|$)/,
      { anchors: ['-cilium.conf', '-calico.conf', '-flannel.conf', '-canal.conf'] },
    ),
    filesTold: likely(
      ['client-output', 'unknown'],
      /\b(?:old|left-?over|stale|previous) CNI (?:artifacts|files|config(?:uration)?s?|binaries)\b/,
      { isTold: true, anchors: ['CNI artifacts', 'CNI files', 'CNI config', 'CNI binaries'] },
    ),
  },
  needs: ['kube/DaemonSet', 'kube/Pod', 'kube/Node', 'kube/ConfigMap', 'aws/vpc'],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['calico-nodename-not-written'],
  summary: ({ plugin, machine, runs, files, foreign, own }) =>
    foreign !== undefined
      ? `Two pod networks, ${runs ?? 'one'} and ${plugin ?? 'another'}, both run on ${machine ?? 'the node'} and neither leaves pods to the other: some pods have addresses of the VPC (${own ?? ''}), others of ${plugin ?? 'the other'} (${foreign}), and they do not reach each other.`
      : files !== undefined
        ? `The runtime of ${machine ?? 'the node'} still uses the configuration of ${plugin ?? 'a CNI'}, which has no daemon set in this cluster any more (${runs ?? 'another CNI'} runs there), so pods get no network.`
        : `The runtime of ${machine === undefined || machine === 'cluster' ? 'the node' : machine} still uses the configuration of ${plugin ?? 'a CNI'} that no longer runs there, so pods get no network from the VPC CNI that does.`,
  remedy: ({ files }) => [
    step(
      'Remove the stale files (the first in order wins) and restart the runtime.',
      `ls /etc/cni/net.d; sudo sh -c 'cd /etc/cni/net.d && rm -f ${files ?? '05-cilium.conf* 10-calico.conflist calico-kubeconfig 10-flannel.conflist'}' && sudo systemctl restart containerd kubelet`,
    ),
    step(
      'Or replace the node, which also clears interfaces and rules that were left.',
      'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    ),
  ],
  decide: step(
    'List the configurations on the node; the first in order is used.',
    'ls -l /etc/cni/net.d',
  ),
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

export default matched(
  cause,
  (view) => matchObjects(view) ?? matchTwo(view) ?? matchLeftover(view),
);

type Own = ViewOf<typeof cause>;

function complaint(view: Own): Sighting | null {
  return view.sign('ciliumGone') ?? view.sign('calicoGone') ?? view.sign('flannelGone');
}

/** The whole list of daemon sets lacks the CNI whose plugin complains, and another one is Ready. */
function matchObjects(view: Own): Match | null {
  const gone = complaint(view);
  const plugin = gone?.last.captures['plugin'] ?? '';
  const left = LEFT[plugin.replace('-cni', '')];
  if (gone === null || left === undefined || !view.isComplete('kube/DaemonSet')) return null;
  const sets = view.list('kube/DaemonSet');
  if (sets.some(({ value }) => left.sets.test(value.name))) return clear;
  const network = readyNetwork(view, sets);
  const [waiting] = waitingPods(view.list('kube/Pod'), view.node, view);
  if (network === null || waiting === undefined) return null;
  const names = sets.map(({ value }) => value.name).join(', ');
  return found({ plugin, runs: network.value.name, files: left.files }, [
    gone.last,
    view.quote(network, `${podWords(network)} is Ready; daemon sets: ${names}`),
    view.quote(waiting, waitingWords(waiting)),
  ]);
}

/** The Ready pod of the pod network that is installed, on this Node. */
function readyNetwork(view: Own, sets: readonly Seen<DaemonSet>[]): Seen<Pod> | null {
  const pods = view.list('kube/Pod');
  return (
    NETWORKS.filter((name) => sets.some(({ value }) => value.name === name))
      .flatMap((name) => podsOfSet(pods, name))
      .find((pod) => placeOf(pod) === view.node && isPodReady(pod.value)) ?? null
  );
}

/** Pod networks that make addresses of their own beside the VPC CNI, unless they are told not to. */
const RIVALS = ['calico-node', 'cilium', 'kube-flannel-ds', 'canal'];

/** Two pod networks are Ready on this Node, and its pods have addresses of both. */
function matchTwo(view: Own): Match | null {
  const pods = view.list('kube/Pod');
  const isHere = (pod: Seen<Pod>): boolean => placeOf(pod) === view.node && isReadyPod(pod);
  const vpcCni = podsOfSet(pods, 'aws-node').find(isHere);
  const rival = RIVALS.flatMap((name) => podsOfSet(pods, name)).find(isHere);
  if (view.node === null || vpcCni === undefined || rival === undefined) return null;
  if (leavesAddresses(view, rival)) return null;
  const ranges = vpcRanges(view);
  const addressed = pods.filter((pod) => placeOf(pod) === view.node && hasOwnAddress(pod));
  const foreign = addressed.find((pod) => ranges.length > 0 && !isWithin(pod, ranges));
  const own = addressed.find((pod) => isWithin(pod, ranges));
  const [broken] = unreadyPods(addressed, view);
  if (foreign === undefined || own === undefined || broken === undefined) return null;
  const words = (pod: Seen<Pod>): string => `${podName(pod.value)} ${addressIn(pod)}`;
  const plugin = rival.value.name.replace(/-[a-z0-9]{5}$/, '');
  return found(
    { plugin, runs: 'aws-node', foreign: words(foreign), own: words(own) },
    [
      view.quote(vpcCni, `${podWords(vpcCni)} is Ready`),
      view.quote(rival, `${podWords(rival)} is Ready`),
      view.quote(foreign, `${podWords(foreign)} has ${addressIn(foreign)}, outside of the VPC`),
      view.quote(own, `${podWords(own)} has ${addressIn(own)} of the VPC`),
      view.quote(broken, `${podWords(broken)} ${stateWords(broken)}`),
    ],
    'likely',
  );
}

/** Calico for policies alone and Cilium chained to the VPC CNI give pods no addresses. */
function leavesAddresses(view: Own, rival: Seen<Pod>): boolean {
  if (environmentOf(rival.value, 'CALICO_NETWORKING_BACKEND') === 'none') return true;
  if (environmentOf(rival.value, 'FELIX_INTERFACEPREFIX') === 'eni') return true;
  if (!rival.value.name.startsWith('cilium')) return false;
  const settings = view.list('kube/ConfigMap').find(({ value }) => value.name === 'cilium-config');
  const of = (key: string): string | undefined => settings?.value.data?.[key];
  return settings === undefined || of('cni-chaining-mode') === 'aws-cni' || of('ipam') === 'eni';
}

function vpcRanges(view: Own): readonly Cidr[] {
  return view
    .list('aws/vpc')
    .flatMap(({ value }) => [
      value.CidrBlock ?? null,
      ...(value.CidrBlockAssociationSet ?? []).map((one) => one.CidrBlock ?? null),
    ])
    .flatMap((text) => {
      const range = text === null ? null : cidrOf(text);
      return range === null ? [] : [range];
    });
}

function addressIn(pod: Seen<Pod>): string {
  return pod.value.status?.podIP ?? '';
}

function hasOwnAddress(pod: Seen<Pod>): boolean {
  return pod.value.spec?.hostNetwork !== true && addressOf(addressIn(pod)) !== null;
}

function isWithin(pod: Seen<Pod>, ranges: readonly Cidr[]): boolean {
  const address = addressOf(addressIn(pod));
  return address !== null && ranges.some((range) => isInside(address, range));
}

function matchLeftover(view: Own): Match | null {
  const gone = complaint(view);
  const runs = view.sign('vpcCniRuns');
  const left = gone?.last.captures['plugin']?.replace('-cni', '') ?? '';
  const running = (view.sign('otherRuns')?.quotes ?? []).map(({ captures }) => captures['running']);
  // What belongs to a CNI that is there is not left over.
  if (gone !== null && running.some((name) => name?.includes(left) === true)) return clear;
  const removed = gone === null || runs === null ? null : matchRemoved(view, gone, left);
  if (removed !== null) return removed;
  const file = view.sign('oldFile') ?? view.clusterSign('oldFile');
  const isFileThere = file?.last.captures['file'] === left;
  if (
    gone === null ||
    (gone.count < COMPLAINTS_MIN && !isFileThere) ||
    runs === null ||
    view.sign('otherRuns') !== null
  )
    return null;
  return found(gone.first.captures, [gone.first, runs.first], 'likely');
}

/** The daemon set of the CNI whose plugin complains was asked for, and is not there. */
function matchRemoved(view: Own, gone: Sighting, left: string): Match | null {
  const absent = view.sign('setAbsent') ?? view.clusterSign('setAbsent');
  if (absent?.last.captures['absent']?.endsWith(left) !== true) return null;
  return found(gone.first.captures, [gone.first, absent.last], 'likely');
}
