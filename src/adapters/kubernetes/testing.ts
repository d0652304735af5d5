/** A sender and the server that it asks, for its tests. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import type { KubeEnvironment } from './environment.ts';
import { DEFAULT_KUBE_LIMITS } from './limits.ts';
import { type KubeRequest, Sender, type SenderOptions } from './sender.ts';
import type { KubeTarget } from './target.ts';

export const NOW_MS = Date.UTC(2026, 0, 2);
export const NODES: KubeRequest = {
  name: { verb: 'list', resource: 'nodes' },
  path: '/api/v1/nodes?limit=1',
  accept: 'application/json',
};

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, round: number) => void;

interface Opened {
  readonly sender: Sender;
  readonly seen: readonly Seen[];
}

interface Options extends Partial<Pick<SenderOptions, 'isCompressed'>> {
  readonly run?: KubeEnvironment['run'];
  /** The path of the server's URL. */
  readonly path?: string;
}

export const nothingRuns: KubeEnvironment['run'] = () =>
  Promise.reject(new Error('nothing may run here'));

export function ok(response: ServerResponse): void {
  response.end('{}');
}

/** A sender, and a server on loopback that answers what the test says. */
export async function open(
  context: TestContext,
  answer: Answer,
  change: Partial<KubeTarget> = {},
  options: Options = {},
): Promise<Opened> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { run = nothingRuns, path = '', isCompressed = false } = options;
  const target: KubeTarget = {
    contextName: 'one',
    clusterEntry: 'c1',
    userEntry: 'u1',
    origin: '/home/ubuntu/.kube/config',
    server: `http://127.0.0.1:${port}${path}`,
    namespace: 'default',
    tls: { authorityPem: null, client: null, serverName: null, isUnverified: false },
    proxyUrl: null,
    credential: { kind: 'none' },
    impersonation: null,
    ...change,
  };
  const readFile: KubeEnvironment['readFile'] = () => Promise.reject(new Error('no file'));
  const sender = new Sender(target, {
    environment: { env: {}, home: '/home/ubuntu', readFile, run },
    clock: { nowMs: () => NOW_MS, monotonicMs: () => 0, sleep: () => new Promise(() => {}) },
    limits: { ...DEFAULT_KUBE_LIMITS, errorBytesMax: 300 },
    isCompressed,
  });
  context.after(() => sender.close());
  return { sender, seen };
}

export async function failureOf(call: Promise<unknown>): Promise<PortError> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PortError, String(error));
  return error;
}

export async function textOf({ bytes }: Awaited<ReturnType<Sender['send']>>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
