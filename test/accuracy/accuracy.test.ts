import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accuracyPage } from '../../tools/accuracy-page.ts';
import { readPasteLosses } from '../metamorphic/pastes.ts';
import { type AccuracyCase, loadCases, loadPastes } from './cases.ts';
import { examineAll, judgeOutput, questionOf } from './examine.ts';
import {
  betterThan,
  figureLine,
  figuresOf,
  groupsOf,
  isBelow,
  outcomesOf,
  readFloors,
  stageLine,
  stagesOf,
  worseThan,
} from './figures.ts';
import { readClosedLoop } from './closed-loop.ts';
import { readFirstContacts } from './first-contact.ts';
import { LIVE_STATES } from './live/states.ts';

const ROOT = join(import.meta.dirname, '../..');
const RECORD = 'run: node tools/accuracy.ts';

const [cases, pastes, floors] = [loadCases(), loadPastes(), readFloors()];

/** One that is named, one that is not decided, one that is well, one of several files, one line. */
const BY_THE_PROGRAM = ['018', '076', '356', '758', 'p133'];

const EXAMPLES = new Set([
  '111122223333',
  '444455556666',
  '777788889999',
  '123456789012',
  // The registry of EKS.
  '602401143452',
]);

function accountsIn({ id, files }: AccuracyCase): readonly string[] {
  const text = files.map((file) => file.text).join('\n');
  return [...text.matchAll(/(?<![\w-])\d{12}(?=[:./])/g)].map(([account]) => `${id} ${account}`);
}

const judged = await examineAll();
const outcomes = outcomesOf(judged);
const worse = worseThan(floors, judged);

describe('failures that people had, and states of both APIs', () => {
  test('are never named wrongly, and healthy machines are never reported broken', () => {
    const wrong = judged.filter(({ outcome }) => outcome === 'wrong');
    assert.deepEqual(
      wrong.map(({ id, said }) => `${id}: ${said}`),
      [],
    );
  });

  for (const group of groupsOf(cases, pastes, LIVE_STATES)) {
    test(`${group.name}: as many are right, and right among the first three, as ever`, (t) => {
      const now = figuresOf(group, outcomes);
      const floor = figuresOf(group, floors.outcomes);
      t.diagnostic(figureLine(group, now));
      const ofThese = worse.filter(({ id }) => group.ids.includes(id)).map(({ text }) => text);
      for (const line of ofThese) t.diagnostic(line);
      const floorLine = `floor: ${figureLine(group, floor)}`;
      assert.ok(!isBelow(now, floor), [floorLine, ...ofThese].join('\n'));
    });
  }

  test('stand on as many right stages as ever', (t) => {
    t.diagnostic(stageLine(judged));
    assert.ok(stagesOf(judged).right >= floors.stagesRight, `floor: ${floors.stagesRight}`);
  });

  test('the floors are as high as the figures', () => {
    const better = betterThan(floors, judged).map(({ text }) => text);
    assert.deepEqual(better, [], RECORD);
    assert.ok(stagesOf(judged).right <= floors.stagesRight, RECORD);
    assert.deepEqual(
      Object.keys(floors.outcomes).toSorted(),
      judged.map(({ id }) => id).toSorted(),
      RECORD,
    );
  });

  for (const id of BY_THE_PROGRAM) {
    test(`${id} is judged the same when the program itself is run`, () => {
      const one = [...cases, ...pastes].find((other) => other.id === id);
      assert.ok(one !== undefined);
      const { argv, input } = questionOf(one);
      const run = spawnSync(join(ROOT, 'bin/rollcall'), argv, {
        input: input ?? '',
        encoding: 'utf8',
      });
      const said = { code: run.status ?? -1, out: run.stdout, err: run.stderr };
      assert.deepEqual(
        judgeOutput(one, said),
        judged.find((other) => other.id === id),
      );
    });
  }
});

describe('the cases', () => {
  test('have unique ids, evidence, and a cause or an undecided end to find', () => {
    const ids = [...cases, ...pastes, ...LIVE_STATES].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const one of cases) {
      assert.ok(
        one.files.every(({ text }) => text.trim() !== ''),
        one.name,
      );
      assert.ok(one.accept.length > 0, one.name);
      assert.ok(
        one.reject.every((cause) => !one.accept.includes(cause)),
        one.name,
      );
    }
  });

  test('hold only example account ids of AWS or their public ones', () => {
    const found = cases.flatMap(accountsIn);
    assert.ok(found.length > 0);
    assert.deepEqual(
      found.filter((line) => !EXAMPLES.has(line.slice(4))),
      [],
    );
  });

  test('docs/accuracy.md tells what was recorded', () => {
    const page = readFileSync(join(ROOT, 'docs/accuracy.md'), 'utf8');
    const records = {
      floors,
      losses: readPasteLosses(),
      contacts: readFirstContacts(),
      loop: readClosedLoop(),
    };
    assert.equal(page, accuracyPage(records, cases, pastes, LIVE_STATES), RECORD);
  });
});
