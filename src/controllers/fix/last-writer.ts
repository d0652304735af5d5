import { at, isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';

/** The last write of an object, by its managed fields. */
export interface LastWrite {
  readonly manager: string;
  /** ISO 8601; null where the server does not say. */
  readonly at: string | null;
}

/**
 * The last write of an object, or of one of its top fields where anybody has that one; null where
 * managed fields are not shown.
 */
export function lastWriteOf(
  object: JsonObject | null,
  field: string | null = null,
): LastWrite | null {
  const all = listAt(object ?? undefined, 'metadata.managedFields').filter(isObject);
  const own = all.filter((one) => field !== null && hasField(one, field));
  const writes = (own.length > 0 ? own : all)
    .map((one) => ({ manager: textAt(one, 'manager'), at: textAt(one, 'time') }))
    .toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1));
  const { manager = null, at: time = null } = writes.at(-1) ?? {};
  return manager === null ? null : { manager, at: time };
}

function hasField(writer: JsonObject, field: string): boolean {
  const fields = at(writer, 'fieldsV1');
  return isObject(fields) && Object.hasOwn(fields, `f:${field}`);
}

/** Who wrote an object last, by its managed fields; null where they are not shown. */
export function lastWriterOf(object: JsonObject | null): string | null {
  return lastWriteOf(object)?.manager ?? null;
}
