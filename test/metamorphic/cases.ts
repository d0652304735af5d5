import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExampleFile } from '../causes/example.ts';

/** Real failures kept beside a checkout in development; a checkout alone has none. */
const FOLDER = join(import.meta.dirname, '../../../shared/cases');

export interface RealCase {
  readonly name: string;
  readonly files: readonly ExampleFile[];
  readonly accept: readonly string[];
}

interface CaseFile {
  readonly id: string;
  readonly truth: { readonly accept: readonly string[] };
  readonly evidence: readonly { readonly kind: string; readonly text: string }[];
}

/** The real cases as piles of files, empty when they are not here. */
export function loadCases(): readonly RealCase[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => {
      const parsed = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as CaseFile;
      const files = parsed.evidence.map((entry, index) => ({
        name: `${index + 1}-${entry.kind}.txt`,
        text: `${entry.text}\n`,
      }));
      return { name: `case ${name.replace('.json', '')}`, files, accept: parsed.truth.accept };
    });
}
