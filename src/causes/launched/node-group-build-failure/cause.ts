import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** AWS could not build what a managed node group consists of: a limit, throttling or an error inside. */
export default defineCause({
  id: 'node-group-build-failure',
  stage: 'launched',
  title: 'a limit or an error of AWS stopped the building of the node group',
  scope: 'group',
  signs: {
    limit: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>I(?:am|AM)(?:LimitExceeded|Throttling)|Ec2LaunchTemplateMaxLimitExceeded|Ec2LaunchTemplateVersionMaxLimitExceeded)\b/,
    ),
    rulesLimit: likely(
      ['aws-message', 'terraform', 'client-output', 'unknown'],
      /(?<code>maximum number of rules per security group has been reached|RulesPerSecurityGroupLimitExceeded)/,
    ),
    internalFailure: likely(
      ['aws-message', 'terraform'],
      /(?:^|Code=|[\w-]{6}: )(?<code>InternalFailure)\b(?=[:, ].{0,40}(?:internal|Amazon EKS|server))/i,
      { anchors: ['InternalFailure'], strict: true },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-creation-failure-verdict'],
  summary: ({ code }) =>
    `AWS stopped building the node group (${code ?? 'a limit or internal error'}) before any instance was asked for.`,
  remedy: ({ code }) =>
    code === 'InternalFailure'
      ? [
          step(
            'Try again; if it stays, open a case with the request id.',
            'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.health.issues',
          ),
        ]
      : [
          step(
            'See what fills the limit: templates and their versions, or instance profiles.',
            'aws ec2 describe-launch-templates --query "length(LaunchTemplates)"; aws iam get-account-summary --query SummaryMap.[InstanceProfiles,InstanceProfilesQuota]',
          ),
          step(
            'Delete what is unused, or ask for more, and try again.',
            'aws service-quotas list-service-quotas --service-code ec2 --query "Quotas[?contains(QuotaName,\'aunch template\')].[QuotaCode,QuotaName,Value]" --output table',
          ),
        ],
  decide: step(
    'Read the node group’s health issues.',
    'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.health.issues',
  ),
  page: {
    why: 'For each managed node group EKS makes an instance profile, a launch template with versions and an Auto Scaling group. Each has a quota and an API that throttles; now and then an internal error ends the work.',
    prevent: 'Delete unused templates and profiles, and create node groups one after the other.',
    notThis:
      'The quota of instances is account-quota-reached. A template that cannot be used is launch-template-conflict. After an internal failure right after create the next attempt usually works; after a limit it never does.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});
