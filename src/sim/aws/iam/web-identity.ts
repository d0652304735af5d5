/** AssumeRoleWithWebIdentity: a token of a service account for the keys of a role. */
import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Account } from '../account.ts';
import {
  listIn,
  needed,
  on,
  type Operation,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { type RefusedError, refused } from '../refusal.ts';
import { credentialsIn } from './assumed.ts';
import { assumeRole } from './credentials.ts';
import { judge } from './policies.ts';
import { nameOf } from './roles.ts';
import { checkSignature, readWebToken, type WebToken } from './web-token.ts';

const ACTION = 'sts:AssumeRoleWithWebIdentity';
const INVALID = 'ValidationError';

/** Needs no keys: the token says who asks. */
export const WEB_IDENTITY: Operation = on(
  ({ input }) => textIn(input, 'RoleArn') ?? '*',
  reads(assumeByToken),
);

function assumeByToken({ account, input }: Request): JsonObject {
  const arn = needed(input, 'RoleArn', INVALID);
  const sessionName = needed(input, 'RoleSessionName', INVALID);
  const text = needed(input, 'WebIdentityToken', INVALID);
  const token = readWebToken(text);
  if (token === null) throw badToken(NO_JWT);
  const provider = providerFor(account, token);
  assertOwn(account, token, text);
  assertCurrent(account, token);
  assertTrusted(account, arn, token, provider.arn);
  const made = credentialsIn(input, (durationMs) =>
    assumeRole(account, arn, sessionName, durationMs),
  );
  return {
    ...made,
    SubjectFromWebIdentityToken: token.subject,
    Provider: provider.arn,
    Audience: provider.audience,
  };
}

function badToken(message: string): RefusedError {
  return refused('InvalidIdentityToken', message);
}

const NO_JWT =
  'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)';
const NO_KEY =
  "Couldn't retrieve verification key from your identity provider,  " +
  'please reference AssumeRoleWithWebIdentity documentation for requirements';

interface Provider {
  readonly arn: string;
  /** The one of the token's audiences that it takes. */
  readonly audience: string;
}

function withoutScheme(issuer: string): string {
  return issuer.replace(/^https:\/\//, '');
}

function providerFor(account: Account, { issuer, audiences }: WebToken): Provider {
  const url = withoutScheme(issuer);
  const providers = account.plain['oidc-provider'];
  const arn = providers.ids().find((one) => textAt(providers.get(one) ?? {}, 'Url') === url);
  if (arn === undefined)
    throw badToken(`No OpenIDConnect provider found in your account for ${issuer}`);
  const taken = textsIn(providers.get(arn) ?? {}, 'ClientIDList');
  const audience = audiences.find((one) => taken.includes(one));
  if (audience === undefined) throw badToken('Incorrect token audience');
  return { arn, audience };
}

function assertOwn(account: Account, { issuer }: WebToken, text: string): void {
  const checked = checkSignature(account, issuer, text);
  if (checked === 'unreachable')
    throw refused('IDPCommunicationError', `The identity provider ${issuer} could not be reached.`);
  if (checked === 'not-signed') throw badToken(NO_KEY);
}

function assertCurrent(account: Account, { expiresMs }: WebToken): void {
  const nowMs = account.kernel.nowMs();
  if (expiresMs > nowMs) return;
  const [now, end] = [nowMs, expiresMs].map((ms) => String(Math.floor(ms / 1000)));
  throw refused(
    'ExpiredTokenException',
    `Token expired: current date/time ${now} must be before the expiration date/time${end}`,
  );
}

/** A role that is not there is refused in the same words. */
function assertTrusted(account: Account, arn: string, token: WebToken, provider: string): void {
  const role = account.plain.role.get(nameOf(arn));
  const document = role?.['AssumeRolePolicyDocument'];
  const isOwn = role !== undefined && textAt(role, 'Arn') === arn;
  if (isOwn && isObject(document) && lets(document, token, provider)) return;
  throw refused('AccessDenied', `Not authorized to perform ${ACTION}`, 403);
}

function lets(document: JsonObject, token: WebToken, provider: string): boolean {
  const Statement = listIn(document, 'Statement')
    .filter(isObject)
    .filter(({ Principal }) => {
      const trusted = isObject(Principal) ? textsIn(Principal, 'Federated') : [];
      return trusted.includes(provider);
    });
  return token.audiences.some((audience) => {
    const context = contextOf(token, audience);
    return judge([{ Statement }], { action: ACTION, resource: '*', context }) === 'allowed';
  });
}

/** Condition keys carry the issuer without its scheme (IAM user guide, "Available keys for OIDC"). */
function contextOf({ issuer, subject }: WebToken, audience: string): Record<string, string> {
  const url = withoutScheme(issuer).toLowerCase();
  return { [`${url}:sub`]: subject, [`${url}:aud`]: audience };
}
