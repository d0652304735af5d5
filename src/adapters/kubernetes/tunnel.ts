import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

// An import would read all names of `http`, of which `WebSocket` loads Node's own undici: 50 to 110 ms.
const http = process.getBuiltinModule('node:http');

/** A proxy that answered, but not with a tunnel. */
export class ProxyRefusal extends Error {
  readonly code = 'PROXY_REFUSED';
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

class ProxyTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

/**
 * Connects through an HTTP proxy by CONNECT. Done here because undici's own proxy agent tries for
 * ever when a proxy closes the connection instead of answering.
 * @param connect makes the connection to the server, inside the tunnel when it is given one
 */
export function tunnelConnector(
  proxyUrl: string,
  timeoutMs: number,
  connect: buildConnector.connector,
): buildConnector.connector {
  return (options, callback) => {
    openTunnel(proxyUrl, authorityOf(options), timeoutMs, (opened) => {
      if (opened instanceof Error) callback(opened, null);
      else if (options.protocol === 'https:') connect({ ...options, httpSocket: opened }, callback);
      else callback(null, opened);
    });
  };
}

type Opened = (result: Error | Socket) => void;

function authorityOf({ hostname, port, protocol }: buildConnector.Options): string {
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function openTunnel(proxyUrl: string, authority: string, timeoutMs: number, opened: Opened): void {
  const proxy = new URL(proxyUrl);
  const send = proxy.protocol === 'https:' ? requestHttps : http.request;
  const outgoing = send({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    agent: false,
    timeout: timeoutMs,
  });
  outgoing.once('error', (error) => opened(error));
  outgoing.once('timeout', () => outgoing.destroy(new ProxyTimeout('the proxy does not answer')));
  outgoing.once('connect', ({ statusCode = 0 }, socket: Socket) => {
    if (statusCode === 200) return opened(socket.setTimeout(0));
    socket.destroy();
    return opened(new ProxyRefusal(statusCode));
  });
  outgoing.end();
}

function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
