import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The Node is Ready, and Calico’s own routing or policy on it is not, for longer than a start takes. */
export default defineCause({
  id: 'calico-dataplane-not-ready',
  stage: 'networked',
  title: 'Calico’s data plane does not become ready on the node',
  scope: 'machine',
  signs: {
    repeated: {
      in: ['event', 'calico-node', 'kubelet'],
      anchors: ['calico/node is not ready', 'with BGP peering established'],
      pattern:
        /\(x(?:[2-9]\d|\d{3,}) over [^)]*\).*(?:Readiness|Liveness) probe failed:.*(?:calico\/node is not ready(?:: (?<part>felix|BIRD6?|bird6?|bird\/confd) is not (?:ready|live))?|BGP peering established = 0)/,
      weight: 'likely',
    },
    often: {
      in: ['event', 'kubelet', 'calico-node'],
      anchors: ['calico/node is not ready'],
      pattern:
        /calico\/node is not ready: (?<part>felix|BIRD6?|bird6?|bird\/confd) is not (?:ready|live)(?:.*BGP not established with (?<peers>[\d.,]+))?/,
      weight: 'likely',
      atLeast: 8,
    },
    once: {
      in: ['event', 'kubelet', 'calico-node'],
      anchors: ['calico/node is not ready'],
      pattern:
        /calico\/node is not ready: (?<part>felix|BIRD6?|bird6?|bird\/confd) is not (?:ready|live)(?:.*BGP not established with (?<peers>[\d.,]+))?/,
      weight: 'context',
    },
    unreadyForLong: {
      in: ['client-output', 'pod-status', 'unknown', 'calico-node'],
      anchors: ['calico-node-'],
      pattern:
        /\bcalico-node-[a-z0-9]{5}\s+0\/1\s+(?:Running|CrashLoopBackOff)\s+\d+(?: \([^)]*\))?\s+(?:\d{2,}m|\d+h|\d+d)/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  match: (view) => matchUnready(view),
  summary: ({ part, peers, machine }) =>
    `Calico on ${machine ?? 'the node'} stays not ready${part === undefined ? '' : ` (${part})`}${peers === undefined ? '' : `, without BGP session to ${peers}`}; pods there do not reach other nodes or service addresses although the Node is Ready.`,
  remedy: ({ part }) => [
    {
      text:
        part?.startsWith('felix') === true
          ? 'Felix waits for its data: see that nodes reach Typha on TCP 5473 and the API server.'
          : 'Let nodes reach each other on TCP 179 and IP protocol 4 (or UDP 4789 with VXLAN).',
      command:
        'aws ec2 authorize-security-group-ingress --group-id <node-security-group> --source-group <node-security-group> --protocol all',
    },
    {
      text: 'Read what calico-node itself says.',
      command:
        'kubectl -n kube-system logs -l k8s-app=calico-node -c calico-node --tail=100 --prefix',
    },
    { text: 'Give calico-node CPU of its own where probes only time out.', command: null },
  ],
  decide: {
    text: 'See what the probe complains about now.',
    command:
      'kubectl get pods -A -l k8s-app=calico-node -o wide; kubectl get events -A --field-selector reason=Unhealthy | grep calico-node',
  },
  page: {
    why: 'A kubelet calls the Node Ready as soon as a CNI configuration file is there. Whether BIRD has its sessions and Felix its rules is known only to calico-node’s own probe.',
    prevent:
      'A startup taint that is taken off only when calico-node is ready; rules between nodes for all of Calico’s ports.',
    notThis:
      'A few failures in the first half minute are normal. Peers of another network mean calico-address-on-wrong-interface; Typha that times out is node-to-node-traffic-blocked; service addresses that are dead for kube-proxy’s sake are kube-proxy-not-working.',
    alsoKnownAs: [
      'calico/node is not ready: BIRD is not ready: BGP not established with',
      'felix is not ready: readiness probe reporting 503',
    ],
    refs: [
      'https://github.com/projectcalico/calico/issues/7788',
      'https://github.com/projectcalico/calico/issues/3541',
    ],
  },
});

type Signs = 'repeated' | 'often' | 'once' | 'unreadyForLong';

/** One complaint counts when the pod list shows that it lasts. */
function matchUnready(view: View<never, Signs>): Match | null {
  const once = view.sign('once');
  const unready = view.sign('unreadyForLong');
  if (view.sign('repeated') !== null || once === null || unready === null) return null;
  return found(once.last.captures, [once.last, unready.first], 'likely');
}
