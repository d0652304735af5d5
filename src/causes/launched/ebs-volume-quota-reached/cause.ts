import { defineCause, step, matched } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
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

/** Whoever asks for a volume: launchers, machine controllers, the EBS driver. */
const SPEAKERS = [
  ...LAUNCHERS,
  'csi-driver',
  'cloud-controller',
  'controller-manager',
  'pod-app',
] as const;

/** The account may not have more EBS storage, volumes or IOPS in this region. */
const cause = defineCause({
  id: 'ebs-volume-quota-reached',
  stage: 'launched',
  title: 'the account has reached its EBS storage or volume limit',
  scope: 'group',
  signs: {
    code: definite(
      SPEAKERS,
      /(?<![a-z])(?<code>VolumeLimitExceeded|MaxIOPSLimitExceeded|VolumeIOPSLimit(?:Exceeded)?|VolumeStorageLimit(?:Exceeded)?)\b/,
    ),
    sentence: definite(
      SPEAKERS,
      /exceeded your maximum (?<kind>gp[23]|io[12]|st1|sc1|standard|magnetic|provisioned IOPS|IOPS)\b.{0,20}? (?:storage |IOPS |volume )?(?:limit|quota)(?: of (?<limit>\d+(?:[.,]\d+)? ?[KMGTP]i?B?))?|(?:EBS )?volume limit exceeded/i,
      { anchors: ['exceeded your maximum ', 'EBS volume limit', 'olume limit exceeded'] },
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    activitySucceeded: withdraws(
      ['aws-message'],
      /\bSuccessful\b.{0,20}\bLaunching a new EC2 instance: i-/,
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'account-quota-reached',
    'early-instance-termination',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ kind, limit, code }) =>
    `The account has reached its EBS limit${kind === undefined ? '' : ` for ${kind}`}${limit === undefined ? '' : ` of ${limit}`}${kind === undefined && code !== undefined ? ` (${code})` : ''} in this region, so a new machine gets no root volume and ends at once.`,
  remedy: () => [
    step(
      'Find volumes that nothing uses; deleting them frees the limit at once.',
      "aws ec2 describe-volumes --filters Name=status,Values=available --query 'Volumes[].[VolumeId,VolumeType,Size,CreateTime]' --output table",
    ),
    step(
      'See the EBS limits (L-7A658B76 is gp3 storage, L-D18FCD1D gp2 storage, both in TiB), then ask for more.',
      "aws service-quotas list-service-quotas --service-code ebs --query 'Quotas[].[QuotaCode,QuotaName,Value]' --output table",
    ),
  ],
  decide: step(
    'Read why the last machines ended.',
    "aws ec2 describe-instances --filters Name=instance-state-name,Values=terminated --query 'Reservations[].Instances[].[InstanceId,StateReason.Code,StateReason.Message]'",
  ),
  page: {
    why: 'EBS counts storage by volume type, and IOPS, per account and region. Volumes of deleted claims with policy Retain and of crashed test clusters stay, until new machines get no root volume. EC2 accepts the launch first, so the machine is seen for seconds.',
    prevent: 'Alarm on the Service Quotas usage of EBS storage, and delete released volumes.',
    notThis:
      'vCPU and instance limits are account-quota-reached. A key that EBS may not use ends machines the same way, with Client.InternalError or Client.InvalidKMSKey: kms-key-access-missing, kms-key-unusable. More volumes on one machine than it can attach is a limit of the instance, not of the account.',
    alsoKnownAs: [
      'Client.VolumeLimitExceeded: Volume limit exceeded',
      'You have exceeded your maximum gp3 storage limit',
    ],
    refs: [
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html',
      'https://github.com/openshift/hive/blob/HEAD/config/configmaps/install-log-regexes-configmap.yaml',
    ],
  },
});

export default matched(cause, (view) => clearWhenFilled(view, ['code', 'sentence']));
