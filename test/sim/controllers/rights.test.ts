/** The controller with exactly the rights of its installation, of which one is taken away for a while. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controllerRoles, rightName, rightsOf } from '../../../src/apps/sim/controllers/rights.ts';
import { failureText, loadCauses, repeatLine } from '../../../src/apps/sim/controllers/seed-run.ts';
import { runWithout, violationsWithout } from '../../../src/apps/sim/controllers/systematic.ts';
import { shareOf, tellShare } from '../../share.ts';

const CASES_OF = 6;
const LIMIT_MS = 300_000;

await loadCauses();
const quiet = await runWithout(null);
const rights = rightsOf(controllerRoles());

test('its own rights are enough', () => {
  assert.deepEqual(quiet.violations, []);
  assert.ok(Object.keys(quiet.end?.reports ?? {}).length > 0);
});

describe('the controller says within a minute which right it lacks, and loses nothing by it', () => {
  const chosen = shareOf(rights, CASES_OF);
  tellShare('rights of the controller', chosen.length, rights.length);
  for (const right of chosen)
    test(rightName(right), { timeout: LIMIT_MS }, async () => {
      const violations = await violationsWithout(right, quiet);
      const again = repeatLine(`--without '${rightName(right)}'`);
      assert.ok(violations.length === 0, failureText(violations, again));
    });
});
