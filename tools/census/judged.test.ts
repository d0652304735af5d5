import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgedByFile, parseJudgements } from './judged.ts';
import type { Message } from './known-messages.ts';

const TEXT = [
  '# releases: 1.0, 1.1',
  '# unjudged: 3',
  'message\tThe disk is %d full\tsuspect\tnode-disk-full\tthe disk',
  'file\tpkg\tnoise\t-\tbookkeeping',
  'file\tpkg/join\tconsequence\t-\twraps what failed',
].join('\n');

function message(given: Partial<Record<'key' | 'file' | 'release', string>>): Message {
  const { key = 'gone', file = 'pkg/a.go', release = '1.0' } = given;
  return {
    key,
    text: key,
    levels: new Set(['error'] as const),
    files: new Set(file.split(' ')),
    releases: new Set([release]),
  };
}

const judgements = parseJudgements(TEXT, 'agent.tsv');

test('reads the head', () => {
  assert.deepEqual([...judgements.releases], ['1.0', '1.1']);
  assert.equal(judgements.unjudgedMax, 3);
});

test('folds the message that a judgement names', () => {
  assert.deepEqual(judgements.byMessage.get('the disk is {} full')?.causes, ['node-disk-full']);
});

test('takes the judgement of the innermost folder', () => {
  assert.equal(judgedByFile(judgements, message({}))?.judgement, 'noise');
  const inner = judgedByFile(judgements, message({ file: 'pkg/join/a.go' }));
  assert.equal(inner?.judgement, 'consequence');
});

test('takes the stronger judgement of two files, and none when one is not judged', () => {
  const both = judgedByFile(judgements, message({ file: 'pkg/a.go pkg/join/a.go' }));
  assert.equal(both?.judgement, 'consequence');
  assert.equal(judgedByFile(judgements, message({ file: 'pkg/a.go cmd/a.go' })), null);
});

test('does not judge what only a later release prints', () => {
  assert.equal(judgedByFile(judgements, message({ release: '1.2' })), null);
});

test('refuses a line of another form and names it', () => {
  assert.throws(() => parseJudgements('folder\ta\tnoise\t-\tb', 'x.tsv'), /x\.tsv:1: .*folder/);
  assert.throws(() => parseJudgements('\nfile\ta\tgood\t-\tb', 'x.tsv'), /x\.tsv:2: .*"good"/);
  assert.throws(() => parseJudgements('message\ta\tdecides\t-\tb', 'x.tsv'), /names no cause/);
});
