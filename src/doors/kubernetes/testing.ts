/** A door without a network: requests and answers of node:http over sockets in memory. */
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../evidence/json.ts';
import { createKernel, type Kernel } from '../../sim/kernel/kernel.ts';
import { createClient } from '../../sim/kube/client.ts';
import type { ApiUser, KubeClient } from '../../sim/kube/contract.ts';
import type { ApiServerHooks } from '../../sim/kube/hooks.ts';
import { createApiServer } from '../../sim/kube/server.ts';
import { DOOR_LIMITS } from './limits.ts';
import { serve } from './serve.ts';
import type { DoorApi, Site } from './site.ts';

export const START_MS = Date.UTC(2026, 0, 2);
export const ADMIN: ApiUser = { name: 'admin', groups: ['system:masters'] };
export const ADMINS_TOKEN = 'token-of-admin';
export const JANE: ApiUser = { name: 'jane', groups: ['readers'] };
export const JANES_TOKEN = 'token-of-jane';

export interface TestSite {
  readonly site: Site;
  readonly admin: KubeClient;
  readonly kernel: Kernel;
  /** What the door reported as bugs. */
  readonly bugs: unknown[];
  /** Lets the world go on. */
  readonly advance: (ms: number) => void;
}

export function openSite(change: Partial<Site> = {}, hooks: ApiServerHooks = {}): TestSite {
  const kernel = createKernel({ seed: 1, startMs: START_MS });
  const api = createApiServer({ kernel, ...hooks });
  const bugs: unknown[] = [];
  const advance = (ms: number): void => {
    const untilMs = kernel.nowMs() + ms;
    for (;;) {
      const nextMs = kernel.nextAtMs();
      if (nextMs === null || nextMs > untilMs) break;
      kernel.step();
    }
    kernel.passTo(untilMs);
  };
  const site: Site = {
    api,
    enter: (task) => task(),
    nowMs: () => kernel.nowMs(),
    tokens: new Map([
      [ADMINS_TOKEN, ADMIN],
      [JANES_TOKEN, JANE],
    ]),
    version: 'v1.36.3',
    limits: DOOR_LIMITS,
    onBug: (bug) => bugs.push(bug),
    documents: new Map(),
    streams: new Set(),
    arriving: { bytes: 0 },
    ...change,
  };
  return { site, admin: createClient(api, ADMIN), kernel, bugs, advance };
}

/** The same site before an API server that authorizes nobody. */
export function withoutAuthorizer(site: Site): Site {
  const entries = Object.entries(site.api).filter(([name]) => name !== 'authorize');
  return { ...site, api: Object.fromEntries(entries) as unknown as DoorApi };
}

/** A kind of a CustomResourceDefinition, `Thing` of `example.test/v1`, which is served afterwards. */
export function addThings({ admin, advance }: TestSite, more: JsonObject = {}): void {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object' } },
    ...more,
  };
  const made = admin.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.test' },
    spec: { group: 'example.test', scope: 'Cluster', names, versions: [version] },
  });
  if (!made.ok) throw new Error(made.failure.message);
  advance(5_000);
}

export interface Shown {
  readonly commonName: string | readonly string[];
  readonly organizations?: string | readonly string[];
  readonly isAuthorized?: boolean;
}

export interface Asked {
  readonly method?: string;
  /** A value for each header that is sent, one after the other. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array | object;
  /** null for none. */
  readonly token?: string | null;
  readonly certificate?: Shown;
  /** Takes nothing of what is written to it. */
  readonly isStuck?: boolean;
}

/** The client's side of a connection, and what came there. */
class MemorySocket extends Duplex {
  readonly authorized: boolean;
  readonly chunks: Buffer[] = [];
  readonly #certificate: Shown | undefined;
  readonly #isStuck: boolean;

  constructor({ certificate, isStuck = false }: Asked) {
    super();
    this.authorized = certificate !== undefined && certificate.isAuthorized !== false;
    this.#certificate = certificate;
    this.#isStuck = isStuck;
  }

  getPeerCertificate(): object {
    const { commonName, organizations } = this.#certificate ?? {};
    return { subject: { CN: commonName, O: organizations } };
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    if (!this.#isStuck) done();
  }
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Duplex;
  /** Resolves when the answer has ended or was broken off, and rejects when that does not come. */
  readonly ended: () => Promise<void>;
  /** What has come of the answer so far. */
  readonly answer: () => Answer;
}

export interface Answer {
  readonly code: number;
  /** By their names in lower case; several values are joined by line feeds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text parsed; empty where it is not JSON. */
  readonly json: JsonObject;
}

/** A request whose answer is still to be written. */
export function exchange(url: string, asked: Asked = {}): Exchange {
  const socket = new MemorySocket(asked);
  const request = new IncomingMessage(socket as unknown as Socket);
  request.method = asked.method ?? 'GET';
  request.url = url;
  request.httpVersionMajor = 1;
  // An answer to HTTP/1.0 goes out as it is, not in chunks.
  request.httpVersionMinor = 0;
  const { token = ADMINS_TOKEN, headers = [] } = asked;
  const own = token === null ? [] : [['authorization', `Bearer ${token}`] as const];
  const distinct = Map.groupBy([...own, ...headers], ([name]) => name);
  for (const [name, all] of distinct) {
    const values = all.map(([, value]) => value);
    request.headers[name] = values.join(', ');
    request.headersDistinct[name] = values;
  }
  for (const bytes of bodyOf(asked.body)) request.push(bytes);
  request.push(null);
  request.complete = true;
  const response = new ServerResponse(request);
  response.assignSocket(socket as unknown as Socket);
  return {
    request,
    response,
    socket,
    ended: () => ended(response),
    answer: () => answerIn(socket.chunks),
  };
}

/** A socket in memory takes a few turns of the event loop for everything. */
const TURNS_MAX = 50;

async function ended(response: ServerResponse): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (response.writableFinished || response.destroyed) return;
    await nextTurn();
  }
  throw new Error('the answer does not end');
}

/** A request from its beginning to the end of its answer. */
export async function ask(site: Site, url: string, asked: Asked = {}): Promise<Answer> {
  const exchanged = exchange(url, asked);
  await serve(site, exchanged.request, exchanged.response);
  await exchanged.ended();
  return exchanged.answer();
}

function bodyOf(body: Asked['body']): readonly Uint8Array[] {
  if (body === undefined) return [];
  if (body instanceof Uint8Array) return [body];
  return [Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))];
}

function answerIn(chunks: readonly Buffer[]): Answer {
  const bytes = Buffer.concat(chunks).toString();
  const end = bytes.indexOf('\r\n\r\n');
  const [status = '', ...lines] = bytes.slice(0, Math.max(0, end)).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value;
  }
  const text = bytes.slice(end + 4);
  return { code: Number(status.split(' ')[1] ?? 0), headers, text, json: parsed(text) };
}

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
