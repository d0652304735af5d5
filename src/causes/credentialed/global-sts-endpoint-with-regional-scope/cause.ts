import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';

/** The address of the call and the region of its signature do not belong together. */
export default defineCause({
  id: 'global-sts-endpoint-with-regional-scope',
  stage: 'credentialed',
  title: 'an application calls the global STS endpoint while it signs for its own region',
  scope: 'machine',
  signs: {
    scopedElsewhere: definite(
      [
        'pod-app',
        'client-output',
        'csi-driver',
        'karpenter',
        'event',
        'pod-status',
        'terraform',
        'journal',
        'object',
      ],
      /Credential should be scoped to a valid region(?:, not '(?<region>[\w-]{2,40})')?/,
    ),
    globalToken: context(
      ['pod-app', 'client-output', 'csi-driver', 'karpenter', 'event', 'journal'],
      /https:\/\/sts\.amazonaws\.com\b.*(?:InvalidClientTokenId|AuthFailure)/,
    ),
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, machine, region }) =>
    `A program on ${node ?? machine ?? 'a node'} signs its STS call for ${region ?? 'its region'} and sends it to another endpoint, the global one by default, which refuses the signature; it gets no AWS credentials.`,
  remedy: ({ region }) => [
    step(
      'Let the program use the endpoint of its region: on the service account for IRSA, then start its pods again.',
      'kubectl -n <namespace> annotate serviceaccount <service-account> eks.amazonaws.com/sts-regional-endpoints=true --overwrite',
    ),
    step(
      'Or in its environment.',
      `kubectl -n <namespace> set env deployment/<deployment> AWS_STS_REGIONAL_ENDPOINTS=regional AWS_REGION=${region ?? '<region>'}`,
    ),
    step(
      'Where the endpoint is configured by hand (a provider’s sts_region, an endpoint URL), name the same region for both; the SDK’s own update does the rest.',
      'kubectl -n <namespace> get deployment <deployment> -o yaml',
    ),
  ],
  decide: step(
    'Read which endpoint and region the pod was given.',
    'kubectl get pod <pod> -o yaml',
  ),
  page: {
    why: 'A signature holds the region it is made for. The global endpoint sts.amazonaws.com takes us-east-1 alone. Old SDKs, and programs with an endpoint of their own, call it while they sign for the region from AWS_REGION; in opt-in regions its tokens are not valid either.',
    prevent:
      'Current SDKs, AWS_STS_REGIONAL_ENDPOINTS=regional, and one setting for region and endpoint.',
    notThis:
      'An endpoint that does not answer is sts-unreachable-from-pods or sts-endpoint-unavailable. Not authorized to perform sts:AssumeRoleWithWebIdentity came through and was refused by the role: irsa-trust-policy-mismatch. A signature that is expired means a clock.',
    alsoKnownAs: [
      "SignatureDoesNotMatch: Credential should be scoped to a valid region, not 'eu-west-1'",
    ],
    refs: [
      'https://docs.aws.amazon.com/sdkref/latest/guide/feature-sts-regionalized-endpoints.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/configure-sts-endpoint.html',
      'https://github.com/cloud-custodian/cloud-custodian/issues/4874',
    ],
  },
});
