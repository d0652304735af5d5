import type { Json } from '../evidence/json.ts';
import { redactShared } from '../evidence/redact.ts';

/** Gives an equal value that was seen before, else the value itself. Nobody may change either. */
export type Share = <T extends Json>(value: T) => T;

/** Distinct values remembered; workloads of one cluster have far fewer templates. */
const SHARED_MAX = 20_000;
/** Longer ones are seldom met twice, and finding out costs. */
const SHARED_CHARACTERS_MAX = 16_384;

/**
 * Keeps equal parts of many objects once, without secrets: pods of one workload differ in names and
 * times only.
 */
export function createShare(): Share {
  const known = new Map<string, Json>();
  return <T extends Json>(value: T): T => {
    const text = JSON.stringify(value);
    const first = known.get(text);
    if (first !== undefined) return first as T;
    if (text.length > SHARED_CHARACTERS_MAX) return value;
    if (known.size >= SHARED_MAX) known.clear();
    const clean = redactShared(value);
    known.set(text, clean);
    return clean;
  };
}
