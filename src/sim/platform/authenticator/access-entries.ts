import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { AwsIdentity } from '../../aws/contract.ts';
import type { World } from '../../world.ts';
import type { AccessEntry, Caller } from './mapping.ts';

export interface EntryOptions {
  readonly clusterName: string;
  /** The role with which the service reads its access entries. */
  readonly roleArn?: string;
}

/** Access entries as the authenticator knows them, which is some seconds late. */
export interface EntryCache {
  of(caller: Caller): readonly AccessEntry[];
}

/** A change of an access entry takes effect within several seconds (EKS user guide). */
const FRESH_MS = 10_000;

export function createEntryCache(world: World, options: EntryOptions): EntryCache {
  const known = new Map<
    string,
    { readonly entries: readonly AccessEntry[]; readonly atMs: number }
  >();
  return {
    of: (caller) => {
      const nowMs = world.kernel.nowMs();
      const cached = known.get(caller.canonicalArn);
      if (cached !== undefined && nowMs < cached.atMs + FRESH_MS) return cached.entries;
      const entries = entriesOf(world, options, caller);
      known.set(caller.canonicalArn, { entries, atMs: nowMs });
      return entries;
    },
  };
}

function serviceIdentity({ aws }: World, roleArn: string | undefined): AwsIdentity {
  const arn = roleArn ?? `arn:aws:iam::${aws.accountId}:role/eks-service`;
  const { accessKeyId } = aws.credentialsOf(arn);
  return aws.identityOf(accessKeyId) ?? { arn, accessKeyId };
}

/** The entry of the role, under whatever path it has. */
function entriesOf(
  world: World,
  { clusterName, roleArn }: EntryOptions,
  caller: Caller,
): readonly AccessEntry[] {
  const identity = serviceIdentity(world, roleArn);
  const ask = (operation: string, input: JsonObject): JsonObject | null => {
    const answer = world.aws.answer(identity, { service: 'eks', operation, input });
    return answer.ok ? answer.output : null;
  };
  const role = caller.canonicalArn.slice(caller.canonicalArn.indexOf('/') + 1);
  const principals = listAt(ask('ListAccessEntries', { clusterName }) ?? {}, 'accessEntries');
  return principals.flatMap((principalArn) => {
    if (typeof principalArn !== 'string' || !principalArn.endsWith(`/${role}`)) return [];
    const entry = ask('DescribeAccessEntry', { clusterName, principalArn });
    return entry === null ? [] : [entryOf(entry)];
  });
}

function entryOf(answer: JsonObject): AccessEntry {
  return {
    principalArn: textAt(answer, 'accessEntry.principalArn') ?? '',
    type: textAt(answer, 'accessEntry.type') ?? 'STANDARD',
    username: textAt(answer, 'accessEntry.username') ?? '',
    groups: listAt(answer, 'accessEntry.kubernetesGroups').filter(
      (group) => typeof group === 'string',
    ),
  };
}
