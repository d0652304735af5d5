import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { likely } from '../../../diagnosis/sign.ts';
import { isoMs } from '../../../evidence/time.ts';

const PREFIX = 'nidhogg.uswitch.com/';
const FIRST_READY = `${PREFIX}first-time-ready`;
/** A node that was open for less has not served yet. */
const SERVED_MS = 600_000;

/** A node that was open is tainted again and again, because its gate follows every blip of a DaemonSet. */
const cause = defineCause({
  id: 'flapping-gate',
  stage: 'gated',
  title: 'the gate closes serving nodes again and again',
  scope: 'machine',
  signs: {
    // Once is a rollout; twice and more is a gate that flaps.
    closedAgain: likely(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /Taints added: \[(?<taint>[^\]\s]+)(?:\s[^\]]*)?\], Taints removed: \[\], TaintLess: false, FirstTimeReady: "2/,
      { anchors: ['Taints added: '], atLeast: 2 },
    ),
    // Older releases do not say whether the node was ready before, so the first closing counts too.
    closedAgainAndAgain: likely(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /Taints added: \[(?<taint>[^\]\s]+)(?:\s[^\]]*)?\], Taints removed: \[\]\s*$/,
      { anchors: ['Taints added: '], atLeast: 3 },
    ),
    closedManyTimes: likely(
      ['event'],
      /\(x\d{1,5} over \w{2,8}\).{0,300}Taints added: \[(?<taint>[^\]\s]+)(?:\s[^\]]*)?\], Taints removed: \[\], TaintLess: false, FirstTimeReady: "2/,
      { anchors: ['Taints added: '] },
    ),
    flappingTold: likely(
      ['client-output', 'unknown'],
      /\b(?<told>[Tt]aint[- ]flapping\b|taints? (?:keeps?|is|are) (?:flapping|being (?:added and removed|toggled)))\b/,
      {
        isTold: true,
        anchors: [
          'aint flapping',
          'aint-flapping',
          ' flapping',
          'added and removed',
          'being toggled',
        ],
      },
    ),
  },
  needs: ['kube/Node', 'kube/DaemonSet'],
  symptoms: ['pod-not-scheduled'],
  summary: ({ machine, taint, updated, desired, told }) =>
    told !== undefined
      ? 'A taint of a gate appears on the nodes and disappears, again and again, so they are never open for long.'
      : updated !== undefined
        ? `The gate put ${taint ?? 'its taint'} back on ${machine ?? 'the node'}, which was open before, because the DaemonSet rolls out (${updated} of ${desired ?? ''} pods updated) and its pod here is made again.`
        : sentence`The gate put the taint ${taint} back on ${machine ?? 'a node'} more than once although the node was open before: it follows every restart of the DaemonSet’s pod.`,
  remedy: ({ taint }) => {
    const [, namespace, name] = /\/([^.]+)\.(.+)$/.exec(taint ?? '') ?? [];
    return [
      step(
        'See whether the DaemonSet rolls out or its probe fails now and then.',
        `kubectl -n ${namespace ?? '<namespace>'} rollout status daemonset/${name ?? '<daemonset>'}; kubectl -n ${namespace ?? '<namespace>'} get pods -o wide | grep ${name ?? '<daemonset>'}`,
      ),
      step(
        'Gate the start only: do not close a node again after its first success, or roll out one node at a time.',
        `kubectl -n ${namespace ?? '<namespace>'} patch daemonset ${name ?? '<daemonset>'} -p '{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":1}}}}'`,
      ),
    ];
  },
  decide: step(
    'Count how often nodes were closed again.',
    'kubectl get events -A --field-selector reason=TaintsChanged -o json',
  ),
  page: {
    why: 'A gate that looks at pod readiness only cannot tell a node that starts from one whose agent restarts. A rolling update of the agent then closes nodes that serve, in waves.',
    prevent:
      'Start-up taints that are removed once, or a budget for how many nodes may be closed at a time.',
    notThis:
      'FirstTimeReady is empty while a node starts: that is the gate’s ordinary work. A node that never opens is gate-daemonset-pod-not-ready or gate-daemonset-pod-absent.',
    refs: [
      'https://github.com/uswitch/nidhogg/blob/HEAD/pkg/nidhogg/handler.go',
      'https://github.com/kubernetes-sigs/node-readiness-controller',
    ],
  },
});

export default matched(cause, matchRollout);

type Own = ViewOf<typeof cause>;

/** A node that was open before is shut again while the gated DaemonSet rolls out. */
function matchRollout(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const since = (node.value.annotations[FIRST_READY] ?? '').replaceAll('"', '');
  const sinceMs = isoMs(since);
  const taint = (node.value.taints ?? []).find(({ key }) => key.startsWith(PREFIX))?.key;
  if (sinceMs === null || taint === undefined) return null;
  if (view.nowMs === null || view.nowMs - sinceMs < SERVED_MS) return null;
  const gate = taint.slice(PREFIX.length);
  const set = view
    .list('kube/DaemonSet')
    .find(({ value }) => `${value.namespace ?? ''}.${value.name}` === gate);
  const updated = set?.value.status?.updatedNumberScheduled ?? '0';
  const desired = set?.value.status?.desiredNumberScheduled ?? '0';
  if (set === undefined || Number(updated) >= Number(desired)) return null;
  return found({ taint, updated: String(updated), desired: String(desired) }, [
    view.quote(node, `Node ${node.value.name} taint ${taint}, ${FIRST_READY} ${since}`),
    view.quote(set, `DaemonSet ${set.value.name} updated ${updated} of ${desired} pods`),
  ]);
}
