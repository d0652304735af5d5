/** Stories that are played in this process, with doors through which the program looks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Play } from '../../../src/apps/lab/play.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { emptyHome, type Surroundings } from '../../live/rollcall.ts';

const STORY_TIME = pathToFileURL(join(import.meta.dirname, 'story-time.ts')).href;

/** Time that passes only as somebody sleeps: the story goes on when nobody looks at it. */
export function sleepingClock(): Clock {
  let passedMs = 0;
  return {
    nowMs: () => passedMs,
    monotonicMs: () => passedMs,
    sleep: (durationMs) => {
      passedMs += durationMs;
      return Promise.resolve();
    },
  };
}

/** What the file says that people source. */
export function environmentIn(path: string): Surroundings {
  const lines = readFileSync(path, 'utf8').matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** Where the program finds a lab, at the time of its story. */
export function surroundingsOf(
  { simulated }: Play,
  environment: Surroundings,
  folder: string,
  home: string,
): Surroundings {
  return {
    ...emptyHome(folder, home),
    ...environment,
    NODE_OPTIONS: `--import ${STORY_TIME}`,
    ROLLCALL_STORY_MS: String(simulated.kernel.nowMs()),
  };
}
