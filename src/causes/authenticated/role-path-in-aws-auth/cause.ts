import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { idsOf, lostRoles, nodeRolesOf, roleName } from '../../../domain/nodes/fleet.ts';
import type { AwsAuthEntry } from '../../../evidence/kinds.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { isByMap } from '../../../domain/planned/admission.ts';
import { awsAuthStep } from '../../../domain/planned/remedies.ts';

/** aws-auth names the node role by an ARN with its IAM path, which no caller ever carries. */
const cause = defineCause({
  id: 'role-path-in-aws-auth',
  stage: 'authenticated',
  title: 'aws-auth maps the node role by an ARN that contains its IAM path',
  scope: 'group',
  signs: {
    pathMapped: context(
      [
        'client-output',
        'object',
        'terraform',
        'kubelet',
        'karpenter',
        'authenticator',
        'cloud-init',
      ],
      /"?rolearn"?:\s*"?(?<role>arn:aws[\w-]*:iam::[^:\s]*:role\/(?!aws-reserved\/|aws-service-role\/)[^\s"/]+\/[^\s"]+)/,
    ),
    nodeMapped: context(
      [
        'client-output',
        'object',
        'terraform',
        'kubelet',
        'karpenter',
        'authenticator',
        'cloud-init',
      ],
      /"?username"?:\s*"?system:node:\{\{/,
    ),
    plainMapped: context(
      [
        'client-output',
        'object',
        'terraform',
        'kubelet',
        'karpenter',
        'authenticator',
        'cloud-init',
      ],
      /"?rolearn"?:\s*"?(?<role>arn:aws[\w-]*:iam::[^:\s]*:role\/[^\s"/]+)"?\s*$/,
    ),
    toldPath: context(
      ['client-output', 'unknown'],
      /\bmapped\b.{0,40}?(?<role>arn:aws[\w-]*:iam::[^:\s]*:role\/(?!aws-reserved\/|aws-service-role\/)[^\s"/]+\/[\w+=,.@/-]*\w)/,
      { isTold: true, anchors: ['mapped'] },
    ),
    plainRefused: context(
      ['authenticator'],
      /ARN is not mapped: (?<plain>arn:aws[\w-]*:iam::[^:\s]*:role\/[\w+=,.@-]+)(?![\w/])/i,
      { anchors: ['ARN is not mapped', 'arn is not mapped'] },
    ),
    pathToldOf: likely(
      ['client-output', 'unknown'],
      /does not (?:permit|allow|support) (?:a path|paths) in the role ARN|role ARN (?:cannot|can't|must not) (?:include|contain|have) a path/,
      { isTold: true },
    ),
  },
  needs: [
    'kube/aws-auth',
    'aws/access-entry-list',
    'aws/cluster',
    'aws/instance',
    'aws/instance-profile',
    'kube/Node',
  ],
  symptoms: ['kubelet-unauthorized'],
  withdrawnBy: [],
  explains: ['node-role-not-in-aws-auth'],
  summary: ({ role, plain }) =>
    `aws-auth maps ${role ?? 'the node role with its path'}, but the authenticator sees the role without its path (${plain ?? 'role/<name>'}); the two never match and its nodes get 401 Unauthorized.`,
  remedy: ({ role, plain }) => [
    step(
      'Write the ARN without the path in aws-auth.',
      `eksctl create iamidentitymapping --cluster <cluster> --arn ${plain ?? '<role-arn-without-path>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
    ),
    step(
      'Or use an access entry, which takes the real ARN with its path.',
      `aws eks create-access-entry --cluster-name <cluster> --principal-arn ${role ?? '<role-arn>'} --type EC2_LINUX`,
    ),
  ],
  decide: step(
    'Read the ARNs in aws-auth: a second slash after role/ is a path.',
    'kubectl -n kube-system get configmap aws-auth -o yaml | grep rolearn',
  ),
  page: {
    why: 'An assumed-role session (assumed-role/NAME/i-…) does not tell the path of its role. The authenticator turns it into role/NAME and looks that text up; role/team/app/NAME is another text.',
    prevent: 'Create node roles without a path, or move to access entries.',
    notThis:
      'An ARN with instance-profile/ is instance-profile-arn-in-aws-auth. A right form with another account is wrong-account-in-aws-auth; no entry at all, node-role-not-in-aws-auth.',
    alsoKnownAs: ['aws-auth role with path Unauthorized'],
    refs: [
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/issues/268',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/2221',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});

const judged = matched(cause, (view) => {
  const auth = view.read('kube/aws-auth');
  if (auth.state !== 'seen') return matchLines(view);
  const { roles } = auth.value;
  const fleet = nodeRolesOf(view);
  const lost = fleet === null ? null : lostRoles(fleet);
  const entry = roles.find(
    (role) =>
      isNodeEntry(role) &&
      hasPath(role.arn) &&
      lost?.some(({ arn }) => roleName(arn) === roleName(role.arn)) !== false,
  );
  if (entry === undefined || isApiOnly(view)) return clear;
  const plain = withoutPath(entry.arn);
  const isMappedTwice = roles.some((role) => role.arn.toLowerCase() === plain.toLowerCase());
  const entries = view.read('aws/access-entry-list');
  const isAdmitted = entries.state === 'seen' && JSON.stringify(entries.value).includes(entry.arn);
  if (isMappedTwice || isAdmitted) return clear;
  const of = lost?.find(({ arn }) => roleName(arn) === roleName(entry.arn));
  const proof = [view.quote(auth, `rolearn: ${entry.arn}`)];
  if (of === undefined) return found({ role: entry.arn, plain }, proof);
  const machines = idsOf(of.lost);
  const ran = `machines ${machines.join(', ')} run with the role ${of.arn} and have no Node`;
  return found(
    { role: entry.arn, plain },
    [...proof, view.quote(of.profile, ran)],
    'definite',
    machines,
  );
});

type Own = ViewOf<typeof cause>;

const ROLE_WITH_PATH = /^(arn:aws[\w-]*:iam::[^:]*:role\/)[^/]+\/(?:.*\/)?([^/]+)$/;

function hasPath(arn: string): boolean {
  return ROLE_WITH_PATH.test(arn);
}

function withoutPath(arn: string): string {
  return arn.replace(ROLE_WITH_PATH, '$1$2');
}

function isApiOnly(view: Own): boolean {
  return view
    .list('aws/cluster')
    .some((cluster) => cluster.value.accessConfig?.authenticationMode === 'API');
}

/** A ConfigMap pasted in part: one mapping, of a node, by a path. */
function matchLines(view: Own): Match | null {
  return matchTold(view) ?? matchMapping(view);
}

/** Somebody says how the role is mapped that the authenticator refuses without its path. */
function matchTold(view: Own): Match | null {
  const [told, refused] = [view.sign('toldPath'), view.sign('plainRefused')];
  if (told === null || refused === null) return null;
  const role = told.first.captures['role'] ?? '';
  const plain = withoutPath(role);
  if (refused.last.captures['plain']?.toLowerCase() !== plain.toLowerCase()) return null;
  return found({ role, plain }, [refused.last, told.first], 'likely');
}

function matchMapping(view: Own): Match | null {
  const mapped = view.sign('pathMapped');
  if (mapped === null || view.sign('nodeMapped') === null || view.sign('plainMapped') !== null)
    return null;
  const role = mapped.first.captures['role'] ?? '';
  return found({ role, plain: withoutPath(role) }, [mapped.first], 'likely');
}

/** Single sign-on roles of people have paths too; only a node's entry keeps nodes out. */
function isNodeEntry(entry: AwsAuthEntry): boolean {
  return (
    entry.groups.includes('system:nodes') || entry.username?.startsWith('system:node:') === true
  );
}

export default foreseenByMatch(judged, isByMap, {
  remedy: ({ plain }) => [step(awsAuthStep(plain))],
});
