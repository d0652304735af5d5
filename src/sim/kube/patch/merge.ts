import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';

/** JSON merge patch (RFC 7396); the target itself where nothing changes. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  let merged: Record<string, Json> | null = null;
  for (const [key, value] of Object.entries(patch)) {
    const was = own(before, key);
    const is = value === null ? undefined : mergePatch(was, value);
    if (is === was) continue;
    merged ??= { ...before };
    if (is === undefined) delete merged[key];
    else setOwn(merged, key, is);
  }
  return merged ?? before;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key whatever its name, `__proto__` too, as a plain value. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true });
}
