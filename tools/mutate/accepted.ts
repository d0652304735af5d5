/** Survivors that were looked at and may live, each with its reason. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './instrument.ts';

const LIST = 'tools/mutate/accepted.json';

interface Accepted {
  readonly file: string;
  /** Source text of the mutant, so that it is found again on another line. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

export function acceptedIn(root: string): (mutant: Mutant) => boolean {
  const path = join(root, LIST);
  const listed: readonly Accepted[] = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : [];
  return (mutant) =>
    listed.some(
      (one) =>
        one.file === mutant.file &&
        one.original === mutant.original &&
        one.replacement === mutant.replacement,
    );
}
