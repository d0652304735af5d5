import { defineCause } from '../../../diagnosis/cause.ts';

/** Security groups for pods are on, and the node has no trunk interface to hang them on. */
export default defineCause({
  id: 'trunk-eni-missing',
  stage: 'networked',
  title: 'the node has no trunk interface for security groups of pods',
  scope: 'machine',
  signs: {
    noSlot: {
      in: ['ipamd', 'aws-node'],
      anchors: ['No slot available for a trunk ENI'],
      pattern: /No slot available for a trunk ENI to be attached/,
      weight: 'likely',
    },
    podRefused: {
      in: ['ipamd', 'aws-node', 'cni-plugin', 'event'],
      anchors: ['No trunk ENI'],
      pattern: /No trunk ENI (?:found|Link Index found), cannot add a pod ENI/,
      weight: 'definite',
    },
    creationFailed: {
      in: ['event'],
      anchors: ['TrunkENICreationFailed'],
      pattern: /\bTrunkENICreationFailed\b/,
      weight: 'likely',
    },
    attached: {
      in: ['ipamd'],
      anchors: ['trunk ENI'],
      pattern: /[Ff]ound a trunk ENI|[Tt]runk ENI (?:attached|eni-[0-9a-f]+ is )/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ machine }) =>
    `${machine ?? 'The node'} has no trunk interface, so pods with a SecurityGroupPolicy get no branch interface and do not start there.`,
  remedy: () => [
    {
      text: 'Replace nodes that ran before ENABLE_POD_ENI was set: their slots are taken by warm interfaces.',
      command: 'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    },
    {
      text: 'Use types with trunking (most Nitro types, no t family).',
      command:
        "kubectl get nodes -o custom-columns='NAME:.metadata.name,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type,POD-ENI:.status.allocatable.vpc\\.amazonaws\\.com/pod-eni'",
    },
  ],
  decide: {
    text: 'See what the controller and ipamd say of the trunk.',
    command:
      'kubectl get events -A --field-selector reason=TrunkENICreationFailed; kubectl get cninode <node> -o yaml',
  },
  page: {
    why: 'Each pod with security groups of its own hangs on one trunk interface of the node, which takes a slot. On a node whose slots are all taken, or on a type without trunking, the controller cannot attach it.',
    prevent: 'Set ENABLE_POD_ENI before the nodes start, and choose types that can trunk.',
    notThis:
      'UnauthorizedOperation in the event is cluster-role-without-vpc-controller-policy; a trunk that exists and a branch that fails is branch-eni-allocation-failed.',
    alsoKnownAs: [
      'No slot available for a trunk ENI to be attached',
      'vpc.amazonaws.com/pod-eni 0',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/ipamd.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/2792',
    ],
  },
});
