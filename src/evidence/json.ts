/** Any JSON value as read from an answer or a manifest; never trusted to have a shape. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Paths are words of this program, few of them and asked millions of times. */
const PATHS_MAX = 2000;
const KEYS = new Map<string, readonly string[]>();

function keysOf(path: string): readonly string[] {
  const known = KEYS.get(path);
  if (known !== undefined) return known;
  const keys = path.split('.');
  if (KEYS.size < PATHS_MAX) KEYS.set(path, keys);
  return keys;
}

/** The value at a dotted path (`status.conditions`), undefined when any step is missing. */
export function at(value: Json | undefined, path: string): Json | undefined {
  let here: Json | undefined = value;
  const keys = keysOf(path);
  // By index: an iterator makes an object for each step, millions of times.
  for (let step = 0; step < keys.length; step++) {
    const key = keys[step] ?? '';
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

/** Text at a path; numbers and booleans as printed, null for anything else. */
export function textAt(value: Json | undefined, path: string): string | null {
  const found = at(value, path);
  if (typeof found === 'string') return found;
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : null;
}

/** The list at a path, empty when there is none. */
export function listAt(value: Json | undefined, path: string): readonly Json[] {
  const found = at(value, path);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** The string-valued entries of an object at a path, such as labels. */
export function textsAt(value: Json | undefined, path: string): Readonly<Record<string, string>> {
  const found = at(value, path);
  if (!isObject(found)) return {};
  const texts: [string, string][] = [];
  for (const [key, entry] of Object.entries(found)) {
    if (typeof entry === 'string') texts.push([key, entry]);
  }
  return Object.fromEntries(texts);
}
