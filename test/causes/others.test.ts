/** The causes that were asked about, against the examples of all others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOf } from '../../src/causes/catalogue.ts';
import { CAUSES } from '../../src/causes/index.generated.ts';
import type { Cause } from '../../src/diagnosis/cause.ts';
import { evaluate } from '../../src/diagnosis/evaluate.ts';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { ASKED, isAsked } from './asked.ts';
import { type Example, loadExamples } from './example.ts';
import { judgeExample } from './judge.ts';

/** Without a choice of causes, examples.test.ts judges every example against all of them. */
const others = ASKED.length === 0 ? [] : loadExamples().filter(({ cause }) => !isAsked(cause));

async function askedCauses(): Promise<readonly Cause[]> {
  const entries = CAUSES.filter(({ id }) => ASKED.includes(id));
  return Promise.all(entries.map(async (entry) => causeOf(await entry.load())));
}

/** Whether one of the causes is found in the example, and so may change what is said of it. */
async function isTouched({ files, instead }: Example, causes: readonly Cause[]): Promise<boolean> {
  if (instead !== null && ASKED.includes(instead)) return true;
  const observations = await readTexts(files);
  const subjects = assembleSubjects(observations);
  return subjects.some((subject) =>
    causes.some(
      (cause) => evaluate(cause, subject, observations, subjects).match.verdict === 'found',
    ),
  );
}

test('examples of other causes end as their names say', { timeout: 300_000 }, async () => {
  const causes = await askedCauses();
  const wrong: string[] = [];
  for (const example of others) {
    if (!(await isTouched(example, causes))) continue;
    const faults = await judgeExample(example);
    wrong.push(...faults.map((fault) => `${example.cause}/${example.name}: ${fault}`));
  }
  assert.deepEqual(wrong, []);
});
