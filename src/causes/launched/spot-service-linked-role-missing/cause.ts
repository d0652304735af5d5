import { defineCause } from '../../../diagnosis/cause.ts';
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
export default defineCause({
  id: 'spot-service-linked-role-missing',
  stage: 'launched',
  title: 'the account has no service-linked role for EC2 Spot',
  scope: 'group',
  signs: {
    notPermitted: {
      in: LAUNCHERS,
      anchors: ['ServiceLinkedRoleCreationNotPermitted'],
      pattern: /AuthFailure\.ServiceLinkedRoleCreationNotPermitted/,
      weight: 'definite',
    },
    sentence: {
      in: LAUNCHERS,
      anchors: ['service-linked role for EC2 Spot Instances'],
      pattern: /do not have permission to create the service-linked role for EC2 Spot Instances/,
      weight: 'definite',
    },
    claimReason: {
      in: LAUNCHERS,
      anchors: ['SpotSLRCreationFailed'],
      pattern: /\bSpotSLRCreationFailed\b/,
      weight: 'definite',
    },
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
  match: (view) => clearWhenFilled(view, ['notPermitted', 'sentence', 'claimReason']),
  summary: () =>
    'The account has no role AWSServiceRoleForEC2Spot and the launcher may not create it, so every spot launch is refused while on-demand launches work.',
  remedy: () => [
    {
      text: 'Create the role once for the account, as somebody who may.',
      command: 'aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
    },
  ],
  decide: {
    text: 'See whether the role exists.',
    command: 'aws iam get-role --role-name AWSServiceRoleForEC2Spot',
  },
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
