/** The keeper of aws-auth in a simulated cluster: rules hold whatever goes wrong. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { DEEDS_OF, type Fate } from '../../../src/sim/programs/call.ts';
import { shareOf, tellShare } from '../../share.ts';
import { AUTH_BUGS } from './bugs.ts';
import { authOfSeed, type AuthResult, MOVES, quietAuth } from './plan.ts';
import { AUTH_SIM_RULES } from './rules.ts';
import { playAuth } from './world.ts';

const SEEDS = 48;
const SHARES = 4;
const LIMIT = { timeout: 600_000 };

let quiet: AuthResult;
before(async () => {
  quiet = await playAuth(quietAuth());
}, LIMIT);

test('a mapping that was overwritten is restored once, and each rule is looked at', () => {
  assert.deepEqual(quiet.violations, []);
  assert.deepEqual([...quiet.evaluations.keys()].toSorted(), [...AUTH_SIM_RULES]);
  assert.equal(quiet.restorations, 1);
  const known = new Set([...SAFETY, ...LIVENESS].map(({ id }) => id));
  for (const rule of AUTH_SIM_RULES) assert.ok(known.has(rule), rule);
});

for (const [move, restorations] of [
  ['delete', 1],
  ['break', 0],
  ['remap', 0],
  ['add', 0],
  ['replace', 0],
] as const)
  test(`after ${move} it is restored ${restorations} times`, async () => {
    const moves = [{ atMs: 300_000, move }];
    const result = await playAuth(quietAuth({ moves, restores: false }));
    assert.deepEqual([result.violations, result.restorations], [[], restorations]);
    assert.ok(MOVES.includes(move));
  });

test('I-35: nothing is written in a dry run', async () => {
  const { violations, restorations } = await playAuth(quietAuth({ isDryRun: true }));
  assert.deepEqual([violations, restorations], [[], 0]);
});

test('each call around a restoration may go wrong in every way', LIMIT, async () => {
  const first = quiet.calls.findIndex(({ what }) => what === 'patch configmaps aws-auth');
  const around = quiet.calls.slice(Math.max(0, first - 6), first + 4);
  const all = around.flatMap((call) => DEEDS_OF[call.kind].map((deed) => ({ call, deed })));
  const chosen = shareOf(all, SHARES);
  tellShare('calls of the keeper of aws-auth that go wrong', chosen.length, all.length);
  assert.ok(first > 0 && all.length > 20, `${first} ${all.length}`);
  for (const { call, deed } of chosen) {
    const fate: Fate = ({ kind, ordinal }) =>
      kind === call.kind && ordinal === call.ordinal ? deed : null;
    const { violations } = await playAuth(quietAuth({ fate, restores: false }));
    assert.deepEqual(violations, [], `${call.kind} ${call.ordinal} ${call.what}: ${deed}`);
  }
});

test('the rules hold under the faults of seeds', LIMIT, async () => {
  const all = Array.from({ length: SEEDS }, (_, at) => 1 + at);
  const chosen = shareOf(all, SHARES);
  tellShare('seeds of the keeper of aws-auth', chosen.length, all.length);
  let restorations = 0;
  for (const seed of chosen) {
    const result = await playAuth(authOfSeed(seed));
    assert.deepEqual(result.violations, [], `seed ${seed}`);
    restorations += result.restorations;
  }
  assert.ok(restorations > 0);
});

describe('a planted mistake is caught:', () => {
  for (const { id, caughtBy, bug, plan } of AUTH_BUGS)
    test(id, LIMIT, async () => {
      const sound = await playAuth(quietAuth(plan?.()));
      assert.deepEqual(sound.violations, []);
      const { violations } = await playAuth(quietAuth({ ...plan?.(), bug }));
      const rules = new Set(violations.map(({ rule }) => rule));
      assert.ok(
        caughtBy.every((rule) => rules.has(rule)),
        [...rules].join() || 'nothing noticed it',
      );
    });
});
