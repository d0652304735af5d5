import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** A kOps node cannot find kops-controller, from which it gets its certificates. */
export default defineCause({
  id: 'kops-controller-name-unresolved',
  stage: 'bootstrapped',
  title: 'the name of kops-controller is a placeholder or does not resolve',
  scope: 'machine',
  // A line of nodeup without its prefix is known by the name of the program it asks for.
  signs: {
    notSetUp: likely(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /kops-controller DNS not setup yet \((?<reason>placeholder IP found|not found)/,
    ),
    notResolved: likely(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /lookup kops-controller\.internal\.(?!\S*\.k8s\.local)[^\s:]+(?: on \S+)?: (?<reason>no such host|server misbehaving)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    resolved: withdraws(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /:3988\/.{0,300}dial tcp (?!203\.0\.113\.123\b)\d/,
      {
        anchors: [':3988/'],
      },
    ),
    waiting: context(
      ['nodeup', 'cloud-init'],
      /Task "BootstrapClientTask\/BootstrapClient" not ready/,
    ),
    allDone: withdraws(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /Tasks: \d+ done \/ \d+ total; 0 can run/,
    ),
    unitDone: withdraws(
      ['nodeup', 'journal'],
      /kops-configuration\.service: (?:Succeeded|Deactivated)|Finished Run k[oO]ps bootstrap/,
    ),
    // The address that kOps writes into a record until the control plane has one.
    placeholderDialed: likely(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /kops-controller\.internal\.\S{1,253}:3988\/.{0,300}dial tcp 203\.0\.113\.123:3988/,
      { anchors: ['kops-controller.internal.'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason }) =>
    `nodeup on ${machine ?? 'the machine'} waits for kops-controller, whose DNS name ${reason !== undefined && reason !== 'placeholder IP found' ? 'does not resolve' : 'still has the placeholder address 203.0.113.123'}; without it the node gets no certificates.`,
  remedy: () => [
    step(
      'See whether a control-plane machine is up and dns-controller writes the records.',
      'kubectl -n kube-system logs deploy/dns-controller --tail=50; kubectl -n kube-system get pods -l k8s-app=kops-controller -o wide',
    ),
    step(
      'Ask for the record that the node asks for.',
      'dig +short kops-controller.internal.<cluster>',
    ),
  ],
  decide: step(
    'Ask for the record from the machine.',
    'dig +short kops-controller.internal.<cluster>; cat /etc/hosts',
  ),
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
