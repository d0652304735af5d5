import type { Told } from '../../../evidence/shape.ts';
import {
  clear,
  defineCause,
  type Found,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { idsOf, lostRoles, nodeRolesOf } from '../../../domain/nodes/fleet.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { AccessEntry, Role } from '../../../evidence/aws/iam.ts';
import { utcMs } from '../../../evidence/time.ts';

/** The role was deleted and made again, and the access entry still means the first one. */
const cause = defineCause({
  id: 'recreated-node-role',
  stage: 'authenticated',
  title: 'the node role is younger than its access entry, which is bound to the deleted role',
  scope: 'group',
  signs: {
    toldRecreated: context(
      ['client-output', 'unknown'],
      /\b(?:[Rr]oles?|IAM|iam)\b.{0,60}\b(?:was |were |got |been )?(?:re-?created|(?:deleted|destroyed|removed) and (?:re-?)?(?:created|applied|made|added))\b|\b(?:re-?created|(?:deleted|destroyed) and (?:re-?)?created)\b (?:the |our |its |that )?(?:\w{1,12} ){0,2}[Rr]oles?\b|\bdestroy(?:ed)?\b.{0,20}\b(?:re-?)?appl(?:y|ied)\b.{0,40}\b(?:iam|IAM|[Rr]oles?)\b/,
      {
        isTold: true,
        anchors: [
          'ecreated',
          're-created',
          'deleted and',
          'destroyed and',
          'removed and',
          'destroy',
        ],
      },
    ),
    entryThere: context(
      ['client-output', 'unknown', 'aws-message'],
      /"?\btype"?:\s{0,2}"?EC2_(?:LINUX|WINDOWS)\b|\b[Aa]ccess entry\b.{0,30}\b(?:exists|is (?:still )?there|is unchanged|is untouched|was not touched)\b/,
      { anchors: ['EC2_LINUX', 'EC2_WINDOWS', 'ccess entry'] },
    ),
    kubeletRefused: context(
      ['client-output', 'unknown', 'kubelet'],
      /\b[Kk]ubelets?\b.{0,80}\bUnauthorized\b/,
      { anchors: ['Unauthorized'] },
    ),
    toldCured: likely(
      ['client-output', 'unknown'],
      /\baccess entry\b.{0,40}\b(?:is|was|gets|got) (?:deleted|removed)\b.{0,30}\b(?:created|added|made)\b.{0,20}\b(?:again|once more|anew|back)\b|\b(?:[Dd]elet(?:e|ed|ing)|[Rr]emov(?:e|ed|ing)) (?:and (?:re-?)?(?:creat|add)\w+ )(?:of )?the access entry\b/,
      { isTold: true, anchors: ['access entry'] },
    ),
  },
  needs: [
    'aws/role',
    'aws/access-entry',
    'aws/instance',
    'aws/instance-profile',
    'kube/Node',
    'aws/cluster',
  ],
  symptoms: ['kubelet-unauthorized'],
  withdrawnBy: [],
  summary: ({ role }) =>
    `The role ${role ?? 'of the nodes'} was made again after its access entry, which is bound to the unique id of the deleted role; its kubelets get 401 Unauthorized.`,
  remedy: ({ role, cluster }) => [
    step(
      'Delete the entry and create it again.',
      `aws eks delete-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} && aws eks create-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} --type EC2_LINUX`,
    ),
  ],
  decide: step(
    'Compare the ages of role and entry.',
    'aws iam get-role --role-name <node-role> --query Role.CreateDate; aws eks describe-access-entry --cluster-name <cluster> --principal-arn <node-role-arn> --query accessEntry.createdAt',
  ),
  page: {
    why: 'An access entry remembers the unique id of its principal, not only the ARN. Terraform destroy and apply, or a stack made again, gives the same ARN another id.',
    prevent: 'Let the same configuration own role and entry, so that both are replaced together.',
    notThis:
      'aws-auth compares ARNs and does not mind. An entry of the wrong type is wrong-access-entry-type; none at all, access-entry-missing.',
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html'],
  },
});

export default matched(cause, matchAges);

type Own = ViewOf<typeof cause>;

function matchAges(view: Own): Match | null {
  const roles = view.list('aws/role');
  const entries = view.list('aws/access-entry').filter((entry) => entry.value.type !== 'STANDARD');
  if (roles.length === 0 || entries.length === 0) return matchTold(view);
  const fleet = nodeRolesOf(view);
  const lost = fleet === null ? null : lostRoles(fleet);
  for (const entry of entries) {
    const { principalArn: arn } = entry.value;
    if (arn === undefined) continue;
    const role = roles.find(({ value }) => isOf(value, arn));
    const [made, mapped] = [msOf(role?.value.CreateDate), msOf(entry.value.createdAt)];
    if (role === undefined || made === null || mapped === null || made <= mapped) continue;
    const of = lost?.find((one) => one.arn === arn);
    if (lost !== null && of === undefined) continue;
    const details = { role: arn, cluster: entry.value.clusterName ?? '' };
    const proof = [
      view.quote(role, `role ${arn} CreateDate ${role.value.CreateDate ?? ''}`),
      view.quote(entry, `accessEntry ${arn} createdAt ${entry.value.createdAt ?? ''}`),
    ];
    const match = found(details, proof, 'definite', of === undefined ? undefined : idsOf(of.lost));
    return inShown(match, role.value);
  }
  return areDated(roles, entries) ? clear : (matchTold(view) ?? clear);
}

/** A role of which the answer shows only what was chosen is all that can speak. */
function inShown(match: Found, role: Role): Found {
  return isNamedOnly(role) ? foundInShown(match) : match;
}

function isNamedOnly({ Arn: arn }: Role): boolean {
  return (arn ?? null) === null;
}

function areDated(roles: readonly Seen<Role>[], entries: readonly Seen<AccessEntry>[]): boolean {
  return (
    roles.every(({ value }) => msOf(value.CreateDate) !== null) &&
    entries.every(({ value }) => msOf(value.createdAt) !== null)
  );
}

/** Answers that a query chose may show the name alone. */
function isOf(role: Role, arn: string): boolean {
  return isNamedOnly(role) ? role.RoleName === arn.split('/').at(-1) : role.Arn === arn;
}

/** People tell that the role was made again; its entry is there, and kubelets are refused. */
function matchTold(view: Own): Match | null {
  const told = view.sign('toldRecreated') ?? view.clusterSign('toldRecreated');
  const entry = view.sign('entryThere') ?? view.clusterSign('entryThere');
  const refused = view.sign('kubeletRefused') ?? view.clusterSign('kubeletRefused');
  if (view.isLive || told === null || entry === null || refused === null) return null;
  return found({}, [told.last, entry.last, refused.last], 'likely');
}

const STAMP =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** Milliseconds since the epoch of a stamp of the AWS command line, which prints local zones. */
function msOf(text: Told<string>): number | null {
  const m = STAMP.exec(text ?? '');
  if (m === null) return null;
  const clock = ((Number(m[4]) * 60 + Number(m[5])) * 60 + Number(m[6])) * 1000;
  const zone = (Number(m[8] ?? 0) * 60 + Number(m[9] ?? 0)) * 60_000 * (m[7] === '-' ? -1 : 1);
  return utcMs(Number(m[1]), Number(m[2]), Number(m[3]), clock) - zone;
}
