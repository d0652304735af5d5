/** Everything that one call of the controller can meet, one after another. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureText, loadCauses, repeatLine } from '../../../src/apps/sim/controllers/seed-run.ts';
import { caseName, runCase, systematicLane } from '../../../src/apps/sim/controllers/systematic.ts';
import { CALL_KINDS } from '../../../src/sim/programs/call.ts';
import { shareOf, tellShare } from '../../share.ts';

const CASES_OF = 12;

/** Hundreds of runs, beside other tests. */
const LIMIT_MS = 600_000;

await loadCauses();
const lane = await systematicLane();

test('the quiet run keeps every rule', () => {
  assert.deepEqual(lane.quiet.violations, []);
  assert.ok(Object.keys(lane.quiet.end?.reports ?? {}).length > 0);
});

describe('a run in which one call goes wrong ends as the quiet one', () => {
  const chosen = shareOf(lane.cases, CASES_OF);
  tellShare('systematic cases of the controller', chosen.length, lane.cases.length);
  for (const kind of CALL_KINDS)
    test(`each ${kind}`, { timeout: LIMIT_MS }, async () => {
      for (const one of chosen) {
        if (one.kind !== kind) continue;
        const violations = await runCase(lane, one);
        const again = repeatLine(`--case '${caseName(one)}'`);
        assert.ok(violations.length === 0, failureText(violations, again));
      }
    });
});
