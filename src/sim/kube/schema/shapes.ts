export type ListType = 'atomic' | 'set' | 'map';

/** What may stand at one place of an object, and how patches and appliers treat it. */
export type Schema =
  | { readonly is: 'scalar'; readonly code: string }
  | { readonly is: 'anything' }
  | ObjectSchema
  | { readonly is: 'map'; readonly element: Schema; readonly isAtomic: boolean }
  | ListSchema;

export interface ObjectSchema {
  readonly is: 'object';
  /** Name of its definition, for messages; empty in a CustomResourceDefinition. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Schema>;
  readonly isAtomic: boolean;
  /** A strategic patch may say which keys stay (`$retainKeys`). */
  readonly retainsKeys: boolean;
  /** Fields without a schema are kept. */
  readonly keepsUnknown: boolean;
}

export interface ListSchema {
  readonly is: 'list';
  readonly element: Schema;
  readonly type: ListType;
  /** Of a `map`. */
  readonly keys: readonly string[];
  /** A strategic patch merges instead of replacing. */
  readonly merges: boolean;
  /** Null where the merged values are scalars. */
  readonly mergeKey: string | null;
}

export const ANYTHING: Schema = { is: 'anything' };
