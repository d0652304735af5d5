/**
 * EKS as far as access entries go, on loopback: paths and answers by the service's API reference,
 * errors with the names and status codes of the API reference of EKS; their words are ours.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';

export type EntryOperation =
  | 'DescribeCluster'
  | 'DescribeAccessEntry'
  | 'CreateAccessEntry'
  | 'ListAssociatedAccessPolicies'
  | 'AssociateAccessPolicy'
  | 'DeleteAccessEntry'
  | 'DisassociateAccessPolicy'
  | 'LookupEvents';

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** `lost`: done, and no answer comes; `dropped`: neither; `held`: done, and the answer waits for ever. */
export type Fault = Refusal | 'lost' | 'dropped' | 'held';

export const REFUSALS = {
  inUse: {
    status: 409,
    code: 'ResourceInUseException',
    message: 'The specified access entry resource is already in use on this cluster.',
  },
  invalidPrincipal: {
    status: 400,
    code: 'InvalidParameterException',
    message: 'The specified principalArn is invalid: invalid principal.',
  },
  noEntry: {
    status: 404,
    code: 'ResourceNotFoundException',
    message:
      "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
  },
  noCluster: {
    status: 404,
    code: 'ResourceNotFoundException',
    message: 'No cluster found for name: lab.',
  },
  mode: {
    status: 400,
    code: 'InvalidRequestException',
    message:
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
  },
  throttled: { status: 429, code: 'ThrottlingException', message: 'Rate exceeded' },
  denied: {
    status: 403,
    code: 'AccessDeniedException',
    message:
      'User: arn:aws:sts::123456789012:assumed-role/ops/me is not authorized to perform: eks:CreateAccessEntry on resource: arn:aws:eks:us-west-2:123456789012:cluster/lab',
  },
  deniedDelete: {
    status: 403,
    code: 'AccessDeniedException',
    message:
      'User: arn:aws:sts::123456789012:assumed-role/ops/me is not authorized to perform: eks:DeleteAccessEntry on resource: arn:aws:eks:us-west-2:123456789012:access-entry/lab/role/0',
  },
  deniedPolicy: {
    status: 403,
    code: 'AccessDeniedException',
    message:
      'User: arn:aws:sts::123456789012:assumed-role/ops/me is not authorized to perform: eks:AssociateAccessPolicy on resource: arn:aws:eks:us-west-2:123456789012:access-entry/lab/role/0',
  },
  deniedTrail: {
    status: 400,
    code: 'AccessDeniedException',
    message:
      'User: arn:aws:sts::123456789012:assumed-role/ops/me is not authorized to perform: cloudtrail:LookupEvents because no identity-based policy allows the cloudtrail:LookupEvents action',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

interface Entry {
  readonly type: string;
  readonly policies: Policy[];
  readonly arn?: string;
  readonly kubernetesGroups?: readonly string[];
}

interface Policy {
  readonly policyArn: unknown;
  readonly accessScope: unknown;
  readonly associatedAt: number;
}

/** The user who calls in what CloudTrail shows. */
export const CALLER = 'arn:aws:sts::123456789012:assumed-role/deploy/pipeline';

export interface EksEntries {
  readonly url: string;
  /** By the ARN of the principal. */
  readonly entries: Map<string, Entry>;
  /** Every request, in its order. */
  readonly asked: EntryOperation[];
  /** What CloudTrail has, the newest first. */
  readonly trail: JsonObject[];
  /** Meets the next requests of an operation, one each. */
  readonly faults: Partial<Record<EntryOperation, Fault[]>>;
  /** Happens right before the next entry is created. */
  readonly before: (() => void)[];
  mode: 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';
  readonly reset: () => void;
  readonly stop: () => void;
}

type Answer = { readonly status: number; readonly body: object; readonly code?: string };

function refused({ status, code, message }: Refusal): Answer {
  return { status, code, body: { message } };
}

const PATHS: readonly (readonly [EntryOperation, string, RegExp])[] = [
  ['DescribeCluster', 'GET', /^\/clusters\/lab$/],
  ['CreateAccessEntry', 'POST', /^\/clusters\/lab\/access-entries$/],
  ['DescribeAccessEntry', 'GET', /^\/clusters\/lab\/access-entries\/([^/]+)$/],
  [
    'ListAssociatedAccessPolicies',
    'GET',
    /^\/clusters\/lab\/access-entries\/([^/]+)\/access-policies$/,
  ],
  ['AssociateAccessPolicy', 'POST', /^\/clusters\/lab\/access-entries\/([^/]+)\/access-policies$/],
  ['DeleteAccessEntry', 'DELETE', /^\/clusters\/lab\/access-entries\/([^/]+)$/],
  [
    'DisassociateAccessPolicy',
    'DELETE',
    /^\/clusters\/lab\/access-entries\/([^/]+)\/access-policies\/([^/]+)$/,
  ],
  ['LookupEvents', 'POST', /^\/$/],
];

interface Question {
  readonly operation: EntryOperation;
  readonly arn: string;
  /** ARN of the policy in the path. */
  readonly policy: string;
  readonly body: JsonObject;
}

/** Starts it on a port of its own. */
export async function startEksEntries(): Promise<EksEntries> {
  const server = createServer((request, response) => void served(eks, request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const eks = eksOf(server);
  return eks;
}

function eksOf(server: Server): EksEntries {
  const state = {
    entries: new Map<string, Entry>(),
    asked: [] as EntryOperation[],
    trail: [] as JsonObject[],
  };
  const faults: EksEntries['faults'] = {};
  const before: (() => void)[] = [];
  const eks: EksEntries = {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    before,
    mode: 'API',
    reset: () => {
      state.entries.clear();
      state.asked.splice(0);
      state.trail.splice(0);
      before.splice(0);
      for (const key of Object.keys(faults)) delete faults[key as EntryOperation];
      eks.mode = 'API';
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return eks;
}

async function served(
  eks: EksEntries,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const found = PATHS.find(([, method, form]) => method === request.method && form.test(path));
  if (found === undefined) {
    send(response, refused({ ...REFUSALS.denied, message: `not here: ${path}` }));
    return;
  }
  const [operation, , form] = found;
  const [arn = '', policy = ''] = (form.exec(path)?.slice(1) ?? []).map(decodeURIComponent);
  const body = (text === '' ? {} : JSON.parse(text)) as Question['body'];
  eks.asked.push(operation);
  const fault = eks.faults[operation]?.shift();
  if (fault === 'dropped') {
    request.socket.destroy();
    return;
  }
  const answer =
    typeof fault === 'object' ? refused(fault) : answerTo(eks, { operation, arn, policy, body });
  if (fault === 'lost') request.socket.destroy();
  else if (fault !== 'held') send(response, answer);
}

function send(response: ServerResponse, { status, body, code }: Answer): void {
  const type = code === undefined ? {} : { 'x-amzn-errortype': code };
  response.writeHead(status, { 'content-type': 'application/json', ...type });
  response.end(JSON.stringify(body));
}

function answerTo(eks: EksEntries, { operation, arn, policy, body }: Question): Answer {
  if (operation === 'DescribeCluster') {
    const accessConfig = { authenticationMode: eks.mode };
    return { status: 200, body: { cluster: { name: 'lab', status: 'ACTIVE', accessConfig } } };
  }
  if (operation === 'LookupEvents') return { status: 200, body: { Events: eks.trail } };
  if (eks.mode === 'CONFIG_MAP') return refused(REFUSALS.mode);
  if (operation === 'CreateAccessEntry') return created(eks, body);
  const entry = eks.entries.get(arn);
  if (entry === undefined) return refused(REFUSALS.noEntry);
  return ofEntry(eks, entry, { operation, arn, policy, body });
}

const POLICIES_AT = 1_750_000_000;

function ofEntry(
  eks: EksEntries,
  entry: Entry,
  { operation, arn, policy, body }: Question,
): Answer {
  const named = { clusterName: 'lab', principalArn: arn };
  if (operation === 'DescribeAccessEntry') return { status: 200, body: shown(arn, entry) };
  if (operation === 'DeleteAccessEntry') {
    eks.before.shift()?.();
    eks.entries.delete(arn);
    return { status: 200, body: {} };
  }
  if (operation === 'DisassociateAccessPolicy') {
    const at = entry.policies.findIndex(({ policyArn }) => policyArn === policy);
    if (at >= 0) entry.policies.splice(at, 1);
    return { status: 200, body: {} };
  }
  if (operation === 'AssociateAccessPolicy') {
    const { policyArn, accessScope } = body;
    entry.policies.push({ policyArn, accessScope, associatedAt: POLICIES_AT });
    return { status: 200, body: named };
  }
  return { status: 200, body: { ...named, associatedAccessPolicies: entry.policies } };
}

function shown(principalArn: string, { type, arn, kubernetesGroups = [] }: Entry): object {
  const accessEntryArn = arn ?? `arn:aws:eks:us-west-2:123456789012:access-entry/lab/role/0`;
  const named = { clusterName: 'lab', principalArn, accessEntryArn, createdAt: POLICIES_AT };
  return { accessEntry: { ...named, type, kubernetesGroups } };
}

function created(eks: EksEntries, body: Question['body']): Answer {
  eks.before.shift()?.();
  const arn = textAt(body, 'principalArn') ?? '';
  if (eks.entries.has(arn)) return refused(REFUSALS.inUse);
  const entry = { type: textAt(body, 'type') ?? 'STANDARD', policies: [] };
  eks.entries.set(arn, entry);
  return { status: 200, body: shown(arn, entry) };
}

/** What CloudTrail tells of a deleted entry, by its record format; the request by EKS's names. */
export function deletedEvent(role: string, cluster = 'lab'): JsonObject {
  const raw = {
    eventVersion: '1.11',
    userIdentity: { type: 'AssumedRole', arn: CALLER, accessKeyId: 'ASIAIOSFODNN7EXAMPLE' },
    eventSource: 'eks.amazonaws.com',
    eventName: 'DeleteAccessEntry',
    sourceIPAddress: '203.0.113.12',
    requestParameters: { name: cluster, principalArn: encodeURIComponent(role) },
  };
  return {
    EventId: 'eab22523-174a-499c-9dd6-91e7be3ff8e3',
    EventName: 'DeleteAccessEntry',
    ReadOnly: 'false',
    EventTime: 1_750_000_100,
    EventSource: 'eks.amazonaws.com',
    Username: 'pipeline',
    Resources: [],
    CloudTrailEvent: JSON.stringify(raw),
  };
}
