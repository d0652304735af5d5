import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { isPodReady, podCondition, podName } from '../../../domain/pods/pods.ts';
import { placeOf, podsOfSet, podWords } from '../../../domain/pods/pods-seen.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** A start of calico-node, its probes and its first sessions are over long before. */
const UNREADY_MS = 300_000;
/** A complaint older than this may be of another trouble. */
const COMPLAINT_MS = 300_000;

/** The Node is Ready, and Calico’s own routing or policy on it is not, for longer than a start takes. */
const cause = defineCause({
  id: 'calico-dataplane-not-ready',
  stage: 'networked',
  title: 'Calico’s data plane does not become ready on the node',
  scope: 'machine',
  signs: {
    looseFilter: definite(['calico-node'], /\[FATAL\].*RPF check is set to '(?<filter>loose)'/),
    rulesRefused: definite(
      ['calico-node'],
      /(?<rules>Failed to program iptables), loading diags before panic/,
    ),
    birdDown: likely(
      ['event', 'calico-node', 'kubelet'],
      /\(x(?:[2-9]\d|\d{3,}) over [^)]{0,40}\).{0,200}(?:Readiness|Liveness) probe failed:.{0,400}(?:unable to connect to (?<part>BIRDv[46]) socket|(?<part2>bird6?(?:\/confd)?|confd) is not live)/,
      { anchors: ['unable to connect to BIRD', 'is not live'] },
    ),
    // A start prints it for half a minute; nobody asks about that.
    birdRefused: likely(
      ['event', 'calico-node', 'kubelet'],
      /calico\/node is not ready: BIRD6? is not ready: .{0,120}unable to connect to (?<part>BIRDv[46]) socket: .{0,120}connection refused/,
      { anchors: ['calico/node is not ready'], atLeast: 20, enoughOnce: 'alone' },
    ),
    birdSilent: context(
      ['event'],
      /probe failed:.*(?:unable to connect to (?<part>BIRDv[46]) socket|(?<part2>bird6?(?:\/confd)?|confd) is not live)/,
      { anchors: ['unable to connect to BIRD', 'is not live'] },
    ),
    // Blocked ports, a wrong address and a silent Typha all end in these words.
    unready: context(
      ['event', 'calico-node', 'kubelet'],
      /calico\/node is not ready(?:: (?<part>felix|BIRD6?|bird6?|bird\/confd) is not ready(?:.*BGP not established with (?<peers>[\d.,]+))?)?|BGP peering established = 0/,
      { anchors: ['calico/node is not ready', 'with BGP peering established'] },
    ),
    peersSilent: likely(
      ['event', 'calico-node', 'kubelet'],
      /calico\/node is not ready: (?<part>BIRD6?|bird6?) is not ready:.*BGP not established with (?<peers>[\d.,]+)/,
      { anchors: ['calico/node is not ready'], atLeast: 30, enoughOnce: 'alone' },
    ),
    // BIRD runs, and something keeps its peers away.
    peersAway: context(
      ['event', 'calico-node', 'kubelet', 'unknown', 'client-output'],
      /BGP not established with [\d.]/,
    ),
    // A row of `calicoctl node status`.
    meshRow: likely(
      ['client-output', 'unknown'],
      /^\s*\|\s*(?<peers>\d+\.\d+\.\d+\.\d+)\s*\|\s*(?:node-to-node mesh|node specific|global)\s*\|\s*(?:start|wait|down)\s*\|[^|]*\|\s*(?:Active|Connect|Idle|OpenSent|Passive)\b/,
      { anchors: ['node-to-node mesh', 'node specific', 'global'] },
    ),
    unreadyForLong: context(
      ['client-output', 'pod-status', 'unknown', 'calico-node'],
      /\bcalico-node-[a-z0-9]{5}\s+0\/1\s+(?:Running|CrashLoopBackOff)\s+\d+(?: \([^)]*\))?\s+(?:\d{2,}m|\d+h|\d+d)/,
    ),
    // The probe fails again and again, for minutes.
    unreadyOften: context(
      ['event'],
      /\(x(?:[2-9]\d|\d{3,}) over (?:[5-9]m|\d{2,}m|\d+h|\d+d)[^)]{0,20}\).{0,120}(?:Readiness|Liveness) probe failed:.{0,400}(?:calico\/node|BIRD|bird|felix|BGP peering)/,
      { anchors: ['probe failed'] },
    ),
    datastoreLocked: likely(
      ['event', 'kubelet', 'containerd', 'calico-node'],
      /Calico is currently not ready to process requests/,
    ),
    halfStarted: context(
      ['event', 'kubelet', 'containerd', 'calico-node', 'node-status'],
      /failed to mount BPF filesystem|Unable to autoassign an address|error getting ClusterInformation: connection is unauthorized|\bCalicoIsDown\b/,
    ),
  },
  needs: ['kube/Pod', 'kube/Node'],
  explains: ['premature-calico-readiness'],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ filter, rules, part, machine }) =>
    `Calico on ${machine ?? 'the node'} does not get its data plane up (${filter !== undefined ? 'the kernel’s reverse path filter is loose, which Felix refuses' : rules !== undefined ? 'Felix’s rules are refused by iptables, and it gives up' : `${part ?? 'BIRD'} does not run`}); pods there do not reach other nodes or service addresses although the Node is Ready.`,
  remedy: ({ filter }) => [
    ...(filter === undefined
      ? []
      : [
          step(
            'Set the filter to strict, now and in the image.',
            "echo 'net.ipv4.conf.all.rp_filter = 1' | sudo tee /etc/sysctl.d/99-calico.conf; sudo sysctl --system",
          ),
        ]),
    step(
      'Read what calico-node itself says: rules that cannot be written name the missing module or the tables of another backend, and BIRD the line of its configuration.',
      'kubectl -n kube-system logs -l k8s-app=calico-node -c calico-node --tail=100 --prefix',
    ),
    step('Give calico-node CPU of its own where probes only time out.'),
  ],
  decide: step(
    'See what the probe complains about now.',
    'kubectl get pods -A -l k8s-app=calico-node -o wide; kubectl get events -A --field-selector reason=Unhealthy | grep calico-node',
  ),
  page: {
    why: 'A kubelet calls the Node Ready as soon as a CNI configuration file is there. Whether BIRD has its sessions and Felix its rules is known only to calico-node’s own probe.',
    prevent:
      'A startup taint that is taken off only when calico-node is ready; rules between nodes for all of Calico’s ports.',
    notThis:
      'A few failures in the first half minute are normal. “BGP not established with” and “felix is not ready” alone name nothing: peers of another network mean calico-address-on-wrong-interface; Typha that times out, or a closed TCP 179, is node-to-node-traffic-blocked; service addresses that are dead for kube-proxy’s sake are kube-proxy-not-working.',
    alsoKnownAs: [
      "Kernel's RPF check is set to loose",
      'Failed to program iptables, loading diags before panic',
      'calico/node is not ready: BIRD is not ready',
    ],
    refs: [
      'https://github.com/projectcalico/calico/issues/7788',
      'https://github.com/projectcalico/calico/issues/3541',
      'https://github.com/projectcalico/felix/pull/1322',
    ],
  },
});

export default matched(cause, (view) => matchPod(view) ?? matchRow(view));

type Own = ViewOf<typeof cause>;

/** calico-node runs and has been not Ready for minutes, and its probe still says that BIRD is silent. */
function matchPod(view: Own): Match | null {
  const own = podsOfSet(view.list('kube/Pod'), 'calico-node');
  const pod = own.find((one) => placeOf(one) === view.node);
  const complaint = view.sign('birdSilent');
  if (pod === undefined || !view.isLive || complaint === null) return null;
  if (isPodReady(pod.value)) return clear;
  const nowMs = view.nowMs ?? 0;
  const unreadyMs = Math.min(unreadyForMs(pod, nowMs), nodeReadyForMs(view, nowMs));
  const saidMs = complaint.last.moment.when?.ms ?? 0;
  if (unreadyMs < UNREADY_MS || nowMs - saidMs > COMPLAINT_MS) return null;
  const { part } = complaint.last.captures;
  const since = podCondition(pod.value, 'Ready', 'lastTransitionTime') ?? '';
  return found(
    { ...(part === undefined ? {} : { part }), pod: podName(pod.value) },
    [complaint.last, view.quote(pod, `${podWords(pod)} Ready=False since ${since}`)],
    'likely',
  );
}

/** What somebody chose to show: BIRD’s socket refused, and the probe failing for longer than a start takes. */
function matchRow(view: Own): Match | null {
  const silent = view.sign('birdSilent')?.last;
  const lasting = view.sign('unreadyForLong')?.last ?? view.sign('unreadyOften')?.last;
  if (view.isLive || silent === undefined || lasting === undefined) return null;
  if ((view.sign('peersAway') ?? view.clusterSign('peersAway')) !== null) return null;
  const { part } = silent.captures;
  return found(part === undefined ? {} : { part }, [silent, lasting], 'likely');
}

/** A Node that came back a moment ago brings its network up first, whatever its pods were before. */
function nodeReadyForMs(view: Own, nowMs: number): number {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return Infinity;
  const ready = node.value.conditions.find(({ type }) => type === 'Ready');
  return nowMs - (ready?.changedMs ?? 0);
}

function unreadyForMs(pod: Seen<Pod>, nowMs: number): number {
  if (podCondition(pod.value, 'Ready', 'status') !== 'False') return 0;
  const since = isoMs(podCondition(pod.value, 'Ready', 'lastTransitionTime'));
  return since === null ? 0 : nowMs - since;
}
