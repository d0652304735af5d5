import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { type Clock, startTimer } from '../../ports/clock.ts';
import type { HostReply, HostRequest } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { portErrorOf, timeoutOf } from './failure.ts';

// An import would read all names of `http`, of which `WebSocket` loads Node's own undici: 16 MB.
const http = process.getBuiltinModule('node:http');

/** One request on a connection of its own: no redirect, no proxy, no retry. */
export function sendRequest(asked: HostRequest, clock: Clock): Promise<HostReply> {
  const { promise, resolve, reject } = Promise.withResolvers<HostReply>();
  const request = begin(asked);
  if (request === null) {
    const message = `${asked.url} is not an http or https address.`;
    return Promise.reject(new PortError({ failure: 'invalid', message }));
  }
  const timer = startTimer(clock, asked.timeoutMs, () => {
    request.destroy(timeoutOf(asked.url, asked.timeoutMs));
  });
  request.once('error', (error) => {
    reject(error instanceof PortError ? error : portErrorOf(asked.url, error));
  });
  request.once('response', (response) => {
    replyOf(response, asked).then(resolve, (error: unknown) => {
      reject(error instanceof PortError ? error : portErrorOf(asked.url, error));
    });
  });
  request.end(asked.body);
  return promise.finally(() => {
    timer.cancel();
    request.destroy();
  });
}

function begin({ url, method, headers }: HostRequest): ClientRequest | null {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  const options = { method: method ?? 'GET', headers: { ...headers }, agent: false };
  if (protocol === 'http:') return http.request(url, options);
  return protocol === 'https:' ? requestSecure(url, options) : null;
}

async function replyOf(response: IncomingMessage, asked: HostRequest): Promise<HostReply> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > asked.bytesMax) {
      const message = `${asked.url} answered with more than ${asked.bytesMax} bytes.`;
      throw new PortError({ failure: 'malformed', message });
    }
  }
  const body = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, headers: headersOf(response), body };
}

function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}
