import { defineCause } from '../../../diagnosis/cause.ts';

/** A node that was open is tainted again and again, because its gate follows every blip of a DaemonSet. */
export default defineCause({
  id: 'flapping-gate',
  stage: 'gated',
  title: 'the gate closes serving nodes again and again',
  scope: 'machine',
  signs: {
    closedAgain: {
      in: ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      anchors: ['Taints added: '],
      pattern:
        /Taints added: \[(?<taint>[^\]\s]+)[^\]]*\], Taints removed: \[\], TaintLess: false, FirstTimeReady: "2/,
      weight: 'likely',
      // Once is a rollout; twice and more is a gate that flaps.
      atLeast: 2,
    },
    closedManyTimes: {
      in: ['event'],
      anchors: ['Taints added: '],
      pattern:
        /\(x\d{1,5} over \w{2,8}\).*Taints added: \[(?<taint>[^\]\s]+)[^\]]*\], Taints removed: \[\], TaintLess: false, FirstTimeReady: "2/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: ['pod-not-scheduled'],
  summary: ({ machine, taint }) =>
    `The gate put the taint ${taint ?? ''} back on ${machine ?? 'a node'} more than once although the node was open before: it follows every restart of the DaemonSet’s pod.`.replace(
      'taint  back',
      'taint back',
    ),
  remedy: ({ taint }) => {
    const [, namespace, name] = /\/([^.]+)\.(.+)$/.exec(taint ?? '') ?? [];
    return [
      {
        text: 'See whether the DaemonSet rolls out or its probe fails now and then.',
        command: `kubectl -n ${namespace ?? '<namespace>'} rollout status daemonset/${name ?? '<daemonset>'}; kubectl -n ${namespace ?? '<namespace>'} get pods -o wide | grep ${name ?? '<daemonset>'}`,
      },
      {
        text: 'Gate the start only: do not close a node again after its first success, or roll out one node at a time.',
        command: `kubectl -n ${namespace ?? '<namespace>'} patch daemonset ${name ?? '<daemonset>'} -p '{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":1}}}}'`,
      },
    ];
  },
  decide: {
    text: 'Count how often nodes were closed again.',
    command: 'kubectl get events -A --field-selector reason=TaintsChanged -o json',
  },
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
