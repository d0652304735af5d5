import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import type { AccessPolicies } from '../../../evidence/aws/iam.ts';
import { idsOf, lostRoles, type NodeRole, nodeRolesOf } from '../../../domain/nodes/fleet.ts';

const POLICY = 'AmazonEKSAutoNodePolicy';

/** Nodes of EKS Auto Mode have their rights by an access policy, and the role's entry lacks it. */
const cause = defineCause({
  id: 'auto-mode-policy-missing',
  stage: 'authenticated',
  title: 'the access entry of an Auto Mode node role lacks AmazonEKSAutoNodePolicy',
  scope: 'group',
  signs: {},
  needs: [
    'aws/access-entry',
    'aws/access-policies',
    'aws/instance',
    'aws/instance-profile',
    'kube/Node',
    'aws/cluster',
  ],
  symptoms: ['kubelet-unauthorized', 'boot-verdict'],
  summary: ({ role, cluster, policies }) =>
    `The access entry of ${role ?? 'the node role'} in cluster ${cluster ?? '<cluster>'} is of type EC2 and has ${policies ?? 'no policy'}, not ${POLICY}; the API server refuses all that its Auto Mode nodes ask.`,
  remedy: ({ role, cluster }) => [
    step(
      'Associate the policy of Auto Mode nodes with the entry.',
      `aws eks associate-access-policy --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} --policy-arn arn:aws:eks::aws:cluster-access-policy/${POLICY} --access-scope type=cluster`,
    ),
  ],
  decide: step(
    'List the policies of the node role’s access entry.',
    'aws eks list-associated-access-policies --cluster-name <cluster> --principal-arn <node-role-arn>',
  ),
  page: {
    why: 'Nodes of EKS Auto Mode come in through an access entry of type EC2. Other than EC2_LINUX that type brings no rights of its own: they are those of AmazonEKSAutoNodePolicy. EKS associates it for the role that it was given at the start; for the role of a NodeClass of one’s own somebody has to do it.',
    prevent:
      'Create entry and policy together, by the same template that names the role in the NodeClass.',
    notThis:
      'Without any entry it is access-entry-missing; with one of type STANDARD it is wrong-access-entry-type. Machines that EKS Auto Mode does not run need an entry of type EC2_LINUX and no policy.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/create-node-class.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html',
    ],
  },
});

export default matched(cause, matchEntries);

type Own = ViewOf<typeof cause>;

/** Roles of which no machine joined, whose entries are of the type of Auto Mode. */
function matchEntries(view: Own): Match | null {
  const fleet = nodeRolesOf(view);
  if (fleet === null) return matchShown(view);
  const lost = lostRoles(fleet).flatMap((role) => {
    const entry = view
      .list('aws/access-entry')
      .find(({ value }) => value.principalArn === role.arn);
    return entry?.value.type === 'EC2' ? [{ role, entry }] : [];
  });
  const [first] = lost;
  if (first === undefined) return null;
  const { role, entry } = first;
  const held = view
    .list('aws/access-policies')
    .find(({ value }) => value.principalArn === role.arn);
  if (held === undefined) return unread(role);
  const names = namesOf(held.value);
  if (isEnough(names)) return clear;
  const policies = names.join(', ') || 'no policy';
  const cluster = entry.value.clusterName ?? '';
  const machines = idsOf(role.lost);
  const ran = `machines ${machines.join(', ')} run with the role ${role.arn} and have no Node`;
  const proof = [
    view.quote(entry, `accessEntry ${role.arn} type EC2`),
    view.quote(held, `access policies of ${role.arn}: ${policies}`),
    view.quote(role.profile, ran),
  ];
  return found({ role: role.arn, cluster, policies }, proof, 'definite', machines);
}

function namesOf({ associatedAccessPolicies: held }: AccessPolicies): readonly string[] {
  return (held ?? []).map((policy) => (policy.policyArn ?? '').split('/').at(-1) ?? '');
}

function isEnough(names: readonly string[]): boolean {
  return names.includes(POLICY) || names.includes('AmazonEKSClusterAdminPolicy');
}

/** An entry of the type that only Auto Mode has, and all of its policies, whatever its machines do. */
function matchShown(view: Own): Match | null {
  if (view.isLive) return null;
  const entries = view.list('aws/access-entry').filter(({ value }) => value.type === 'EC2');
  const shown = entries.flatMap((entry) => {
    const arn = entry.value.principalArn ?? '';
    const held = view
      .list('aws/access-policies')
      .find(({ value }) => value.principalArn === arn && arn !== '');
    return held === undefined ? [] : [{ arn, entry, held, names: namesOf(held.value) }];
  });
  const bare = shown.find(({ names }) => !isEnough(names));
  if (bare === undefined) return shown.length > 0 ? clear : null;
  const { arn, entry, held, names } = bare;
  const policies = names.join(', ') || 'no policy';
  const cluster = held.value.clusterName ?? entry.value.clusterName ?? '<cluster>';
  return found({ role: arn, cluster, policies }, [
    view.quote(entry, `accessEntry ${arn} type EC2`),
    view.quote(held, `access policies of ${arn}: ${policies}`),
  ]);
}

function unread({ arn }: NodeRole): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: `which access policies the entry of ${arn} has`,
    collect: `aws eks list-associated-access-policies --cluster-name <cluster> --principal-arn ${arn}`,
  });
}
