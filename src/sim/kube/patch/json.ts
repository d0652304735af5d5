import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { setOwn } from './merge.ts';
import { wordOf } from '../word.ts';

/** Upstream refuses longer ones (`maxJSONPatchOperations`). */
export const OPERATIONS_MAX = 10_000;

/** Why a patch could not be applied to this object. */
export class PatchFailure extends Error {}

type Mutable = Record<string, Json> | Json[];

/** JSON patch (RFC 6902) as evanphx/json-patch applies it. @throws PatchFailure */
export function jsonPatch(target: Json, operations: readonly Json[]): Json {
  let result = target;
  for (const operation of operations) {
    if (!isObject(operation)) throw new PatchFailure('Unexpected kind: unknown');
    result = applyOne(result, operation);
  }
  return result;
}

function applyOne(target: Json, operation: JsonObject): Json {
  const [op, path] = [operation['op'], pathOf(operation, 'path')];
  const value = operation['value'] ?? null;
  switch (op) {
    case 'add':
      return changed(target, path, (parent, key) => addAt(parent, key, value));
    case 'remove':
      return changed(target, path, (parent, key) => removeAt(parent, key, wordOf(op), path));
    case 'replace':
      if (path === '') return whole(operation['value']);
      return changed(target, path, (parent, key) => replaceAt(parent, key, value));
    case 'test':
      return tested(target, path, value);
    case 'move':
    case 'copy':
      return moved(target, pathOf(operation, 'from'), path, op);
    default:
      throw new PatchFailure(`Unexpected kind: ${wordOf(op)}`);
  }
}

function pathOf(operation: JsonObject, key: string): string {
  const path = operation[key];
  if (typeof path !== 'string') throw new PatchFailure('missing value');
  return path;
}

/** Whatever precedes the first slash is ignored, as the library of the API server does. */
function keysOf(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function missing(op: string, path: string): PatchFailure {
  return new PatchFailure(
    `${op} operation does not apply: doc is missing path: ${path}: missing value`,
  );
}

/** The whole document may be replaced, but only by an object or a list. */
function whole(value: Json | undefined): Json {
  if (typeof value === 'object' && value !== null) return value;
  throw new PatchFailure('replace operation value must be object or array');
}

/** The same value with one place changed; only what leads there is copied. */
function changed(target: Json, path: string, change: (parent: Mutable, key: string) => void): Json {
  const keys = keysOf(path);
  const last = keys.at(-1);
  if (last === undefined) throw missing('replace', path);
  const walk = (value: Json | undefined, depth: number): Json => {
    if (typeof value !== 'object' || value === null) throw missing('add', path);
    const copy = copyOf(value);
    if (depth === keys.length - 1) {
      change(copy, last);
      return copy;
    }
    const key = keys[depth] ?? '';
    const inner = walk(child(copy, key), depth + 1);
    if (Array.isArray(copy)) copy[indexOf(key, copy.length)] = inner;
    else setOwn(copy, key, inner);
    return copy;
  };
  return walk(target, 0);
}

function child(parent: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(parent))
    return (parent as readonly Json[])[placeOf(key, parent.length) ?? parent.length];
  return isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

/** What `strconv.Atoi` reads. */
const INDEX = /^[+-]?\d+$/;

/** A place among so many, counted from the end when it is negative; null for none. */
function placeOf(key: string, size: number): number | null {
  if (!INDEX.test(key)) return null;
  const index = Number(key);
  const place = index < 0 ? index + size : index;
  return place >= 0 && place < size ? place : null;
}

function indexOf(key: string, size: number): number {
  const place = placeOf(key, size);
  if (place !== null) return place;
  throw new PatchFailure(`Unable to access invalid index: ${key}: invalid index referenced`);
}

function addAt(parent: Mutable, key: string, value: Json): void {
  if (!Array.isArray(parent)) setOwn(parent, key, value);
  else if (key === '-') parent.push(value);
  else parent.splice(indexOf(key, parent.length + 1), 0, value);
}

function removeAt(parent: Mutable, key: string, op: string, path: string): void {
  if (Array.isArray(parent)) parent.splice(indexOf(key, parent.length), 1);
  else if (!Object.hasOwn(parent, key))
    throw new PatchFailure(
      `${op} operation does not apply: doc is missing key: ${path}: missing value`,
    );
  else delete parent[key];
}

/** In an object it may be new, unlike in RFC 6902: the library of the API server lets it pass. */
function replaceAt(parent: Mutable, key: string, value: Json): void {
  if (Array.isArray(parent)) parent[indexOf(key, parent.length)] = value;
  else setOwn(parent, key, value);
}

/**
 * The value at a path; undefined for a key that its object lacks.
 * @throws PatchFailure where nothing can hold the last key
 */
function valueAt(target: Json, path: string, op: string): Json | undefined {
  const keys = keysOf(path);
  const last = keys.at(-1);
  let parent: Json | undefined = target;
  for (const key of keys.slice(0, -1)) parent = child(parent, key);
  if (last === undefined || typeof parent !== 'object' || parent === null) throw missing(op, path);
  if (!Array.isArray(parent)) return child(parent, last);
  return (parent as readonly Json[])[indexOf(last, parent.length)];
}

function tested(target: Json, path: string, value: Json): Json {
  const found = path === '' ? target : valueAt(target, path, 'test');
  if (isEqual(found ?? null, value)) return target;
  throw new PatchFailure(`testing value ${path} failed: test failed`);
}

function moved(target: Json, from: string, path: string, op: string): Json {
  // A copy of what an object lacks is null, unlike in RFC 6902: the library lets it pass.
  const value = valueAt(target, from, op) ?? null;
  const rest =
    op === 'copy'
      ? target
      : changed(target, from, (parent, key) => removeAt(parent, key, op, from));
  return changed(rest, path, (parent, key) => addAt(parent, key, value));
}

function copyOf(value: JsonObject | readonly Json[]): Mutable {
  return Array.isArray(value) ? [...(value as readonly Json[])] : { ...(value as JsonObject) };
}
