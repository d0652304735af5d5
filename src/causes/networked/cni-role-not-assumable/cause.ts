import { defineCause } from '../../../diagnosis/cause.ts';

/** The service account aws-node names a role, and STS does not hand it out. */
export default defineCause({
  id: 'cni-role-not-assumable',
  stage: 'networked',
  title: 'the VPC CNI’s service-account role cannot be assumed',
  scope: 'cluster',
  signs: {
    refusedForEnis: {
      in: ['ipamd', 'aws-node'],
      anchors: ['AssumeRoleWithWebIdentity', 'InvalidIdentityToken', 'WebIdentityErr'],
      pattern:
        /(?:ec2:\w+|operation error EC2|\bENIs?\b).{0,400}(?:WebIdentityErr|AssumeRoleWithWebIdentity).{0,400}(?<reason>AccessDenied|InvalidIdentityToken|Not authorized to perform)/,
      weight: 'definite',
    },
    refusedInDaemon: {
      in: ['ipamd', 'aws-node'],
      anchors: ['AssumeRoleWithWebIdentity', 'No OpenIDConnect provider found', 'WebIdentityErr'],
      pattern:
        /(?<reason>Not authorized to perform sts:AssumeRoleWithWebIdentity|No OpenIDConnect provider found in your account)|(?:WebIdentityErr|AssumeRoleWithWebIdentity).{0,400}(?<reason2>AccessDenied|InvalidIdentityToken)/,
      weight: 'definite',
      strict: true,
    },
    podIdentityRefused: {
      in: ['ipamd', 'aws-node'],
      anchors: ['169.254.170.23/v1/credentials', 'AssumeRoleForPodIdentity'],
      pattern:
        /(?:169\.254\.170\.23\/v1\/credentials|AssumeRoleForPodIdentity).*(?<reason>AccessDenied\w*|not authorized)/,
      weight: 'definite',
      strict: true,
    },
    enisRead: {
      in: ['ipamd'],
      anchors: ['DescribeAllENIs success', 'uccessfully increased IP'],
      pattern: /DescribeAllENIs success|[Ss]uccessfully increased IP/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialised'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'cni-without-aws-credentials',
    'cni-without-ec2-permissions',
    'instance-type-lookup-denied',
    'instance-type-unknown-to-cni',
  ],
  summary: ({ reason, reason2 }) =>
    `STS does not give aws-node its service-account role (${reason ?? reason2 ?? 'access denied'}), so ipamd has no credentials and new nodes get no pod network.`,
  remedy: () => [
    {
      text: 'Register the cluster’s OIDC issuer with IAM, if it is not.',
      command: 'eksctl utils associate-iam-oidc-provider --cluster <cluster> --approve',
    },
    {
      text: 'Let the role’s trust policy name this issuer and system:serviceaccount:kube-system:aws-node.',
      command: 'aws iam get-role --role-name <cni-role> --query Role.AssumeRolePolicyDocument',
    },
    {
      text: 'Restart the CNI; its pods keep the old token otherwise.',
      command: 'kubectl -n kube-system rollout restart daemonset/aws-node',
    },
  ],
  decide: {
    text: 'Compare the role on the service account with its trust policy.',
    command:
      "kubectl -n kube-system get serviceaccount aws-node -o jsonpath='{.metadata.annotations.eks\\.amazonaws\\.com/role-arn}'",
  },
  page: {
    why: 'With the annotation eks.amazonaws.com/role-arn the CNI no longer uses the node role. A rebuilt cluster has another issuer, so trust policies written for the old one refuse it, and an issuer that IAM does not know is refused outright.',
    prevent: 'Create issuer, role and trust policy from the same Terraform values as the cluster.',
    notThis:
      'No role and no credentials is cni-without-aws-credentials; a role that is assumed and refused by EC2 is cni-without-ec2-permissions. The same words from application pods alone are irsa-oidc-provider-missing or irsa-trust-policy-mismatch.',
    alsoKnownAs: [
      'Not authorized to perform sts:AssumeRoleWithWebIdentity aws-node',
      'No OpenIDConnect provider found in your account',
    ],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/issues/1313',
      'https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html',
    ],
  },
});
