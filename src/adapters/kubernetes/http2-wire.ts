import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../ports/clock.ts';
import type { KubeClientLimits } from './limits.ts';
import type { ClientCertificate, KubeTarget } from './target.ts';
import { secureContext, Transport } from './transport.ts';
import type { Wire, WireAnswer, WireRequest } from './wire.ts';

/** When a connection is doubted, ms. */
export interface Http2Patience {
  /** One that is silent for so long is asked whether it is there. */
  readonly silenceMs: number;
  /** And is given up when it does not answer for so long. */
  readonly answerMs: number;
  readonly clock: Clock;
}

const PATIENCE = { silenceMs: 1_000, answerMs: 1_500 };
/** The system notices a peer that is gone about ten seconds after this. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** What the server may send ahead of us, so that thousands of events do not wait for us. */
const WINDOW_BYTES = 1024 * 1024;

/** Words of undici and the system, by which the failures of all connections are told alike. */
class WireFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Open {
  readonly client: ClientCertificate | null;
  /** null where the server speaks an older protocol. */
  readonly session: Promise<ClientHttp2Session | null>;
}

function isUsable({ closed, destroyed }: ClientHttp2Session): boolean {
  return !closed && !destroyed;
}

/**
 * One connection for everything, watches and writes: it costs a fraction of many, and one ping
 * tells whether all of them are alive. For targets without a proxy.
 */
export class Http2Wire implements Wire {
  readonly #target: KubeTarget;
  readonly #limits: KubeClientLimits;
  readonly #patience: Http2Patience;
  #open: Open | null = null;
  /** For a server that does not speak HTTP/2. */
  #older: Transport | null = null;

  constructor(
    target: KubeTarget,
    limits: KubeClientLimits,
    patience: Pick<Http2Patience, 'clock'> & Partial<Http2Patience>,
  ) {
    this.#target = target;
    this.#limits = limits;
    this.#patience = { ...PATIENCE, ...patience };
  }

  async send(client: ClientCertificate | null, asked: WireRequest): Promise<WireAnswer> {
    asked.signal?.throwIfAborted();
    const session = this.#older === null ? await this.#session(client) : null;
    if (session === null) return await this.#olderWire().send(client, asked);
    try {
      return await exchange(session, asked, this.#limits);
    } catch (error) {
      // The server says that it did nothing with it, as when it is about to end.
      if (!isRefusedStream(error)) throw error;
      session.close();
      const next = await this.#session(client);
      if (next === null) throw error;
      return await exchange(next, asked, this.#limits);
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await this.#older?.close();
    const session = await open?.session.catch(() => null);
    session?.destroy();
  }

  #olderWire(): Transport {
    this.#older ??= new Transport(this.#target, this.#limits);
    return this.#older;
  }

  /** @returns null where the server speaks an older protocol */
  async #session(client: ClientCertificate | null): Promise<ClientHttp2Session | null> {
    const open = this.#open;
    if (open !== null && open.client === client) {
      const session = await open.session;
      if (session === null || isUsable(session)) return session;
      if (this.#open !== open) return await this.#session(client);
    }
    return await this.#connect(client, open);
  }

  /** Requests under way, and watches above all, end on the connection they began on. */
  async #connect(
    client: ClientCertificate | null,
    before: Open | null,
  ): Promise<ClientHttp2Session | null> {
    const session = sessionTo(this.#target, client, this.#limits, this.#patience);
    const opened: Open = { client, session };
    this.#open = opened;
    void before?.session.then(
      (older) => older?.close(),
      () => undefined,
    );
    try {
      return await opened.session;
    } catch (error) {
      if (this.#open === opened) this.#open = null;
      throw error;
    }
  }
}

function isRefusedStream(error: unknown): boolean {
  return error instanceof WireFailure && error.code === 'ERR_HTTP2_REFUSED_STREAM';
}

/** @returns null where the server speaks an older protocol */
async function sessionTo(
  target: KubeTarget,
  client: ClientCertificate | null,
  limits: KubeClientLimits,
  patience: Http2Patience,
): Promise<ClientHttp2Session | null> {
  const socket = await socketTo(target, client, limits);
  if (socket.alpnProtocol !== 'h2') {
    socket.destroy();
    return null;
  }
  const session = connect(target.server, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
  });
  session.setLocalWindowSize(WINDOW_BYTES);
  // Every request on it is told by itself.
  session.on('error', () => undefined);
  void watchOver(session, socket, patience).catch((error: unknown) => {
    // A connection that has ended needs no watching.
    if (!session.destroyed) session.destroy(error instanceof Error ? error : undefined);
  });
  return session;
}

function socketTo(
  target: KubeTarget,
  client: ClientCertificate | null,
  { connectTimeoutMs }: KubeClientLimits,
): Promise<TLSSocket> {
  const { hostname, port } = new URL(target.server);
  const { serverName, isUnverified } = target.tls;
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connectTls({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 443 : Number(port),
    secureContext: secureContext(target, client),
    rejectUnauthorized: !isUnverified,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(serverName === null ? {} : { servername: serverName }),
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
  socket.setTimeout(connectTimeoutMs, () =>
    socket.destroy(new WireFailure('UND_ERR_CONNECT_TIMEOUT', 'no connection in time')),
  );
  socket.once('error', reject);
  socket.once('secureConnect', () => {
    socket.off('error', reject);
    socket.setTimeout(0);
    resolve(socket);
  });
  return promise;
}

/** What came while this process was busy is read within this time, ms. */
const READ_MS = 1;

/**
 * A connection that swallows everything is found out, whatever runs on it. What is sent says nothing
 * of it, and what was received and not read yet does.
 */
async function watchOver(
  session: ClientHttp2Session,
  socket: TLSSocket,
  { silenceMs, answerMs, clock }: Http2Patience,
): Promise<void> {
  const over = new AbortController();
  session.once('close', () => over.abort());
  let [received, quietSinceMs, isAsked] = [-1, 0, false];
  while (!session.destroyed) {
    const nowMs = clock.monotonicMs();
    if (socket.bytesRead !== received)
      [received, quietSinceMs, isAsked] = [socket.bytesRead, nowMs, false];
    else if (!isAsked) isAsked = session.ping(() => undefined);
    else if (nowMs - quietSinceMs > silenceMs + answerMs) {
      await clock.sleep(READ_MS, over.signal);
      if (socket.bytesRead === received) throw new WireFailure('ECONNRESET', 'it answers no ping');
    }
    await clock.sleep(silenceMs / 2, over.signal);
  }
}

type Answered = IncomingHttpHeaders & IncomingHttpStatusHeader;

function answerOf(stream: ClientHttp2Stream, headers: Answered): WireAnswer {
  return { statusCode: headers[':status'] ?? 0, headers, body: stream };
}

function exchange(
  session: ClientHttp2Session,
  asked: WireRequest,
  limits: KubeClientLimits,
): Promise<WireAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const { path, method, headers, signal, body } = asked;
  const stream = session.request(
    { ...headers, ':method': method, ':path': path },
    { endStream: body === undefined },
  );
  const abort = (): void => void stream.destroy(reasonFor(signal));
  signal?.addEventListener('abort', abort, { once: true });
  let [late, isAnswered] = ['UND_ERR_HEADERS_TIMEOUT', false];
  stream.setTimeout(limits.headersTimeoutMs, () =>
    stream.destroy(new WireFailure(late, 'no answer in time')),
  );
  stream.once('response', (answered) => {
    [late, isAnswered] = ['UND_ERR_BODY_TIMEOUT', true];
    stream.setTimeout(asked.bodyTimeout ?? limits.bodyTimeoutMs);
    resolve(answerOf(stream, answered));
  });
  stream.on('error', (error) => reject(failureOf(stream, error)));
  stream.once('close', () => {
    signal?.removeEventListener('abort', abort);
    // Each request ends so, and an error with its stack costs as much as the rest of it.
    if (!isAnswered) reject(failureOf(stream, null));
  });
  if (body !== undefined) stream.end(body);
  return promise;
}

function reasonFor(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** A stream that ended before its answer, by the reason that tells most. */
function failureOf({ rstCode }: ClientHttp2Stream, error: Error | null): Error {
  if (rstCode === constants.NGHTTP2_REFUSED_STREAM)
    return new WireFailure('ERR_HTTP2_REFUSED_STREAM', 'the server took no more requests');
  return error ?? new WireFailure('ECONNRESET', 'it ended before the answer');
}
