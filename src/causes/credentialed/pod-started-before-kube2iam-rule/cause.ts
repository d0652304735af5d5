import { clear, defineCause, found } from '../../../diagnosis/cause.ts';

/** Instance metadata hands out credentials that expire within six hours; no SDK holds them longer. */
const HELD_FOR_MS = 6 * 3_600_000;

/** The pod asked instance metadata before kube2iam had its rule, and was given the node's role. */
export default defineCause({
  id: 'pod-started-before-kube2iam-rule',
  stage: 'credentialed',
  title: 'the pod started before kube2iam’s rule and holds the node’s role',
  scope: 'machine',
  signs: {
    nodeRoleUsed: {
      in: ['pod-app', 'client-output', 'aws-message', 'journal'],
      anchors: ['is not authorized to perform: '],
      pattern:
        /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<instance>i-[0-9a-f]{8,17}) is not authorized to perform: (?!sts:AssumeRole)/,
      weight: 'context',
    },
    nodeRoleUsedSomewhere: {
      in: ['pod-app', 'client-output', 'aws-message', 'journal'],
      anchors: ['is not authorized to perform: '],
      pattern:
        /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<session>i-[0-9a-f]{8,17}) is not authorized to perform: (?!sts:AssumeRole)/,
      weight: 'context',
    },
    listening: {
      in: ['kube2iam'],
      anchors: ['Listening on port 8181', 'Using instance IAMRole'],
      pattern: /msg="?(?:Listening on port 8181|Using instance IAMRole)/,
      weight: 'context',
    },
    heldRoleAsked: {
      in: ['kube2iam'],
      anchors: ['does not match annotated role'],
      pattern: /Invalid role[^"]{0,120}does not match annotated role/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  match(view) {
    const used = view.sign('nodeRoleUsed') ?? view.sign('nodeRoleUsedSomewhere');
    const start = view.sign('listening') ?? view.clusterSign('listening');
    if (used === null || start === null) return null;
    const [usedAt, startAt] = [used.first.moment.when, start.first.moment.when];
    // A refusal long after kube2iam listened has another reason, such as a rule on a wrong interface.
    if (usedAt === null || startAt === null) return null;
    if (usedAt.ms - startAt.ms > HELD_FOR_MS) return clear;
    if (usedAt.ms > startAt.ms) return null;
    return found(used.last.captures, [used.first, start.first], 'likely');
  },
  summary: ({ node, instance, role }) =>
    `A pod on ${node ?? instance ?? 'the node'} asked for credentials before kube2iam listened, so it works with the node’s role${role === undefined ? '' : ` ${role}`} until it is started again.`,
  remedy: () => [
    {
      text: 'Start the pod again; SDKs keep the credentials they were given.',
      command: 'kubectl -n <namespace> delete pod <pod>',
    },
    {
      text: 'Fail closed: add the rule in user data, before the kubelet starts, instead of with --iptables.',
      command:
        'sudo iptables -t nat -A PREROUTING -p tcp -d 169.254.169.254 --dport 80 ! -i eth0 -j DNAT --to-destination <node-address>:8181',
    },
  ],
  decide: {
    text: 'Compare the start of the pod with the start of kube2iam on its node.',
    command: 'kubectl get pods -A -o wide --field-selector spec.nodeName=<node>',
  },
  page: {
    why: 'With --iptables, kube2iam adds its own rule when it starts. Pods that start earlier on a new node reach the real instance metadata and get the node’s role.',
    prevent:
      'Add the rule before the kubelet starts, keep the node’s role poor, or move to IRSA or Pod Identity.',
    notThis:
      'AccessDenied for assumed-role/…/i-… long after kube2iam listens is no race: see metadata-redirect-on-wrong-interface, or pods on the host’s network, which the rule never catches.',
    alsoKnownAs: ['kube2iam node role assumed-role i- is not authorized'],
    refs: [
      'https://github.com/jtblin/kube2iam/issues/170',
      'https://github.com/jtblin/kube2iam/issues/19',
      'https://github.com/zalando-incubator/kubernetes-on-aws/pull/293',
    ],
  },
});
