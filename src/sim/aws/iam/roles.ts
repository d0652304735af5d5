/** Roles, instance profiles and users, and what is attached to them. */
import { isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, arnOf, isoMoment } from '../account.ts';
import { refused } from '../refusal.ts';
import { managedArn, managedDocument, trusting } from './managed.ts';

export interface NewRole {
  readonly name: string;
  /** `/` unless given. */
  readonly path?: string;
  /** Who may take it on; EC2 unless given. */
  readonly trust?: JsonObject;
  /** Names of managed policies, or ARNs. */
  readonly policies?: readonly string[];
  /** Documents by name. */
  readonly inlinePolicies?: Readonly<Record<string, JsonObject>>;
}

export function createRole(account: Account, wanted: NewRole): JsonObject {
  const { name, path = '/' } = wanted;
  const nowMs = account.kernel.nowMs();
  const role = {
    Path: path,
    RoleName: name,
    RoleId: account.ids.unique('AROA'),
    Arn: arnOf(account, 'iam', `role${path}${name}`),
    CreateDate: isoMoment(nowMs),
    AssumeRolePolicyDocument: wanted.trust ?? trusting('ec2.amazonaws.com'),
    MaxSessionDuration: 3600,
  };
  account.plain.role.set(name, role, nowMs);
  const attached = (wanted.policies ?? []).map((one) => policyArn(account, one));
  account.grants.set(name, { attached, inline: wanted.inlinePolicies ?? {} }, nowMs);
  return role;
}

/** The ARN of a managed policy by its name; an ARN stays. */
function policyArn(account: Account, policy: string): string {
  return managedArn(account.partition, policy) ?? policy;
}

/** @throws RefusedError NoSuchEntity */
export function roleOf(account: Account, name: string, atMs = Infinity): JsonObject {
  const found = account.plain.role.at(name, atMs);
  if (found !== undefined) return found;
  throw refused('NoSuchEntity', `The role with name ${name} cannot be found.`, 404);
}

/** Changes whom a role trusts. @throws RefusedError NoSuchEntity */
export function setTrust(account: Account, name: string, document: JsonObject): void {
  roleOf(account, name);
  account.plain.role.change(name, account.kernel.nowMs(), (before) => ({
    ...before,
    AssumeRolePolicyDocument: document,
  }));
}

/** An instance profile with one role, of the same name unless given. */
export function createProfile(account: Account, name: string, roleName = name): string {
  const nowMs = account.kernel.nowMs();
  const Arn = arnOf(account, 'iam', `instance-profile/${name}`);
  const profile = {
    Path: '/',
    InstanceProfileName: name,
    InstanceProfileId: account.ids.unique('AIPA'),
    Arn,
    CreateDate: isoMoment(nowMs),
    RoleNames: [roleName],
  };
  account.plain['instance-profile'].set(name, profile, nowMs);
  return Arn;
}

/** The role of an instance profile by the profile's ARN; null without. */
export function roleArnOf(account: Account, profileArn: string | null): string | null {
  if (profileArn === null) return null;
  const profile = account.plain['instance-profile'].get(nameOf(profileArn));
  const [roleName] = (profile?.['RoleNames'] ?? []) as readonly Json[];
  if (typeof roleName !== 'string') return null;
  return textAt(account.plain.role.get(roleName), 'Arn');
}

/** The last part of an ARN, which is a name. */
export function nameOf(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

export function attachPolicy(account: Account, roleName: string, policy: string): void {
  const arn = policyArn(account, policy);
  account.grants.change(roleName, account.kernel.nowMs(), (before) => ({
    ...before,
    attached: [...before.attached.filter((one) => one !== arn), arn],
  }));
}

/** @throws RefusedError NoSuchEntity when it is not attached */
export function detachPolicy(account: Account, roleName: string, policy: string): void {
  const arn = policyArn(account, policy);
  if (account.grants.get(roleName)?.attached.includes(arn) !== true)
    throw refused('NoSuchEntity', `Policy ${arn} was not found.`, 404);
  account.grants.change(roleName, account.kernel.nowMs(), (before) => ({
    ...before,
    attached: before.attached.filter((one) => one !== arn),
  }));
}

export function putInlinePolicy(
  account: Account,
  roleName: string,
  policyName: string,
  document: JsonObject | null,
): void {
  account.grants.change(roleName, account.kernel.nowMs(), (before) => {
    const { [policyName]: _gone, ...others } = before.inline;
    return {
      ...before,
      inline: document === null ? others : { ...others, [policyName]: document },
    };
  });
}

/** Every document that speaks for or against a role or user, by its name. */
export function documentsOf(account: Account, name: string, atMs: number): readonly JsonObject[] {
  const grants = account.grants.at(name, atMs);
  if (grants === undefined) return [];
  const attached = grants.attached.map((arn) => documentOf(account, arn, atMs));
  return [...attached.filter((one) => one !== null), ...Object.values(grants.inline)];
}

/** The document of a policy's default version; null when there is no such policy. */
export function documentOf(account: Account, arn: string, atMs = Infinity): JsonObject | null {
  const own = account.plain.policy.at(arn, atMs)?.['Document'];
  return isObject(own) ? own : managedDocument(arn);
}

/** A customer's policy; returns its ARN. */
export function createPolicy(account: Account, name: string, document: JsonObject): string {
  const arn = arnOf(account, 'iam', `policy/${name}`);
  const nowMs = account.kernel.nowMs();
  const policy = {
    PolicyName: name,
    PolicyId: account.ids.unique('ANPA'),
    Arn: arn,
    Path: '/',
    CreateDate: isoMoment(nowMs),
    Document: document,
  };
  account.plain.policy.set(arn, policy, nowMs);
  return arn;
}
