import type { Json } from '../../../evidence/json.ts';
import { excerptOf, redactValue } from '../../../evidence/redact.ts';

const CHARS_MAX = 80;

/** What a sentence quotes of a value; without secrets before that, as escapes hide their form. */
export function shown(value: Json): string {
  return excerptOf(JSON.stringify(redactValue(value)), CHARS_MAX);
}

/** A key of a document, which may be anything, as a sentence names it. */
export function shownKey(key: string): string {
  return excerptOf(key, CHARS_MAX);
}
