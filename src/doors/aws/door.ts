/** AWS on one port of the loopback interface. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerRequest, type AwsSite } from './answer.ts';
import { errorReply, type Reply } from './errors.ts';
import type { SignedRequest } from './signature.ts';

// An import would also load what `WebSocket` of `http` needs, which is the whole of Node's undici.
const { createServer } = process.getBuiltinModule('node:http');

export interface AwsDoorOptions extends AwsSite {
  /** `127.0.0.1` unless given. */
  readonly host?: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Gets whatever the world throws: refusals are answers, so it is a bug. The caller gets a 500. */
  readonly onBug: (bug: unknown) => void;
}

export interface AwsDoor {
  /** For `AWS_ENDPOINT_URL`. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** User data of 16 KiB in base64 and the rest of a RunInstances fit many times over. */
const BODY_BYTES_MAX = 1_048_576;
const HEADER_BYTES_MAX = 16_384;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 256;

/** Rejects when the port is taken; the error names it. */
export async function openAwsDoor(options: AwsDoorOptions): Promise<AwsDoor> {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    },
    (request, response) => {
      serve(options, request, response).catch((error: unknown) => {
        response.destroy();
        // A caller who leaves in the middle of a body is none.
        if (error !== request.errored) options.onBug(error);
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', refuseGarbage);
  const host = options.host ?? '127.0.0.1';
  await listening(server, host, options.port);
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, port, close: async () => closed(server) };
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, () => {
    server.removeListener('error', reject);
    resolve();
  });
  return promise;
}

async function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => {
    resolve();
  });
  server.closeAllConnections();
  return promise;
}

/** What is no HTTP at all gets a short answer and no second chance. */
function refuseGarbage(_error: Error, socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  else socket.destroy();
}

async function serve(
  site: AwsDoorOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  const {
    status,
    headers,
    body: text,
  } = body === null ? TOO_LARGE : await answered(site, request, body);
  if (body === null) response.once('finish', () => request.destroy());
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? '' : text);
}

const TOO_LARGE: Reply = {
  status: 413,
  headers: { connection: 'close' },
  body: '<ErrorResponse><Error><Code>RequestEntityTooLarge</Code></Error></ErrorResponse>',
};

/** @returns null when it is larger than anyone's */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES_MAX) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function answered(
  site: AwsDoorOptions,
  request: IncomingMessage,
  body: Uint8Array,
): Promise<Reply> {
  try {
    return await answerRequest(site, signedRequest(request, body));
  } catch (error) {
    site.onBug(error);
    const message = 'An internal error has occurred';
    return errorReply(null, { code: 'InternalFailure', message, status: 500 }, 'none');
  }
}

function signedRequest({ method, url, headers }: IncomingMessage, body: Uint8Array): SignedRequest {
  const [path = '/', ...query] = (url ?? '/').split('?');
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(',') : (value ?? ''),
  ]);
  return {
    method: method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    headers: Object.fromEntries(entries),
    body,
  };
}
