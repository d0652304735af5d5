import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { idsOf, lostRoles, nodeRolesOf, withoutPath } from '../../../domain/nodes/fleet.ts';
import type { AwsAuthEntry } from '../../../evidence/kinds.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { isByMap } from '../../../domain/planned/admission.ts';
import { awsAuthStep } from '../../../domain/planned/remedies.ts';

/** aws-auth names the right role in another account or partition. */
const cause = defineCause({
  id: 'wrong-account-in-aws-auth',
  stage: 'authenticated',
  title: 'aws-auth maps the node role with another account or partition',
  scope: 'group',
  signs: {
    denied: context(
      ['authenticator'],
      /access denied.*?\barn="?(?<role>arn:aws[\w-]*:iam::\d{12}:role\/[^"\s]+).*(?:ARN|[Ii]dentity) is not mapped/,
      { strict: true },
    ),
    // A machine's session is named after its instance, in every answer that tells the caller.
    callsAs: context(
      ['client-output', 'aws-message', 'authenticator', 'kubelet', 'cloud-init', 'ipamd'],
      /\barn:(?<partition>aws[\w-]*):sts::(?<account>\d{12}):assumed-role\/(?<name>[\w+=,.@-]{1,64})\/i-[0-9a-f]{8,17}\b/,
      { anchors: [':assumed-role/'], isBackground: true },
    ),
    partitionUnknown: definite(
      ['authenticator'],
      /arn '(?<role>[^']*)' does not have a recognized partition/,
      { strict: true },
    ),
  },
  needs: [
    'kube/aws-auth',
    'aws/node-group',
    'aws/instance-profile',
    'aws/instance',
    'kube/Node',
    'aws/cluster',
    'aws/caller',
  ],
  symptoms: ['kubelet-unauthorized'],
  withdrawnBy: [],
  explains: ['node-role-not-in-aws-auth'],
  summary: ({ role, mapped }) =>
    mapped === undefined
      ? `aws-auth maps ${role ?? 'a role'}, whose ARN names no partition that AWS has; the entry matches nobody.`
      : `aws-auth maps ${mapped}, but the nodes call as ${role ?? 'a role of another account'}; the entry matches nobody and the kubelets get 401 Unauthorized.`,
  remedy: ({ role, mapped }) => [
    step(
      'Map the role with the account and partition that the nodes have.',
      `eksctl create iamidentitymapping --cluster <cluster> --arn ${role !== undefined && mapped !== undefined ? role : '<node-role-arn>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
    ),
  ],
  decide: step(
    'Ask on the node as whom it calls, and compare the account with aws-auth.',
    'aws sts get-caller-identity; kubectl -n kube-system get configmap aws-auth -o yaml | grep rolearn',
  ),
  page: {
    why: 'The mapping is compared as text. A ConfigMap copied from another environment, or aws where aws-cn or aws-us-gov belongs, names a role that exists somewhere else.',
    prevent: 'Fill the account id from the caller identity of the deployment, not from a file.',
    notThis:
      'An empty or starred account in pasted text is redaction, not this cause. Another role name is node-role-not-in-aws-auth.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/arn/arn.go',
    ],
  },
});

const judged = matched(cause, matchAccounts);

type Own = ViewOf<typeof cause>;

const ROLE = /^arn:(aws[\w-]*):iam::(\d{12}):(?:role|instance-profile)\/(?:.*\/)?([^/]+)$/;

function matchAccounts(view: Own): Match | null {
  const auth = view.read('kube/aws-auth');
  if (auth.state !== 'seen' || auth.value.malformed !== null) return null;
  const fleet = nodeRolesOf(view);
  const lost = fleet === null ? null : lostRoles(fleet);
  for (const role of lost?.map(({ arn }) => arn) ?? nodeRoles(view)) {
    const sameName = auth.value.roles.filter(
      (entry) => part(entry.arn, 3) !== '' && part(entry.arn, 3) === part(role, 3),
    );
    const [mapped] = sameName;
    if (mapped === undefined || sameName.some((entry) => owner(entry.arn) === owner(role)))
      continue;
    const machines = lost?.find(({ arn }) => arn === role)?.lost;
    return found(
      { role: withoutPath(role), mapped: mapped.arn },
      [view.quote(auth, `rolearn: ${mapped.arn}; the nodes call as ${withoutPath(role)}`)],
      callers(view).includes(role) ? 'likely' : 'definite',
      machines === undefined ? undefined : idsOf(machines),
    );
  }
  if (lost !== null || areMapped(nodeRoles(view), auth.value.roles)) return clear;
  return matchInstances(view, auth.value.roles, (text) => view.quote(auth, text));
}

/** True when every known role is in the ConfigMap by its name and its account. */
function areMapped(roles: readonly string[], entries: readonly AwsAuthEntry[]): boolean {
  const isMapped = (role: string): boolean =>
    entries.some(({ arn }) => part(arn, 3) === part(role, 3) && owner(arn) === owner(role));
  return roles.length > 0 && roles.every(isMapped);
}

/** Without a known role: no node entry is of the account in which the instances run. */
function matchInstances(
  view: Own,
  entries: readonly AwsAuthEntry[],
  quote: (text: string) => ReturnType<Own['quote']>,
): Match | null {
  const nodes = entries.filter(
    (entry) => entry.groups.includes('system:nodes') && owner(entry.arn) !== '',
  );
  const profiles = view
    .list('aws/instance')
    .flatMap((instance) => instance.value.IamInstanceProfile?.Arn ?? []);
  const [first] = nodes;
  const [profile] = profiles;
  if (first === undefined || profile === undefined || owner(profile) === '') return null;
  const isKnown = nodes.some((entry) => profiles.some((arn) => owner(arn) === owner(entry.arn)));
  const role = `a role of ${owner(profile)}`;
  return isKnown
    ? null
    : found({ role, mapped: first.arn }, [quote(`rolearn: ${first.arn}`)], 'likely');
}

function part(arn: string, group: 1 | 2 | 3): string {
  return ROLE.exec(arn)?.[group] ?? '';
}

function owner(arn: string): string {
  return part(arn, 2) === '' ? '' : `${part(arn, 1)}:${part(arn, 2)}`;
}

function nodeRoles(view: Own): readonly string[] {
  const groups = view.list('aws/node-group').map((group) => group.value.nodeRole ?? '');
  const profiles = view
    .list('aws/instance-profile')
    .flatMap((profile) => (profile.value.Roles ?? []).map((role) => role.Arn ?? ''));
  const denied = (view.sign('denied')?.quotes ?? []).map((quote) => quote.captures['role'] ?? '');
  const known = [...groups, ...profiles, ...denied];
  return (known.length > 0 ? known : callers(view)).filter((role) => owner(role) !== '');
}

/** The roles in whose name instances call. */
function callers(view: Own): readonly string[] {
  const said = (view.sign('callsAs')?.quotes ?? []).map(({ captures }) => {
    const { partition = '', account = '', name = '' } = captures;
    return `arn:${partition}:iam::${account}:role/${name}`;
  });
  // In a look of Rollcall's own the caller is whoever runs it.
  const answered = !view.isLive ? view.everywhere('aws/caller') : [];
  return [...said, ...answered.map(({ value }) => roleOfSession(value.Arn ?? ''))];
}

const SESSION =
  /^arn:(aws[\w-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]{1,64})\/i-[0-9a-f]{8,17}$/;

/** The role in which an instance calls; '' for the session of a person or a program. */
function roleOfSession(arn: string): string {
  const [, partition, account, name] = SESSION.exec(arn) ?? [];
  return name === undefined ? '' : `arn:${partition ?? ''}:iam::${account ?? ''}:role/${name}`;
}

export default foreseenByMatch(judged, isByMap, {
  remedy: ({ role }) => [step(awsAuthStep(role))],
});
