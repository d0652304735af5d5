import { defineCause, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The account may not have more of these instances; a quota of AWS, not a shortage. */
const cause = defineCause({
  id: 'account-quota-reached',
  stage: 'launched',
  title: 'the account’s EC2 quota is used up',
  scope: 'group',
  signs: {
    vcpuLimit: definite(
      LAUNCHERS,
      /requested more (?:vCPU capacity|instances \(\d+\)) than your current (?:vCPU|instance) limit of (?<limit>\d+)|Your quota allows for 0 more running instance/,
    ),
    code: definite(
      LAUNCHERS,
      /\b(?<code>VcpuLimitExceeded|MaxSpotInstanceCountExceeded|MaxFleetCountExceeded|InstanceLimitExceeded)\b|Max spot instance count exceeded|quota for maximum Fleet Requests/,
    ),
    claimReason: definite(
      LAUNCHERS,
      /\b(?<code>VCPULimitExceeded|SpotQuotaExceeded|FleetQuotaExceeded|AccountPendingVerification)\b/,
    ),
    accountUnderValidation: definite(
      LAUNCHERS,
      /request for accessing resources in this region is being validated/,
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    activitySucceeded: withdraws(
      ['aws-message'],
      /\bSuccessful\b.{0,20}\bLaunching a new EC2 instance: i-/,
    ),
    quotaTold: likely(
      [...LAUNCHERS, 'unknown'],
      /(?:Running On-Demand|Spot Instance Requests)\b.{0,80}?\b(?:quota|limit)\b.{0,40}?(?:\b(?:is|of) (?<limit>\d+) vCPUs?\b.{0,60}\b[Dd]enied|\b(?:reached|exceeded|used up))/,
      { isTold: true },
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'insufficient-instance-capacity',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ limit, code }) =>
    sentence`The account’s EC2 quota${phrase` of ${limit}`} is used up (${code ?? 'limit exceeded'}), so AWS refuses to launch further machines.`,
  remedy: () => [
    step(
      'Ask for a higher quota (L-1216C47A on-demand standard, L-34B43A08 spot standard, L-DB2E81BA on-demand G and VT).',
      'aws service-quotas request-service-quota-increase --service-code ec2 --quota-code <quota-code> --desired-value <vcpus>',
    ),
    step(
      'Until then use a family of another bucket (each has its own vCPU quota), or stop what is not needed.',
      'aws service-quotas list-service-quotas --service-code ec2 --query "Quotas[?contains(QuotaName,\'Running\')].[QuotaCode,QuotaName,Value]" --output table',
    ),
  ],
  decide: step(
    'Read which limit the last launches met.',
    'aws autoscaling describe-scaling-activities --auto-scaling-group-name <group> --max-items 10 --query Activities[].[StatusCode,StatusMessage]',
  ),
  page: {
    why: 'AWS counts vCPUs per family bucket, spot requests and fleets per account and region. New accounts start at a few vCPUs, and one busy cluster or a second environment in the account uses them up.',
    prevent:
      'Alarm on the Service Quotas usage metric at 80 %, and raise quotas before the cluster grows.',
    notThis:
      'The message names a limit of the account. insufficient-instance-capacity names the zone and goes away in another one; here it does not. EBS storage has its own limit: ebs-volume-quota-reached. A permission is launch-permission-denied. Template and role limits of a node group are node-group-build-failure.',
    alsoKnownAs: [
      'VcpuLimitExceeded',
      'You have requested more vCPU capacity than your current vCPU limit',
      'MaxSpotInstanceCountExceeded',
    ],
    refs: [
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/2149',
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/errors/errors.go',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, [
    'vcpuLimit',
    'code',
    'claimReason',
    'accountUnderValidation',
    'quotaTold',
  ]),
);
