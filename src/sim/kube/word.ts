import type { Json } from '../../evidence/json.ts';

/** A value in words: texts as they are, nothing for what is absent, JSON of all else. */
export function wordOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
