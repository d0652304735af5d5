/** `node tools/stories.ts`: plays all shipped stories and writes docs/stories.md and docs/watch.svg. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedStories } from '../src/apps/lab/load.ts';
import { storiesPage } from './stories-page.ts';
import { playStory, type Played } from './stories-play.ts';
import { watchPicture } from './watch-picture.ts';

const DOCS = join(import.meta.dirname, '../docs');

const played: Played[] = [];
for (const { name } of shippedStories()) {
  played.push(await playStory(name));
  process.stderr.write(`${name}\n`);
}
writeFileSync(join(DOCS, 'stories.md'), storiesPage(played));
writeFileSync(join(DOCS, 'watch.svg'), await watchPicture());
