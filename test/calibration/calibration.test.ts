import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { type AccuracyCase, loadCases } from '../accuracy/cases.ts';
import { TRANSFORMATIONS, type Transformation } from '../metamorphic/transformations.ts';

/** Least share of headlines that are right, by how sure they say they are. */
const RIGHT_MIN = { definite: 0.98, likely: 0.85 } as const;
type Sureness = keyof typeof RIGHT_MIN;

const AS_GIVEN: Transformation = { name: 'as given', apply: (files) => files };

/** One named headline, judged by what the people of the case found out. */
interface Judged {
  readonly variant: string;
  readonly sureness: Sureness;
  readonly isRight: boolean;
  readonly where: string;
}

async function judge(real: AccuracyCase, variant: Transformation): Promise<Judged | null> {
  const { headline } = await diagnoseTexts(variant.apply(real.files));
  if (headline === null) return null;
  assert.notEqual(headline.confidence, 'possible');
  return {
    variant: variant.name,
    sureness: headline.confidence === 'definite' ? 'definite' : 'likely',
    isRight: real.accept.includes(headline.cause),
    where: `${real.name}, ${variant.name}: ${headline.cause}`,
  };
}

async function judgeAll(cases: readonly AccuracyCase[]): Promise<readonly (Judged | null)[]> {
  const judged: (Judged | null)[] = [];
  for (const real of cases) {
    for (const variant of [AS_GIVEN, ...TRANSFORMATIONS]) judged.push(await judge(real, variant));
  }
  return judged;
}

function tableRow(name: string, named: readonly Judged[]): string {
  const cells = (['definite', 'likely'] as const).map((sureness) => {
    const ofThese = named.filter((one) => one.sureness === sureness);
    const right = ofThese.filter((one) => one.isRight).length;
    return `${right} of ${ofThese.length}`.padStart(14);
  });
  return `${name.padEnd(36)}${cells.join('')}`;
}

const judged = await judgeAll(loadCases());
const named = judged.filter((one) => one !== null);

describe('headlines of real failures, as given and changed', () => {
  for (const [sureness, least] of Object.entries(RIGHT_MIN)) {
    test(`at least ${least * 100} % of the ${sureness} ones are right`, (t) => {
      const ofThese = named.filter((one) => one.sureness === sureness);
      const wrong = ofThese.filter((one) => !one.isRight).map((one) => one.where);
      t.diagnostic(`${ofThese.length - wrong.length} of ${ofThese.length} ${sureness} are right`);
      assert.ok(ofThese.length > 0, `no headline is ${sureness}`);
      assert.ok(wrong.length <= ofThese.length * (1 - least), wrong.join('\n'));
    });
  }

  test('the table', (t) => {
    t.diagnostic(
      `${'right of named'.padEnd(36)}${'definite'.padStart(14)}${'likely'.padStart(14)}`,
    );
    for (const { name } of [AS_GIVEN, ...TRANSFORMATIONS])
      t.diagnostic(
        tableRow(
          name,
          named.filter((one) => one.variant === name),
        ),
      );
    t.diagnostic(tableRow('all', named));
    t.diagnostic(`${judged.length - named.length} of ${judged.length} piles are left unnamed`);
    assert.ok(named.length * 2 > judged.length, 'fewer than half of the piles are named');
  });
});
