import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** STS refuses the Karpenter controller its role, so no node pool can launch anything. */
export default defineCause({
  id: 'karpenter-role-not-assumable',
  stage: 'launched',
  title: 'the Karpenter controller may not assume its role',
  scope: 'cluster',
  signs: {
    webIdentityRefused: definite(
      ['karpenter'],
      /(?:karpenter|[Nn]ode[Cc]la|[Pp]rovision|\bec2\b|DescribeInstanceTypes).*[Nn]ot authorized to perform:? sts:AssumeRoleWithWebIdentity/,
      { strict: true },
    ),
    // How Karpenter begins, of whichever program the line is known to be.
    checkRefused: definite(
      ['karpenter', 'pod-app', 'client-output', 'unknown'],
      /(?:ec2|eks) api connectivity check failed.*(?:[Nn]ot authorized to perform:? sts:AssumeRoleWithWebIdentity|InvalidIdentityToken)/i,
      { anchors: ['connectivity check failed'] },
    ),
    ownRoleRefused: definite(
      ['karpenter', 'pod-app', 'client-output', 'unknown'],
      /[Cc]hecking EC2 API connectivity, AccessDenied: .{0,200}not authorized to perform: sts:AssumeRole on resource: .{0,60}role\/(?<role>[\w+=,.@/-]{1,128})/,
      { anchors: ['hecking EC2 API connectivity'] },
    ),
    nodeRoleRefused: definite(
      ['karpenter'],
      /is not authorized to perform: sts:AssumeRole on resource: (?<role>arn:aws[\w-]*:iam::\d+:role\/[\w+=,.@/-]+)/,
      { strict: true },
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'irsa-trust-policy-mismatch',
    'irsa-oidc-provider-missing',
    'launch-permission-denied',
    'karpenter-nodeclass-not-ready',
    'karpenter-launch-timeout',
  ],
  summary: ({ role }) =>
    sentence`STS does not let the Karpenter controller assume its role${phrase` ${role}`}, so it cannot call EC2 and every node pool stands still.`,
  remedy: ({ role }) => [
    step(
      'Compare the role’s trust policy with the controller’s service account and the cluster’s issuer.',
      `aws iam get-role --role-name ${role?.split('/').at(-1) ?? '<controller-role>'} --query Role.AssumeRolePolicyDocument; kubectl get serviceaccounts -A -o yaml | grep -B8 -A2 'role-arn.*arpenter'; aws eks describe-cluster --name <cluster> --query cluster.identity.oidc.issuer`,
    ),
    step(
      'Write the conditions with the bare issuer: oidc.eks.<region>.amazonaws.com/id/<id>:sub is system:serviceaccount:<namespace>:karpenter, …:aud is sts.amazonaws.com.',
      `aws iam update-assume-role-policy --role-name ${role?.split('/').at(-1) ?? '<controller-role>'} --policy-document file://trust.json`,
    ),
    step('Restart the controller.', 'kubectl -n kube-system rollout restart deployment karpenter'),
  ],
  decide: step(
    'Read the trust policy of the controller’s role.',
    'aws iam get-role --role-name <controller-role> --query Role.AssumeRolePolicyDocument',
  ),
  page: {
    why: 'The trust policy names another namespace, service account, audience or cluster, or writes the provider’s ARN where the condition key wants the bare issuer. Moving Karpenter from its own namespace to kube-system breaks it just so.',
    prevent:
      'Generate the trust policy from the cluster’s issuer and the chart’s namespace, in one module.',
    notThis:
      'InvalidIdentityToken, no provider found, is irsa-oidc-provider-missing. A time-out to STS is sts-endpoint-unavailable or no-nat-or-vpc-endpoints. Credentials that work and a refused RunInstances are launch-permission-denied.',
    alsoKnownAs: [
      'WebIdentityErr: failed to retrieve credentials',
      'Not authorized to perform sts:AssumeRoleWithWebIdentity',
    ],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/issues/1666',
      'https://github.com/aws/karpenter-provider-aws/issues/1313',
    ],
  },
});
