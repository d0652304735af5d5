import type { Condition } from '../../../evidence/kube/object.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { NodeClaim } from '../../../evidence/kube/machines.ts';

/** Karpenter finds more than one Node with the providerID of a NodeClaim. */
const cause = defineCause({
  id: 'several-nodes-for-nodeclaim',
  stage: 'identified',
  title: 'Karpenter finds several Nodes for one NodeClaim',
  scope: 'machine',
  signs: {
    severalFound: definite(
      ['node-claim', 'karpenter', 'event', 'object'],
      /(?:NodeClaim (?<claim>\S+) condition Registered=(?:False|Unknown) )?(?:MultipleNodesFound|Invariant violated, matched multiple nodes)/,
    ),
  },
  needs: ['kube/NodeClaim', 'kube/Node'],
  symptoms: ['node-object-missing'],
  explains: ['old-name-node-left-behind', 'node-heartbeat-lost'],
  summary: ({ claim, nodes }) =>
    sentence`The instance of NodeClaim ${claim ?? '<claim>'} has several Node objects${phrase` (${nodes})`}; Karpenter does not know which is meant and leaves the claim unregistered.`,
  remedy: ({ stale }) => [
    step(
      'Find the two Nodes with one providerID.',
      'kubectl get nodes -o custom-columns=NODE:.metadata.name,PROVIDER:.spec.providerID,READY:.status.conditions[-1].status | sort -k2',
    ),
    step(
      'Delete the one that no kubelet keeps up to date.',
      `kubectl delete node ${stale ?? '<stale-node>'}`,
    ),
  ],
  decide: step(
    'List Nodes by providerID.',
    'kubectl get nodes -o custom-columns=NODE:.metadata.name,PROVIDER:.spec.providerID | sort -k2',
  ),
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

export default matched(cause, matchNodes);

type Own = ViewOf<typeof cause>;

/** A claim that is not registered, and the Nodes that name its instance. */
function matchNodes(view: Own): Match | null {
  const claims = view.list('kube/NodeClaim');
  for (const claim of claims) {
    const provider = claim.value.status?.providerID ?? '';
    const registered = registeredOf(claim);
    const nodes = view.list('kube/Node').filter(({ value }) => value.providerId === provider);
    if (provider === '' || nodes.length < 2 || registered?.status === 'True') continue;
    const state = `${registered?.status ?? 'unknown'} ${registered?.reason ?? ''}`;
    const words = `NodeClaim ${claim.value.name} condition Registered=${state}; providerID ${provider}`;
    const stale = nodes.find(({ value }) => value.ready !== true)?.value.name;
    const names = nodes.map(({ value }) => value.name).join(', ');
    return found(
      { claim: claim.value.name, nodes: names, ...(stale === undefined ? {} : { stale }) },
      [
        view.quote(claim, words.trim()),
        ...nodes.map((node) => view.quote(node, `Node ${node.value.name} providerID ${provider}`)),
      ],
    );
  }
  const areRegistered = claims.every((claim) => registeredOf(claim)?.status === 'True');
  return claims.length > 0 && areRegistered && view.sign('severalFound') === null ? clear : null;
}

function registeredOf({ value }: Seen<NodeClaim>): Condition | undefined {
  return value.status?.conditions?.find((entry) => entry.type === 'Registered');
}
