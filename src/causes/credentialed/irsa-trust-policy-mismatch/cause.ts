import { defineCause } from '../../../diagnosis/cause.ts';

/** The role's trust policy names another service account, audience, issuer or provider. */
export default defineCause({
  id: 'irsa-trust-policy-mismatch',
  stage: 'credentialed',
  title: 'the role’s trust policy does not let this service account in',
  scope: 'cluster',
  signs: {
    refused: {
      in: [
        'pod-app',
        'client-output',
        'csi-driver',
        'event',
        'pod-status',
        'aws-message',
        'journal',
        'object',
      ],
      anchors: ['AssumeRoleWithWebIdentity'],
      pattern:
        /(?<!with OIDC: )\b[Nn]ot authorized to perform:? sts:AssumeRoleWithWebIdentity(?: on resource: (?<role>arn:aws[\w-]*:iam::\d+:role\/[\w+=,.@/-]+))?/,
      weight: 'definite',
    },
    audience: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'aws-message', 'journal'],
      anchors: ['Incorrect token audience'],
      pattern: /InvalidIdentityToken\W.*Incorrect token audience/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ role }) =>
    `The trust policy of ${role ?? 'the role in the service account’s annotation'} does not match the pod’s service account, audience or issuer, so STS refuses the pod and it gets no AWS credentials.`,
  remedy: ({ role }) => [
    {
      text: 'Read the trust policy: the provider ARN and the condition keys must carry the cluster’s present issuer, :sub must be system:serviceaccount:NAMESPACE:NAME, :aud sts.amazonaws.com.',
      command: `aws iam get-role --role-name ${role === undefined ? '<role>' : role.replace(/^.*\//, '')} --query Role.AssumeRolePolicyDocument`,
    },
    {
      text: 'Let eksctl write a policy that fits, then start the pods again.',
      command:
        'eksctl create iamserviceaccount --cluster <cluster> --namespace <namespace> --name <service-account> --attach-role-arn <role-arn> --override-existing-serviceaccounts --approve',
    },
  ],
  decide: {
    text: 'Read which issuer, subject and audience the role trusts.',
    command: 'aws iam get-role --role-name <role>',
  },
  page: {
    why: 'The token and the provider are fine, the role refuses. The namespace, the service account or the chart was renamed, the cluster was created anew, the provider ARN is misspelt (oidc.REGION.eks instead of oidc.eks.REGION), a condition key carries the ARN instead of the bare issuer, or StringEquals meets a wildcard.',
    prevent:
      'Build trust policies from the cluster’s issuer attribute and the same variable that names the service account.',
    notThis:
      'InvalidIdentityToken: No OpenIDConnect provider found is irsa-oidc-provider-missing. Refused in the VPC CNI it is cni-role-not-assumable, in Karpenter karpenter-role-not-assumable. AccessDenied that names assumed-role/…/i-… did not use the role at all.',
    alsoKnownAs: ['AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html',
      'https://github.com/kubernetes/autoscaler/issues/4282',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1010',
    ],
  },
});
