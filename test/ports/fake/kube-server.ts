/** An API server on a real port that answers what the test says, faults of the wire included. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { KubeTarget } from '../../../src/adapters/kubernetes/target.ts';
import type { Issued } from './kube-certificates.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What becomes of the connection after the body. */
  readonly after?: 'end' | 'reset' | 'stay';
}

export interface FakeKubeServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** A target without credential; `change` is laid over it. */
  target(change?: Partial<KubeTarget>): KubeTarget;
}

export interface FakeServerOptions {
  readonly tls?: Issued & { readonly authorityPem?: string };
  /** null never answers. */
  readonly answer: (seen: Seen) => Reply | null;
}

/** Listens on loopback until the test is over. */
export async function fakeKubeServer(
  context: TestContext,
  options: FakeServerOptions,
): Promise<FakeKubeServer> {
  const seen: Seen[] = [];
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const respond = async (): Promise<void> => {
      const one = await take(incoming);
      seen.push(one);
      give(outgoing, options.answer(one));
    };
    respond().catch((error: unknown) => outgoing.destroy(error as Error));
  };
  const { tls } = options;
  const server =
    tls === undefined
      ? createHttp(listener)
      : createHttps(
          {
            cert: tls.certificatePem,
            key: tls.keyPem,
            ...(tls.authorityPem === undefined
              ? {}
              : { ca: tls.authorityPem, requestCert: true, rejectUnauthorized: true }),
          },
          listener,
        );
  const port = await listening(context, server);
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return { url, seen, target: (change) => ({ ...targetOf(url), ...change }) };
}

/** A port that takes connections and never says a word. */
export async function muteServer(context: TestContext): Promise<number> {
  return await listening(context, createTcp());
}

export async function listening(context: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return portOf(server);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export function targetOf(server: string): KubeTarget {
  return {
    contextName: 'test',
    clusterEntry: 'test-cluster',
    userEntry: 'test-user',
    origin: '/home/ubuntu/.kube/config',
    server,
    namespace: 'default',
    tls: { authorityPem: null, client: null, serverName: null, isUnverified: false },
    proxyUrl: null,
    credential: { kind: 'none' },
    impersonation: null,
  };
}

async function take(incoming: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(incoming.url ?? '/', 'http://x');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function give(outgoing: ServerResponse, reply: Reply | null): void {
  if (reply === null) return;
  const { status = 200, headers = {}, body = '', after = 'end' } = reply;
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.flushHeaders();
  if (after === 'end') outgoing.end(body);
  else if (after === 'stay') outgoing.write(body);
  else outgoing.write(body === '' ? ' ' : body, () => outgoing.socket?.resetAndDestroy());
}

export function json(value: object, status = 200): Reply {
  return { status, body: JSON.stringify(value) };
}

/** A Status, as the API server refuses. */
export function refusal(status: number, reason: string, message: string, details = {}): Reply {
  const code = status;
  return json(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, details, code },
    status,
  );
}
