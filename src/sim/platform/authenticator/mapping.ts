import type { AwsAuth } from '../../../evidence/kinds.ts';

/** Who a signed request turned out to come from. */
export interface Caller {
  /** `arn:aws:sts::123:assumed-role/NAME/SESSION` or that of a user. */
  readonly arn: string;
  readonly accountId: string;
  /** The ARN that mappings name: role without path and session. */
  readonly canonicalArn: string;
  readonly session: string;
  readonly accessKeyId: string;
}

/** The user and groups that a mapping names, its templates not yet filled in. */
export interface Mapped {
  readonly username: string;
  readonly groups: readonly string[];
}

export interface AccessEntry {
  readonly principalArn: string;
  /** `STANDARD`, `EC2_LINUX`, `EC2_WINDOWS`, `FARGATE_LINUX`, `EC2`, … */
  readonly type: string;
  readonly username: string;
  readonly groups: readonly string[];
}

const ASSUMED =
  /^arn:(?<partition>aws[a-z-]*):sts::(?<account>\d{12}):assumed-role\/(?<role>[^/]+)\/(?<session>.+)$/;
const ACCOUNT = /^arn:aws[a-z-]*:(?:iam|sts)::(?<account>\d{12}):/;

/** arn.Canonicalize: an assumed role counts as the role, whose path STS does not tell. */
export function callerOf(arn: string, accessKeyId: string): Caller {
  const groups = ASSUMED.exec(arn)?.groups;
  const accountId = ACCOUNT.exec(arn)?.groups?.['account'] ?? '';
  if (groups === undefined)
    return { arn, accountId, canonicalArn: arn, session: sessionOf(arn), accessKeyId };
  const canonicalArn = `arn:${groups['partition']}:iam::${accountId}:role/${groups['role']}`;
  return { arn, accountId, canonicalArn, session: groups['session'] ?? '', accessKeyId };
}

function sessionOf(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

/**
 * The mapping of aws-auth. A `rolearn` with a path matches nobody, as the caller's has none; a map
 * that is no YAML list maps nobody at all.
 */
export function mappedByConfigMap(auth: AwsAuth, caller: Caller): Mapped | null {
  const wanted = caller.canonicalArn.toLowerCase();
  for (const entry of [...auth.roles, ...auth.users])
    if (entry.arn.toLowerCase() === wanted)
      return {
        username: entry.username ?? caller.canonicalArn,
        groups: entry.groups.filter((group) => typeof group === 'string'),
      };
  return null;
}

/** Types of entries by which nodes join; their user and groups are not to be chosen. */
const NODE_TYPES = new Set(['EC2_LINUX', 'EC2_WINDOWS', 'EC2', 'HYBRID_LINUX']);
const NODE_USERNAME = 'system:node:{{EC2PrivateDNSName}}';

export function mappedByEntry(entries: readonly AccessEntry[], caller: Caller): Mapped | null {
  const entry = entries.find(
    ({ principalArn }) => withoutPath(principalArn) === caller.canonicalArn,
  );
  if (entry === undefined) return null;
  if (!NODE_TYPES.has(entry.type)) return { username: entry.username, groups: entry.groups };
  const groups = [...new Set([...entry.groups, 'system:nodes'])];
  return { username: entry.username === '' ? NODE_USERNAME : entry.username, groups };
}

function withoutPath(arn: string): string {
  const slash = arn.indexOf('/');
  return slash < 0 ? arn : `${arn.slice(0, slash)}/${sessionOf(arn)}`;
}

/** What a template needs that only EC2 knows: the private DNS name of an instance. */
export type PrivateDnsNameOf = (instanceId: string) => string | null;

/** null when a template needs an instance that EC2 does not know. */
export function filledIn(
  template: string,
  caller: Caller,
  privateDnsNameOf: PrivateDnsNameOf,
): string | null {
  let text = template
    .replaceAll('{{AccountID}}', caller.accountId)
    .replaceAll('{{AccessKeyID}}', caller.accessKeyId)
    .replaceAll('{{SessionName}}', caller.session.replaceAll('@', '-'))
    .replaceAll('{{SessionNameRaw}}', caller.session);
  if (!text.includes('{{EC2PrivateDNSName}}')) return text;
  const name = privateDnsNameOf(caller.session);
  if (name === null || name === '') return null;
  text = text.replaceAll('{{EC2PrivateDNSName}}', name);
  return text;
}
