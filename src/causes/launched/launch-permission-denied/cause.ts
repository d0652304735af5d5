import { defineCause, type Details, type Step } from '../../../diagnosis/cause.ts';
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
    {
      text: 'Decode the part of the message after “Encoded authorization failure message”: it names action, resource and the policy that refuses.',
      command:
        'aws sts decode-authorization-message --encoded-message <encoded> --query DecodedMessage --output text',
    },
  ];
}

function allowing(details: Details): Step {
  const [action, deny, silent, resource] = (['action', 'deny', 'silent', 'resource'] as const).map(
    (name) => details[name]?.replaceAll("'", ''),
  );
  const what = action ?? 'the launching actions';
  if (deny !== undefined)
    return {
      text: `Take ${what} out of the explicit deny in the ${deny}; allowing it elsewhere does not help.`,
      command: null,
    };
  if (silent !== undefined && silent !== 'identity-based policy')
    return { text: `Allow ${what} in the ${silent} too, which bounds the role.`, command: null };
  const put = `aws iam put-${launcherOf(details).grant} --policy-name launch-nodes --policy-document`;
  if (action === undefined)
    return {
      text: 'Allow ec2:RunInstances, ec2:CreateFleet, ec2:CreateLaunchTemplate, ec2:CreateTags, and iam:PassRole on the node role; an explicit deny has to go from the service control policy or the permissions boundary.',
      command: `${put} file://policy.json`,
    };
  const of = action === 'iam:PassRole' ? (resource ?? '*') : '*';
  const policy = JSON.stringify({ Statement: { Effect: 'Allow', Action: action, Resource: of } });
  return {
    text: `Allow ${action}; a launch that then stops at the next action needs that too.`,
    command: `${put} '${policy}'`,
  };
}

function simulating(details: Details): Step {
  const actions = new Set([details['action'] ?? LAUNCHING[0], ...LAUNCHING, 'iam:PassRole']);
  return {
    text: 'See what the policies say now.',
    command: `aws iam simulate-principal-policy --policy-source-arn ${launcherOf(details).arn} --action-names ${[...actions].join(' ')} --query EvaluationResults[].[EvalActionName,EvalDecision]`,
  };
}

/** Whoever launches (Karpenter, the ASG, EKS, a machine controller) may not. */
export default defineCause({
  id: 'launch-permission-denied',
  stage: 'launched',
  title: 'the launcher is not allowed to launch instances',
  scope: 'group',
  signs: {
    nodeClassCheck: {
      in: ['node-claim', 'karpenter', 'event'],
      anchors: ['AuthCheckFailed', 't authorized to call ec2:'],
      pattern:
        /\b(?:CreateFleet|CreateLaunchTemplate|RunInstances)AuthCheckFailed\b|Controller isn't authorized to call (?<action>ec2:\w+)/,
      weight: 'definite',
    },
    claimReason: {
      in: ['node-claim'],
      anchors: ['condition Launched=', 'NodeRegistrationHealthy='],
      pattern: /condition (?:Launched|NodeRegistrationHealthy)=(?:False|Unknown) Unauthorized\b/,
      weight: 'definite',
    },
    actionDenied: {
      in: LAUNCHERS,
      anchors: ['not authorized to perform: ec2:', 'not authorized to perform: iam:'],
      pattern:
        /(?:(?<principal>arn:aws[\w-]*:(?:sts|iam)::\d+:[\w+=,.@/-]+) is )?not authorized to perform: (?<action>ec2:(?:RunInstances|CreateFleet|CreateLaunchTemplate)|iam:(?:PassRole|(?:Create|Get|Tag|AddRoleTo)\w*InstanceProfile\w*))\b(?: on resource: (?<resource>arn:[\w*+=,.@:/-]+))?(?: with an explicit deny in an? (?<deny>[a-z -]{1,40})| because no (?<silent>[a-z -]{1,40}) allows)?/,
      weight: 'definite',
    },
    claimSentence: {
      in: ['node-claim', 'event', 'karpenter'],
      anchors: ['User is not authorized to perform this operation'],
      pattern: /User is not authorized to perform this operation (?:because|due to)/,
      weight: 'definite',
    },
    launchRefused: {
      in: LAUNCHERS,
      anchors: ['UnauthorizedOperation', 'not authorized to perform this operation'],
      pattern:
        /(?:[Ll]aunching (?:nodeclaim|machine|instance|EC2)|[Cc]reating (?:EC2 )?(?:instance|launch template)|[Cc]ould not launch|create fleet|fleet error|CreateFleet|RunInstances|CreateLaunchTemplate)\b.*(?:UnauthorizedOperation|not authorized to perform this operation)(?:\. User: (?<principal>arn:aws[\w-]*:(?:sts|iam)::\d+:[\w+=,.@/-]+) is not authorized to perform: (?<action>[a-z0-9-]+:\w+)(?: on resource: (?<resource>arn:[\w*+=,.@:/-]+))?(?: with an explicit deny in an? (?<deny>[a-z -]{1,40})| because no (?<silent>[a-z -]{1,40}) allows)?)?/,
      weight: 'definite',
    },
    encoded: {
      in: LAUNCHERS,
      anchors: ['Encoded authorization failure message'],
      pattern: /(?<encoded>Encoded authorization failure message): ?[\w-]{6}/,
      weight: 'context',
    },
    activityRefused: {
      in: LAUNCHERS,
      anchors: [
        'not authorized to perform this operation',
        'not authorized to use launch template',
        'not authorized to launch instances with this launch template',
        'UnauthorizedOperation',
      ],
      pattern:
        /not authorized to launch instances with this launch template|(?:not authorized to perform this operation|not authorized to use launch template|UnauthorizedOperation)\b.*(?:Launching EC2 instance failed|lt-[0-9a-f]{8,17})/,
      weight: 'definite',
    },
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
  match: (view) =>
    clearWhenFilled(view, [
      'nodeClassCheck',
      'claimReason',
      'actionDenied',
      'claimSentence',
      'launchRefused',
      'activityRefused',
    ]),
  summary: ({ action, principal, resource, deny }) =>
    `${principal ?? 'The launcher'} may not call ${action ?? 'the launch API of EC2'}${resource === undefined ? '' : ` on ${resource}`}${deny === undefined ? '' : ` (an explicit deny in a ${deny})`}, so no instance is launched.`,
  remedy: (details) => [...decoding(details), allowing(details), simulating(details)],
  decide: {
    text: 'Simulate the launcher’s permissions.',
    command:
      'aws iam simulate-principal-policy --policy-source-arn <launcher-role-arn> --action-names ec2:RunInstances ec2:CreateFleet ec2:CreateLaunchTemplate iam:PassRole --query EvaluationResults[].[EvalActionName,EvalDecision]',
  },
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
