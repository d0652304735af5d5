import { createHmac } from 'node:crypto';
import { type ClientRequest, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Clock, startTimer } from '../../ports/clock.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import type { Webhook, WebhookMessage } from '../../ports/webhook.ts';

export interface WebhookTarget {
  /** `http` or `https`; it is a secret, as many carry a token in their path. */
  readonly url: string;
  /** Signs each message; null for none. */
  readonly secret: string | null;
}

export interface WebhookOptions {
  /** Asked before each message. */
  readonly target: () => WebhookTarget;
  readonly clock: Clock;
  /** For one try, from the first byte sent to the status, ms; 10 s when not given. */
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 10_000;
const HEADER_BYTES_MAX = 8 * 1024;
const SECONDS = /^\d{1,6}$/;

/** Sends to a URL by POST. No message of an error names more of it than its host. */
export function openWebhook(options: WebhookOptions): Webhook {
  return { send: async (message, signal) => sendOnce(options, message, signal) };
}

/**
 * What proves to a receiver who sent a message, and when: HMAC-SHA256 over time, dot and body.
 *
 * @param timeS seconds since the epoch
 */
export function signatureOf(secret: string, timeS: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timeS}.${body}`).digest('hex')}`;
}

async function sendOnce(
  { target, clock, timeLimitMs = TIME_LIMIT_MS }: WebhookOptions,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const { url, secret } = target();
  const place = new URL(url);
  const ending = new AbortController();
  const timer = startTimer(clock, timeLimitMs, () => ending.abort());
  try {
    const answer = await statusOf(place, message, {
      headers: headersOf(message, secret, clock.nowMs()),
      signal: AbortSignal.any([signal, ending.signal]),
    });
    mustBeTaken(place.hostname, answer);
  } catch (error) {
    if (error instanceof PortError) throw error;
    signal.throwIfAborted();
    throw ending.signal.aborted ? late(place.hostname, timeLimitMs) : lost(place.hostname, error);
  } finally {
    timer.cancel();
    ending.abort();
  }
}

function headersOf(
  { id, body }: WebhookMessage,
  secret: string | null,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timeS = Math.floor(nowMs / 1000);
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'rollcall',
    'rollcall-delivery': id,
    'rollcall-time': String(timeS),
    ...(secret === null ? {} : { 'rollcall-signature': signatureOf(secret, timeS, body) }),
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | null;
}

async function statusOf(
  place: URL,
  { body }: WebhookMessage,
  options: Pick<RequestOptions, 'headers' | 'signal'>,
): Promise<Answer> {
  const send = place.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(place, {
    ...options,
    method: 'POST',
    agent: false,
    maxHeaderSize: HEADER_BYTES_MAX,
  });
  const answer = answerTo(request);
  request.end(body);
  return answer;
}

/** The status is the answer; a body, however long, is not read. */
async function answerTo(request: ClientRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  request.on('error', reject);
  request.once('response', (response) => {
    const { statusCode = 0, headers } = response;
    // Its body is cut off, which is no news to anybody.
    response.on('error', () => undefined);
    const after = headers['retry-after'] ?? '';
    const retryAfterMs = SECONDS.test(after) ? Number(after) * 1000 : null;
    resolve({ status: statusCode, retryAfterMs });
    request.destroy();
  });
  return promise;
}

const FAILURES: Readonly<Record<number, PortFailure>> = {
  401: 'denied',
  403: 'denied',
  404: 'not-found',
  408: 'timeout',
  410: 'not-found',
  429: 'throttled',
};

function failureOf(status: number): PortFailure {
  const known = FAILURES[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'unavailable';
  return status >= 300 && status < 400 ? 'unsupported' : 'invalid';
}

function mustBeTaken(host: string, { status, retryAfterMs }: Answer): void {
  if (status >= 200 && status < 300) return;
  const failure = failureOf(status);
  const what =
    failure === 'unsupported'
      ? `redirects (${status}), which is not followed; set the URL that it leads to`
      : `answered ${status}`;
  throw new PortError({ failure, message: `The webhook at ${host} ${what}.`, retryAfterMs });
}

function late(host: string, limitMs: number): PortError {
  const message = `The webhook at ${host} did not answer within ${limitMs / 1000} s.`;
  return new PortError({ failure: 'timeout', message });
}

function lost(host: string, error: unknown): PortError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
  const message = `The webhook at ${host} cannot be reached (${code}).`;
  return new PortError({ failure: 'unreachable', message });
}
