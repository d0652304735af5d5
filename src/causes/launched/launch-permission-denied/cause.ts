import { defineCause, type Details, matched, type Step, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
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

const LAUNCHING = ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'] as const;

/** STS names the session of a role; IAM knows the role, whose path the session does not tell. */
function launcherOf({ principal = '' }: Details): { readonly arn: string; readonly grant: string } {
  const session = /^(arn:aws[\w-]*):sts::(\d+):assumed-role\/([^/]+)\//.exec(principal);
  if (session !== null) {
    const [, partition = '', account = '', role = ''] = session;
    return {
      arn: `${partition}:iam::${account}:role/${role}`,
      grant: `role-policy --role-name ${role}`,
    };
  }
  const [, kind, name] =
    /^arn:aws[\w-]*:iam::\d+:(role|user)\/(?:[^/]+\/)*([^/]+)$/.exec(principal) ?? [];
  return kind === undefined || name === undefined
    ? { arn: '<launcher-role-arn>', grant: 'role-policy --role-name <launcher-role>' }
    : { arn: principal, grant: `${kind}-policy --${kind}-name ${name}` };
}

/** Only a message that carries an encoded part can be decoded. */
function decoding({ encoded }: Details): readonly Step[] {
  if (encoded === undefined) return [];
  return [
    step(
      'Decode the part of the message after “Encoded authorization failure message”: it names action, resource and the policy that refuses.',
      'aws sts decode-authorization-message --encoded-message <encoded> --query DecodedMessage --output text',
    ),
  ];
}

function allowing(details: Details): Step {
  const [action, deny, silent, resource] = (['action', 'deny', 'silent', 'resource'] as const).map(
    (name) => details[name]?.replaceAll("'", ''),
  );
  const what = action ?? 'the launching actions';
  if (deny !== undefined)
    return step(
      `Take ${what} out of the explicit deny in the ${deny}; allowing it elsewhere does not help.`,
    );
  if (silent !== undefined && silent !== 'identity-based policy')
    return step(`Allow ${what} in the ${silent} too, which bounds the role.`);
  const put = `aws iam put-${launcherOf(details).grant} --policy-name launch-nodes --policy-document`;
  if (action === undefined)
    return step(
      'Allow ec2:RunInstances, ec2:CreateFleet, ec2:CreateLaunchTemplate, ec2:CreateTags, and iam:PassRole on the node role; an explicit deny has to go from the service control policy or the permissions boundary.',
      `${put} file://policy.json`,
    );
  const of = action === 'iam:PassRole' ? (resource ?? '*') : '*';
  const policy = JSON.stringify({ Statement: { Effect: 'Allow', Action: action, Resource: of } });
  return step(
    `Allow ${action}; a launch that then stops at the next action needs that too.`,
    `${put} '${policy}'`,
  );
}

function simulating(details: Details): Step {
  const actions = new Set([details['action'] ?? LAUNCHING[0], ...LAUNCHING, 'iam:PassRole']);
  return step(
    'See what the policies say now.',
    `aws iam simulate-principal-policy --policy-source-arn ${launcherOf(details).arn} --action-names ${[...actions].join(' ')} --query EvaluationResults[].[EvalActionName,EvalDecision]`,
  );
}

/** Whoever launches (Karpenter, the ASG, EKS, a machine controller) may not. */
const cause = defineCause({
  id: 'launch-permission-denied',
  stage: 'launched',
  title: 'the launcher is not allowed to launch instances',
  scope: 'group',
  signs: {
    nodeClassCheck: definite(
      ['node-claim', 'karpenter', 'event'],
      /\b(?:CreateFleet|CreateLaunchTemplate|RunInstances)AuthCheckFailed\b|Controller isn't authorized to call (?<action>ec2:\w+)/,
      { anchors: ['AuthCheckFailed', 't authorized to call ec2:'] },
    ),
    claimReason: definite(
      ['node-claim'],
      /condition (?:Launched|NodeRegistrationHealthy)=(?:False|Unknown) Unauthorized\b/,
    ),
    actionDenied: definite(
      LAUNCHERS,
      /(?:(?<principal>arn:aws[\w-]*:(?:sts|iam)::\d+:[\w+=,.@/-]+) is )?not authorized to perform: (?<action>ec2:(?:RunInstances|CreateFleet|CreateLaunchTemplate)|iam:(?:PassRole|(?:Create|Get|Tag|AddRoleTo)\w*InstanceProfile\w*))\b(?: on resource: (?<resource>arn:[\w*+=,.@:/-]+))?(?: with an explicit deny in an? (?<deny>[a-z -]{1,40})| because no (?<silent>[a-z -]{1,40}) allows)?/,
      { anchors: ['not authorized to perform: ec2:', 'not authorized to perform: iam:'] },
    ),
    claimSentence: definite(
      ['node-claim', 'event', 'karpenter'],
      /User is not authorized to perform this operation (?:because|due to)/,
    ),
    launchRefused: definite(
      LAUNCHERS,
      /(?:[Ll]aunching (?:nodeclaim|machine|instance|EC2)|[Cc]reating (?:EC2 )?(?:instance|launch template)|[Cc]ould not launch|create fleet|fleet error|CreateFleet|RunInstances|CreateLaunchTemplate)\b.*(?:UnauthorizedOperation|not authorized to perform this operation)(?:\. User: (?<principal>arn:aws[\w-]*:(?:sts|iam)::\d+:[\w+=,.@/-]+) is not authorized to perform: (?<action>[a-z0-9-]+:\w+)(?: on resource: (?<resource>arn:[\w*+=,.@:/-]+))?(?: with an explicit deny in an? (?<deny>[a-z -]{1,40})| because no (?<silent>[a-z -]{1,40}) allows)?)?/,
    ),
    encoded: context(LAUNCHERS, /(?<encoded>Encoded authorization failure message): ?[\w-]{6}/),
    activityRefused: definite(
      LAUNCHERS,
      /not authorized to launch instances with this launch template|not authorized to use launch template\b|(?:not authorized to perform this operation|UnauthorizedOperation)\b.*(?:Launching EC2 instance failed|lt-[0-9a-f]{8,17})/,
    ),
    describeDenied: likely(
      ['node-claim', 'karpenter', 'event'],
      /SubnetResolutionFailed.*operation error EC2: (?<call>DescribeSubnets)\b.*(?:UnauthorizedOperation|AccessDenied)/,
      { anchors: ['SubnetResolutionFailed'] },
    ),
    readDenied: context(
      ['node-claim', 'karpenter', 'event'],
      /operation error (?:EC2: (?:Describe\w+|DeleteLaunchTemplate)|SSM: GetParameter)\b.*(?:UnauthorizedOperation|AccessDenied|StatusCode: 403)|permission is not allowed, update the IAM policy/,
      {
        anchors: [
          'operation error EC2: De',
          'operation error SSM: GetParameter',
          'permission is not allowed, update',
        ],
      },
    ),
    // Auto Mode says no more than this where the cluster's role may not set the class's tags.
    configsRefused: likely(
      ['node-claim', 'event', 'client-output'],
      /\bError getting launch template configs\b(?!.{0,300}(?:\bno \w+ (?:exist|found|match)|not found|Invalid|limit))/,
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: ['launch-timed-out'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-nodeclass-not-ready',
    'invalid-instance-profile',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ action, principal, resource, deny }) =>
    sentence`${principal ?? 'The launcher'} may not call ${action ?? 'the launch API of EC2'}${phrase` on ${resource}`}${phrase` (an explicit deny in a ${deny})`}, so no instance is launched.`,
  remedy: (details) => [...decoding(details), allowing(details), simulating(details)],
  decide: step(
    'Simulate the launcher’s permissions.',
    'aws iam simulate-principal-policy --policy-source-arn <launcher-role-arn> --action-names ec2:RunInstances ec2:CreateFleet ec2:CreateLaunchTemplate iam:PassRole --query EvaluationResults[].[EvalActionName,EvalDecision]',
  ),
  page: {
    why: 'Launching needs several permissions at once, PassRole on the node role among them, and each can be taken back by a service control policy, a permissions boundary or a condition on tags. A controller upgrade often needs one action more than its old policy has.',
    prevent:
      'Take the policy from the same release as the controller, and simulate it before the upgrade.',
    notThis:
      'Not authorized for images is ami-missing-or-not-shared; the missing spot role is spot-service-linked-role-missing; no credentials at all is karpenter-role-not-assumable; a key is kms-key-access-missing. AccessDenied about Kubernetes RBAC is eks-node-manager-rbac-missing. UnauthorizedOperation from a running cloud controller about routes is pod-route-not-created.',
    alsoKnownAs: [
      'UnauthorizedOperation: You are not authorized to perform this operation',
      'is not authorized to perform: iam:PassRole',
    ],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/controllers/nodeclass/validation.go',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, [
    'nodeClassCheck',
    'claimReason',
    'actionDenied',
    'claimSentence',
    'launchRefused',
    'activityRefused',
  ]),
);
