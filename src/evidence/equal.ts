import { isObject, type Json } from './json.ts';

/** True when two values would be the same JSON, whatever the order of keys. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return areEqual(a as readonly Json[], b as readonly Json[]);
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

function areEqual(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((value, index) => isEqual(value, b[index]));
}

/** True when both hold the very same things in the same order. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** True when both hold the very same things, in whatever order. */
export function isSameSet(one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): boolean {
  return one === other || (one.size === other.size && one.isSubsetOf(other));
}
