import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';

/** A Karpenter node whose kubelet did not register the taint by which Karpenter holds it back. */
export default defineCause({
  id: 'unregistered-taint-missing',
  stage: 'registered',
  title: 'a Karpenter node registers without the taint karpenter.sh/unregistered',
  scope: 'group',
  signs: {
    missingTaint: definite(
      ['karpenter'],
      /missing required startup taint, karpenter\.sh\/unregistered/,
    ),
    claimOfLine: context(
      ['karpenter'],
      /"NodeClaim":\s*\{\s*"name":\s*"(?<claim>[^"]+)".*karpenter\.sh\/unregistered/,
    ),
    missingTaintWarned: definite(
      ['karpenter'],
      /missing (?:karpenter\.sh\/unregistered )?taint (?:which )?prevents registration[- ]related race conditions/i,
      { anchors: ['registration-related race conditions', 'registration related race conditions'] },
    ),
    event: definite(
      ['event', 'karpenter'],
      /(?:nodeclaim\/(?<claim>[a-z0-9.-]+)\s+)?Missing karpenter\.sh\/unregistered taint|\bUnregisteredTaintMissing\b/,
    ),
    condition: definite(
      ['node-claim', 'karpenter', 'object'],
      /(?:NodeClaim (?<claim>[a-z0-9.-]+) condition Registered=\w+ )?UnregisteredTaintNotFound|karpenter\.sh\/unregistered taint must be present on Karpenter-managed nodes/,
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  withdrawnBy: [],
  // To Kubernetes the node is whole; only Karpenter does not count it as its own.
  blocksAbove: false,
  summary: ({ claim }) =>
    `The node of NodeClaim ${claim ?? 'in question'} joined without the taint karpenter.sh/unregistered:NoExecute, so Karpenter does not take it as registered (pods may also land before labels and taints are set).`,
  remedy: () => [
    step(
      'Register the node with the taint: in custom user data add it to the kubelet’s arguments (bootstrap.sh form).',
      "--kubelet-extra-args '--register-with-taints=karpenter.sh/unregistered=true:NoExecute'",
    ),
    step(
      'With nodeadm write it into the kubelet configuration of the NodeConfig.',
      'kubectl explain ec2nodeclass.spec.userData',
    ),
  ],
  decide: step(
    'Read why Karpenter does not count the node as registered.',
    'kubectl get nodeclaims -o json',
  ),
  page: {
    why: 'Since v1 Karpenter wants every node to join with karpenter.sh/unregistered:NoExecute and takes it off itself after it has set labels and taints. It adds the argument for its own AMI families; with amiFamily Custom the user data must.',
    prevent:
      'Use an AMI family that Karpenter knows, or copy the argument into every custom user data.',
    notThis:
      'A node that never joined shows NodeNotFound, which is only a verdict. Another controller that strips taints early gives the same text: then the kubelet’s arguments on the node do have the taint.',
    alsoKnownAs: ['Invariant violated, karpenter.sh/unregistered taint must be present'],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/issues/6821',
      'https://github.com/kubernetes-sigs/karpenter/issues/1635',
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/registration.go',
    ],
  },
});
