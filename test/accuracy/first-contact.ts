import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A group of questions that had no part in the making, scored before anything was mended for it. */
export interface FirstContact {
  readonly group: number;
  readonly kind: string;
  readonly date: string;
  readonly commit: string;
  readonly asked: number;
  readonly decidable: number;
  readonly right: number;
  readonly firstThree: number;
  /** Among all that were asked. */
  readonly wrong: number;
}

/** What each group came to, recorded once. */
export function readFirstContacts(): readonly FirstContact[] {
  const path = join(import.meta.dirname, 'first-contact.json');
  return JSON.parse(readFileSync(path, 'utf8')) as readonly FirstContact[];
}
