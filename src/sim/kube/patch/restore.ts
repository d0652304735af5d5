import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { Refusal } from '../refusal.ts';
import type { Schema } from '../schema/shapes.ts';
import { wordOf } from '../word.ts';

/**
 * A strategic patch that puts a scalar where a map is cannot be turned back into an object.
 *
 * @throws Refusal 422
 */
export function assertRestorable(patch: JsonObject, schema: Schema): void {
  const type = scalarForMap(patch, schema);
  if (type === null) return;
  const field = 'patch';
  const message = `Invalid value: ${JSON.stringify(printed(patch))}: cannot restore map from ${type}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field }];
  throw new Refusal({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: ${field}: ${message}`,
    details: { causes },
  });
}

/** The Go type of the first scalar that stands for a map, null when none does. */
function scalarForMap(value: Json, schema: Schema): string | null {
  if (schema.is === 'map' && !isObject(value) && value !== null) return goType(value);
  if (schema.is !== 'object' || !isObject(value)) return null;
  for (const [key, one] of Object.entries(value)) {
    const field = schema.fields.get(key);
    const found = field === undefined ? null : scalarForMap(one, field);
    if (found !== null) return found;
  }
  return null;
}

function goType(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** As Go prints maps and slices: `map[a:1 b:[x y]]`. */
function printed(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(printed).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : wordOf(value);
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${pairs.map(([key, one]) => `${key}:${printed(one)}`).join(' ')}]`;
}
