/** What is read of each pile, as it is recorded beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTexts } from '../../src/engine/pile.ts';
import { structured } from '../../src/apps/cli/structured.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import type { Recorded } from '../accuracy/answers.ts';

const PILES = join(import.meta.dirname, 'piles');

export function pileNames(): readonly string[] {
  return readdirSync(PILES).filter((name) => !name.endsWith('.read'));
}

/** Facts first, since most of what a reader does is in them. */
function plain({ facts, links, hits, documents, listings, losses }: Observations): object {
  return { facts, links, hits, documents, listings, losses };
}

export async function readingOf(name: string): Promise<Recorded> {
  const path = join(PILES, name);
  const observations = await readTexts([{ name, text: readFileSync(path, 'utf8') }]);
  return { name, path: `${path}.read`, text: await structured(plain(observations), 'yaml') };
}
