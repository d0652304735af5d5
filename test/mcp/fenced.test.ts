/** Whatever a line of evidence says, an order in it stays in untrusted fields: all examples of all causes. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bounded } from '../../src/apps/mcp/bounded.ts';
import { diagnosisToolAnswer } from '../../src/apps/mcp/diagnosis-answer.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { shareOf, tellShare } from '../share.ts';
import { ROOT, trustedIn } from './client.ts';

const ORDER = 'zyx obeythis wvu abandon ponm';
/** A single word of it may be taken for a name. */
const FENCED = /zyx obeythis|obeythis wvu|wvu abandon|abandon ponm/;

/** The order behind each line, behind each colon of it, or at the start of each quotation. */
const PLANTINGS: readonly (readonly [string, (line: string) => string])[] = [
  ['behind lines', (line) => `${line} ${ORDER}`],
  ['behind colons', (line) => line.replaceAll(': ', `: ${ORDER} `)],
  ['in quotations', (line) => line.replaceAll('="', `="${ORDER} `)],
];

async function answered(name: string, text: string): Promise<string> {
  const answer = await diagnosisToolAnswer(await diagnoseTexts([{ name, text }]));
  return JSON.stringify(trustedIn(bounded(answer, 30_000).value));
}

const SHARES_OF = 8;
const PATHS = globSync('src/causes/*/*/examples/{found,unknown}-*.txt', { cwd: ROOT }).toSorted();
const SHARE = shareOf(PATHS, SHARES_OF);
tellShare('examples with orders in them', SHARE.length, PATHS.length);

for (const [where, plant] of PLANTINGS)
  test(`an order ${where} of every example`, async () => {
    let named = 0;
    for (const path of SHARE) {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
      const text = lines.map(plant).join('\n');
      const trusted = await answered(path, text);
      const found = FENCED.exec(trusted);
      assert.equal(found?.input.slice(found.index - 200, found.index + 100), undefined, path);
      if (trusted.includes('"headline":{')) named++;
    }
    assert.ok(named * 5 > SHARE.length, `${named} examples named a cause`);
  });
