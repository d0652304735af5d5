import { isObject, type Json, textAt } from '../../../evidence/json.ts';
import { apiVersionOf, type KubeKind } from '../kinds.ts';
import { StatusError } from '../refusal.ts';
import { schemaOf } from '../schema/schema.ts';
import type { ListSchema, Schema } from '../schema/shapes.ts';
import { wordOf } from '../word.ts';
import { goPrinted, goSyntax, goTypeOf } from '../patch/go-text.ts';

/** What does not fit is told up to here. */
const ERRORS_MAX = 100;

/**
 * What is applied must be of the types of its kind, and name no field that the kind has not; the
 * server calls anything else its own error (structured-merge-diff typed/validate).
 *
 * @throws Refusal 500
 */
export function assertTyped(kind: KubeKind, body: Json): void {
  const errors: string[] = [];
  visit(body, schemaOf(kind), '', errors);
  if (errors.length === 0) return;
  const name = `${textAt(body, 'metadata.namespace') ?? ''}/${textAt(body, 'metadata.name') ?? ''}`;
  const groupVersion = kind.group === '' ? `/${kind.version}` : apiVersionOf(kind);
  const told = errors.length === 1 ? errors.join('') : ['errors:', ...errors].join('\n  ');
  throw new StatusError({
    code: 500,
    message: `failed to create typed patch object (${name}; ${groupVersion}, Kind=${kind.kind}): ${told}`,
  });
}

function visit(value: Json, schema: Schema, path: string, errors: string[]): void {
  if (value === null || errors.length >= ERRORS_MAX) return;
  const wrong = mistyped(value, schema);
  if (wrong !== null) errors.push(`${path}: expected ${wrong}`);
  else if (schema.is === 'object' && isObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      const field = schema.fields.get(key);
      if (field !== undefined) visit(one, field, `${path}.${key}`, errors);
      else if (!schema.keepsUnknown) errors.push(`${path}.${key}: field not declared in schema`);
    }
  } else if (schema.is === 'map' && isObject(value)) {
    for (const [key, one] of Object.entries(value))
      visit(one, schema.element, `${path}.${key}`, errors);
  } else if (schema.is === 'list' && Array.isArray(value)) {
    for (const [index, one] of (value as readonly Json[]).entries())
      visit(one, schema.element, `${path}${placeIn(schema, one, index)}`, errors);
  }
}

/** Items stand where their keys say: `[name="c"]`. */
function placeIn({ type, keys }: ListSchema, item: Json, index: number): string {
  if (type === 'set') return `[=${goSyntax(item)}]`;
  if (type !== 'map' || !isObject(item)) return `[${index}]`;
  const named = keys.filter((key) => item[key] !== undefined);
  return `[${named.map((key) => `${key}=${goSyntax(item[key] ?? null)}`).join(',')}]`;
}

function mistyped(value: Json, schema: Schema): string | null {
  const got = `got &{${goPrinted(value)}}`;
  switch (schema.is) {
    case 'anything':
      return null;
    case 'scalar':
      return mistypedScalar(value, schema.code);
    case 'list':
      return Array.isArray(value) ? null : `list, ${got}`;
    default:
      return isObject(value) ? null : `map, ${got}`;
  }
}

/** Texts with a meaning of their own, and what may be a number too. */
const UNTYPED = new Set(['q', 'x', 't', 'u']);

function mistypedScalar(value: Json, code: string): string | null {
  if (UNTYPED.has(code))
    return isObject(value) || Array.isArray(value)
      ? `any scalar, got &{${goPrinted(value)}}`
      : null;
  if (code === 'i' || code === 'n')
    return typeof value === 'number' ? null : `numeric (int or float), got ${goTypeOf(value)}`;
  if (code === 'b')
    return typeof value === 'boolean' ? null : `boolean, got &{${wordOrMap(value)}}`;
  if (typeof value === 'string') return null;
  return `string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
}

function wordOrMap(value: Json): string {
  return isObject(value) || Array.isArray(value) ? goPrinted(value) : wordOf(value);
}
