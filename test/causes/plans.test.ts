import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CAUSES } from '../../src/causes/index.generated.ts';
import type { PreflightSubject } from '../../src/diagnosis/preflight.ts';
import { preflight } from '../../src/engine/preflight.ts';
import { isAsked } from './asked.ts';

const ROOT = join(import.meta.dirname, '../../src/causes');

const FORESEEN = CAUSES.filter(({ id, foresees }) => foresees === true && isAsked(id));

function foldersOf(stage: string, id: string): string {
  return join(ROOT, stage, id, 'plans');
}

type Verdict = 'found' | 'clear' | 'unknown';

/** What a plan says of one cause, over all of its groups. */
function verdictOf(subjects: readonly PreflightSubject[], id: string): Verdict {
  if (subjects.some(({ findings }) => findings.some(({ cause }) => cause === id))) return 'found';
  return subjects.every(({ clear }) => clear.includes(id)) ? 'clear' : 'unknown';
}

describe('plans of the causes, each against all causes', () => {
  for (const { id, stage } of FORESEEN) {
    for (const name of readdirSync(foldersOf(stage, id))) {
      test(`${stage}/${id}/plans/${name}`, async () => {
        const text = readFileSync(join(foldersOf(stage, id), name), 'utf8');
        const { subjects, losses } = await preflight([{ locator: 'plan.json', text }]);
        const expected = name.split('-')[0];
        assert.deepEqual(losses, []);
        assert.ok(subjects.length > 0, 'no group of nodes in this plan');
        assert.equal(verdictOf(subjects, id), expected);
        const others = subjects.flatMap(({ findings }) => findings.map(({ cause }) => cause));
        assert.deepEqual(
          others.filter((cause) => cause !== id),
          [],
          'nothing else is found in it',
        );
      });
    }
  }
});

test('every cause that plans show has a found, a clear and an unknown plan', () => {
  const missing = FORESEEN.flatMap(({ id, stage }) => {
    const folder = foldersOf(stage, id);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return (['found', 'clear', 'unknown'] as const)
      .filter((verdict) => !names.some((name) => name.startsWith(`${verdict}-`)))
      .map((verdict) => `${stage}/${id}/plans/${verdict}-….json`);
  });
  assert.deepEqual(missing, []);
});
