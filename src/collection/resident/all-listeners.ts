import { isObject, type JsonObject } from '../../evidence/json.ts';
import type { ResidentListener } from './listener.ts';

/** What each of them keeps of one object. */
function partsOf(
  listeners: readonly ResidentListener[],
  kind: string,
  object: JsonObject,
): JsonObject | null {
  const parts = listeners.flatMap((listener, index) => {
    const kept = listener.keep(kind, object);
    return kept === null ? [] : [[String(index), kept] as const];
  });
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

/** Several listeners as one; each hears only of what it keeps. */
export function allListeners(listeners: readonly ResidentListener[]): ResidentListener {
  return {
    keep: (kind, object) => partsOf(listeners, kind, object),
    came(kind, key, kept) {
      for (const [index, listener] of listeners.entries()) {
        const part = kept[String(index)];
        if (isObject(part)) listener.came(kind, key, part);
      }
    },
    went: (kind, key) => listeners.forEach((listener) => listener.went(kind, key)),
    round: (documents) => listeners.forEach((listener) => listener.round(documents)),
    reported: (news) => listeners.forEach((listener) => listener.reported(news)),
  };
}
