/** Keys, and whose they are. */
import { textAt } from '../../../evidence/json.ts';
import { type Account, arnOf, isoMoment } from '../account.ts';
import type { AwsIdentity } from '../contract.ts';
import type { Keys } from '../state.ts';
import { nameOf, roleOf } from './roles.ts';

/** Keys of an instance profile are good for about six hours (EC2 user guide). */
const SESSION_MS = 6 * 3_600_000;

/** A user with keys that do not expire; all may be done with them unless policies are given. */
export function createUser(
  account: Account,
  name: string,
  policies: readonly string[] = ['AdministratorAccess'],
): Keys {
  const nowMs = account.kernel.nowMs();
  const userId = account.ids.unique('AIDA');
  const arn = arnOf(account, 'iam', `user/${name}`);
  const user = {
    Path: '/',
    UserName: name,
    UserId: userId,
    Arn: arn,
    CreateDate: isoMoment(nowMs),
  };
  account.plain.user.set(name, user, nowMs);
  const attached = policies.map((one) => `arn:${account.partition}:iam::aws:policy/${one}`);
  account.grants.set(userGrants(name), { attached, inline: {} }, nowMs);
  return keep(account, {
    accessKeyId: account.ids.accessKey('AKIA'),
    secretAccessKey: account.ids.secret(40),
    sessionToken: '',
    arn,
    userId,
    principal: userGrants(name),
    expiresMs: Infinity,
  });
}

/** Users and roles of the same name are two. */
function userGrants(name: string): string {
  return `user/${name}`;
}

function keep(account: Account, keys: Keys): Keys {
  account.keys.set(keys.accessKeyId, keys);
  return keys;
}

/** @throws RefusedError NoSuchEntity when there is no such role */
export function assumeRole(
  account: Account,
  roleArn: string,
  sessionName: string,
  durationMs = SESSION_MS,
): Keys {
  const role = roleOf(account, nameOf(roleArn));
  const name = textAt(role, 'RoleName') ?? '';
  return keep(account, {
    accessKeyId: account.ids.accessKey('ASIA'),
    secretAccessKey: account.ids.secret(40),
    sessionToken: `FwoGZXIvYXdz${account.ids.secret(120)}`,
    arn: arnOf(account, 'sts', `assumed-role/${name}/${sessionName}`),
    userId: `${textAt(role, 'RoleId') ?? ''}:${sessionName}`,
    principal: name,
    expiresMs: account.kernel.nowMs() + durationMs,
  });
}

export function identityOf(account: Account, accessKeyId: string): AwsIdentity | null {
  const keys = account.keys.get(accessKeyId);
  return keys === undefined ? null : { arn: keys.arn, accessKeyId };
}
