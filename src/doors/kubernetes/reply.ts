import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../evidence/json.ts';
import type { Site } from './site.ts';

/** A whole answer. */
export interface Reply {
  readonly code: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export const JSON_TYPE = 'application/json';
export const HTML_TYPE = 'text/html; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export function jsonReply(code: number, object: JsonObject, type: string = JSON_TYPE): Reply {
  return { code, type, body: `${JSON.stringify(object)}\n` };
}

export function textReply(code: number, body: string): Reply {
  return { code, type: TEXT_TYPE, body };
}

/** A document that clients keep: answered 304 to those who have it already. */
export function keptReply(
  request: IncomingMessage,
  type: string,
  body: string | Uint8Array,
): Reply {
  const tag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32).toUpperCase()}"`;
  const headers = { etag: tag, vary: 'Accept' };
  return request.headers['if-none-match'] === tag
    ? { code: 304, type, body: '', headers }
    : { code: 200, type, body, headers };
}

/** Texts of warnings that are sent with one answer. */
const WARNINGS_MAX = 20;
const WARNING_CHARS_MAX = 1024;

/** As `Warning` headers carry them: code 299, quoted, in ASCII. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string[]>> {
  if (warnings.length === 0) return {};
  const quoted = warnings.slice(0, WARNINGS_MAX).map((text) => {
    const ascii = text.slice(0, WARNING_CHARS_MAX).replaceAll(/[^\x20-\x7e]/g, ' ');
    return `299 - "${ascii.replaceAll(/["\\]/g, '\\$&')}"`;
  });
  return { warning: quoted };
}

export function commonHeaders(site: Site): Readonly<Record<string, string>> {
  return {
    'audit-id': randomUUID(),
    'cache-control': 'no-cache, private',
    date: new Date(site.nowMs()).toUTCString(),
  };
}

/** Sends a whole answer; of no effect when another one has begun. */
export function send(site: Site, response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return;
  response.sendDate = false;
  const bytes = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  const isBare = reply.code === 304;
  response.writeHead(reply.code, {
    ...commonHeaders(site),
    ...(isBare ? {} : { 'content-type': reply.type, 'content-length': bytes.byteLength }),
    ...writable(reply.headers ?? {}),
  });
  response.end(isBare || response.req.method === 'HEAD' ? undefined : bytes);
}

function writable(headers: NonNullable<Reply['headers']>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );
}
