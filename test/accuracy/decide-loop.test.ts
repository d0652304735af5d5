import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { causeOf } from '../../src/causes/catalogue.ts';
import { CAUSES } from '../../src/causes/index.generated.ts';
import { closedLoopPage } from '../../tools/closed-loop/page.ts';
import { formsOf } from '../../tools/closed-loop/parts.ts';
import { loadExamples } from '../causes/example.ts';
import { shareOf, tellShare } from '../share.ts';
import { namedBy, outcomeOf, readDecideLoops } from './decide-loop.ts';

const SHARES = 12;
const RECORD = 'run: node tools/decide-loop.ts --record';

const loops = readDecideLoops();

describe('forms of a command', () => {
  test('a get is asked in all forms, a filtered one in one', () => {
    const forms = formsOf('kubectl get csr').map(([form]) => form);
    assert.deepEqual(forms, ['as printed', 'wide', 'yaml', 'json']);
    assert.equal(formsOf('kubectl get csr | grep Pending').length, 1);
  });
});

test('every command that decides a cause is in the record', async () => {
  const stale: string[] = [];
  for (const entry of CAUSES) {
    const { id, decide } = causeOf(await entry.load());
    const recorded = loops.find(({ cause }) => cause === id)?.command;
    if (recorded !== decide.command) stale.push(`${RECORD} ${id}`);
  }
  assert.deepEqual(stale, []);
});

test('the page says what was recorded', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/closed-loop.md'), 'utf8');
  assert.equal(page, closedLoopPage(loops), RECORD);
});

const played = loops.filter(({ example }) => example !== null);
const chosen = shareOf(played, SHARES);

describe('what real clients printed', () => {
  for (const { cause, example, answers } of chosen) {
    test(`reads as recorded for ${cause}`, async () => {
      const files = loadExamples([cause]).find(({ name }) => name === example)?.files ?? [];
      assert.ok(files.length > 0, `${RECORD} ${cause}`);
      for (const answer of answers)
        assert.equal(
          await outcomeOf(cause, answer, files),
          answer.outcome,
          `${answer.typed}; ${RECORD} ${cause}`,
        );
    });
  }
});

/** Where the absence of the object is the cause. */
const ABSENCES: ReadonlySet<string> = new Set([
  'aws-auth-missing',
  'eks-node-manager-rbac-missing',
]);

const asked = shareOf(
  loops.filter(({ moods }) => moods.length > 0),
  SHARES,
);

describe('an answer that shows nothing', () => {
  for (const { cause, moods } of asked) {
    test(`names no other cause than an absence, where ${cause} was asked about`, async () => {
      for (const answer of moods) {
        const named = await namedBy(answer);
        assert.equal(named, answer.named, `${answer.typed}; ${RECORD} ${cause}`);
        const isAbsence = answer.mood === 'empty' && (named === null || ABSENCES.has(named));
        assert.ok(isAbsence || named === null, `${answer.typed} ${answer.mood}: ${named ?? ''}`);
      }
    });
  }
});

tellShare('answers that show nothing', asked.length, loops.length);
tellShare('commands that decide', chosen.length, played.length);
