import { defineCause } from '../../../diagnosis/cause.ts';

/** Karpenter waits for a start-up taint to go, and whoever should remove it does not. */
export default defineCause({
  id: 'startup-taint-not-removed',
  stage: 'gated',
  title: 'a start-up taint stays, so Karpenter never calls the node initialised',
  scope: 'machine',
  signs: {
    condition: {
      in: ['node-claim', 'karpenter', 'object', 'event', 'csi-driver', 'nidhogg', 'client-output'],
      anchors: ['StartupTaint'],
      pattern: /StartupTaint "(?<taint>[^"]+)" still exists/,
      weight: 'likely',
    },
    reason: {
      in: ['node-claim', 'karpenter', 'object', 'csi-driver', 'nidhogg', 'client-output'],
      anchors: ['StartupTaintsExist'],
      pattern: /\bStartupTaintsExist\b/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: ['pod-not-scheduled'],
  summary: ({ machine, taint }) =>
    `The start-up taint ${taint ?? ''} is still on ${machine ?? 'the node'}, so Karpenter neither uses nor replaces it; there is no time limit.`.replace(
      'taint  is',
      'taint is',
    ),
  remedy: ({ taint, node }) => {
    const key = taint?.replace(/[=:].*$/, '').replace(/^'/, '') ?? '<taint-key>';
    return [
      {
        text: 'Find out who should remove it (CSI driver, Cilium operator, readiness controller) and whether that runs.',
        command: `kubectl get pods -A -o wide --field-selector spec.nodeName=${node ?? '<node>'} | grep -vE ' ([0-9]+)/\\1 +Running'`,
      },
      {
        text: 'Open this node by hand.',
        command: `kubectl taint node ${node ?? '<node>'} ${key}-`,
      },
      {
        text: 'If nobody removes such a taint, take it out of the NodePool.',
        command:
          'kubectl get nodepools -o custom-columns=NAME:.metadata.name,TAINTS:.spec.template.spec.startupTaints',
      },
    ];
  },
  decide: {
    text: 'Read what Karpenter still waits for.',
    command: 'kubectl get nodeclaims -o json',
  },
  page: {
    why: 'startupTaints of a NodePool are put on the Node by Karpenter and expected to be removed by someone else. Until then the node counts as coming capacity: it is not consolidated, not replaced and takes no pods.',
    prevent:
      'Name in startupTaints only keys that a running component removes; alarm on NodeClaims that are not Initialized for ten minutes.',
    notThis:
      'This is what Karpenter sees; csi-driver-not-ready, cilium-agent-not-ready, the gate causes and startup-taint-removal-lost name who failed. KnownEphemeralTaintsExist is the same wait for Kubernetes’ own taints.',
    alsoKnownAs: ['StartupTaintsExist', 'StartupTaint still exists'],
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/initialization.go',
      'https://karpenter.sh/docs/concepts/nodepools/',
    ],
  },
});
