import { parsed } from '../../../evidence/aws/trail.ts';
import { isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { askOnce } from '../aws-read.ts';
import { lastWriteOf } from '../last-writer.ts';
import { AWS_AUTH } from './config-map.ts';
import type { EntryPlace } from './decide-entry.ts';

/** Who took a mapping away, as far as anything shows it. */
export interface LostBy {
  readonly shownBy: 'managedFields' | 'CloudTrail';
  /** Name of the program, or ARN of who called; null where nothing shows it. */
  readonly by: string | null;
  /** ISO 8601. */
  readonly at: string | null;
  /** Address or service that the call came from. */
  readonly from: string | null;
  /** One sentence, with what to allow where nothing shows it. */
  readonly text: string;
}

/** Who wrote aws-auth last; its maps are one field for whoever replaces them. */
export function lostByWriter(configMap: JsonObject | null): LostBy {
  const shown = { shownBy: 'managedFields', from: null } as const;
  if (configMap === null) return { ...shown, by: null, at: null, text: DELETED };
  const write = lastWriteOf(configMap, 'data');
  if (write === null) return { ...shown, by: null, at: null, text: UNSHOWN };
  const by = excerptOf(write.manager);
  const at = write.at === null ? null : excerptOf(write.at);
  const when = at === null ? '' : ` at ${at}`;
  return { ...shown, by, at, text: `${by} wrote ${AWS_AUTH} last${when}, by its managed fields.` };
}

const DELETED = `${AWS_AUTH} does not exist. The API server keeps nothing of who deleted it; the audit log does, where the cluster writes one.`;
const UNSHOWN = `The managed fields of ${AWS_AUTH} are not shown, so nobody knows who wrote it last.`;

/** Calls by which a role loses what its access entry gave. */
export type EntryChange =
  | 'CreateAccessEntry'
  | 'UpdateAccessEntry'
  | 'DeleteAccessEntry'
  | 'DisassociateAccessPolicy';

const DID: Readonly<Record<EntryChange, string>> = {
  CreateAccessEntry: 'made the access entry',
  UpdateAccessEntry: 'changed the access entry',
  DeleteAccessEntry: 'deleted the access entry',
  DisassociateAccessPolicy: 'took a policy from the access entry',
};

/** A change of an access entry, as CloudTrail tells it. */
export interface EntryEvent extends LostBy {
  readonly id: string;
  readonly role: string;
  readonly cluster: string;
}

/**
 * The newest changes of access entries in this account and region, the newest first; CloudTrail
 * keeps 90 days and delivers within about 5 min. One request for each kind of change.
 *
 * @throws PortError
 */
export async function entryEvents(
  aws: AwsApi,
  changes: readonly EntryChange[],
): Promise<readonly EntryEvent[]> {
  const events: EntryEvent[] = [];
  for (const change of changes) {
    const input = {
      LookupAttributes: [{ AttributeKey: 'EventName', AttributeValue: change }],
      MaxResults: 50,
    };
    const call = { service: 'cloudtrail', operation: 'LookupEvents', input } as const;
    const answer = await askOnce(aws, call);
    for (const one of listAt(answer, 'Events').filter(isObject)) {
      const event = eventOf(one, change);
      if (event !== null) events.push(event);
    }
  }
  return events.toSorted((one, other) => ((one.at ?? '') > (other.at ?? '') ? -1 : 1));
}

/** null for a call that AWS refused, and for one of another service. */
function eventOf(event: JsonObject, change: EntryChange): EntryEvent | null {
  const raw = parsed(textAt(event, 'CloudTrailEvent') ?? '');
  const role = decoded(textAt(raw, 'requestParameters.principalArn') ?? '');
  const isOurs = textAt(event, 'EventSource') === 'eks.amazonaws.com';
  if (!isOurs || textAt(raw, 'errorCode') !== null || role === '') return null;
  const caller = textAt(raw, 'userIdentity.arn') ?? textAt(event, 'Username');
  const [by, at, from] = [caller, textAt(event, 'EventTime'), textAt(raw, 'sourceIPAddress')].map(
    (text) => (text === null ? null : excerptOf(text)),
  );
  const where = from === null || from === undefined ? '' : ` from ${from}`;
  return {
    id: textAt(event, 'EventId') ?? `${change} ${role} ${at ?? ''}`,
    role,
    cluster: textAt(raw, 'requestParameters.name') ?? '',
    shownBy: 'CloudTrail',
    by: by ?? null,
    at: at ?? null,
    from: from ?? null,
    text: `${by ?? 'Somebody'} ${DID[change]} at ${at ?? 'an unknown time'}${where} (CloudTrail, eks:${change}).`,
  };
}

/** What goes into the path of a request is recorded percent-encoded. */
function decoded(arn: string): string {
  try {
    return decodeURIComponent(arn);
  } catch {
    return arn;
  }
}

/** Who changed the entry of a role, by CloudTrail; what it does not show is one sentence too. */
export async function lostByEvents(
  aws: AwsApi,
  question: EntryPlace,
  changes: readonly EntryChange[],
): Promise<readonly LostBy[]> {
  try {
    const found = (await entryEvents(aws, changes)).find((event) => isOf(event, question));
    if (found === undefined) return [unknownBy(NOT_SHOWN)];
    const { shownBy, by, at, from, text } = found;
    return [{ shownBy, by, at, from, text }];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [unknownBy(`Who changed the access entry is unknown. ${error.message}`)];
  }
}

const NOT_SHOWN =
  'CloudTrail shows no change of the access entry among the newest ones; it delivers within about 15 min and keeps 90 days.';

function unknownBy(text: string): LostBy {
  return { shownBy: 'CloudTrail', by: null, at: null, from: null, text };
}

/** True for a change of the entry of this role in this cluster. */
export function isOf(event: EntryEvent, { cluster, role }: EntryPlace): boolean {
  return event.cluster === cluster && event.role.toLowerCase() === role.toLowerCase();
}
