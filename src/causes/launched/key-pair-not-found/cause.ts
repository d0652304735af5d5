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

/** The key pair that the launch names is not in this region and account. */
const cause = defineCause({
  id: 'key-pair-not-found',
  stage: 'launched',
  title: 'the key pair of the launch does not exist',
  scope: 'group',
  signs: {
    doesNotExist: definite(
      LAUNCHERS,
      /\bkey ?pairs? (?:with name )?['"[(]?(?<key>[^'"\])]{1,255}?)['"\])]? (?:does|do) not exist/i,
      { anchors: ['key pair ', 'KeyPair ', 'keypair '] },
    ),
    code: definite(LAUNCHERS, /\bInvalidKeyPair\.?NotFound\b/),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    activitySucceeded: withdraws(
      ['aws-message'],
      /\bSuccessful\b.{0,20}\bLaunching a new EC2 instance: i-/,
    ),
    checkedByEksctl: definite(
      ['terraform', 'client-output'],
      /cannot find EC2 key pair ['"]?(?<key>[^'"\s]{1,255})/,
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'launch-template-conflict',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ key }) =>
    `The launch names the key pair ${key ?? 'that its template gives'}, which does not exist in this region, so EC2 launches nothing.`,
  remedy: ({ key }) => [
    step(
      'See which key pairs the region has.',
      "aws ec2 describe-key-pairs --query 'KeyPairs[].[KeyName,KeyPairId,CreateTime]'",
    ),
    step(
      'Import the public key under the name again; nothing else has to change.',
      `aws ec2 import-key-pair --key-name ${keyArgument(key)} --public-key-material fileb://~/.ssh/id_ed25519.pub`,
    ),
    step(
      'Or make a template version without a key (Session Manager needs none) and let the group use it.',
      'aws ec2 create-launch-template-version --launch-template-id <template> --source-version \'$Latest\' --launch-template-data \'{"KeyName":""}\'',
    ),
  ],
  decide: step(
    'Compare the template’s key name with the key pairs of the region.',
    "aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Default' --query 'LaunchTemplateVersions[].LaunchTemplateData.KeyName'; aws ec2 describe-key-pairs --query 'KeyPairs[].KeyName'",
  ),
  page: {
    why: 'Launch templates and configurations keep the name of a key, not the key. Somebody cleaned up key pairs, or the template was copied to a region that has no such key; running machines keep running, new ones are refused.',
    prevent:
      'Manage the key pair in the code that makes the template, or use Session Manager and no key.',
    notThis:
      'A security group or subnet that does not exist is invalid-subnet-or-security-group, an image ami-missing-or-not-shared, a profile invalid-instance-profile. An encryption key is kms-key-unusable.',
    alsoKnownAs: [
      'The key pair does not exist. Launching EC2 instance failed.',
      'InvalidKeyPair.NotFound',
    ],
    refs: [
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-instancelaunchfailure.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html',
    ],
  },
});

export default matched(cause, (view) => clearWhenFilled(view, ['doesNotExist', 'code']));

/** Key names may hold blanks; what a shell would read otherwise is left for the reader to fill in. */
function keyArgument(key: string | undefined): string {
  return key !== undefined && /^[\w .@-]+$/.test(key) ? `'${key}'` : '<key-name>';
}
