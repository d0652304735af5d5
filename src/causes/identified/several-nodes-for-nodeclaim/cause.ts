import { defineCause } from '../../../diagnosis/cause.ts';

/** Karpenter finds more than one Node with the providerID of a NodeClaim. */
export default defineCause({
  id: 'several-nodes-for-nodeclaim',
  stage: 'identified',
  title: 'Karpenter finds several Nodes for one NodeClaim',
  scope: 'machine',
  signs: {
    severalFound: {
      in: ['node-claim', 'karpenter', 'event', 'object'],
      anchors: ['MultipleNodesFound', 'matched multiple nodes'],
      pattern:
        /(?:NodeClaim (?<claim>\S+) condition Registered=(?:False|Unknown) )?(?:MultipleNodesFound|Invariant violated, matched multiple nodes)/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ claim }) =>
    `The instance of NodeClaim ${claim ?? '<claim>'} has several Node objects; Karpenter does not know which is meant and leaves the claim unregistered.`,
  remedy: () => [
    {
      text: 'Find the two Nodes with one providerID.',
      command:
        'kubectl get nodes -o custom-columns=NODE:.metadata.name,PROVIDER:.spec.providerID,READY:.status.conditions[-1].status | sort -k2',
    },
    {
      text: 'Delete the one that no kubelet keeps up to date.',
      command: 'kubectl delete node <stale-node>',
    },
  ],
  decide: {
    text: 'List Nodes by providerID.',
    command:
      'kubectl get nodes -o custom-columns=NODE:.metadata.name,PROVIDER:.spec.providerID | sort -k2',
  },
  page: {
    why: 'The instance registered twice, under two names: its host name changed after the first registration, or two programs named it differently.',
    prevent: 'A host name that is final before the kubelet starts.',
    notThis:
      'The reason for the second name is a cause of its own: old-name-node-left-behind, resource-based-name-mismatch or foreign-dhcp-domain-name. A claim without any Node is another matter: NodeNotFound.',
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/registration.go',
    ],
  },
});
