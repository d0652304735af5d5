import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
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

/** The launch names an instance profile that does not exist, or one without a role. */
const cause = defineCause({
  id: 'invalid-instance-profile',
  stage: 'launched',
  title: 'the instance profile is missing, empty or wrongly named',
  scope: 'group',
  signs: {
    healthCode: definite(
      LAUNCHERS,
      /\b(?:IamInstanceProfileNotFound|InstanceProfileNameInvalid)\b/,
    ),
    parameter: definite(
      LAUNCHERS,
      /Value \((?<profile>[^)\s]+)\) for parameter iamInstanceProfile\.\w+ is invalid|[Ii]nvalid IAM Instance Profile|specified value for (?:roleName|instanceProfileName) is invalid|IAM ?[Ii]nstance ?[Pp]rofile(?: name)? not found|Instance [Pp]rofile [\w+=,.@-]{1,128} (?:cannot be|could not be|not) found/,
    ),
    // Auto Scaling's words for what a launch configuration names.
    configuration: definite(LAUNCHERS, /Invalid IamInstanceProfile: (?<profile>[^\s,"]{1,300})/),
    nodeClass: likely(
      ['node-claim'],
      /condition InstanceProfileReady=False (?!.*(?:NodeRoleNotFound|AccessDenied|not authorized|UnauthorizedOperation))/,
    ),
    arnForName: likely(
      ['node-claim'],
      /^EC2NodeClass \S{1,253} spec\.instanceProfile (?<profile>arn:aws[\w-]{0,20}:iam::\S{1,300})/,
      { strict: true },
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
  },
  needs: ['aws/instance-profile', 'aws/instance', 'aws/auto-scaling-group', 'kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-nodeclass-not-ready',
    'no-aws-credentials',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ profile, empty }) =>
    empty === undefined
      ? `EC2 does not know the instance profile ${profile ?? 'that the launch names'}, so the launch is refused.`
      : `The instance profile ${profile ?? ''} contains no role, so machines launched with it have no credentials.`,
  remedy: ({ profile }) => [
    step(
      'See whether the profile exists and which role is in it.',
      `aws iam get-instance-profile --instance-profile-name ${profile ?? '<profile>'} --query InstanceProfile.Roles[].RoleName`,
    ),
    step(
      'Create it if it is missing, and put the node role in.',
      `aws iam create-instance-profile --instance-profile-name ${profile ?? '<profile>'}; aws iam add-role-to-instance-profile --instance-profile-name ${profile ?? '<profile>'} --role-name <node-role>`,
    ),
  ],
  decide: step(
    'Read the profile and its role.',
    'aws iam get-instance-profile --instance-profile-name <profile> --query InstanceProfile.Roles[].RoleName',
  ),
  page: {
    why: 'A launch names an instance profile, not a role. Somebody deleted it, wrote the role’s name where a differently named profile was meant, or created a profile and forgot the role. A profile made a few seconds ago may not be known to EC2 yet.',
    prevent:
      'Create profile and role in one stack, and let Karpenter make the profile from spec.role.',
    notThis:
      'A machine that did launch and has no credentials is no-aws-credentials. A role that was deleted is node-role-deleted. A launcher that may not pass the role is launch-permission-denied. A role that exists but is not let into the cluster is one of the 401 causes.',
    alsoKnownAs: ['Invalid IAM Instance Profile name', 'IamInstanceProfileNotFound'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/errors/errors.go',
    ],
  },
});

export default matched(
  cause,
  (view) => clearWhenFilled(view, ['healthCode', 'parameter', 'configuration']) ?? matchEmpty(view),
);

type Own = ViewOf<typeof cause>;

function profilesInUse(view: Own): ReadonlySet<string> {
  const ready = new Set(
    view
      .list('kube/Node')
      .filter(({ value }) => value.ready === true)
      .map(({ value }) => value.providerId?.split('/').at(-1) ?? ''),
  );
  const used = view.list('aws/instance').filter(({ value }) => ready.has(value.InstanceId ?? '-'));
  return new Set(used.map(({ value }) => value.IamInstanceProfile?.Arn ?? '-'));
}

/** A profile without a role, of which no machine is a Node that is Ready. */
function matchEmpty(view: Own): Match | null {
  const empty = view
    .list('aws/instance-profile')
    .filter(({ value }) => (value.Roles ?? []).length === 0);
  if (empty.length === 0) return null;
  const inUse = profilesInUse(view);
  const idle = empty.find(({ value }) => !inUse.has(value.Arn ?? ''));
  if (idle === undefined) return null;
  const profile = idle.value.InstanceProfileName ?? '';
  const quote = view.quote(idle, `InstanceProfile ${profile} Roles []`);
  return found({ profile, empty: 'yes' }, [quote]);
}
