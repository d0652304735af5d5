import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

// An import would read all names of `http`, of which `WebSocket` loads Node's own undici: 16 MB.
const http = process.getBuiltinModule('node:http');

export interface HttpQuestion {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface HttpServerOptions {
  /** An address of this machine; `::` for all. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly answer: (question: HttpQuestion) => HttpAnswer;
  /** Told what `answer` threw; the client gets a 500 without it. */
  readonly onBug: (error: unknown) => void;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  readonly connectionsMost: number;
  readonly headerBytesMost: number;
  /** For a whole request to come, ms. */
  readonly requestMs: number;
  /** Without a byte in either direction, ms. */
  readonly silenceMs: number;
}

const DEFAULT_HTTP_LIMITS: HttpLimits = {
  connectionsMost: 64,
  headerBytesMost: 8 * 1024,
  requestMs: 5_000,
  silenceMs: 10_000,
};

export interface OpenHttpServer {
  readonly port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/**
 * Serves small answers to small questions over plain HTTP; bodies of requests are not read.
 *
 * @throws the error of the system when the address cannot be used
 */
export async function openHttpServer(options: HttpServerOptions): Promise<OpenHttpServer> {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const server = http.createServer(
    {
      maxHeaderSize: limits.headerBytesMost,
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.ceil(limits.requestMs / 2),
      keepAliveTimeout: limits.silenceMs,
    },
    (request, response) => respond(request, response, options),
  );
  server.maxConnections = limits.connectionsMost;
  server.setTimeout(limits.silenceMs, (socket: Socket) => socket.destroy());
  await listening(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => closed(server),
  };
}

async function listening(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  await promise;
  server.off('error', reject);
}

async function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions,
): void {
  const { status, contentType, body } = answered(request, options);
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // A body that nobody reads would be taken for the next request.
    ...(hasBody(request) ? { connection: 'close' } : {}),
  });
  response.end(body);
}

function answered(request: IncomingMessage, options: HttpServerOptions): HttpAnswer {
  const [path = ''] = (request.url ?? '').split('?');
  try {
    return options.answer({ method: request.method ?? '', path });
  } catch (error) {
    options.onBug(error);
    return { status: 500, contentType: 'text/plain; charset=utf-8', body: 'internal error\n' };
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
