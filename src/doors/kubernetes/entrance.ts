import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ApiUser, Credential } from '../../sim/kube/contract.ts';
import { authorize, type Site } from './site.ts';
import { forbidden, unauthorized } from './status.ts';

const TOKEN_CHARS_MAX = 16 * 1024;

function bearerTokenOf(request: IncomingMessage): string | null {
  const [scheme = '', token = ''] = (request.headers.authorization ?? '').trim().split(/ +/, 2);
  if (scheme.toLowerCase() !== 'bearer' || token === '') return null;
  return token.length > TOKEN_CHARS_MAX ? null : token;
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** Subject of a certificate that our authority signed; null for none and for any other. */
function certificateOf(socket: TLSSocket): Credential['certificate'] {
  if (!socket.authorized) return null;
  const { subject } = socket.getPeerCertificate();
  const [commonName = ''] = listOf(subject.CN);
  return commonName === '' ? null : { commonName, organizations: listOf(subject.O) };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares with every token in the same time, whatever it is. */
function holderOf(tokens: ReadonlyMap<string, ApiUser>, token: string): ApiUser | null {
  const asked = digest(token);
  let holder: ApiUser | null = null;
  for (const [known, user] of tokens) if (timingSafeEqual(digest(known), asked)) holder = user;
  return holder;
}

function authenticated(user: ApiUser): ApiUser {
  const group = 'system:authenticated';
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}

/** Who holds a token, as a door knows it; null when nobody does. */
export function tokenHolder(site: Site, bearerToken: string): ApiUser | null {
  const user =
    holderOf(site.tokens, bearerToken) ?? site.api.authenticate({ bearerToken, certificate: null });
  return user === null ? null : authenticated(user);
}

/** Who asks. @throws DoorRefusal 401, and 403 for one who speaks for another and may not */
export function userOf(site: Site, request: IncomingMessage): ApiUser {
  const certificate = certificateOf(request.socket as TLSSocket);
  const token = bearerTokenOf(request);
  const user =
    certificate === null
      ? token === null
        ? null
        : tokenHolder(site, token)
      : site.api.authenticate({ bearerToken: null, certificate });
  if (user === null) throw unauthorized();
  return impersonated(site, authenticated(user), request);
}

/** `kubectl --as`: one user speaks for another. */
function impersonated(site: Site, user: ApiUser, request: IncomingMessage): ApiUser {
  const headers = request.headersDistinct;
  const name = headers['impersonate-user']?.[0];
  const groups = headers['impersonate-group'] ?? [];
  if (name === undefined) {
    if (groups.length > 0) throw forbidden('groups cannot be impersonated without a user');
    return user;
  }
  demand(site, user, 'users', name);
  for (const group of groups) demand(site, user, 'groups', group);
  return authenticated({ name, groups });
}

function demand(site: Site, user: ApiUser, resource: string, name: string): void {
  const isAdmin = user.groups.includes('system:masters');
  const question = {
    verb: 'impersonate',
    group: '',
    version: 'v1',
    resource,
    subresource: '',
    namespace: '',
    name,
  };
  const { isAllowed } =
    site.api.authorize === undefined ? { isAllowed: isAdmin } : authorize(site, user, question);
  if (isAllowed) return;
  throw forbidden(
    `${resource} "${name}" is forbidden: User "${user.name}" cannot impersonate resource ` +
      `"${resource}" in API group "" at the cluster scope`,
  );
}
