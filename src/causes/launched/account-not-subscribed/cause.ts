import { defineCause, step, matched } from '../../../diagnosis/cause.ts';
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

/** EC2 refuses the launch because the account never subscribed: to EC2 itself or to a Marketplace image. */
const cause = defineCause({
  id: 'account-not-subscribed',
  stage: 'launched',
  title: 'the account is not subscribed to the service or to the Marketplace image',
  scope: 'group',
  signs: {
    marketplaceTerms: definite(
      LAUNCHERS,
      /need to accept terms and subscribe(?:.*?(?<page>https?:\/\/aws\.amazon\.com\/marketplace\/pp\?sku=\w+))?|not authorized to use the requested product\. Please complete the seller registration|\bOptInRequired\b.*?(?<page2>https?:\/\/aws\.amazon\.com\/marketplace\/pp\?sku=\w+)/i,
      {
        anchors: [
          'need to accept terms and subscribe',
          'not authorized to use the requested product',
          'aws.amazon.com/marketplace/pp',
        ],
      },
    ),
    notSubscribed: definite(
      LAUNCHERS,
      /(?<service>not subscribed to this service|AWS Access Key (?:Id )?needs a subscription for the service)/i,
      { anchors: ['not subscribed to this service', 'needs a subscription for the service'] },
    ),
    code: likely(
      LAUNCHERS,
      /(?:^|[\s":(.]|\bAutoScalingGroup)(?<service>OptInRequired)\b(?!Exception)/,
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
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-group-build-failure',
    'node-creation-failure-verdict',
  ],
  summary: ({ page, page2, service }) =>
    service === undefined
      ? `The image is a Marketplace product that this account has not subscribed to${page === undefined && page2 === undefined ? '' : ` (${page ?? page2 ?? ''})`}, so EC2 refuses to launch it.`
      : 'The account is not subscribed to the service or product that the launch uses, so EC2 refuses the launch.',
  remedy: ({ page, page2 }) => [
    step(
      `Accept the terms once, in the account that launches${page === undefined && page2 === undefined ? ', on the product’s Marketplace page' : `, on ${page ?? page2 ?? ''}`}.`,
    ),
    step(
      'See which product the image belongs to.',
      "aws ec2 describe-images --image-ids <ami> --query 'Images[].[ImageId,OwnerId,ProductCodes,Name]'",
    ),
    step(
      'For the service itself: finish the sign-up of the account (payment method, phone, support plan), or enable the region if it is one to opt in to.',
      'aws account list-regions --region-opt-status-contains DISABLED ENABLING',
    ),
  ],
  decide: step(
    'Read what EC2 says to the last launches; for a Marketplace image it names the product page.',
    "aws autoscaling describe-scaling-activities --auto-scaling-group-name <group> --max-items 10 --query 'Activities[].[StatusCode,StatusMessage]'",
  ),
  page: {
    why: 'Marketplace images (hardened systems, GPU images, firewalls) need an accepted subscription in each account; a new or suspended account may not use EC2 at all. Nobody sees the refusal but the launcher.',
    prevent:
      'Subscribe in the account before the node group is created, and launch the image once by hand.',
    notThis:
      'Not authorized for images is ami-missing-or-not-shared. A request that is being validated and a used-up quota are account-quota-reached. UnauthorizedOperation names a missing permission: launch-permission-denied.',
    alsoKnownAs: [
      'OptInRequired: In order to use this AWS Marketplace product you need to accept terms and subscribe',
      'You are not subscribed to this service. Please see https://aws.amazon.com',
    ],
    refs: [
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-instancelaunchfailure.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, ['marketplaceTerms', 'notSubscribed', 'code']),
);
