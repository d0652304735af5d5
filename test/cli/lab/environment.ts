/** The environment in which a program sees a lab as it is at one moment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Surroundings } from '../../live/rollcall.ts';

const STORY_TIME = pathToFileURL(join(import.meta.dirname, 'story-time.ts')).href;

/** What the file says that people source. */
export function environmentIn(path: string): Surroundings {
  const lines = readFileSync(path, 'utf8').matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** A program's clock stands at this moment of a story, ms since the epoch. */
export function standingAt(storyMs: number): Surroundings {
  return { NODE_OPTIONS: `--import ${STORY_TIME}`, ROLLCALL_STORY_MS: String(storyMs) };
}
