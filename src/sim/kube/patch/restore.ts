import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { base64Offence } from '../rules/base64.ts';
import { StatusError } from '../refusal.ts';
import type { Schema } from '../schema/shapes.ts';
import { goPrinted, goTypeOf } from './go-text.ts';

/**
 * A strategic patch whose values are of other types cannot be turned back into an object.
 *
 * @throws Refusal 422
 */
export function assertRestorable(patch: JsonObject, schema: Schema): void {
  const why = whyNot(patch, schema);
  if (why !== null) throw unfit(goPrinted(patch), why);
}

/** A patch, or what it leads to, that is no object of its kind; the server names neither. */
export function unfit(shown: string, why: string): StatusError {
  const field = 'patch';
  const message = `Invalid value: ${JSON.stringify(shown)}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field }];
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: ${field}: ${message}`,
    details: { causes },
  });
}

/** The first value of another type, in the words of apimachinery's converter. */
function whyNot(value: Json, schema: Schema): string | null {
  if (value === null) return null;
  if (schema.is === 'scalar') return unlike(value, schema.code);
  if (schema.is !== 'map' && schema.is !== 'object') return null;
  if (!isObject(value))
    return schema.is === 'map' ? `cannot restore map from ${kindOf(value)}` : null;
  for (const [key, one] of Object.entries(value)) {
    const field = schema.is === 'map' ? schema.element : schema.fields.get(key);
    const found = field === undefined ? null : whyNot(one, field);
    if (found !== null) return found;
  }
  return null;
}

/** Texts, bytes and truth values; numbers are of several types, and other scalars read themselves. */
function unlike(value: Json, code: string): string | null {
  if (code === 'y' && typeof value === 'string') return undecodable(value);
  const type = code === 's' ? 'string' : code === 'b' ? 'bool' : null;
  const own = goTypeOf(value);
  return type === null || own === type ? null : `cannot convert ${own} to ${type}`;
}

function undecodable(text: string): string | null {
  const at = base64Offence(text);
  return at === null ? null : `error decoding from json: illegal base64 data at input byte ${at}`;
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'slice' : goTypeOf(value);
}
