/** Values as Go prints them in messages. */
import { isObject, type Json } from '../../../evidence/json.ts';
import { wordOf } from '../word.ts';

function byKey([a]: readonly [string, Json], [b]: readonly [string, Json]): number {
  return a < b ? -1 : 1;
}

/** `%v`, with maps and slices as `map[a:1 b:[x y]]`. */
export function goPrinted(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(goPrinted).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : wordOf(value);
  const pairs = Object.entries(value).toSorted(byKey);
  return `map[${pairs.map(([key, one]) => `${key}:${goPrinted(one)}`).join(' ')}]`;
}

/** `%#v`: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json): string {
  if (Array.isArray(value))
    return `[]interface {}{${(value as readonly Json[]).map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value);
  const pairs = Object.entries(value).toSorted(byKey);
  const entries = pairs.map(([key, one]) => `${JSON.stringify(key)}:${goSyntax(one)}`);
  return `map[string]interface {}{${entries.join(', ')}}`;
}

/** `%T` of a value that came as JSON. */
export function goTypeOf(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
