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
  | 'AssociateAccessPolicy';

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
} as const satisfies Readonly<Record<string, Refusal>>;

interface Entry {
  readonly type: string;
  readonly policies: object[];
}

export interface EksEntries {
  readonly url: string;
  /** By the ARN of the principal. */
  readonly entries: Map<string, Entry>;
  /** Every request, in its order. */
  readonly asked: EntryOperation[];
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
];

interface Question {
  readonly operation: EntryOperation;
  readonly arn: string;
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
  const state = { entries: new Map<string, Entry>(), asked: [] as EntryOperation[] };
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
  const arn = decodeURIComponent(form.exec(path)?.[1] ?? '');
  const body = (text === '' ? {} : JSON.parse(text)) as Question['body'];
  eks.asked.push(operation);
  const fault = eks.faults[operation]?.shift();
  if (fault === 'dropped') {
    request.socket.destroy();
    return;
  }
  const answer =
    typeof fault === 'object' ? refused(fault) : answerTo(eks, { operation, arn, body });
  if (fault === 'lost') request.socket.destroy();
  else if (fault !== 'held') send(response, answer);
}

function send(response: ServerResponse, { status, body, code }: Answer): void {
  const type = code === undefined ? {} : { 'x-amzn-errortype': code };
  response.writeHead(status, { 'content-type': 'application/json', ...type });
  response.end(JSON.stringify(body));
}

function answerTo(eks: EksEntries, { operation, arn, body }: Question): Answer {
  if (operation === 'DescribeCluster') {
    const accessConfig = { authenticationMode: eks.mode };
    return { status: 200, body: { cluster: { name: 'lab', status: 'ACTIVE', accessConfig } } };
  }
  if (eks.mode === 'CONFIG_MAP') return refused(REFUSALS.mode);
  if (operation === 'CreateAccessEntry') return created(eks, body);
  const entry = eks.entries.get(arn);
  if (entry === undefined) return refused(REFUSALS.noEntry);
  if (operation === 'DescribeAccessEntry') return { status: 200, body: shown(arn, entry) };
  if (operation === 'AssociateAccessPolicy') {
    entry.policies.push({ policyArn: body['policyArn'], accessScope: body['accessScope'] });
    return { status: 200, body: { clusterName: 'lab', principalArn: arn } };
  }
  const associatedAccessPolicies = entry.policies;
  return { status: 200, body: { clusterName: 'lab', principalArn: arn, associatedAccessPolicies } };
}

function shown(principalArn: string, { type }: Entry): object {
  return { accessEntry: { clusterName: 'lab', principalArn, type, kubernetesGroups: [] } };
}

function created(eks: EksEntries, body: Question['body']): Answer {
  eks.before.shift()?.();
  const arn = textAt(body, 'principalArn') ?? '';
  if (eks.entries.has(arn)) return refused(REFUSALS.inUse);
  const entry = { type: textAt(body, 'type') ?? 'STANDARD', policies: [] };
  eks.entries.set(arn, entry);
  return { status: 200, body: shown(arn, entry) };
}
