import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CorpusRecipe } from './corpus.ts';
import { corpusBlocks } from './corpus.ts';
import { LOG_MIX, PROGRAMS } from './log-lines.ts';
import { compare, median } from './measure.ts';
import { markdownTable, skipped } from './table.ts';

const ANCHORS = ['Unable to register node', 'no "cluster" found'];
const RECIPE: CorpusRecipe = { seed: 7, mix: LOG_MIX, anchors: ANCHORS, linesPerHit: 20 };

function corpus(bytes: number, recipe: CorpusRecipe): string {
  return Buffer.concat([...corpusBlocks(bytes, recipe)]).toString();
}

test('a corpus is the same for the same seed and another for another', () => {
  const text = corpus(300_000, RECIPE);
  assert.equal(corpus(300_000, RECIPE), text);
  assert.notEqual(corpus(300_000, { ...RECIPE, seed: 8 }), text);
  assert.ok(text.length >= 300_000 && text.length < 301_000);
  assert.ok(text.endsWith('\n'));
});

test('about one line in the wanted number has an anchor, plain or escaped', () => {
  const lines = corpus(2_000_000, RECIPE).trimEnd().split('\n');
  const hits = lines.filter((line) => /Unable to register node|no \\?"cluster/.test(line));
  assert.ok(Math.abs(lines.length / hits.length - 20) < 3, `one in ${lines.length / hits.length}`);
});

test('every program writes single lines of a length that logs have', () => {
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const lines = corpus(100_000, { ...RECIPE, mix: [program] })
      .trimEnd()
      .split('\n');
    const mean = 100_000 / lines.length;
    assert.ok(mean > 150 && mean < 400, `${name}: ${mean} bytes a line`);
  }
});

test('a comparison takes the middle of the rounds, without the first', async () => {
  const values = [100, 1, 2, 9];
  const ours = (): Promise<number> => Promise.resolve(values.shift() ?? 0);
  const result = await compare(3, ours, () => Promise.resolve(4));
  assert.deepEqual(result, { ours: 2, reference: 4, ratio: 0.5 });
  assert.equal(median([3, 1, 2]), 2);
});

test('a table shows why a measurement was skipped', () => {
  const table = markdownTable([skipped('scan', '9 MB/s', 'there is no reference')]);
  assert.match(table, /\| scan \| 9 MB\/s \| SKIPPED: there is no reference \|/);
});
