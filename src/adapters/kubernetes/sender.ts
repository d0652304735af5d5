import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { type ConnectionScene, connectionFailure, isCut } from './connection-failure.ts';
import { type Credential, type Credentials, credentialsOf } from './credentials.ts';
import type { KubeEnvironment } from './environment.ts';
import { notConfigured } from './not-configured.ts';
import type { KubeClientLimits } from './limits.ts';
import { type RequestName, textOf } from './request-name.ts';
import { type RefusedAnswer, statusFailure } from './status-failure.ts';
import { isSurelyUnsent, JSON_PATCH, unclear } from './write-failure.ts';
import type { Impersonation, KubeTarget } from './target.ts';
import { bytesOf, Transport } from './transport.ts';
import type { Wire, WireAnswer, WireRequest } from './wire.ts';

export interface KubeRequest {
  readonly name: RequestName;
  /** With its query, below the path of the server. */
  readonly path: string;
  readonly accept: string;
  /** Makes the request a POST unless `method` says otherwise. */
  readonly body?: string;
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Of the body; JSON when not given. */
  readonly contentType?: string;
  /** Of a request that changes something: a lost answer leaves open whether it took effect. */
  readonly write?: { readonly isDryRun: boolean };
  /** True for an answer that goes on for minutes and may be silent. */
  readonly isWatch?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** The part of the answer that is wanted, as the header `Range` says it. */
  readonly range?: string;
  /** True for a status beyond 2xx that is an answer nevertheless. */
  readonly isAnswer?: (status: number, contentType: string) => boolean;
}

/** An answer whose bytes are to be read or destroyed; its status is 2xx unless it was asked for. */
export interface KubeAnswer {
  readonly status: number;
  readonly headers: WireAnswer['headers'];
  readonly bytes: ReturnType<typeof bytesOf>;
}

export interface SenderOptions {
  readonly environment: KubeEnvironment;
  readonly clock: Clock;
  readonly limits: KubeClientLimits;
  readonly isCompressed: boolean;
  /** Other connections than those of `Transport`. */
  readonly wire?: Wire;
}

/** Sends requests with the target's credential, counts them, and names what goes wrong. */
export class Sender {
  readonly target: KubeTarget;
  readonly limits: KubeClientLimits;
  readonly #clock: Clock;
  readonly #isCompressed: boolean;
  readonly #wire: Wire;
  readonly #credentials: Credentials;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  readonly #counts = new Map<string, number>();
  /** Where the server is, and the path that all of its own begin with. */
  readonly #place: { readonly origin: string; readonly path: string };
  #skewMs: number | null = null;

  constructor(target: KubeTarget, options: SenderOptions) {
    const { environment, clock, limits, isCompressed, wire } = options;
    this.target = target;
    this.limits = limits;
    const { origin, pathname } = new URL(target.server);
    this.#place = { origin, path: pathname.replace(/\/$/, '') };
    this.#clock = clock;
    this.#isCompressed = isCompressed;
    this.#wire = wire ?? new Transport(target, limits);
    this.#credentials = credentialsOf(target, {
      environment,
      clock,
      execTimeoutMs: limits.execTimeoutMs,
    });
    this.#impersonation = impersonationHeaders(target.impersonation);
  }

  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** How far the clock here is ahead of the server's, by the answer that was least on its way. */
  skewMs(): number | null {
    return this.#skewMs;
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  /** A credential that the server refuses is made again once. */
  async send(request: KubeRequest): Promise<KubeAnswer> {
    const credential = await this.#credential(request);
    const response = await this.#exchange(request, credential);
    if (response.statusCode !== 401 || !this.#credentials.renew(credential))
      return await this.#judged(request, credential, response);
    bytesOf(response).destroy();
    const renewed = await this.#credential(request);
    return await this.#judged(request, renewed, await this.#exchange(request, renewed));
  }

  /** The error for whatever broke while an answer was read; an abort stays what it is. */
  failure(error: unknown, signal?: AbortSignal): unknown {
    signal?.throwIfAborted();
    if (error instanceof PortError) return error;
    return connectionFailure(error, this.#scene());
  }

  /** As `failure`, and `unclear` for a write that may have arrived. */
  failureOf(request: KubeRequest, error: unknown): unknown {
    const failure = this.failure(error, request.signal);
    if (!isStoring(request) || !(failure instanceof PortError)) return failure;
    return isSurelyUnsent(error) ? failure : unclear(request.name, failure);
  }

  /** As `failure`, for an answer that broke off: a write was received by then. */
  lostAnswer(request: KubeRequest, error: unknown): unknown {
    const failure = this.failure(error, request.signal);
    const isLost = isStoring(request) && failure instanceof PortError;
    return isLost ? unclear(request.name, failure) : failure;
  }

  now(): number {
    return this.#clock.nowMs();
  }

  async #credential({ signal }: KubeRequest): Promise<Credential> {
    signal?.throwIfAborted();
    const credential = await this.#credentials.current();
    signal?.throwIfAborted();
    return credential;
  }

  async #exchange(request: KubeRequest, credential: Credential): Promise<WireAnswer> {
    for (let sent = 1; ; sent++) {
      this.#count(request.name);
      try {
        return await this.#wire.send(credential.client, this.#optionsOf(request, credential));
      } catch (error) {
        const mayAskAgain = sent < ASKED_MAX && isQuestion(request) && isCut(error);
        if (!mayAskAgain) throw this.failureOf(request, error);
      }
    }
  }

  #optionsOf(request: KubeRequest, credential: Credential): WireRequest {
    return {
      origin: this.#place.origin,
      path: `${this.#place.path}${request.path}`,
      method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
      headers: this.#headersOf(request, credential),
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(request.isWatch === true ? { bodyTimeout: 0 } : {}),
    };
  }

  #headersOf(
    request: KubeRequest,
    { authorization }: Credential,
  ): Record<string, string | string[]> {
    return {
      accept: request.accept,
      'user-agent': 'rollcall',
      'accept-encoding': this.#isCompressed ? 'gzip' : 'identity',
      ...(request.body === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json' }),
      ...(request.range === undefined ? {} : { range: request.range }),
      ...(authorization === null ? {} : { authorization }),
      ...this.#impersonation,
    };
  }

  async #judged(
    request: KubeRequest,
    credential: Credential,
    response: WireAnswer,
  ): Promise<KubeAnswer> {
    const { statusCode, headers } = response;
    const bytes = bytesOf(response);
    const isAnswer = request.isAnswer?.(statusCode, String(headers['content-type'] ?? ''));
    if ((statusCode >= 200 && statusCode < 300) || isAnswer === true) {
      this.#compareClocks(String(headers['date'] ?? ''));
      return { status: statusCode, headers, bytes };
    }
    throw statusFailure({
      server: this.target.server,
      name: request.name,
      write: writeOf(request),
      status: statusCode,
      headers,
      text: await beginningOf(bytes, this.limits.errorBytesMax),
      refusal: this.#credentials.refusal(credential),
      nowMs: this.#clock.nowMs(),
    });
  }

  #scene(): ConnectionScene {
    return { target: this.target, limits: this.limits, nowMs: this.#clock.nowMs() };
  }

  #compareClocks(date: string): void {
    const skewMs = this.#clock.nowMs() - Date.parse(date);
    if (Number.isNaN(skewMs) || Math.abs(skewMs) >= Math.abs(this.#skewMs ?? Infinity)) return;
    this.#skewMs = skewMs;
  }

  #count(name: RequestName): void {
    const text = textOf(name);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }
}

/**
 * A server closes connections on which nobody asked for a while, and a busy program asks on them
 * before it sees that; one that is asked next may be closed too.
 */
const ASKED_MAX = 3;

/** True for what changes nothing and ends by itself; a watch is begun again by whoever follows. */
function isQuestion({ method, body, isWatch }: KubeRequest): boolean {
  return method === undefined && body === undefined && isWatch !== true;
}

function isStoring({ write }: KubeRequest): boolean {
  return write?.isDryRun === false;
}

function writeOf({ write, contentType }: KubeRequest): RefusedAnswer['write'] {
  return write === undefined ? null : { ...write, isJsonPatch: contentType === JSON_PATCH };
}

/** The beginning of an answer that is an error; the status says enough when it cannot be read. */
async function beginningOf(bytes: KubeAnswer['bytes'], bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      read += chunk.length;
      if (read >= bytesMax) break;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  } finally {
    bytes.destroy();
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8');
}

function impersonationHeaders(
  impersonation: Impersonation | null,
): Readonly<Record<string, string | string[]>> {
  if (impersonation === null) return {};
  const { user, uid, groups, extra } = impersonation;
  const extras = Object.entries(extra).map(([key, values]): [string, string[]] => [
    `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`,
    values.map(printable),
  ]);
  return {
    'impersonate-user': printable(user),
    ...(uid === null ? {} : { 'impersonate-uid': printable(uid) }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.map(printable) }),
    ...Object.fromEntries(extras),
  };
}

function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  throw notConfigured(
    'A user, group or extra to impersonate has characters that no header takes; spell it in ' +
      'ASCII: --as=USER',
  );
}
