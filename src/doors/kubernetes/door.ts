import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ApiUser } from '../../sim/kube/contract.ts';
import { type CertificatePair, type CertificateSubject, createAuthority } from './certificates.ts';
import {
  DOOR_LIMITS,
  type DoorLimits,
  HEADER_BYTES_MAX,
  HEADERS_MAX,
  IDLE_TIMEOUT_MS,
} from './limits.ts';
import { serve } from './serve.ts';
import type { DoorApi, Enter, Site } from './site.ts';

export interface KubernetesDoorOptions {
  readonly api: DoorApi;
  /** An address of loopback, the only ones that are listened on; 127.0.0.1 when not given. */
  readonly host?: '127.0.0.1' | '::1';
  /** 0 for any that is free. */
  readonly port: number;
  /** Bearer tokens besides those that the API server itself knows. */
  readonly tokens: ReadonlyMap<string, ApiUser>;
  readonly enter: Enter;
  /** Time in the world, ms since the Unix epoch: of ages and of `Date`. */
  readonly nowMs: () => number;
  /** `gitVersion`; v1.36.3 when not given. */
  readonly version?: string;
  readonly limits?: Partial<DoorLimits>;
  /** Gets whatever the world throws: refusals are answers, so it is a bug. The caller gets a 500. */
  readonly onBug: (bug: unknown) => void;
}

export interface KubernetesDoor {
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed the server's certificate and those of clients. */
  readonly caPem: string;
  /** A certificate with which a client enters as this user. */
  clientCertificate(subject: CertificateSubject): Promise<CertificatePair>;
  /** Cuts every connection and stops listening. */
  close(): Promise<void>;
}

const VERSION = 'v1.36.3';

/**
 * Serves an API server over HTTPS on loopback.
 *
 * @throws Error of node:net when the port is taken (`EADDRINUSE`) or not allowed (`EACCES`)
 */
export async function openKubernetesDoor(options: KubernetesDoorOptions): Promise<KubernetesDoor> {
  const { api, host = '127.0.0.1', port, tokens, enter, nowMs, version = VERSION, onBug } = options;
  const site: Site = {
    api,
    enter,
    nowMs,
    tokens,
    version,
    onBug,
    limits: { ...DOOR_LIMITS, ...options.limits },
    documents: new Map(),
    streams: new Set(),
    arriving: { bytes: 0 },
  };
  const authority = await createAuthority();
  const server = makeServer(site, await authority.server(host), authority.caPem);
  const sockets = tracked(server);
  await listening(server, host, port);
  const address = server.address() as AddressInfo;
  const name = host === '::1' ? '[::1]' : host;
  return {
    url: `https://${name}:${address.port}`,
    port: address.port,
    caPem: authority.caPem,
    clientCertificate: (subject) => authority.client(subject),
    close: () => closed(server, site, sockets),
  };
}

function makeServer(site: Site, pair: CertificatePair, caPem: string): Server {
  const { headTimeoutMs, requestTimeoutMs, checkEveryMs, connectionsMax } = site.limits;
  const server = createServer(
    {
      cert: pair.certificatePem,
      key: pair.keyPem,
      ca: caPem,
      requestCert: true,
      // Clients with a token show no certificate.
      rejectUnauthorized: false,
      handshakeTimeout: headTimeoutMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      connectionsCheckingInterval: checkEveryMs,
    },
    (request, response) => {
      request.on('error', () => response.destroy());
      response.on('error', () => response.destroy());
      void serve(site, request, response);
    },
  );
  server.maxHeadersCount = HEADERS_MAX;
  server.maxConnections = connectionsMax;
  guard(server);
  return server;
}

/** What a broken client does ends with its own connection. */
function guard(server: Server): void {
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.on('secureConnection', (socket) => socket.on('error', () => socket.destroy()));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || socket.destroyed) {
      socket.destroy();
      return;
    }
    const head = `HTTP/1.1 ${statusLine(error.code)}\r\nconnection: close\r\n\r\n`;
    socket.end(head, () => socket.destroy());
  });
}

function statusLine(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      // Later ones, such as too many open files, concern one connection.
      server.on('error', () => undefined);
      resolve();
    });
  });
}

/** Every connection, also one that has not yet shaken hands. */
function tracked(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}

function closed(server: Server, { streams }: Site, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const end of streams) end();
    for (const socket of sockets) socket.destroy();
  });
}
