import { defineCause, matched, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
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

/** The first spot request of an account needs a role that the launcher may not create. */
const cause = defineCause({
  id: 'spot-service-linked-role-missing',
  stage: 'launched',
  title: 'the account has no service-linked role for EC2 Spot',
  scope: 'group',
  signs: {
    notPermitted: definite(LAUNCHERS, /\bServiceLinkedRoleCreationNotPermitted\b/),
    sentence: definite(
      LAUNCHERS,
      /do not have permission to create the service-linked role for EC2 Spot Instances/,
    ),
    roleNotFound: likely(
      LAUNCHERS,
      /\b(?:role with name|[Rr]ole:?) AWSServiceRoleForEC2Spot (?:cannot be found|(?:was )?not found|does not exist)/,
    ),
    claimReason: definite(LAUNCHERS, /\bSpotSLRCreationFailed\b/),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: ['launch-timed-out'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'insufficient-instance-capacity',
    'launch-permission-denied',
    'karpenter-launch-timeout',
    'node-creation-failure-verdict',
  ],
  summary: () =>
    'The account has no role AWSServiceRoleForEC2Spot and the launcher may not create it, so every spot launch is refused while on-demand launches work.',
  remedy: () => [
    step(
      'Create the role once for the account, as somebody who may.',
      'aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
    ),
  ],
  decide: step(
    'See whether the role exists.',
    'aws iam get-role --role-name AWSServiceRoleForEC2Spot',
  ),
  page: {
    why: 'EC2 acts for spot requests through a role of its own. The console makes it silently on the first request; a controller with a narrow policy may not, so an account that never used spot refuses it.',
    prevent: 'Create the role in the account’s baseline, before anything asks for spot.',
    notThis:
      'Only spot is refused: on-demand machines launch. A shortage names capacity (insufficient-instance-capacity); a refused RunInstances is launch-permission-denied; a controller without any credentials is karpenter-role-not-assumable.',
    alsoKnownAs: ['AuthFailure.ServiceLinkedRoleCreationNotPermitted'],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, ['notPermitted', 'sentence', 'claimReason', 'roleNotFound']),
);
