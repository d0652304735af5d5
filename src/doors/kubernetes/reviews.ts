import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { ApiPath, ApiUser } from '../../sim/kube/contract.ts';
import { tokenHolder } from './entrance.ts';
import { type AccessQuestion, authorize, type Site } from './site.ts';
import { badRequest, forbidden } from './status.ts';

/** Answers a question to the API server in the form of an object; null for any other resource. */
export function reviewed(site: Site, user: ApiUser, path: ApiPath, body: Json): JsonObject | null {
  const answer = REVIEWS.get(path.plural);
  if (answer === undefined) return null;
  demandRight(site, user, path);
  if (!isObject(body)) throw badRequest('the body of the request is not an object');
  const spec = isObject(body['spec'] ?? null) ? (body['spec'] as JsonObject) : {};
  const metadata = isObject(body['metadata'] ?? null) ? body['metadata'] : {};
  const told = { ...body, metadata: { ...(metadata as JsonObject) } };
  return { ...told, ...answer(site, user, spec) };
}

/** Everybody may ask about themselves (system:basic-user); about others only who was given that. */
function demandRight(site: Site, user: ApiUser, path: ApiPath): void {
  const { group, version, plural } = path;
  const namespace = path.namespace ?? '';
  const question = { verb: 'create', group, version, resource: plural, subresource: '', namespace };
  if (site.enter(() => authorize(site, user, { ...question, name: '' })).isAllowed) return;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  throw forbidden(
    `${plural}.${group} is forbidden: User "${user.name}" cannot create resource "${plural}" in ` +
      `API group "${group}" ${where}`,
  );
}

type Review = (site: Site, user: ApiUser, spec: JsonObject) => JsonObject;

const REVIEWS: ReadonlyMap<string, Review> = new Map<string, Review>([
  ['selfsubjectaccessreviews', (site, user, spec) => ({ spec, status: access(site, user, spec) })],
  ['subjectaccessreviews', otherAccess],
  ['localsubjectaccessreviews', otherAccess],
  ['selfsubjectrulesreviews', (site, user) => ({ spec: {}, status: rules(site, user) })],
  ['selfsubjectreviews', (_site, user) => ({ status: { userInfo: described(user) } })],
  ['tokenreviews', (site, _user, spec) => ({ spec, status: token(site, spec) })],
]);

function described({ name, groups }: ApiUser): JsonObject {
  return { username: name, groups };
}

function otherAccess(site: Site, _user: ApiUser, spec: JsonObject): JsonObject {
  const groups = listAt(spec, 'groups').map(String);
  return { spec, status: access(site, { name: textAt(spec, 'user') ?? '', groups }, spec) };
}

function questionOf(spec: JsonObject): AccessQuestion {
  const path = textAt(spec, 'nonResourceAttributes.path');
  if (path !== null)
    return { verb: textAt(spec, 'nonResourceAttributes.verb') ?? '', nonResourcePath: path };
  const attribute = (name: string): string => textAt(spec, `resourceAttributes.${name}`) ?? '';
  return {
    verb: attribute('verb'),
    group: attribute('group'),
    version: attribute('version'),
    resource: attribute('resource'),
    subresource: attribute('subresource'),
    namespace: attribute('namespace'),
    name: attribute('name'),
  };
}

function access(site: Site, user: ApiUser, spec: JsonObject): JsonObject {
  const { isAllowed, reason } = site.enter(() => authorize(site, user, questionOf(spec)));
  return { allowed: isAllowed, ...(reason === '' ? {} : { reason }) };
}

/** What `kubectl auth can-i --list` shows; only one who may do everything is told all. */
function rules(site: Site, user: ApiUser): JsonObject {
  const everything = {
    verb: '*',
    group: '*',
    version: '*',
    resource: '*',
    subresource: '',
    namespace: '',
    name: '',
  };
  const { isAllowed } = site.enter(() => authorize(site, user, everything));
  const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const paths = { verbs: ['get'], nonResourceURLs: ['/api', '/apis', '/openapi', '/version'] };
  return {
    resourceRules: isAllowed ? [all] : [],
    nonResourceRules: isAllowed ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [paths],
    incomplete: !isAllowed,
  };
}

function token(site: Site, spec: JsonObject): JsonObject {
  const holder = site.enter(() => tokenHolder(site, textAt(spec, 'token') ?? ''));
  return holder === null
    ? { authenticated: false }
    : { authenticated: true, user: described(holder) };
}
