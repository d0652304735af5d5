import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CorpusRecipe } from './corpus.ts';
import { corpusBlocks } from './corpus.ts';
import { LOG_MIX, PROGRAMS } from './log-lines.ts';
import { busyNodeBlocks } from './busy-node.ts';
import { compare, median } from './measure.ts';
import { capturedLogs, repeated, startUpLines } from './program-logs.ts';
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

function firstBlocks(blocks: Iterable<Buffer>): readonly string[] {
  const texts: string[] = [];
  for (const block of blocks) if (texts.push(block.toString()) === 2) break;
  return texts;
}

test('a third of the lines of a busy node hold an anchor', () => {
  const [first = '', second] = firstBlocks(busyNodeBlocks(7));
  assert.notEqual(first, second);
  assert.deepEqual(firstBlocks(busyNodeBlocks(7)), [first, second]);
  const lines = first.trimEnd().split('\n');
  const hits = lines.filter((line) => /SyncLoop \(PLEG\)|IP pool stats/.test(line));
  assert.ok(Math.abs(lines.length / hits.length - 3) < 0.3, `one in ${lines.length / hits.length}`);
});

test('repeated logs of real programs have other times and ids', () => {
  const kubelet = capturedLogs().get('kubelet') ?? '';
  const [first = '', second = ''] = firstBlocks(repeated(kubelet, 7));
  assert.notEqual(first, second);
  assert.equal(first.length, kubelet.length);
  assert.ok(second.includes('"Starting kubelet main sync loop"'));
  const startUp = startUpLines(kubelet).trimEnd().split('\n');
  assert.ok(startUp.length > 100 && startUp.every((line) => / I\d{4} /.test(line)));
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
