import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { loadCases } from '../accuracy/cases.ts';
import { ASKED } from '../causes/asked.ts';
import { type ExampleFile, loadExamples } from '../causes/example.ts';
import { shareOf, tellShare } from '../share.ts';
import { healthyJournal } from './healthy-log.ts';
import { TRANSFORMATIONS } from './transformations.ts';

/**
 * Piles, transformations of a pile, and piles beside healthy lines, of which one runs in a share.
 * The first two have no common divisor, so that each pile meets each transformation in some turn.
 */
const PILE_OF = 3;
const TRANSFORMATION_OF = 8;
const HEALTHY_OF = 8;

/** Cases are few and of all shapes; of 1,300 examples each thousand lines cost half a minute. */
function healthyLinesBeside({ name }: Pile): number {
  return name.startsWith('case ') ? 10_000 : 1000;
}

async function headlineOf(files: readonly ExampleFile[]): Promise<string | null> {
  return (await diagnoseTexts(files)).headline?.cause ?? null;
}

interface Pile {
  readonly name: string;
  readonly files: readonly ExampleFile[];
}

const piles: readonly Pile[] = [
  ...loadExamples(ASKED).map((example) => ({
    name: `${example.cause}/${example.name}`,
    files: example.files,
  })),
  ...(ASKED.length === 0 ? loadCases() : []).map(({ name, files }) => ({
    name: `case ${name}`,
    files,
  })),
];

test('any four changes in a row are of four families, as CI runs them', () => {
  const families = TRANSFORMATIONS.map(({ family }) => family);
  for (let first = 0; first < TRANSFORMATION_OF; first++) {
    const turn = [0, 1, 2, 3].map((next) => families[(first + next) % TRANSFORMATION_OF]);
    assert.equal(new Set(turn).size, 4, turn.join(', '));
  }
});

describe('changes of the evidence that must not change the headline', () => {
  let ran = 0;
  for (const [index, pile] of shareOf([...piles.entries()], PILE_OF)) {
    const applied = shareOf(TRANSFORMATIONS, TRANSFORMATION_OF, index);
    ran += applied.length;
    test(pile.name, async () => {
      const expected = await headlineOf(pile.files);
      const outcomes: Record<string, string | null> = {};
      for (const { name, apply } of applied) outcomes[name] = await headlineOf(apply(pile.files));
      const same = Object.fromEntries(applied.map(({ name }) => [name, expected]));
      assert.deepEqual(outcomes, same);
    });
  }
  tellShare('changes of examples and cases', ran, piles.length * TRANSFORMATIONS.length);
});

function hostIn(files: readonly ExampleFile[]): string | null {
  return (
    /^[A-Z][a-z]{2} +\d{1,2} [\d:]{8} (ip-\S+) kubelet\[/m.exec(
      files.map((file) => file.text).join('\n'),
    )?.[1] ?? null
  );
}

const OTHER_HOST = 'ip-10-250-99-7.ec2.internal';

describe('thousands of healthy lines beside the evidence', () => {
  const found = piles.filter(({ name }) => name.startsWith('case ') || name.includes('/found-'));
  const beside = shareOf(found, HEALTHY_OF);
  tellShare('piles beside healthy lines', beside.length, found.length);
  for (const pile of beside) {
    const count = healthyLinesBeside(pile);
    test(`${pile.name}: of another machine`, async () => {
      const text = healthyJournal(OTHER_HOST, OTHER_HOST, count);
      const other: ExampleFile = { name: 'healthy.log', text };
      assert.equal(await headlineOf([...pile.files, other]), await headlineOf(pile.files));
    });

    const host = hostIn(pile.files);
    if (host === null) continue;
    test(`${pile.name}: of the same machine from before the failure`, async () => {
      const withPast = pile.files.map((file) =>
        file.text.includes(` ${host} kubelet[`)
          ? { name: file.name, text: healthyJournal(host, host, count) + file.text }
          : file,
      );
      assert.equal(await headlineOf(withPast), await headlineOf(pile.files));
    });
  }
});
