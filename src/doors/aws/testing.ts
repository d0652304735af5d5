/** Shapes, clouds and signed requests for tests. */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCall } from '../../ports/aws-api.ts';
import type { AwsAnswer, AwsIdentity } from '../../sim/aws/contract.ts';
import type { AwsSite } from './answer.ts';
import type { Member, Operation, Shape, Traits } from './schema.ts';
import type { SignedRequest } from './signature.ts';

const NO_TRAITS: Traits = {
  xmlName: null,
  ec2QueryName: null,
  isFlattened: false,
  place: null,
  queryName: null,
};

export function member(name: string, shape: Shape, traits: Partial<Traits> = {}): Member {
  return { name, traits: { ...NO_TRAITS, ...traits }, shape: () => shape };
}

export function structure(...members: readonly Member[]): Shape {
  return { kind: 'structure', name: 'Made', members };
}

export function list(item: Shape, traits: Partial<Traits> = {}): Shape {
  return { kind: 'list', item: member('member', item, traits) };
}

export function map(value: Shape, keyName?: string, valueName?: string): Shape {
  const named = (xmlName?: string): Partial<Traits> => (xmlName === undefined ? {} : { xmlName });
  return {
    kind: 'map',
    key: member('key', { kind: 'text' }, named(keyName)),
    value: member('value', value, named(valueName)),
  };
}

export function operation(
  name: string,
  input: Shape,
  output: Shape,
  http: Operation['http'] = null,
): Operation {
  return { name, http, input, output };
}

export const NOW_MS = Date.UTC(2026, 2, 2, 9);
export const KEY_ID = 'AKIAAAAAAAAAAAAAAAAA';
export const SECRET = 'the secret of the test';
export const SESSION_KEY_ID = 'ASIAAAAAAAAAAAAAAAAA';
export const SESSION_TOKEN = 'the token of the session';
const IDENTITY: AwsIdentity = { arn: 'arn:aws:iam::111122223333:user/ann', accessKeyId: KEY_ID };

export interface AskedCloud {
  readonly site: AwsSite;
  readonly asked: { readonly identity: AwsIdentity; readonly call: AwsCall }[];
}

/** A cloud in us-west-2 that knows two keys, and gives one answer to everything. */
export function cloudWith(answer: AwsAnswer): AskedCloud {
  const asked: AskedCloud['asked'] = [];
  const isKnown = (id: string): boolean => id === KEY_ID || id === SESSION_KEY_ID;
  const cloud: AwsSite['cloud'] = {
    region: 'us-west-2',
    identityOf: (id) => (isKnown(id) ? { ...IDENTITY, accessKeyId: id } : null),
    secretOf: (id) => (isKnown(id) ? SECRET : null),
    sessionTokenOf: (id) => (id === SESSION_KEY_ID ? SESSION_TOKEN : ''),
    answer: (identity, call) => {
      asked.push({ identity, call });
      return answer;
    },
  };
  return { site: { cloud, enter: (task) => task(), nowMs: () => NOW_MS }, asked };
}

export interface Unsigned {
  readonly service: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly region?: string;
  readonly keyId?: string;
  readonly secret?: string;
  readonly atMs?: number;
}

export function unsignedRequest(from: Omit<Unsigned, 'service'>): SignedRequest {
  const { method = 'POST', path = '/', query = {}, headers = {}, body = '' } = from;
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers: { host: 'door.test', ...headers },
    body: new TextEncoder().encode(body),
  };
}

/** Signed in its header, as SDKs and the AWS CLI do. */
export async function signedRequest(from: Unsigned): Promise<SignedRequest> {
  const { keyId = KEY_ID, secret = SECRET, region = 'us-west-2', service, atMs = NOW_MS } = from;
  const request = unsignedRequest(from);
  const signer = new SignatureV4({
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
    region,
    service,
    sha256: Sha256,
  });
  const { method, path, query, headers, body } = request;
  const parameters = Object.fromEntries(query);
  const target = { method, path, protocol: 'http:', hostname: 'door.test', headers, body };
  const signingDate = new Date(atMs);
  const signed = await signer.sign({ ...target, query: parameters }, { signingDate });
  return { ...request, headers: signed.headers };
}
