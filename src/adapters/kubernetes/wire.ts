import type { Readable } from 'node:stream';
import type { ClientCertificate } from './target.ts';

/** One request as it goes out. */
export interface WireRequest {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Record<string, string | string[]>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** 0 for an answer that may be silent for long, ms. */
  readonly bodyTimeout?: number;
}

export interface WireAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** To be read or destroyed at once: what nobody reads when it ends may be thrown away. */
  readonly body: Readable;
}

/** The connections to one server. Throws errors with a code of the system, of Node.js or undici. */
export interface Wire {
  send(client: ClientCertificate | null, request: WireRequest): Promise<WireAnswer>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}
