import type { JsonObject } from '../../evidence/json.ts';
import type { ApiServer, ApiUser } from '../../sim/kube/contract.ts';
import type { KubeKind } from '../../sim/kube/kinds.ts';
import type { DoorLimits } from './limits.ts';

/** What an authorizer is asked. */
export type AccessQuestion =
  | {
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty for all namespaces. */
      readonly namespace: string;
      /** Empty for all names. */
      readonly name: string;
    }
  | { readonly verb: string; readonly nonResourcePath: string };

export interface AccessAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** The API server behind a door. */
export interface DoorApi extends ApiServer {
  kinds(): readonly KubeKind[];
  /** Everything is allowed where there is no authorizer. */
  authorize?(user: ApiUser, question: AccessQuestion): AccessAnswer;
}

/** Answers within the world's present: the app first lets happen what is due. */
export type Enter = <T>(task: () => T) => T;

/** A document and the kinds that it is of. */
export interface KeptDocument {
  readonly kinds: readonly KubeKind[];
  readonly body: string | Uint8Array;
}

/** What all parts of one door share. */
export interface Site {
  readonly api: DoorApi;
  readonly enter: Enter;
  /** Time in the world, ms since the Unix epoch. */
  readonly nowMs: () => number;
  readonly tokens: ReadonlyMap<string, ApiUser>;
  /** `gitVersion`. */
  readonly version: string;
  readonly limits: DoorLimits;
  /** Gets what the world throws. */
  readonly onBug: (bug: unknown) => void;
  /** Documents that are made once, by their paths. */
  readonly documents: Map<string, KeptDocument>;
  /** Watches and followed logs that are open. */
  readonly streams: Set<() => void>;
  /** Bytes of bodies that are arriving now. */
  readonly arriving: { bytes: number };
}

/** Who the door itself is, where it must look something up. */
export const DOOR_USER: ApiUser = { name: 'system:apiserver', groups: ['system:masters'] };

export function authorize(site: Site, user: ApiUser, question: AccessQuestion): AccessAnswer {
  return site.api.authorize?.(user, question) ?? { isAllowed: true, reason: '' };
}

/** An object of the store, null when it is not there. */
export function lookUp(
  site: Site,
  group: string,
  plural: string,
  namespace: string | null,
  name: string,
): JsonObject | null {
  const answer = site.api.answer({
    user: DOOR_USER,
    verb: 'get',
    path: { group, version: 'v1', plural, namespace, name, subresource: null },
    query: {},
    body: null,
    patchType: null,
  });
  return answer.code === 200 ? answer.object : null;
}
