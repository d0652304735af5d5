import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** EC2 takes 16 KB of user data, and what was rendered is more. */
const judged = defineCause({
  id: 'user-data-too-large',
  stage: 'launched',
  title: 'the user data is larger than EC2 takes',
  scope: 'group',
  signs: {
    limited: definite(LAUNCHERS, /[Uu]ser data is limited to (?<limit>\d+) bytes/),
    reason: definite(LAUNCHERS, /\bUserDataSizeLimitExceeded\b/),
    planRefused: definite(
      ['terraform'],
      /expected length of "?user_data(?:_base64)?"? to be in the range \(\d+ - (?<limit>\d+)\)/,
      { anchors: ['expected length of user_data'] },
    ),
    renderedTooLarge: definite(
      LAUNCHERS,
      /rejected the rendered user data as exceeding the size limit/,
    ),
  },
  needs: [],
  symptoms: ['launch-timed-out'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'user-data-rejected-at-launch',
    'karpenter-nodeclass-not-ready',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ limit }) =>
    `The rendered user data is larger than the ${limit ?? '16384'} bytes that EC2 takes, so the launch is refused.`,
  remedy: () => [
    step(
      'Measure it as it is sent.',
      "aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Latest' --query LaunchTemplateVersions[].LaunchTemplateData.UserData --output text | base64 -d | wc -c",
    ),
    step(
      'Move scripts and certificates to S3 or SSM and fetch them at boot, or send the MIME document gzipped.',
      'aws s3 cp bootstrap.sh s3://<bucket>/nodes/bootstrap.sh',
    ),
  ],
  decide: step(
    'Measure the user data as it is sent.',
    "aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Latest' --query LaunchTemplateVersions[].LaunchTemplateData.UserData --output text | base64 -d | wc -c",
  ),
  page: {
    why: 'EC2 takes 16 KB before base64. Certificates, agents and long scripts in user data grow over the years, and Karpenter or EKS add their own part to them.',
    prevent: 'Put what does not change into the image, and fetch the rest at boot.',
    notThis:
      'The launch is refused, so no instance exists. User data of the right size and wrong form is user-data-rejected-at-launch; on the machine it is malformed-mime-user-data or failed-user-script.',
    alsoKnownAs: ['InvalidUserData.Malformed: User data is limited to 16384 bytes'],
    refs: [
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html',
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/errors/errors.go',
    ],
  },
});

/** What EC2 takes before base64. */
const BYTES_MAX = 16_384;

export default foreseen(
  judged,
  (plan, group) => {
    const { userData } = machineOf(plan, group);
    if (userData === null) return NOT_SHOWN;
    const { bytes } = userData.value;
    if (bytes <= BYTES_MAX) return clear;
    return found({ limit: String(BYTES_MAX) }, [
      plan.quote(userData, `user data of ${group.name}: ${bytes} bytes`),
    ]);
  },
  {
    remedy: () => [
      step(
        userDataStep(
          'fetch scripts and certificates at boot, or send the MIME document gzipped (data.cloudinit_config with gzip = true).',
        ),
      ),
    ],
  },
);
