import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadScenario, shippedStories } from '../../../src/apps/lab/load.ts';
import { firstSign, mainCause, storySection } from '../../../tools/stories-page.ts';
import { playStory } from '../../../tools/stories-play.ts';
import { watchPicture } from '../../../tools/watch-picture.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const PAGE = readFileSync(join(DOCS, 'stories.md'), 'utf8');
const STALE = 'docs/stories.md is stale; run: node tools/stories.ts';

describe('the page of the stories', () => {
  test('has every story with its seed, and with what helps', () => {
    for (const { name, title } of shippedStories()) {
      const { seed, helps } = loadScenario(name);
      assert.ok(PAGE.includes(`## ${title}\n\n\`rollcall lab ${name}\` (seed ${seed}).`), STALE);
      assert.ok(helps === '' || PAGE.includes(`What helps: ${helps}`), STALE);
    }
  });

  test('says of no story that it did not end as it should', () => {
    assert.doesNotMatch(PAGE, /of its expectations are not met/);
  });

  test('is what happens when the story of wrong identities is played', async () => {
    const played = await playStory('said-it-was-ready');
    assert.ok((played.identity?.nodeRoleSeconds ?? 0) > 60);
    assert.ok((played.identity?.requestsLost ?? 0) > 0);
    assert.ok(PAGE.includes(storySection(played)), STALE);
  });

  test('is what happens when the story of the node that was gone is played', async () => {
    const played = await playStory('joined-and-was-gone');
    assert.match(firstSign(played)?.text ?? '', /DeletingNode/);
    assert.equal(mainCause(played)?.cause, 'node-deleted-as-not-in-cloud');
    assert.deepEqual(played.unmet, []);
    const said = played.lines.map(({ text }) => text);
    assert.deepEqual(
      said.filter((text) => /not-ready and not-ready/.test(text)),
      [],
    );
    assert.ok(said.some((text) => text.includes('the shell loop')));
    assert.ok(PAGE.includes(storySection(played)), STALE);
  });
});

test('the picture of a watch is what a terminal shows while the story is played', async () => {
  const shown = await watchPicture();
  assert.match(shown, /not-usable/);
  assert.equal(shown, readFileSync(join(DOCS, 'watch.svg'), 'utf8'), STALE);
});
