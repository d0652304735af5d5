/** What people tell names nothing once they deny it: every found example of it, turned around. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNS } from '../../src/causes/index.generated.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { SignRow } from '../../src/evidence/sign-row.ts';
import { matchOf } from '../../src/readers/line/denial.ts';
import { isAsked } from './asked.ts';
import { type Example, type ExampleFile, loadExamples } from './example.ts';

const TOLD = SIGNS.filter(({ isTold }) => isTold === true);
const BY_NAME = /^(?:told|described)[A-Z]|Told$/;

const TEMPLATES: readonly ((sentence: string) => string)[] = [
  (sentence) => `It is not the case that ${sentence}.`,
  (sentence) => `We ruled out that ${sentence}.`,
  (sentence) => `Could it be that ${sentence}?`,
  (sentence) => `I wonder whether ${sentence}.`,
  (sentence) => `There is no sign that ${sentence}.`,
  (sentence) => `Is it possible that ${sentence}?`,
  (sentence) => `Is it because ${sentence}?`,
  (sentence) => `Machines come up unless ${sentence}.`,
  (sentence) => `Maybe ${sentence}.`,
  (sentence) => `Should I check that ${sentence}?`,
];

/** Each sentence of a line turned around. */
function denied(line: string, template: (sentence: string) => string): string {
  return line
    .split(/(?<=[.!?])\s+/)
    .map((sentence) => template(sentence.replace(/[.!?:]+$/, '')))
    .join(' ');
}

/** Lines of programs and rows of tables are no sentences. */
const PRINTED = /\S {2,}\S|^\s*\{"|^\s*time=|\[\d+\]: |^-A |^\s+\w+:/;

function isToldBy(rows: readonly SignRow[], line: string): boolean {
  return !PRINTED.test(line) && rows.some((row) => matchOf(row, line) !== null);
}

function changed(example: Example, change: (line: string) => string): readonly ExampleFile[] {
  const rows = TOLD.filter(({ owner }) => owner === example.cause);
  const turn = (line: string): string => (isToldBy(rows, line) ? change(line) : line);
  return example.files.map(({ name, text }) => ({
    name,
    text: text.split('\n').map(turn).join('\n'),
  }));
}

async function named(files: readonly ExampleFile[]): Promise<string | null> {
  const document = await diagnoseObservations(await readTexts(files));
  return document.headline?.cause ?? null;
}

test('signs of prose are marked as such', () => {
  const unmarked = SIGNS.filter(({ name, isTold }) => BY_NAME.test(name) && isTold !== true);
  // Lines that a client prints, whatever their names say.
  const printed = ['no-reregistration-after-deletion/toldDeleted'];
  assert.deepEqual(
    unmarked.map(({ owner, name }) => `${owner}/${name}`).filter((name) => !printed.includes(name)),
    [],
  );
});

const owners = [...new Set(TOLD.map(({ owner }) => owner).filter(isAsked))];
const examples = owners.flatMap((owner) =>
  loadExamples([owner]).filter(({ expect }) => expect === 'found'),
);

for (const example of examples) {
  const rows = TOLD.filter(({ owner }) => owner === example.cause);
  const isProse = example.files.some(({ text }) =>
    text.split('\n').some((line) => isToldBy(rows, line)),
  );
  if (!isProse) continue;
  test(`${example.cause}: ${example.name} denied names nothing`, async () => {
    // What names the cause without the prose names it with the prose denied too.
    if ((await named(changed(example, () => ''))) === example.cause) return;
    for (const template of TEMPLATES) {
      const files = changed(example, (line) => denied(line, template));
      assert.notEqual(await named(files), example.cause, files.map(({ text }) => text).join('\n'));
    }
  });
}
