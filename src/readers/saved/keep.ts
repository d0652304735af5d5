import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';

/** What was left out of a document, by kind of thing, with how often. */
export type LeftOut = Map<string, number>;

export function countLeftOut(left: LeftOut, what: string, count = 1): void {
  if (count > 0) left.set(what, (left.get(what) ?? 0) + count);
}

/**
 * What is kept of a value: all of it, the named fields of an object, each item of a list alike, or
 * what a function makes of it, which answers undefined for nothing.
 */
export type Kept = 'whole' | KeptFields | readonly [Kept] | KeptBy;

export interface KeptFields {
  readonly [field: string]: Kept;
}

export type KeptBy = (value: Json, left: LeftOut) => Json | undefined;

/** Fields that are kept as they are. */
export function fields(...names: readonly string[]): KeptFields {
  return Object.fromEntries(names.map((name) => [name, 'whole']));
}

/** The part of a value that is kept; undefined when nothing of it is, or it has another shape. */
export function keep(value: Json, kept: Kept, left: LeftOut): Json | undefined {
  if (kept === 'whole') return value;
  if (typeof kept === 'function') return kept(value, left);
  if (isItems(kept)) return keepItems(value, kept[0], left);
  return isObject(value) ? keepFields(value, kept, left) : undefined;
}

function isItems(kept: KeptFields | readonly [Kept]): kept is readonly [Kept] {
  return Array.isArray(kept);
}

function keepItems(value: Json, kept: Kept, left: LeftOut): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as readonly Json[]).flatMap((item) => {
    const clean = keep(item, kept, left);
    return clean === undefined ? [] : [clean];
  });
}

function keepFields(value: JsonObject, kept: KeptFields, left: LeftOut): JsonObject {
  const picked: Record<string, Json> = {};
  for (const [name, entry] of Object.entries(value)) {
    const own = Object.hasOwn(kept, name) ? kept[name] : undefined;
    const clean = own === undefined ? undefined : keep(entry, own, left);
    if (clean !== undefined) picked[name] = clean;
  }
  return picked;
}
