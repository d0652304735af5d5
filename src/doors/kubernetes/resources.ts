import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from '../../evidence/json.ts';
import type { ApiAnswer, ApiPath, ApiRequest, ApiUser, ApiVerb } from '../../sim/kube/contract.ts';
import type { KubeKind } from '../../sim/kube/kinds.ts';
import { type Wanted, wantedOf } from './accept.ts';
import { mediaType, parseBody, patchTypeOf, readBody } from './body.ts';
import { HTML_TYPE, JSON_TYPE, jsonReply, type Reply, textReply, warningHeaders } from './reply.ts';
import type { Route } from './request-path.ts';
import type { Site } from './site.ts';
import { badRequest, methodNotAllowed, noSuchPath, notAcceptable } from './status.ts';
import { partial } from './table/partial.ts';
import { tableOf } from './table/table.ts';

export type ResourceRoute = Extract<Route, { readonly is: 'resource' }>;

/** One request for objects, read and parsed. */
export interface ResourceCall {
  readonly request: ApiRequest;
  readonly kind: KubeKind | null;
  readonly wanted: Wanted;
}

const QUERY_CHARS_MAX = 16 * 1024;

/** Query parameters, the first of each name, as the API server reads them. */
export function queryOf(parameters: URLSearchParams): Readonly<Record<string, string>> {
  const query = new Map<string, string>();
  let chars = 0;
  for (const [name, value] of parameters) {
    chars += name.length + value.length;
    if (chars > QUERY_CHARS_MAX) throw badRequest('the query of the request is too long');
    if (!query.has(name)) query.set(name, value);
  }
  return Object.fromEntries(query);
}

function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

function readVerb(path: ApiPath, query: Readonly<Record<string, string>>): ApiVerb {
  if (isTrue(query['watch'])) return 'watch';
  return path.name === null ? 'list' : 'get';
}

/** @throws DoorRefusal 405 */
export function verbOf(
  method: string,
  path: ApiPath,
  query: Readonly<Record<string, string>>,
): ApiVerb {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return readVerb(path, query);
    case 'POST':
      if (path.name !== null && path.subresource === null) break;
      return 'create';
    case 'PUT':
      if (path.name === null) break;
      return 'update';
    case 'PATCH':
      if (path.name === null) break;
      return 'patch';
    case 'DELETE':
      return path.name === null ? 'deletecollection' : 'delete';
    default:
  }
  throw methodNotAllowed();
}

/** `kubectl` of `kubectl/v1.36.3 (linux/amd64) …`: who owns fields where nobody says so. */
function writerOf(request: IncomingMessage): string {
  return (request.headers['user-agent'] ?? 'unknown').split('/')[0]?.slice(0, 128) || 'unknown';
}

const WRITES = new Set<ApiVerb>(['create', 'update', 'patch']);

/** Reads a request to its end. @throws DoorRefusal */
export async function readCall(
  site: Site,
  user: ApiUser,
  incoming: IncomingMessage,
  route: ResourceRoute,
  parameters: URLSearchParams,
): Promise<ResourceCall> {
  const wanted = wantedOf(incoming.headers.accept);
  if (wanted === null) throw notAcceptable();
  const asked = queryOf(parameters);
  const path = route.path;
  const verb = verbOf(incoming.method ?? 'GET', path, asked);
  const kind = kindAt(site, path);
  const type = mediaType(incoming);
  const patchType =
    verb === 'patch' ? patchTypeOf(type, kind !== null && kind.custom !== null) : null;
  const bytes = await readBody(site, incoming);
  const body = parseBody(type, bytes);
  const query = { ...defaults(incoming, verb, patchType), ...asked, ...proxyQuery(route) };
  return { request: { user, verb, path, query, body, patchType }, kind, wanted };
}

function defaults(
  incoming: IncomingMessage,
  verb: ApiVerb,
  patchType: ApiRequest['patchType'],
): Readonly<Record<string, string>> {
  // Who applies must name itself.
  if (!WRITES.has(verb) || patchType === 'apply') return {};
  return { fieldManager: writerOf(incoming) };
}

function proxyQuery({ path, rest }: ResourceRoute): Readonly<Record<string, string>> {
  return path.subresource === 'proxy' ? { proxyPath: rest } : {};
}

export function kindAt(site: Site, { group, version, plural }: ApiPath): KubeKind | null {
  const found = site.api
    .kinds()
    .find((one) => one.plural === plural && one.group === group && one.version === version);
  return found ?? null;
}

/** Answers all verbs but `watch`. */
export function answerCall(site: Site, { request, kind, wanted }: ResourceCall): Reply {
  if (kind === null) throw noSuchPath();
  const answer = site.enter(() => site.api.answer(request));
  const page = pageOf(answer);
  if (page !== null) return page;
  const object = formed(site, answer, kind, wanted, request.query);
  const type = wanted.isYaml ? 'application/yaml' : JSON_TYPE;
  return { ...jsonReply(answer.code, object, type), headers: headersOf(answer) };
}

function headersOf({ warnings, object, code }: ApiAnswer): NonNullable<Reply['headers']> {
  const details = object['details'];
  const seconds = isObject(details) ? details['retryAfterSeconds'] : undefined;
  const isLater = code >= 400 && typeof seconds === 'number';
  return { ...warningHeaders(warnings), ...(isLater ? { 'retry-after': String(seconds) } : {}) };
}

/** Logs, and what kubelets say whatever its status, come as text. */
function pageOf({ code, object }: ApiAnswer): Reply | null {
  const { kind, text, type } = object;
  if (kind !== undefined || typeof text !== 'string') return null;
  return type === 'text/html'
    ? { ...textReply(code, text), type: HTML_TYPE }
    : textReply(code, text);
}

/** The answer in the form that was asked for; a Status stays what it is. */
export function formed(
  site: Site,
  { code, object }: ApiAnswer,
  kind: KubeKind,
  wanted: Wanted,
  query: Readonly<Record<string, string>>,
): JsonObject {
  if (wanted.as === 'object' || code >= 300 || object['kind'] === 'Status') return object;
  if (wanted.as === 'Table')
    return tableOf(site, kind, object, wanted.version, query['includeObject'] ?? 'Metadata');
  return partial(object, kind, wanted.version);
}
