/** Mistakes that are put into the controller's ports on purpose, each caught by its rule. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONTROLLER_BUGS } from '../../../src/apps/sim/controllers/planted.ts';
import { caughtBy, loadCauses, PLANTED_RUNS } from '../../../src/apps/sim/controllers/seed-run.ts';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { PLANTED_KINDS } from '../../../src/sim/planted/list.ts';

await loadCauses();

test('there is a run for every bug that can be planted in a controller', () => {
  assert.deepEqual(
    PLANTED_RUNS.map(({ id }) => id),
    CONTROLLER_BUGS.map(({ id }) => id),
  );
});

test('bugs and what catches them are in the lists', () => {
  const rules = new Set([...SAFETY, ...LIVENESS].map(({ id }) => id));
  const kinds = new Set(PLANTED_KINDS.map(({ id }) => id));
  for (const bug of CONTROLLER_BUGS) {
    assert.ok(kinds.has(bug.id), bug.id);
    for (const rule of bug.caughtBy) assert.ok(rules.has(rule), rule);
  }
});

describe('a bug planted in a controller is caught', () => {
  for (const planted of PLANTED_RUNS)
    test(planted.id, async () => {
      const found = await caughtBy(planted);
      assert.ok(found !== null, `${planted.id} is not caught in ${planted.run}`);
    });
});
