import assert from 'node:assert/strict';
import { redact } from '../redact.ts';
import { REDACTED } from './mark.ts';

/** Redacts a line in which each secret stands between `«` and `»`: these go, and all else stays. */
export function assertCut(marked: string): void {
  assert.equal(redact(marked.replace(/[«»]/g, '')), shown(marked));
}

export function shown(marked: string): string {
  return marked.replace(/«[^»]*»/g, REDACTED);
}
