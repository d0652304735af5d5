import { defineCause } from '../../../diagnosis/cause.ts';

/** A kOps node cannot find kops-controller, from which it gets its certificates. */
export default defineCause({
  id: 'kops-controller-name-unresolved',
  stage: 'bootstrapped',
  title: 'the name of kops-controller is a placeholder or does not resolve',
  scope: 'machine',
  // A line of nodeup without its prefix is known by the name of the program it asks for.
  signs: {
    notSetUp: {
      in: ['nodeup', 'cloud-init', 'kops-controller'],
      anchors: ['kops-controller DNS not setup yet'],
      pattern: /kops-controller DNS not setup yet \((?<reason>placeholder IP found|not found)/,
      weight: 'likely',
    },
    notResolved: {
      in: ['nodeup', 'cloud-init', 'kops-controller'],
      anchors: ['lookup kops-controller.internal.'],
      pattern:
        /lookup kops-controller\.internal\.(?!\S*\.k8s\.local)[^\s:]+(?: on \S+)?: (?<reason>no such host|server misbehaving)/,
      weight: 'likely',
      atLeast: 2,
    },
    resolved: {
      in: ['nodeup', 'cloud-init', 'kops-controller'],
      anchors: [':3988/'],
      pattern: /:3988\/.{0,300}dial tcp \d/,
      weight: 'withdraws',
    },
    waiting: {
      in: ['nodeup', 'cloud-init'],
      anchors: ['BootstrapClientTask/BootstrapClient'],
      pattern: /Task "BootstrapClientTask\/BootstrapClient" not ready/,
      weight: 'context',
    },
    allDone: {
      in: ['nodeup', 'cloud-init', 'kops-controller'],
      anchors: ['total; 0 can run'],
      pattern: /Tasks: \d+ done \/ \d+ total; 0 can run/,
      weight: 'withdraws',
    },
    unitDone: {
      in: ['nodeup', 'journal'],
      anchors: [
        'kops-configuration.service: Succeeded',
        'kops-configuration.service: Deactivated',
        'Finished Run kops bootstrap',
        'Finished Run kOps bootstrap',
      ],
      pattern:
        /kops-configuration\.service: (?:Succeeded|Deactivated)|Finished Run k[oO]ps bootstrap/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason }) =>
    `nodeup on ${machine ?? 'the machine'} waits for kops-controller, whose DNS name ${reason !== undefined && reason !== 'placeholder IP found' ? 'does not resolve' : 'still has the placeholder address 203.0.113.123'}; without it the node gets no certificates.`,
  remedy: () => [
    {
      text: 'See whether a control-plane machine is up and dns-controller writes the records.',
      command:
        'kubectl -n kube-system logs deploy/dns-controller --tail=50; kubectl -n kube-system get pods -l k8s-app=kops-controller -o wide',
    },
    {
      text: 'Ask for the record that the node asks for.',
      command: 'dig +short kops-controller.internal.<cluster>',
    },
  ],
  decide: {
    text: 'Ask for the record from the machine.',
    command: 'dig +short kops-controller.internal.<cluster>; cat /etc/hosts',
  },
  page: {
    why: 'kOps creates its DNS records with a placeholder and lets dns-controller replace it when the control plane runs. While the control plane is down, or dns-controller may not write the zone, nodes wait.',
    prevent: 'Watch dns-controller; give its role the hosted zone.',
    notThis:
      'During the creation of a cluster nodes wait some minutes: normal. In gossip clusters look at protokube (gossip-dns-without-protokube). A name that resolves and a port that does not answer is another cause.',
    alsoKnownAs: ['kops-controller DNS not setup yet (placeholder IP found: [203.0.113.123])'],
    refs: [
      'https://github.com/kubernetes/kops/issues/13236',
      'https://github.com/kubernetes/kops/issues/14899',
      'https://github.com/kubernetes/kops/blob/HEAD/pkg/kopscontrollerclient/client.go',
    ],
  },
});
