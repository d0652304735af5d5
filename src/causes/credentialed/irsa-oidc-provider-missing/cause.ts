import { defineCause } from '../../../diagnosis/cause.ts';

/** STS knows no IAM OIDC provider for the issuer that signed the pod's token. */
export default defineCause({
  id: 'irsa-oidc-provider-missing',
  stage: 'credentialed',
  title: 'the account has no usable IAM OIDC provider for the cluster’s issuer',
  scope: 'cluster',
  signs: {
    providerMissing: {
      in: [
        'pod-app',
        'client-output',
        'csi-driver',
        'event',
        'pod-status',
        'aws-message',
        'journal',
        'karpenter',
        'object',
      ],
      anchors: ['No OpenIDConnect provider found', 'no OpenIDConnect provider found'],
      pattern:
        /[Nn]o OpenIDConnect provider found in (?:your )?account(?: for (?<issuer>https:\/\/[\w./-]+\w))?/,
      weight: 'definite',
    },
    providerRefused: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'aws-message', 'journal'],
      anchors: ['OpenIDConnect provider', 'verification key from your identity provider'],
      pattern:
        /OpenIDConnect provider's HTTPS certificate doesn't match configured thumbprint|Couldn't retrieve verification key from your identity provider/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['irsa-trust-policy-mismatch'],
  summary: ({ issuer }) =>
    `IAM has no usable OIDC provider for ${issuer ?? 'the cluster’s issuer'}, so STS refuses the token of every service account and pods get no AWS credentials.`,
  remedy: ({ cluster }) => [
    {
      text: 'Register the cluster’s issuer with IAM.',
      command: `eksctl utils associate-iam-oidc-provider --cluster ${cluster ?? '<cluster>'} --approve`,
    },
    {
      text: 'After a cluster was created anew its issuer has a new id: put that id into the trust policy of every role, then start the pods again.',
      command: `aws eks describe-cluster --name ${cluster ?? '<cluster>'} --query cluster.identity.oidc.issuer --output text`,
    },
  ],
  decide: {
    text: 'Compare the cluster’s issuer with the providers of the account.',
    command: 'aws iam list-open-id-connect-providers',
  },
  page: {
    why: 'With IAM roles for service accounts the pod shows STS a token which the cluster signed. STS accepts it only when the account has an OIDC provider of exactly that issuer. eksctl and most Terraform modules create it, a plain cluster does not have it, and a cluster created anew has another issuer.',
    prevent:
      'Create the provider in the same configuration as the cluster, from the cluster’s own issuer attribute.',
    notThis:
      'AccessDenied, “Not authorized to perform sts:AssumeRoleWithWebIdentity”, means that the provider is known and the role refuses: irsa-trust-policy-mismatch. A pod without AWS_WEB_IDENTITY_TOKEN_FILE never asked: irsa-webhook-did-not-mutate.',
    alsoKnownAs: [
      'InvalidIdentityToken: No OpenIDConnect provider found in your account',
      'WebIdentityErr: failed to retrieve credentials',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/enable-iam-roles-for-service-accounts.html',
      'https://github.com/external-secrets/external-secrets/issues/6648',
    ],
  },
});
