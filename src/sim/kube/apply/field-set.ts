import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';

/** Places in an object, as a tree of path elements of FieldsV1: `f:spec`, `k:{"name":"a"}`, `v:1`. */
export interface FieldSet {
  /** True when the place itself is in the set, not only places below it. */
  readonly self: boolean;
  readonly kids: ReadonlyMap<string, FieldSet>;
}

export const NOTHING: FieldSet = { self: false, kids: new Map() };
export const ITSELF: FieldSet = { self: true, kids: new Map() };

export function isNothing({ self, kids }: FieldSet): boolean {
  return !self && kids.size === 0;
}

/** Written sets nest no deeper than objects may. */
const DEPTH_MAX = 100;

export function fieldSetOf(fields: Json | undefined, depth = 0): FieldSet {
  if (!isObject(fields) || depth > DEPTH_MAX) return NOTHING;
  const kids = new Map<string, FieldSet>();
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') continue;
    const kid = fieldSetOf(value, depth + 1);
    kids.set(key, isNothing(kid) ? ITSELF : kid);
  }
  return { self: Object.hasOwn(fields, '.'), kids };
}

export function fieldsOf({ self, kids }: FieldSet): JsonObject {
  const entries = [...kids].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const inner = entries.map(([key, kid]) => [key, fieldsOfKid(kid)] as const);
  return { ...(self ? { '.': {} } : {}), ...(Object.fromEntries(inner) as JsonObject) };
}

function fieldsOfKid(kid: FieldSet): JsonObject {
  return kid.kids.size === 0 ? {} : fieldsOf(kid);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isNothing(a)) return b;
  if (isNothing(b)) return a;
  const kids = new Map(a.kids);
  for (const [key, kid] of b.kids) kids.set(key, union(kids.get(key) ?? NOTHING, kid));
  return { self: a.self || b.self, kids };
}

/** What is in `a` and not in `b`. */
export function minus(a: FieldSet, b: FieldSet): FieldSet {
  const kids = new Map<string, FieldSet>();
  for (const [key, kid] of a.kids) {
    const other = b.kids.get(key);
    const rest = other === undefined ? kid : minus(kid, other);
    if (!isNothing(rest)) kids.set(key, rest);
  }
  return { self: a.self && !b.self, kids };
}

/** What is in both. */
export function common(a: FieldSet, b: FieldSet): FieldSet {
  const kids = new Map<string, FieldSet>();
  for (const [key, kid] of a.kids) {
    const both = common(kid, b.kids.get(key) ?? NOTHING);
    if (!isNothing(both)) kids.set(key, both);
  }
  return { self: a.self && b.self, kids };
}

/** Every place in words: `.spec.containers[name="a"].image`. */
export function placesOf({ self, kids }: FieldSet, path = ''): readonly string[] {
  const inner = [...kids].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...(self ? [path] : []),
    ...inner.flatMap(([key, kid]) => placesOf(kid, path + shown(key))),
  ];
}

function shown(element: string): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('v:')) return `[=${text}]`;
  const keys = Object.entries(JSON.parse(text) as JsonObject);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}
