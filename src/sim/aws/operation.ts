/** What a call of an API is made of here. */
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { AwsService } from '../../ports/aws-api.ts';
import type { Account } from './account.ts';
import type { AwsIdentity } from './contract.ts';
import { refused } from './refusal.ts';

/** One call on its way through the model. */
export interface Request {
  readonly account: Account;
  readonly identity: AwsIdentity;
  readonly input: JsonObject;
  /** What is read is as it was at this moment. */
  readonly atMs: number;
}

/** The members by which a call is answered page by page. */
export interface Pages {
  /** The member of the answer that is cut into pages. */
  readonly list: string;
  readonly size: string;
  readonly sizeMax: number;
  readonly sizeDefault: number;
  /** The member of the input and the one of the answer that it was taken from. */
  readonly token: readonly [input: string, output: string];
}

export interface Operation {
  /** What it would refuse is thrown as a RefusedError. */
  readonly answer: (request: Request) => JsonObject;
  readonly pages: Pages | null;
  /** ARNs that a policy may restrict it to; `*` unless given. */
  readonly resource?: (request: Request) => string;
}

export type Operations = Readonly<Record<string, Operation>>;

export function reads(answer: Operation['answer'], pages: Pages | null = null): Operation {
  return { answer, pages };
}

export function on(resource: (request: Request) => string, operation: Operation): Operation {
  return { ...operation, resource };
}

/** EKS Auth is a service of its own for IAM, and here the part of EKS that it is. */
const EKS_AUTH = 'AssumeRoleForPodIdentity';

/** Operations of a service under which IAM knows them: `ec2:DescribeInstances`. */
export function actionOf(service: AwsService, operation: string): string {
  const prefix = service === 'eks' && operation === EKS_AUTH ? 'eks-auth' : service;
  return `${prefix}:${operation}`;
}

export function isRead(operation: string): boolean {
  return /^(?:Describe|Filter|List|Get|Lookup|Simulate)/.test(operation);
}

/** The list in a member, empty without; a single value counts as a list of one. */
export function listIn(input: JsonObject, member: string): readonly Json[] {
  const value = input[member];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

/** Objects in a list; others are passed over. */
export function objectsIn(input: JsonObject, member: string): readonly JsonObject[] {
  return listIn(input, member).filter(isObject);
}

export function textsIn(input: JsonObject, member: string): readonly string[] {
  return listIn(input, member).map(String);
}

/** A text or a number as text, undefined without it. */
export function textIn(input: JsonObject, member: string): string | undefined {
  const value = input[member];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** @throws RefusedError when the member is missing */
export function needed(input: JsonObject, member: string, code = 'MissingParameter'): string {
  const text = textIn(input, member);
  if (text !== undefined && text !== '') return text;
  throw refused(code, `The request must contain the parameter ${member}`);
}

export function numberIn(input: JsonObject, member: string): number | undefined {
  const value = input[member];
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function flagIn(input: JsonObject, member: string): boolean | undefined {
  const value = input[member];
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

export function objectIn(input: JsonObject, member: string): JsonObject {
  const value = input[member];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** Members with a value; what is undefined is left out, as the command line prints it. */
export function withValues(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
