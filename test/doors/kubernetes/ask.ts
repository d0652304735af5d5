/** Requests to a door, one by one, as a client that knows no Kubernetes sends them. */
import { Agent, type RequestOptions, request } from 'node:https';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { TOKEN } from './fixture.ts';

export interface Answered {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The text parsed; empty where it is not JSON. */
  readonly json: JsonObject;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | object;
  /** null for none. */
  readonly token?: string | null;
  readonly certificate?: { readonly certificatePem: string; readonly keyPem: string };
}

export interface DoorAddress {
  readonly port: number;
  readonly caPem: string;
}

export function optionsOf(
  { port, caPem }: DoorAddress,
  path: string,
  { method = 'GET', headers = {}, token = TOKEN, certificate }: Asked,
): RequestOptions {
  return {
    host: '127.0.0.1',
    port,
    path,
    method,
    ca: caPem,
    agent: new Agent({ keepAlive: false }),
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(certificate === undefined
      ? {}
      : { cert: certificate.certificatePem, key: certificate.keyPem }),
  };
}

export function ask(door: DoorAddress, path: string, asked: Asked = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(optionsOf(door, path, asked), (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          code: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          json: parsed(text),
        });
      });
    });
    outgoing.on('error', reject);
    const bytes = bytesOf(asked.body);
    // Node sends a DELETE with a body but without its length otherwise.
    if (bytes !== null) outgoing.setHeader('content-length', bytes.byteLength);
    outgoing.end(bytes);
  });
}

function bytesOf(body: Asked['body']): Uint8Array | null {
  if (body === undefined) return null;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

export interface OpenAnswer {
  readonly code: number;
  /** Everything that came so far. */
  text(): string;
  /** Resolves as soon as the text satisfies the condition; rejects when the answer ends first. */
  until(isThere: (text: string) => boolean): Promise<string>;
  /** Resolves when the server ends the answer. */
  readonly ended: Promise<void>;
  close(): void;
}

/** A request whose answer goes on. */
export function open(door: DoorAddress, path: string, asked: Asked = {}): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(optionsOf(door, path, asked), (incoming) => {
      let text = '';
      const waiting = new Set<() => void>();
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
        for (const look of waiting) look();
      });
      const ended = new Promise<void>((end) => incoming.on('close', () => end()));
      resolve({
        code: incoming.statusCode ?? 0,
        text: () => text,
        ended,
        until: (isThere) =>
          new Promise((found, lost) => {
            const look = (): void => {
              if (!isThere(text)) return;
              waiting.delete(look);
              found(text);
            };
            waiting.add(look);
            void ended.then(() => lost(new Error(`the answer ended with: ${text.slice(-500)}`)));
            look();
          }),
        close: () => outgoing.destroy(),
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The events of a watch as far as they came. */
export function eventsOf(text: string): readonly JsonObject[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject);
}
