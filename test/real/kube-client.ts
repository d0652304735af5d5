/** Asks a real API server, as the tests lay objects into it and look at them. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { Credentials } from './pki.ts';

/** What tests look at in any object; the rest they name themselves. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface Node extends KubeObject {
  readonly spec: {
    readonly providerID?: string;
    readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  };
}

/** Either `source` or `reportingComponent` names the program, by the API that it used. */
export interface KubeEvent extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly source?: { readonly component?: string };
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string };
}

/** Paths begin with `/api` or `/apis`; what the API server refuses is a `KubeRefusal`. */
export interface KubeClient {
  readonly get: <T extends KubeObject>(path: string) => Promise<T>;
  /** @returns null where there is no such object */
  readonly find: <T extends KubeObject>(path: string) => Promise<T | null>;
  readonly list: <T extends KubeObject>(path: string) => Promise<readonly T[]>;
  readonly create: <T extends KubeObject>(path: string, object: object) => Promise<T>;
  /** Changes an object by a JSON merge patch. */
  readonly patch: <T extends KubeObject>(path: string, change: object) => Promise<T>;
  readonly remove: (path: string) => Promise<void>;
  /** The body as it came, for addresses that answer no object. */
  readonly text: (path: string) => Promise<string>;
  readonly close: () => void;
}

/** The answer of an API server that is no success. */
export class KubeRefusal extends Error {
  readonly status: number;

  constructor(method: string, path: string, { status, text }: Answer) {
    super(`${method} ${path}: ${status} ${text}`);
    this.status = status;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const TIMEOUT_MS = 10_000;

/**
 * @param url of the API server
 * @param ca path of its authority's certificate
 * @param who presents itself by this certificate or token; null is anonymous
 */
export function kubeClient(
  url: string,
  ca: string,
  who: Credentials | { readonly token: string } | null,
): KubeClient {
  const agent = new Agent({
    ca: readFileSync(ca),
    ...(who === null || 'token' in who
      ? {}
      : { cert: readFileSync(who.certificatePath), key: readFileSync(who.keyPath) }),
    keepAlive: true,
  });
  const bearer = who !== null && 'token' in who ? { authorization: `Bearer ${who.token}` } : {};
  const text = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await exchange({ agent, headers: bearer }, new URL(path, url), method, body);
    if (answer.status >= 300) throw new KubeRefusal(method, path, answer);
    return answer.text;
  };
  const get = async <T>(path: string): Promise<T> => JSON.parse(await text('GET', path)) as T;
  return {
    get,
    find: (path) => get<never>(path).catch(nullIfAbsent),
    list: async <T>(path: string) => (await get<{ readonly items: readonly T[] }>(path)).items,
    create: async (path, object) => JSON.parse(await text('POST', path, object)),
    patch: async (path, change) => JSON.parse(await text('PATCH', path, change)),
    remove: async (path) => {
      await text('DELETE', path);
    },
    text: (path) => text('GET', path),
    close: () => agent.destroy(),
  };
}

function nullIfAbsent(error: unknown): null {
  if (error instanceof KubeRefusal && error.status === 404) return null;
  throw error;
}

interface Sender {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

function exchange(
  { agent, headers }: Sender,
  url: URL,
  method: string,
  body?: object,
): Promise<Answer> {
  const kind = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent, timeout: TIMEOUT_MS, headers: { ...headers, 'content-type': kind } },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${url.href}: no answer`)));
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
