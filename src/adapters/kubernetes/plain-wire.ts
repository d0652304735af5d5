import type { IncomingMessage } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import type { KubeClientLimits } from './limits.ts';
import type { ClientCertificate, KubeTarget } from './target.ts';
import { secureContext } from './transport.ts';
import type { Wire, WireAnswer, WireRequest } from './wire.ts';

/** More than an agent asks at once; each connection costs memory on both sides. */
const CONNECTIONS_MAX = 2;

/** Words of undici, by which the failures of both kinds of connections are told alike. */
class WireTimeout extends Error {
  readonly code: string;

  constructor(code: string) {
    super('no answer in time');
    this.code = code;
  }
}

interface Open {
  readonly client: ClientCertificate | null;
  readonly agent: Agent;
}

/**
 * Connections of Node.js itself, for programs in which 10 MB more count: without proxies, and
 * without watches, whose silence they would take for a fault.
 */
export class PlainWire implements Wire {
  readonly #target: KubeTarget;
  readonly #limits: KubeClientLimits;
  #open: Open | null = null;

  constructor(target: KubeTarget, limits: KubeClientLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  send(client: ClientCertificate | null, asked: WireRequest): Promise<WireAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
    const { path, method, headers, signal } = asked;
    const { connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs } = this.#limits;
    const outgoing = secureRequest(new URL(path, asked.origin), {
      agent: this.#agentOf(client),
      method,
      headers,
      ...(signal === undefined ? {} : { signal }),
    });
    let late = 'UND_ERR_CONNECT_TIMEOUT';
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) {
        late = 'UND_ERR_HEADERS_TIMEOUT';
        return;
      }
      outgoing.setTimeout(connectTimeoutMs);
      socket.once('secureConnect', () => {
        late = 'UND_ERR_HEADERS_TIMEOUT';
        outgoing.setTimeout(headersTimeoutMs);
      });
    });
    outgoing.setTimeout(headersTimeoutMs);
    outgoing.on('timeout', () => outgoing.destroy(new WireTimeout(late)));
    outgoing.once('response', (incoming: IncomingMessage) => {
      late = 'UND_ERR_BODY_TIMEOUT';
      outgoing.setTimeout(bodyTimeoutMs);
      resolve({
        statusCode: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: incoming,
      });
    });
    outgoing.on('error', reject);
    outgoing.end(asked.body);
    return promise;
  }

  async close(): Promise<void> {
    this.#open?.agent.destroy();
    this.#open = null;
  }

  #agentOf(client: ClientCertificate | null): Agent {
    const open = this.#open;
    if (open !== null && open.client === client) return open.agent;
    const { serverName, isUnverified } = this.#target.tls;
    const agent = new Agent({
      keepAlive: true,
      maxSockets: CONNECTIONS_MAX,
      secureContext: secureContext(this.#target, client),
      rejectUnauthorized: !isUnverified,
      ...(serverName === null ? {} : { servername: serverName }),
    });
    open?.agent.destroy();
    this.#open = { client, agent };
    return agent;
  }
}
