import type { Authorizer } from './auth/authorizer.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { ApiRequest, ApiUser, KubeObject } from './contract.ts';
import type { Kinds, KubeKind } from './kinds.ts';
import type { ApiServerHooks } from './hooks.ts';
import type { IssuedToken } from './sub/issued-token.ts';
import { keyOf, type Store, type Table } from './store.ts';

/** What all parts of one API server share. */
export interface Core {
  readonly kernel: Kernel;
  readonly kinds: Kinds;
  readonly store: Store;
  readonly random: RandomStream;
  readonly hooks: ApiServerHooks;
  readonly authorizer: Authorizer;
  /** Those that are open. */
  readonly watches: Set<OpenWatch>;
  /** How far caches are behind, from which what may be old is answered. */
  readonly cacheLags: Set<CacheLag>;
  /** Stored objects whose writers were noted and of which nobody owns a field. */
  readonly disowned: WeakSet<KubeObject>;
  /** Tokens of service accounts by their text. */
  readonly tokens: Map<string, IssuedToken>;
}

export interface CacheLag {
  /** Name of the table. */
  readonly table: string;
  readonly lagMs: number;
}

export interface OpenWatch {
  readonly table: Table;
  /** The server's own end. */
  end(): void;
}

/** One request on its way: whose, and to which kind. */
export interface Scope {
  readonly core: Core;
  readonly user: ApiUser;
  readonly kind: KubeKind;
  readonly table: Table;
  readonly namespace: string | null;
  readonly name: string;
  readonly subresource: string | null;
  /** What `managedFields` notes of a part that is written through the whole object. */
  readonly writesAs?: string;
  readonly query: Readonly<Record<string, string>>;
  readonly warnings: string[];
  readonly isDryRun: boolean;
}

/** As objects carry times: whole seconds. */
export function secondsStamp(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

export function newUid(random: RandomStream): string {
  const hex = random.hex(32);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

export function objectKey(scope: Scope, name: string = scope.name): string {
  return keyOf(scope.namespace, name);
}

/** The stored object that the request names. */
export function stored(scope: Scope): KubeObject | null {
  return scope.table.get(objectKey(scope));
}

export function queryOf(request: ApiRequest, key: string): string {
  return request.query[key] ?? '';
}
