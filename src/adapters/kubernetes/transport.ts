import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import type { buildConnector as Connector, Dispatcher } from 'undici';
import { notConfigured } from './not-configured.ts';
import type { KubeClientLimits } from './limits.ts';
import type { ClientCertificate, KubeTarget } from './target.ts';
import { tunnelConnector } from './tunnel.ts';
import { agentOver, connectorOver, sendOver } from './undici.ts';
import type { Wire, WireAnswer, WireRequest } from './wire.ts';
import { reasonOf, shown } from './words.ts';

/** The connections to one server; made again when the client certificate changes. */
export class Transport implements Wire {
  readonly #target: KubeTarget;
  readonly #limits: KubeClientLimits;
  #open: { readonly client: ClientCertificate | null; readonly dispatcher: Dispatcher } | null =
    null;

  constructor(target: KubeTarget, limits: KubeClientLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  async send(client: ClientCertificate | null, request: WireRequest): Promise<WireAnswer> {
    return sendOver(this.#dispatcher(client), request);
  }

  #dispatcher(client: ClientCertificate | null): Dispatcher {
    const open = this.#open;
    if (open !== null && open.client === client) return open.dispatcher;
    // Requests under way, and watches above all, end on the connection they began on.
    if (open !== null) void open.dispatcher.close();
    const dispatcher = dispatcherFor(this.#target, client, this.#limits);
    this.#open = { client, dispatcher };
    return dispatcher;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.dispatcher.destroy();
  }
}

function dispatcherFor(
  target: KubeTarget,
  client: ClientCertificate | null,
  limits: KubeClientLimits,
): Dispatcher {
  const common = {
    headersTimeout: limits.headersTimeoutMs,
    bodyTimeout: limits.bodyTimeoutMs,
    pipelining: 1,
  };
  const connect = connector(target, connectOptions(target, client, limits));
  const { proxyUrl } = target;
  return agentOver({
    ...common,
    connect:
      proxyUrl === null ? connect : tunnelConnector(proxyUrl, limits.connectTimeoutMs, connect),
  });
}

/** The system notices a peer that is gone about ten seconds after this. */
const KEEP_ALIVE_DELAY_MS = 10_000;

function connectOptions(
  target: KubeTarget,
  client: ClientCertificate | null,
  limits: KubeClientLimits,
): Connector.BuildOptions {
  const isTls = target.server.startsWith('https:');
  return {
    timeout: limits.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    ...(isTls
      ? {
          secureContext: secureContext(target, client),
          rejectUnauthorized: !target.tls.isUnverified,
        }
      : {}),
  };
}

export function secureContext(target: KubeTarget, client: ClientCertificate | null): SecureContext {
  const { authorityPem } = target.tls;
  const ca = authorityPem ?? [...getCACertificates('default'), ...getCACertificates('system')];
  try {
    return createSecureContext({
      ca,
      ...(client === null ? {} : { cert: client.certificatePem, key: client.keyPem }),
    });
  } catch (error) {
    throw notConfigured(
      `The certificates for ${target.server} in ${shown(target.origin)} cannot be used ` +
        `(${reasonOf(error)}); look at them: kubectl config view --raw --minify`,
    );
  }
}

function connector(target: KubeTarget, options: Connector.BuildOptions): Connector.connector {
  const connect = connectorOver(options);
  const { serverName } = target.tls;
  if (serverName === null) return connect;
  return (to, callback) => connect({ ...to, servername: serverName }, callback);
}

/** The bytes of an answer, unpacked where the server packed them. */
export function bytesOf(response: WireAnswer): Readable {
  const { body, headers } = response;
  body.on('error', ignored);
  if (headers['content-encoding'] !== 'gzip') return body;
  const unpacked = createGunzip();
  body.once('error', (error) => unpacked.destroy(error));
  unpacked.once('close', () => body.destroy());
  unpacked.on('error', ignored);
  return body.pipe(unpacked);
}

/** Whoever iterates a body is told of its errors; an abandoned one has nobody to tell. */
function ignored(): void {
  return undefined;
}
