import { defineCause } from '../../../diagnosis/cause.ts';

/** AWS could not build what a managed node group consists of: a limit, throttling or an error inside. */
export default defineCause({
  id: 'node-group-build-failure',
  stage: 'launched',
  title: 'a limit or an error of AWS stopped the building of the node group',
  scope: 'group',
  signs: {
    limit: {
      in: ['aws-message', 'terraform', 'client-output'],
      anchors: [
        'IamLimitExceeded',
        'IamThrottling',
        'Ec2LaunchTemplateMaxLimitExceeded',
        'Ec2LaunchTemplateVersionMaxLimitExceeded',
      ],
      pattern:
        /\b(?<code>IamLimitExceeded|IamThrottling|Ec2LaunchTemplateMaxLimitExceeded|Ec2LaunchTemplateVersionMaxLimitExceeded)\b/,
      weight: 'definite',
    },
    internalFailure: {
      in: ['aws-message', 'terraform'],
      anchors: ['InternalFailure'],
      pattern:
        /(?:^|Code=|[\w-]{6}: )(?<code>InternalFailure)\b(?=[:, ].{0,40}(?:internal|Amazon EKS|server))/i,
      weight: 'likely',
      strict: true,
    },
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
          {
            text: 'Try again; if it stays, open a case with the request id.',
            command:
              'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.health.issues',
          },
        ]
      : [
          {
            text: 'See what fills the limit: templates and their versions, or instance profiles.',
            command:
              'aws ec2 describe-launch-templates --query "length(LaunchTemplates)"; aws iam get-account-summary --query SummaryMap.[InstanceProfiles,InstanceProfilesQuota]',
          },
          {
            text: 'Delete what is unused, or ask for more, and try again.',
            command:
              'aws service-quotas list-service-quotas --service-code ec2 --query "Quotas[?contains(QuotaName,\'aunch template\')].[QuotaCode,QuotaName,Value]" --output table',
          },
        ],
  decide: {
    text: 'Read the node group’s health issues.',
    command:
      'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.health.issues',
  },
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
