import type { ServerResponse } from 'node:http';
import { at, isObject, listAt, textAt } from '../../evidence/json.ts';
import type { ApiRequest } from '../../sim/kube/contract.ts';
import { commonHeaders, jsonReply, send, TEXT_TYPE } from './reply.ts';
import { lookUp, type Site } from './site.ts';
import { openStream } from './streams.ts';

/** True for a log that is to be sent on as it grows. */
export function isFollowedLog({ verb, path, query }: ApiRequest): boolean {
  const follow = query['follow'];
  return verb === 'get' && path.subresource === 'log' && (follow === 'true' || follow === '1');
}

/** Which part of a log is asked for; what comes later is sent whole. */
const PARTS = ['tailLines', 'sinceSeconds', 'sinceTime', 'limitBytes', 'follow'];

function without(query: ApiRequest['query'], names: readonly string[]): ApiRequest['query'] {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** Sends a log, and what is added to it until its container ends or either side does. */
export function answerLog(site: Site, response: ServerResponse, request: ApiRequest): void {
  const first = { ...request, query: without(request.query, ['follow']) };
  const whole = { ...request, query: without(request.query, PARTS) };
  const begun = site.enter(() => site.api.answer(first));
  const text = begun.object['text'];
  if (begun.code !== 200 || typeof text !== 'string') {
    send(site, response, jsonReply(begun.code, begun.object));
    return;
  }
  let sent = (wholeLog(site, whole) ?? '').length;
  const stream = openStream(site, response, () => clearInterval(timer));
  const look = (): void => {
    const log = site.enter(() => wholeLog(site, whole));
    if (log !== null && log.length !== sent) {
      // A log that became shorter was begun anew.
      response.write(log.length > sent ? log.slice(sent) : log);
      sent = log.length;
    }
    if (response.writableLength > site.limits.unreadBytesMax) response.destroy();
    else if (log === null || hasEnded(site, request)) stream.end();
  };
  const timer = setInterval(() => guarded(site, response, look), site.limits.logPollEveryMs);
  response.sendDate = false;
  response.writeHead(200, { ...commonHeaders(site), 'content-type': TEXT_TYPE });
  response.flushHeaders();
  if (text !== '') response.write(text);
}

function guarded({ onBug }: Site, response: ServerResponse, look: () => void): void {
  try {
    look();
  } catch (error) {
    response.destroy();
    onBug(error);
  }
}

function wholeLog(site: Site, request: ApiRequest): string | null {
  const { code, object } = site.api.answer(request);
  const text = object['text'];
  return code === 200 && typeof text === 'string' ? text : null;
}

const FINAL_PHASES = new Set(['Succeeded', 'Failed']);

/** Nothing more will come: the container has ended, or its pod is gone. */
function hasEnded(site: Site, { path, query }: ApiRequest): boolean {
  const pod = lookUp(site, '', 'pods', path.namespace, path.name ?? '');
  if (pod === null || FINAL_PHASES.has(textAt(pod, 'status.phase') ?? '')) return true;
  const states = listAt(pod, 'status.containerStatuses').filter(isObject);
  const wanted = query['container'];
  const state = states.find((one) => wanted === undefined || textAt(one, 'name') === wanted);
  return at(state, 'state.terminated') !== undefined;
}
