import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The token was signed for a cluster of another name. */
const cause = defineCause({
  id: 'token-for-another-cluster',
  stage: 'authenticated',
  title: 'the token is signed for another cluster name',
  scope: 'cluster',
  signs: {
    signatureDiffers: likely(
      ['authenticator'],
      /error from AWS \(expected 200, got 403\).*SignatureDoesNotMatch(?!.*[Ss]ignature (?:expired|not yet current))/,
      { anchors: ['SignatureDoesNotMatch'], strict: true, atLeast: 2, enoughOnce: 'end' },
    ),
    // A body that is printed over several lines has the code on one of its own.
    refusedBySts: context(
      ['authenticator', 'client-output', 'pod-app', 'unknown'],
      /(?:could not verify token: )?sts getCallerIdentity failed: error from AWS \(expected 200, got 403\)/,
    ),
    signatureCode: context(
      ['authenticator', 'client-output', 'pod-app', 'object', 'unknown'],
      /(?:"Code"\s?:\s?"|<Code>)SignatureDoesNotMatch\b(?!.*[Ss]ignature (?:expired|not yet current))/,
    ),
    headerNotSigned: definite(['authenticator'], /client did not sign the x-k8s-aws-id header/),
    clockOff: context(
      ['authenticator'],
      /[Ss]ignature (?:expired|not yet current)|X-Amz-Date parameter is expired/,
    ),
  },
  needs: [],
  symptoms: ['kubelet-unauthorized'],
  // STS compares the time first: what it says of the clock is all that it has looked at.
  summary: () =>
    'A client signs its tokens for another cluster name than this cluster’s; STS rejects the signature and the client gets 401 Unauthorized.',
  remedy: () => [
    step(
      'Compare the name in the kubelet’s kubeconfig with the cluster’s, letter by letter.',
      "sudo grep -A14 'exec:' /var/lib/kubelet/kubeconfig; aws eks list-clusters",
    ),
    step(
      'Correct it where the machines get it (bootstrap.sh argument, NodeConfig spec.cluster.name, settings.kubernetes.cluster-name), then replace them.',
      'aws autoscaling start-instance-refresh --auto-scaling-group-name <group>',
    ),
  ],
  decide: step(
    'Read the cluster name in the arguments of the credential plugin.',
    "sudo grep -A14 'exec:' /var/lib/kubelet/kubeconfig",
  ),
  page: {
    why: 'The cluster name is part of what a token signs. The control plane repeats the call to STS with its own name, and a token for another name has another signature.',
    prevent: 'Hand the cluster name to user data from the cluster resource, not from text.',
    notThis:
      '“Signature expired” is wrong-node-clock. 403 from STS without its reason may be either.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/token/token.go',
    ],
  },
});

export default matched(cause, (view) => {
  if (view.anySign('signatureDiffers', 'headerNotSigned')) return null;
  if (view.sign('clockOff') !== null) return clear;
  const [refused, code] = [view.sign('refusedBySts')?.last, view.sign('signatureCode')?.last];
  if (refused === undefined || code === undefined) return null;
  return found({}, [refused, code], 'likely');
});
