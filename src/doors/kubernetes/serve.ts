import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiUser } from '../../sim/kube/contract.ts';
import { userOf } from './entrance.ts';
import { discoveryReply, fixedReply, isPublic } from './fixed-paths.ts';
import { answerLog, isFollowedLog } from './log-stream.ts';
import { jsonReply, type Reply, send } from './reply.ts';
import { routeOf } from './request-path.ts';
import { answerCall, readCall, type ResourceCall } from './resources.ts';
import { reviewed } from './reviews.ts';
import { authorize, type Site } from './site.ts';
import {
  badRequest,
  DoorRefusal,
  forbidden,
  internalError,
  methodNotAllowed,
  notSimulated,
} from './status.ts';
import { answerWatch } from './watch-stream.ts';

/** Answers one request whatever it is; never throws, never rejects. */
export async function serve(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const reply = await answered(site, request, response);
    if (reply !== null) send(site, response, reply);
  } catch (error) {
    refuse(site, request, response, error);
  }
  // What nobody will read must not hold the connection.
  if (!request.complete) response.once('finish', () => request.destroy());
}

function refuse(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  // A caller who leaves in the middle of a body is no bug.
  if (!(error instanceof DoorRefusal) && error !== request.errored) site.onBug(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const refusal = error instanceof DoorRefusal ? error : internalError(nameOf(error));
  if (!request.complete) response.setHeader('connection', 'close');
  const retry: Reply['headers'] = refusal.code === 429 ? { 'retry-after': '1' } : {};
  send(site, response, { ...jsonReply(refusal.code, refusal.status), headers: retry });
}

/** The caller gets a bug's name without its words, which may hold anything. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown error';
}

async function answered(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply | null> {
  const { pathname, parameters } = targetOf(request);
  if (isPublic(pathname)) return fixedReply(site, request, pathname);
  const user = userOf(site, request);
  const route = routeOf(pathname);
  if (route.is !== 'resource') demandPath(site, user, request, pathname);
  if (route.is === 'other') return fixedReply(site, request, pathname);
  if (route.is !== 'resource') return discoveryReply(site, request, route);
  const call = await readCall(site, user, request, route, parameters);
  return callReply(site, response, call);
}

/** @throws DoorRefusal 403, 405 */
function demandPath(site: Site, user: ApiUser, request: IncomingMessage, path: string): void {
  const method = request.method ?? 'GET';
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const { isAllowed } = authorize(site, user, { verb: 'get', nonResourcePath: path });
  if (!isAllowed) throw forbidden(`forbidden: User "${user.name}" cannot get path "${path}"`);
}

interface Target {
  readonly pathname: string;
  readonly parameters: URLSearchParams;
}

/** Taken as it stands: nothing in it is another host or a step upwards. @throws DoorRefusal 400 */
function targetOf(request: IncomingMessage): Target {
  const target = request.url ?? '';
  if (!target.startsWith('/')) throw badRequest('the target of the request is not a path');
  const question = target.indexOf('?');
  const end = question < 0 ? target.length : question;
  return {
    pathname: target.slice(0, end),
    parameters: new URLSearchParams(target.slice(end + 1)),
  };
}

function isReview(group: string): boolean {
  return group === 'authentication.k8s.io' || group === 'authorization.k8s.io';
}

/** What runs or reaches into a container. */
const UPGRADES = new Set(['exec', 'attach', 'portforward']);

/** null for an answer that goes on by itself. */
function callReply(site: Site, response: ServerResponse, call: ResourceCall): Reply | null {
  const { user, verb, path, body } = call.request;
  if (verb === 'create' && isReview(path.group)) {
    const review = reviewed(site, user, path, body);
    if (review !== null) return jsonReply(201, review);
  }
  if (path.plural === 'pods' && UPGRADES.has(path.subresource ?? ''))
    throw notSimulated(`pods/${path.subresource ?? ''}`);
  if (verb === 'watch') answerWatch(site, response, call);
  else if (isFollowedLog(call.request)) answerLog(site, response, call.request);
  else return answerCall(site, call);
  return null;
}
