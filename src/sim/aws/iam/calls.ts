/** Calls of IAM and STS. */
import { isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, arnOf, isoMoment } from '../account.ts';
import type { AwsIdentity } from '../contract.ts';
import {
  listIn,
  needed,
  on,
  type Operation,
  type Operations,
  type Pages,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { refused } from '../refusal.ts';
import { credentialsIn } from './assumed.ts';
import { assumeRole } from './credentials.ts';
import { MANAGED_NAMES, managedArn, managedDocument } from './managed.ts';
import { type Demand, judge } from './policies.ts';
import {
  attachPolicy,
  createRole,
  detachPolicy,
  documentOf,
  documentsOf,
  nameOf,
  putInlinePolicy,
  roleOf,
  setTrust,
} from './roles.ts';
import { WEB_IDENTITY } from './web-identity.ts';

const INVALID = 'ValidationError';

function pages(list: string): Pages {
  return { list, size: 'MaxItems', sizeMax: 1000, sizeDefault: 100, token: ['Marker', 'Marker'] };
}

function lists(list: string, answer: Operation['answer']): Operation {
  return reads(answer, pages(list));
}

/** The ARN of the role that a call names, by which policies restrict it. */
function roleArn({ account, input }: Request): string {
  const name = textIn(input, 'RoleName') ?? '';
  return textAt(account.plain.role.get(name), 'Arn') ?? arnOf(account, 'iam', `role/${name}`);
}

function ofRole(answer: (request: Request, name: string) => JsonObject): Operation {
  return on(
    roleArn,
    reads((request) => {
      const name = needed(request.input, 'RoleName', INVALID);
      roleOf(request.account, name, request.atMs);
      return answer(request, name);
    }),
  );
}

function listsOfRole(
  list: string,
  answer: (request: Request, name: string) => readonly Json[],
): Operation {
  return {
    ...ofRole((request, name) => ({ [list]: [...answer(request, name)] })),
    pages: pages(list),
  };
}

function showRole({ account, atMs }: Request, name: string): JsonObject {
  return { ...roleOf(account, name, atMs), RoleLastUsed: {} };
}

/** @throws RefusedError NoSuchEntity */
function profileOf({ account, atMs }: Request, name: string): JsonObject {
  const found = account.plain['instance-profile'].at(name, atMs);
  if (found === undefined)
    throw refused('NoSuchEntity', `Instance Profile ${name} cannot be found.`, 404);
  const { RoleNames, ...profile } = found;
  const names = Array.isArray(RoleNames) ? RoleNames.map(String) : [];
  const roles = names
    .map((one) => account.plain.role.at(one, atMs))
    .filter((one) => one !== undefined);
  return { ...profile, Roles: roles };
}

function attachedOf({ account, atMs }: Request, name: string): readonly Json[] {
  const { attached = [] } = account.grants.at(name, atMs) ?? {};
  return attached.map((arn) => ({ PolicyName: nameOf(arn), PolicyArn: arn }));
}

function inlineOf({ account, atMs }: Request, name: string): Readonly<Record<string, JsonObject>> {
  return account.grants.at(name, atMs)?.inline ?? {};
}

function rolePolicy(request: Request, RoleName: string): JsonObject {
  const PolicyName = needed(request.input, 'PolicyName', INVALID);
  const PolicyDocument = inlineOf(request, RoleName)[PolicyName];
  if (PolicyDocument !== undefined) return { RoleName, PolicyName, PolicyDocument };
  const message = `The role policy with name ${PolicyName} cannot be found.`;
  throw refused('NoSuchEntity', message, 404);
}

/** AWS's own policies are at some version; v1 is that of a customer. */
function policyOf({ account, atMs }: Request, arn: string): JsonObject {
  if (documentOf(account, arn, atMs) === null) throw noPolicy(arn);
  const own = account.plain.policy.at(arn, atMs);
  const PolicyName = nameOf(arn);
  const date = textAt(own, 'CreateDate') ?? '2015-02-06T18:40:00.000Z';
  return {
    PolicyName,
    PolicyId: textAt(own, 'PolicyId') ?? 'ANPAZKAPJZG4ONVPMFGCO',
    Arn: arn,
    Path: textAt(own, 'Path') ?? '/',
    DefaultVersionId: 'v1',
    AttachmentCount: 1,
    PermissionsBoundaryUsageCount: 0,
    IsAttachable: true,
    CreateDate: date,
    UpdateDate: date,
    Tags: [],
  };
}

function noPolicy(arn: string): Error {
  return refused('NoSuchEntity', `Policy ${arn} does not exist or is not attachable.`, 404);
}

function policyVersion({ account, input, atMs }: Request): JsonObject {
  const arn = needed(input, 'PolicyArn', INVALID);
  const Document = documentOf(account, arn, atMs);
  if (Document === null) throw noPolicy(arn);
  const VersionId = needed(input, 'VersionId', INVALID);
  if (VersionId !== 'v1') {
    const message = `Policy ${arn} version ${VersionId} does not exist or is not attachable.`;
    throw refused('NoSuchEntity', message, 404);
  }
  const CreateDate = '2015-02-06T18:40:00.000Z';
  return { PolicyVersion: { Document, VersionId, IsDefaultVersion: true, CreateDate } };
}

function providerOf({ account, input, atMs }: Request): JsonObject {
  const arn = needed(input, 'OpenIDConnectProviderArn', INVALID);
  const found = account.plain['oidc-provider'].at(arn, atMs);
  if (found !== undefined) return found;
  throw refused('NoSuchEntity', `OpenIDConnect Provider not found for arn ${arn}`, 404);
}

function createProvider({ account, input }: Request): JsonObject {
  const Url = needed(input, 'Url', INVALID).replace(/^https:\/\//, '');
  const arn = arnOf(account, 'iam', `oidc-provider/${Url}`);
  if (account.plain['oidc-provider'].get(arn) !== undefined)
    throw refused('EntityAlreadyExists', `Provider with url https://${Url} already exists.`, 409);
  const nowMs = account.kernel.nowMs();
  const provider = {
    Url,
    ClientIDList: [...textsIn(input, 'ClientIDList')],
    ThumbprintList: [...textsIn(input, 'ThumbprintList')],
    CreateDate: isoMoment(nowMs),
    Tags: [],
  };
  account.plain['oidc-provider'].set(arn, provider, nowMs);
  return { OpenIDConnectProviderArn: arn };
}

/** The name under which the policies of a principal are kept. */
function principalOf(account: Account, arn: string): string {
  const name = nameOf(arn);
  const isUser = arn.includes(':user/');
  const kept = isUser ? account.plain.user.get(name) : account.plain.role.get(name);
  if (kept === undefined) {
    const message = `The Amazon Resource Name (ARN) of the policy source ${arn} is not found.`;
    throw refused('NoSuchEntity', message, 404);
  }
  return isUser ? `user/${name}` : name;
}

function simulate({ account, input, atMs }: Request): JsonObject {
  const principal = principalOf(account, needed(input, 'PolicySourceArn', INVALID));
  const documents = documentsOf(account, principal, atMs);
  const resources =
    listIn(input, 'ResourceArns').length === 0 ? ['*'] : textsIn(input, 'ResourceArns');
  const context = { 'aws:requestedregion': account.region, ...contextOf(input) };
  const results = textsIn(input, 'ActionNames').flatMap((action) =>
    resources.map((resource) => resultOf(documents, { action, resource, context })),
  );
  return { EvaluationResults: results };
}

function contextOf(input: JsonObject): Demand['context'] {
  const entries = listIn(input, 'ContextEntries').filter(isObject);
  return Object.fromEntries(
    entries.map((one) => [
      (textAt(one, 'ContextKeyName') ?? '').toLowerCase(),
      textsIn(one, 'ContextKeyValues')[0] ?? '',
    ]),
  );
}

function resultOf(documents: readonly JsonObject[], demand: Demand): JsonObject {
  return {
    EvalActionName: demand.action,
    EvalResourceName: demand.resource,
    EvalDecision: judge(documents, demand),
    MatchedStatements: [],
    MissingContextValues: [],
  };
}

function parseDocument(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json;
    if (isObject(value)) return value;
  } catch {
    // What is no JSON is refused like what is no object.
  }
  throw refused('MalformedPolicyDocument', 'Syntax errors in policy.');
}

function createOne({ account, input }: Request): JsonObject {
  const name = needed(input, 'RoleName', INVALID);
  if (account.plain.role.get(name) !== undefined)
    throw refused('EntityAlreadyExists', `Role with name ${name} already exists.`, 409);
  const trust = parseDocument(needed(input, 'AssumeRolePolicyDocument', INVALID));
  const path = textIn(input, 'Path') ?? '/';
  return { Role: createRole(account, { name, path, trust }) };
}

export const IAM: Operations = {
  GetRole: ofRole((request, name) => ({ Role: showRole(request, name) })),
  ListRoles: lists('Roles', ({ account, atMs }) => ({
    Roles: [...account.plain.role.valuesAt(atMs)],
  })),
  ListAttachedRolePolicies: listsOfRole('AttachedPolicies', attachedOf),
  ListRolePolicies: listsOfRole('PolicyNames', (request, name) =>
    Object.keys(inlineOf(request, name)),
  ),
  GetRolePolicy: ofRole(rolePolicy),
  GetInstanceProfile: reads((request) => ({
    InstanceProfile: profileOf(request, needed(request.input, 'InstanceProfileName', INVALID)),
  })),
  ListInstanceProfiles: lists('InstanceProfiles', (request) => ({
    InstanceProfiles: request.account.plain['instance-profile']
      .ids()
      .map((name) => profileOf(request, name)),
  })),
  ListInstanceProfilesForRole: listsOfRole('InstanceProfiles', (request, name) =>
    request.account.plain['instance-profile']
      .ids()
      .map((one) => profileOf(request, one))
      .filter((one) => listIn(one, 'Roles').some((role) => textAt(role, 'RoleName') === name)),
  ),
  GetPolicy: reads((request) => ({
    Policy: policyOf(request, needed(request.input, 'PolicyArn', INVALID)),
  })),
  GetPolicyVersion: reads(policyVersion),
  ListPolicies: lists('Policies', (request) => {
    const { account } = request;
    const managed = MANAGED_NAMES.map((name) => managedArn(account.partition, name) ?? '');
    const arns = [...account.plain.policy.ids(), ...managed];
    return { Policies: arns.map((arn) => policyOf(request, arn)) };
  }),
  GetOpenIDConnectProvider: reads(providerOf),
  CreateOpenIDConnectProvider: reads(createProvider),
  ListOpenIDConnectProviders: reads(({ account }) => ({
    OpenIDConnectProviderList: account.plain['oidc-provider'].ids().map((Arn) => ({ Arn })),
  })),
  SimulatePrincipalPolicy: lists('EvaluationResults', simulate),
  GetUser: reads(({ account, identity, input }) => {
    const name = textIn(input, 'UserName') ?? nameOf(identity.arn);
    const User = account.plain.user.get(name);
    if (User !== undefined) return { User };
    throw refused('NoSuchEntity', `The user with name ${name} cannot be found.`, 404);
  }),
  ListUsers: lists('Users', ({ account, atMs }) => ({
    Users: [...account.plain.user.valuesAt(atMs)],
  })),
  CreateRole: on(roleArn, reads(createOne)),
  UpdateAssumeRolePolicy: ofRole(({ account, input }, name) => {
    setTrust(account, name, parseDocument(needed(input, 'PolicyDocument', INVALID)));
    return {};
  }),
  AttachRolePolicy: ofRole(({ account, input }, name) => {
    const arn = needed(input, 'PolicyArn', INVALID);
    if (documentOf(account, arn) === null && managedDocument(arn) === null) throw noPolicy(arn);
    attachPolicy(account, name, arn);
    return {};
  }),
  DetachRolePolicy: ofRole(({ account, input }, name) => {
    detachPolicy(account, name, needed(input, 'PolicyArn', INVALID));
    return {};
  }),
  PutRolePolicy: ofRole(({ account, input }, name) => {
    const document = parseDocument(needed(input, 'PolicyDocument', INVALID));
    putInlinePolicy(account, name, needed(input, 'PolicyName', INVALID), document);
    return {};
  }),
  DeleteRolePolicy: ofRole(({ account, input }, name) => {
    putInlinePolicy(account, name, needed(input, 'PolicyName', INVALID), null);
    return {};
  }),
};

function callerIdentity({ account, identity }: Request): JsonObject {
  const { userId = '' } = account.keys.get(identity.accessKeyId) ?? {};
  return { UserId: userId, Account: account.accountId, Arn: identity.arn };
}

function assume({ account, identity, input }: Request): JsonObject {
  const arn = needed(input, 'RoleArn', INVALID);
  const sessionName = needed(input, 'RoleSessionName', INVALID);
  const role = account.plain.role.get(nameOf(arn));
  if (role === undefined || !trusts(role['AssumeRolePolicyDocument'], identity))
    throw refused('AccessDenied', notAssumed(identity, arn), 403);
  return credentialsIn(input, (durationMs) => assumeRole(account, arn, sessionName, durationMs));
}

function notAssumed({ arn }: AwsIdentity, role: string): string {
  return `User: ${arn} is not authorized to perform: sts:AssumeRole on resource: ${role}`;
}

/** Whether a trust policy names the account or the caller itself. */
function trusts(document: Json | undefined, { arn }: AwsIdentity): boolean {
  if (!isObject(document)) return false;
  const [, , , , accountId = ''] = arn.split(':');
  const role = arn.replace(':sts:', ':iam:').replace(/:assumed-role\/([^/]+)\/.*$/, ':role/$1');
  return listIn(document, 'Statement')
    .filter(isObject)
    .flatMap((statement) =>
      textsIn(isObject(statement['Principal']) ? statement['Principal'] : {}, 'AWS'),
    )
    .some(
      (one) => one === '*' || one === arn || one === role || one.includes(`:${accountId}:root`),
    );
}

export const STS: Operations = {
  GetCallerIdentity: reads(callerIdentity),
  AssumeRole: on(({ input }) => textIn(input, 'RoleArn') ?? '*', reads(assume)),
  AssumeRoleWithWebIdentity: WEB_IDENTITY,
};
