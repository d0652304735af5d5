import { defineCause } from '../../../diagnosis/cause.ts';

/** Karpenter holds the node back until a registration hook has said yes. */
export default defineCause({
  id: 'karpenter-registration-hook-pending',
  stage: 'gated',
  title: 'a registration hook of Karpenter is still pending for the node',
  scope: 'machine',
  signs: {
    pending: {
      in: ['node-claim', 'karpenter', 'object', 'event'],
      anchors: ['RegistrationHookPending'],
      pattern:
        /(?:NodeClaim (?<claim>[a-z0-9.-]+) condition Registered=\w+ )?RegistrationHookPending(?: (?<hooks>[^\n]{1,200}))?/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ machine, claim, hooks }) =>
    `The node ${machine ?? claim ?? ''} has joined, but Karpenter keeps the taint karpenter.sh/unregistered on it until a registration hook answers${hooks === undefined ? '' : ` (${hooks.trim()})`}.`.replace(
      'node  has',
      'node has',
    ),
  remedy: () => [
    {
      text: 'Read which hook is meant, and what Karpenter logs about it.',
      command:
        'kubectl -n kube-system logs -l app.kubernetes.io/name=karpenter --tail=2000 | grep -i hook',
    },
    {
      text: 'Look at the controller that answers this hook.',
      command:
        'kubectl get nodeclaims -o custom-columns=\'NAME:.metadata.name,WHY:.status.conditions[?(@.type=="Registered")].message\'',
    },
  ],
  decide: {
    text: 'Read why the claim is not registered.',
    command: 'kubectl get nodeclaims -o json',
  },
  page: {
    why: 'Newer Karpenter lets providers run hooks before a node is taken as registered. While one is pending the unregistered taint stays, and after 15 minutes the claim is deleted.',
    prevent: 'Watch the hook’s own component like any other admission path.',
    notThis:
      'The Node exists; without a Node the reason is NodeNotFound. A Node without the taint is unregistered-taint-missing.',
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/registration.go',
    ],
  },
});
