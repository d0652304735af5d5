/** `node tools/stories.ts`: plays all shipped stories and writes docs/stories.md. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedStories } from '../src/apps/lab/load.ts';
import { storiesPage } from './stories-page.ts';
import { playStory, type Played } from './stories-play.ts';

const PAGE = join(import.meta.dirname, '../docs/stories.md');

const played: Played[] = [];
for (const { name } of shippedStories()) {
  played.push(await playStory(name));
  process.stderr.write(`${name}\n`);
}
writeFileSync(PAGE, storiesPage(played));
