/** The folders of `examples/` that hold the evidence of a story; they begin with its number. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const EXAMPLES = join(import.meta.dirname, '../examples');

export const STORY_FOLDERS: readonly string[] = readdirSync(EXAMPLES)
  .filter((name) => /^\d/.test(name))
  .map((name) => join(EXAMPLES, name));
