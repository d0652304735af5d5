/** What somebody wants to do, as authorizers see it. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  /** Of a request for no resource, such as `/metrics`; null for all others. */
  readonly path: string | null;
  /** Of a list or a watch. */
  readonly fieldSelector: string;
}

export interface Decision {
  readonly isAllowed: boolean;
  /** Why, in the words of the authorizer; empty when it has none. */
  readonly reason: string;
}

/** As callers outside of this folder ask. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string | null;
  readonly name?: string | null;
  readonly namespace?: string | null;
  readonly nonResourcePath?: string;
}

export function attributesOf(asked: AccessQuestion): Attributes {
  return {
    verb: asked.verb,
    group: asked.group ?? '',
    resource: asked.resource ?? '',
    subresource: asked.subresource || null,
    namespace: asked.namespace || null,
    name: asked.name || null,
    path: asked.nonResourcePath ?? null,
    fieldSelector: '',
  };
}
