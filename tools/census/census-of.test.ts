import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Census,
  censusOf,
  countsOf,
  entriesOfRelease,
  faultsOf,
  verdictOf,
} from './census-of.ts';
import { parseJudgements } from './judged.ts';
import { censusPage } from './page.ts';
import { FIXTURE, fixtureFolder } from './testing.ts';

const READ = '# releases: 1.0\nfile\tagent\tnoise\t-\tread';

async function censusWith(text: string): Promise<Census> {
  return censusOf(FIXTURE, parseJudgements(text, 'agent.tsv'), fixtureFolder);
}

test('counts the variants of a message over the releases as one', async () => {
  const { entries } = await censusWith(READ);
  const joins = entries.filter(({ message }) => message.key.startsWith('node {} joins'));
  assert.deepEqual(
    joins.map(({ message }) => [...message.releases]),
    [['1.0', '1.1']],
  );
  const returned = entries.filter(({ message }) => message.key === 'joining');
  assert.equal(returned.length, 1);
});

test('fails when a release brings a message that nobody has judged', async () => {
  const census = await censusWith(READ);
  const unjudged = census.entries.filter(({ verdict }) => verdict === 'unjudged');
  assert.deepEqual(
    unjudged.map(({ message }) => message.text),
    ['the disk is full'],
  );
  assert.match(faultsOf(census, new Set()).join('\n'), /agent: 1 messages are not judged, 0 were/);
});

test('passes once the message is judged', async () => {
  const rule = 'message\tthe disk is full\tdecides\tnode-disk-full\tno room';
  const census = await censusWith(`${READ}\n${rule}`);
  assert.deepEqual(faultsOf(census, new Set(['node-disk-full'])), []);
  assert.match(faultsOf(census, new Set()).join('\n'), /unknown cause "node-disk-full"/);
});

test('passes while no more are unjudged than were', async () => {
  const census = await censusWith(`${READ}\n# unjudged: 1`);
  assert.deepEqual(faultsOf(census, new Set()), []);
});

test('names judgements that fit nothing', async () => {
  const stale = 'message\tnever printed\tnoise\t-\told\nfile\tgone\tnoise\t-\told';
  const faults = faultsOf(await censusWith(`${READ}\n# unjudged: 1\n${stale}`), new Set());
  assert.equal(faults.length, 2);
  assert.match(faults.join('\n'), /no release prints "never printed"[\s\S]*no message is in gone/);
});

test('takes a sign first, then the message, then a symptom, then the file', () => {
  const said = { judgement: 'suspect', causes: ['node-disk-full'], reason: '' } as const;
  const read = { judgement: 'noise', causes: [], reason: '' } as const;
  assert.equal(verdictOf(['node-disk-full', 'symptom:late'], said, said), 'sign');
  assert.equal(verdictOf(['symptom:late'], said, said), 'suspect');
  assert.equal(verdictOf(['symptom:late'], null, read), 'symptom');
  assert.equal(verdictOf([], null, read), 'noise');
  assert.equal(verdictOf([], null, null), 'unjudged');
});

test('takes the messages of test files for none', async () => {
  const { entries } = await censusWith(READ);
  assert.ok(entries.every(({ message }) => !message.key.includes('a test')));
});

test('writes the counts of each release onto the page', async () => {
  const census = await censusWith(READ);
  assert.equal(
    countsOf(census.entries).reduce((sum, one) => sum + one, 0),
    census.entries.length,
  );
  const newest = entriesOfRelease(census, '1.1').length;
  assert.match(censusPage([census]), new RegExp(`\\| agent \\| 1\\.1 \\| ${newest} \\| 1 \\|`));
});
