import { redact } from '../../../evidence/redact.ts';

const QUOTED_CHARS_MAX = 60;

/** A word of the command line in quotes, short, and without secrets: quoted, they look otherwise. */
export function quoted(text: string): string {
  return JSON.stringify(redact(text).slice(0, QUOTED_CHARS_MAX));
}
