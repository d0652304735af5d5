import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { ApiAnswer, ApiRequest } from '../kube/contract.ts';
import { tableName } from '../kube/kinds.ts';
import type { KubeApiServer } from '../kube/server.ts';
import { keyOf } from '../kube/store.ts';

/** A write of a program as the API server carried it out or refused it. */
export interface LedgerEntry {
  readonly program: string;
  /** When the program asked for it, and when the API server had it, true time, ms. */
  readonly calledMs: number;
  readonly atMs: number;
  readonly request: ApiRequest;
  /** True where something on the way has sent it once more. */
  readonly isCopy: boolean;
  /** True where its answer does not come. */
  readonly isUnanswered: boolean;
  readonly code: number;
  /** The object before and after, as stored; null where there was none. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** An object of the world, by its plural and key. */
export function placeOf({ path, body }: ApiRequest): string {
  const name = path.name ?? textAt(body, 'metadata.name') ?? '';
  return `${path.plural} ${keyOf(path.namespace, name)}`;
}

/** The version that a write needs its object to have; null for any. */
export function versionNeeded({ verb, body }: ApiRequest): string | null {
  if (Array.isArray(body)) {
    const path = '/metadata/resourceVersion';
    return textAt(
      body.find((one) => textAt(one, 'path') === path),
      'value',
    );
  }
  return textAt(body, `${verb === 'delete' ? 'preconditions' : 'metadata'}.resourceVersion`);
}

/** True for a write that is only checked, as its query, a deletion or an eviction says it. */
export function isDryRun({ query, body }: ApiRequest): boolean {
  const said = [...listAt(body, 'dryRun'), ...listAt(body, 'deleteOptions.dryRun')];
  return query['dryRun'] !== undefined || said.includes('All');
}

export function versionOf(object: JsonObject | null): string | null {
  return textAt(object ?? {}, 'metadata.resourceVersion');
}

/** True when the write changed what is stored. */
export function hasChanged({ before, after }: LedgerEntry): boolean {
  return versionOf(before) !== versionOf(after) || (before === null) !== (after === null);
}

/** How a write came to the API server. */
export type WayOfWrite = Pick<LedgerEntry, 'calledMs' | 'isCopy' | 'isUnanswered'>;

/** An API server that notes what one program writes. */
export function noting(
  server: KubeApiServer,
  way: () => WayOfWrite,
  note: (entry: Omit<LedgerEntry, 'program'>) => void,
): KubeApiServer {
  const stored = ({ path, body }: ApiRequest): JsonObject | null => {
    const kind = server
      .kinds()
      .find((one) => one.plural === path.plural && one.group === path.group);
    const name = path.name ?? textAt(body, 'metadata.name') ?? '';
    if (kind === undefined) return null;
    return server.core.store.table(tableName(kind)).get(keyOf(path.namespace, name));
  };
  const answer = (request: ApiRequest): ApiAnswer => {
    const before = stored(request);
    const given = server.answer(request);
    const atMs = server.core.kernel.nowMs();
    const { code } = given;
    note({ ...way(), atMs, request, code, before, after: stored(request) });
    return given;
  };
  return { ...server, answer };
}
