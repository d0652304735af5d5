import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { likely } from '../../../diagnosis/sign.ts';
import {
  idsOf,
  lostRoles,
  type NodeRole,
  nodeRolesOf,
  withoutPath,
} from '../../../domain/nodes/fleet.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { isByMap } from '../../../domain/planned/admission.ts';
import { awsAuthStep } from '../../../domain/planned/remedies.ts';

/** aws-auth names the instance profile where the role belongs. */
const cause = defineCause({
  id: 'instance-profile-arn-in-aws-auth',
  stage: 'authenticated',
  title: 'aws-auth maps an instance profile instead of its role',
  scope: 'group',
  signs: {
    profileMapped: likely(
      [
        'client-output',
        'object',
        'terraform',
        'kubelet',
        'karpenter',
        'authenticator',
        'cloud-init',
      ],
      /"?rolearn"?:\s*"?(?<arn>arn:aws[\w-]*:iam::[^:\s]*:instance-profile\/(?<profile>[^\s"]+))/i,
      { anchors: [':instance-profile/'] },
    ),
    profileNotUsable: likely(
      ['authenticator'],
      /arn '(?<arn>arn:aws[\w-]*:iam::[^:\s]*:instance-profile\/(?<profile>[^\s'"]+))' is invalid/,
      { anchors: [':instance-profile/'] },
    ),
  },
  needs: ['kube/aws-auth', 'aws/instance-profile', 'aws/instance', 'kube/Node', 'aws/cluster'],
  symptoms: ['kubelet-unauthorized'],
  withdrawnBy: [],
  explains: ['node-role-not-in-aws-auth'],
  summary: ({ arn }) =>
    `aws-auth maps ${arn ?? 'an instance profile'}; a node calls with the role inside the profile, so the entry matches nobody and its nodes get 401 Unauthorized.`,
  remedy: ({ profile, role }) => [
    step(
      'Look up the role inside the profile.',
      `aws iam get-instance-profile --instance-profile-name ${profile ?? '<profile>'} --query InstanceProfile.Roles[].Arn --output text`,
    ),
    step(
      'Map that role.',
      `eksctl create iamidentitymapping --cluster <cluster> --arn ${role ?? '<node-role-arn>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
    ),
  ],
  decide: step(
    'Read the ARNs in aws-auth: each must be a role.',
    'kubectl -n kube-system get configmap aws-auth -o yaml | grep rolearn',
  ),
  page: {
    why: 'An instance profile is the envelope by which EC2 gets a role; the caller identity is always the role. The consoles show the profile’s ARN beside the role’s, and the two are easily confused.',
    prevent: 'Take the ARN from `aws iam get-role`, or from the stack output NodeInstanceRole.',
    notThis:
      'A role ARN with a path is role-path-in-aws-auth; a role that is not there in any form, node-role-not-in-aws-auth.',
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html'],
  },
});

const judged = matched(cause, (view) => {
  const auth = view.read('kube/aws-auth');
  if (auth.state !== 'seen') return null;
  const { roles } = auth.value;
  const fleet = nodeRolesOf(view);
  const lost = fleet === null ? null : lostRoles(fleet);
  const entry = roles.find(
    (role) => PROFILE.test(role.arn) && lost?.some((of) => profileArn(of) === role.arn) !== false,
  );
  if (entry === undefined) return clear;
  const profile = entry.arn.split('/').at(-1) ?? '';
  // A role of the same name beside it, as consoles create them, lets the nodes in.
  const isMappedToo = roles.some((role) => role.arn.endsWith(`:role/${profile}`));
  if (isMappedToo) return clear;
  const proof = [view.quote(auth, `rolearn: ${entry.arn}`)];
  const of = lost?.find((role) => profileArn(role) === entry.arn);
  if (of === undefined) return found({ arn: entry.arn, profile }, proof);
  if (roles.some((role) => role.arn === withoutPath(of.arn))) return clear;
  const machines = idsOf(of.lost);
  const ran = `machines ${machines.join(', ')} run with the role ${of.arn} of that profile`;
  return found(
    { arn: entry.arn, profile, role: withoutPath(of.arn) },
    [...proof, view.quote(of.profile, ran)],
    'definite',
    machines,
  );
});

const PROFILE = /^arn:aws[\w-]*:iam::[^:]*:instance-profile\//;

function profileArn({ profile }: NodeRole): string {
  return profile.value.Arn ?? '';
}

export default foreseenByMatch(judged, isByMap, {
  remedy: ({ role }) => [step(awsAuthStep(role === undefined ? undefined : `the role ${role}`))],
});
