/** Findings of plans as SARIF 2.1.0, judged by its own schema. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sarifOf } from '../../src/apps/cli/pages/preflight-sarif.ts';
import { preflight } from '../../src/engine/preflight.ts';
import { shareOf, tellShare } from '../share.ts';
import { planFiles } from './provider-schema.ts';
import { sarifJudge } from './sarif-schema.ts';

const FOUND =
  'src/causes/authenticated/aws-auth-missing/plans/found-self-managed-without-mapping.json';
const UNKNOWN =
  'src/causes/authenticated/aws-auth-missing/plans/unknown-cluster-of-another-stack.json';
const refusedIn = sarifJudge();

interface Located {
  readonly artifactLocation: { readonly uri: string };
}

interface Result {
  readonly locations: readonly { readonly physicalLocation: Located }[];
}

interface Log {
  readonly runs: readonly { readonly results: readonly Result[] }[];
}

/** As a reader of the printed document gets it. */
async function logOf(
  ...plans: readonly (readonly [locator: string, text: string])[]
): Promise<Log> {
  const document = await preflight(plans.map(([locator, text]) => ({ locator, text })));
  return JSON.parse(JSON.stringify(sarifOf(document))) as Log;
}

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
}

describe('SARIF of plans has the form of its schema', () => {
  const all = planFiles();
  const files = shareOf(all, 8);
  tellShare('plans as SARIF', files.length, all.length);

  test('for each plan that the causes show', async () => {
    assert.ok(files.length > 10);
    for (const file of files)
      assert.deepEqual(refusedIn(await logOf([file, textOf(file)])), [], file);
  });

  test('for findings, open questions and a file that cannot be read in one document', async () => {
    const log = await logOf(
      ['found.json', textOf(FOUND)],
      ['unknown.json', textOf(UNKNOWN)],
      ['future.json', '{"format_version":"9.0"}'],
    );
    assert.deepEqual(refusedIn(log), []);
    assert.equal(log.runs[0]?.results.length, 1);
  });

  for (const [name, uri] of [
    ['-', 'stdin'],
    ['plans/prod east.json', 'plans/prod%20east.json'],
    ['plans/#1?.json', 'plans/%231%3F.json'],
    ['prod:east.json', 'prod%3Aeast.json'],
    ['plans/100%/ü[1]\n"<x>.json', 'plans/100%25/%C3%BC%5B1%5D%0A%22%3Cx%3E.json'],
  ] as const)
    test(`for a plan that is called ${JSON.stringify(name)}`, async () => {
      const log = await logOf([name, textOf(FOUND)]);
      assert.deepEqual(refusedIn(log), []);
      const [result] = log.runs[0]?.results ?? [];
      assert.equal(result?.locations[0]?.physicalLocation.artifactLocation.uri, uri);
    });
});

/** A document with one thing in it that SARIF does not allow. */
const WRONG: readonly (readonly [why: string, from: string, to: string])[] = [
  ['a level of another language', '"level":"warning"', '"level":"likely"'],
  ['a line before the first', '"startLine":1', '"startLine":0'],
  ['an address with a blank', '"uri":"found.json"', '"uri":"found one.json"'],
  ['a property that nobody knows', '"ruleIndex":', '"rule":'],
  ['a message without text', '"message":{"text":', '"message":{"words":'],
  ['another version', '"version":"2.1.0"', '"version":"2.0.0"'],
  ['an invocation that does not say how it ended', '"executionSuccessful":true,', ''],
  ['a tool without a name', '"name":"rollcall",', ''],
];

describe('the schema refuses', () => {
  for (const [why, from, to] of WRONG)
    test(why, async () => {
      const text = JSON.stringify(await logOf(['found.json', textOf(FOUND)]));
      assert.ok(text.includes(from), text);
      assert.notDeepEqual(refusedIn(JSON.parse(text.replace(from, to))), []);
    });
});
