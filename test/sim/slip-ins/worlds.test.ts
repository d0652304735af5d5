/** Pods that slip in, in simulated worlds: the rules hold whatever goes wrong, and notice mistakes. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DEEDS_OF, type Call, type Deed, type Fate } from '../../../src/sim/programs/call.ts';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { shareOf, tellShare } from '../../share.ts';
import { diesAfterEvicting, SLIP_BUGS } from './bugs.ts';
import type { SlipResult } from './plan.ts';
import { playSlips } from './world.ts';

const RULES = ['I-09', 'I-10', 'I-11', 'I-12', 'I-13', 'I-14', 'I-35', 'L-03'];
const SEEDS = 16;
const SHARES = 8;

/** What an evictor asks and sends, and the Lease by which it leads. */
const CONCERNED = /^(?:evict|get pods|list pods|create events|patch leases|update leases)/;

let quiet: SlipResult;
before(async () => {
  quiet = await playSlips({});
});

test('in a quiet world each rule is looked at, and the Pods that came early are replaced', () => {
  assert.deepEqual(quiet.violations, []);
  assert.deepEqual([...quiet.evaluations.keys()].toSorted(), RULES);
  assert.equal(quiet.evictions, 4);
  const known = new Set([...SAFETY, ...LIVENESS].map(({ id }) => id));
  for (const rule of RULES) assert.ok(known.has(rule), rule);
});

for (const plan of [{ mode: 'report' }, { mode: 'ignore' }, { isDryRun: true }] as const)
  test(`I-35: nothing is evicted with ${JSON.stringify(plan)}`, async () => {
    const { violations, evictions } = await playSlips(plan);
    assert.deepEqual([violations, evictions], [[], 0]);
  });

test('I-12: leaders that die after each eviction evict no more than one that lives', async () => {
  const { violations, evictions } = await playSlips({ perHour: 2, fate: diesAfterEvicting });
  assert.deepEqual([violations, evictions], [[], 2]);
});

interface Case {
  readonly call: Call;
  readonly deed: Deed;
}

/** Each way in which one call of the quiet world can go wrong, for those that evict. */
function casesOf({ calls }: SlipResult): readonly Case[] {
  const own = calls.filter(({ kind, what }) => kind === 'write' && what.startsWith('evict'));
  const reads = calls.filter(({ what }) => what.startsWith('get pods'));
  return [...own, ...reads].flatMap((call) => DEEDS_OF[call.kind].map((deed) => ({ call, deed })));
}

test('each eviction and the look before it may go wrong in every way', async () => {
  const all = casesOf(quiet);
  const chosen = shareOf(all, SHARES);
  tellShare('evictions that go wrong', chosen.length, all.length);
  assert.ok(all.length > 30, `${all.length}`);
  for (const { call, deed } of chosen) {
    const fate: Fate = ({ kind, ordinal }) =>
      kind === call.kind && ordinal === call.ordinal ? deed : null;
    const { violations } = await playSlips({ fate });
    assert.deepEqual(violations, [], `${call.kind} ${call.ordinal} ${call.what}: ${deed}`);
  }
});

test('two replicas keep the rules under faults that are drawn', async () => {
  const seeds = shareOf(
    Array.from({ length: SEEDS }, (_, index) => index + 1),
    SHARES,
  );
  tellShare('seeds of slip-ins', seeds.length, SEEDS);
  for (const seed of seeds) {
    let drawn = seed * 7919;
    const fate: Fate = ({ kind, what }) => {
      drawn = (drawn * 1_103_515_245 + 12_345) % 2_147_483_648;
      if (!CONCERNED.test(what) || drawn % 100 >= 6) return null;
      const deeds = DEEDS_OF[kind];
      return deeds[drawn % deeds.length] ?? null;
    };
    const { violations } = await playSlips({ seed, replicas: 2, fate });
    assert.deepEqual(violations, [], `seed ${seed}`);
  }
});

describe('a planted mistake is caught:', () => {
  for (const { id, caughtBy, bug, plan } of SLIP_BUGS)
    test(id, async () => {
      const { violations } = await playSlips({ ...plan, bug });
      const rules = new Set(violations.map(({ rule }) => rule));
      assert.ok(
        caughtBy.some((rule) => rules.has(rule)),
        [...rules].join() || 'nothing noticed it',
      );
    });
});
