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

/** The image exists, but EC2 has not finished making it. */
const cause = defineCause({
  id: 'ami-pending',
  stage: 'launched',
  title: 'the machine image is still being made',
  scope: 'group',
  signs: {
    pending: definite(
      LAUNCHERS,
      /(?:AMI |image )?'?\[?(?:(?<image>ami-[0-9a-f]{8,17})|ami-[\w…*.]{1,24})\]?'? is pending, and cannot be run/i,
      { anchors: ['is pending, and cannot be run'] },
    ),
    unavailable: definite(
      LAUNCHERS,
      /InvalidAMIID\.Unavailable\b(?=.*(?:pending|not (?:yet )?(?:ready|available)))(?:.*?(?<image>ami-[0-9a-f]{8,17}))?/i,
      { anchors: ['InvalidAMIID.Unavailable'] },
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
    'ami-missing-or-not-shared',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ image }) =>
    `The machine image ${image ?? 'of the launch'} is still pending, so EC2 cannot launch from it yet.`,
  remedy: ({ image }) => [
    step(
      'Wait until the image is available; copying a large snapshot takes up to an hour.',
      `aws ec2 wait image-available --image-ids ${image ?? '<ami>'}`,
    ),
    step(
      'If it ends as failed, read why and make it again.',
      `aws ec2 describe-images --image-ids ${image ?? '<ami>'} --query 'Images[].[ImageId,State,StateReason.Message,CreationDate]'`,
    ),
  ],
  decide: step(
    'Read the state of the image.',
    "aws ec2 describe-images --image-ids <ami> --query 'Images[].[ImageId,State]'",
  ),
  page: {
    why: 'create-image and copy-image return an id at once and copy snapshots afterwards. A pipeline that hands the id on without waiting launches from an image that is not there yet.',
    prevent:
      'Let the pipeline wait for the image to be available before it writes the launch template.',
    notThis:
      'An image that does not exist or is not shared is ami-missing-or-not-shared; that does not pass by waiting.',
    alsoKnownAs: ['AMI ami-0… is pending, and cannot be run. Launching EC2 instance failed.'],
    refs: ['https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-ami.html'],
  },
});

export default matched(cause, (view) => clearWhenFilled(view, ['pending', 'unavailable']));
