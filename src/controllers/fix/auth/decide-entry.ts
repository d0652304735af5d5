import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { shellWord } from '../../../domain/words.ts';
import { ENTRY_TYPES, type NodeType } from './node-mapping.ts';

/** Where a role is let in. */
export const MAPPING_PLACES = ['aws-auth', 'access-entry'] as const;
export type MappingPlace = (typeof MAPPING_PLACES)[number];

export type PlaceDecision =
  | { readonly do: 'map'; readonly place: MappingPlace }
  | { readonly do: 'refuse'; readonly why: string };

/** Authentication modes; a cluster that says none reads aws-auth alone. */
type Mode = 'CONFIG_MAP' | 'API_AND_CONFIG_MAP' | 'API';

/** Which of the two places a cluster reads; `asked` is null where nobody chose one. */
export function decidePlace(mode: string, asked: MappingPlace | null): PlaceDecision {
  const known = (['CONFIG_MAP', 'API_AND_CONFIG_MAP', 'API'] as const).find((one) => one === mode);
  if (known === undefined)
    return { do: 'refuse', why: `The authentication mode ${mode} is unknown here.` };
  const place = asked ?? (known === 'CONFIG_MAP' ? 'aws-auth' : 'access-entry');
  if (isRead(known, place)) return { do: 'map', place };
  return { do: 'refuse', why: unread(known) };
}

function isRead(mode: Mode, place: MappingPlace): boolean {
  return mode === 'API_AND_CONFIG_MAP' || (mode === 'API') === (place === 'access-entry');
}

function unread(mode: Mode): string {
  return mode === 'API'
    ? 'The cluster is in authentication mode API, where aws-auth is not read.'
    : 'The cluster is in authentication mode CONFIG_MAP, where access entries are not read.';
}

export type EntryDecision =
  | { readonly do: 'nothing'; readonly why: string }
  | { readonly do: 'refuse'; readonly why: string; readonly commands: readonly string[] }
  | { readonly do: 'create'; readonly input: JsonObject; readonly diff: readonly string[] };

/** Where an access entry is. */
export interface EntryPlace {
  readonly cluster: string;
  /** ARN of the role, with its path. */
  readonly role: string;
}

/** The role whose entry is looked at. */
export interface EntryQuestion extends EntryPlace {
  readonly type: NodeType;
}

/** What is to be done so that a role has an access entry; `seen` is null where it has none. */
export function decideEntry(seen: JsonObject | null, question: EntryQuestion): EntryDecision {
  const { cluster, role, type } = question;
  const wanted = ENTRY_TYPES[type];
  const found = textAt(seen ?? undefined, 'type') ?? 'STANDARD';
  if (seen === null) {
    const input = { clusterName: cluster, principalArn: role, type: wanted };
    return { do: 'create', input, diff: diffOf(question, wanted) };
  }
  if (found === wanted)
    return { do: 'nothing', why: `${role} has an access entry of type ${wanted} already.` };
  return {
    do: 'refuse',
    why: `${role} has an access entry of type ${found}. A type cannot be changed, and Rollcall deletes no entry of others, as somebody may depend on it.`,
    commands: [entryCommand('delete', question), createCommand(question)],
  };
}

function diffOf({ cluster, role }: EntryQuestion, type: string): readonly string[] {
  return [`+ access entry of cluster ${cluster}`, `+   principalArn: ${role}`, `+   type: ${type}`];
}

function entryCommand(verb: string, { cluster, role }: EntryPlace): string {
  return `aws eks ${verb}-access-entry --cluster-name ${shellWord(cluster)} --principal-arn ${shellWord(role)}`;
}

function createCommand(question: EntryQuestion): string {
  return `${entryCommand('create', question)} --type ${ENTRY_TYPES[question.type]}`;
}

/** What takes an entry away again, for a person to run. */
export function deleteCommand(question: EntryPlace): string {
  return entryCommand('delete', question);
}

/** The policy without which machines of Auto Mode may do nothing (EKS user guide). */
export const AUTO_NODE_POLICY = 'AmazonEKSAutoNodePolicy';

/** What is associated with an entry of Auto Mode; null where nothing is missing. */
export function decidePolicy(
  policies: readonly JsonObject[],
  { cluster, role, type }: EntryQuestion,
  partition: string,
): JsonObject | null {
  if (type !== 'auto') return null;
  const isThere = policies.some((one) =>
    textAt(one, 'policyArn')?.endsWith(`/${AUTO_NODE_POLICY}`),
  );
  if (isThere) return null;
  return {
    clusterName: cluster,
    principalArn: role,
    policyArn: `arn:${partition}:eks::aws:cluster-access-policy/${AUTO_NODE_POLICY}`,
    accessScope: { type: 'cluster' },
  };
}
