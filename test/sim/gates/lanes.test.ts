/** Each event and each read of a gate goes wrong once, in every way, and the rules hold. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Call, DEEDS_OF, type Deed, type Fate } from '../../../src/sim/programs/call.ts';
import { shareOf, tellShare } from '../../share.ts';
import type { GatePlan, GateResult, Violation } from './plan.ts';
import { playGates } from './world.ts';

const SHARES = 24;
const LONG_MS = 20 * 60_000;
/** An event that is lost comes with the next listing, which is 30 min away where nobody asks for less. */
const LISTS_OFTEN = { resyncMs: 10_000, watchLeastMs: 5_000, watchMostMs: 10_000 };

let quiet: GateResult;
let listing: GateResult;
before(async () => {
  quiet = await playGates({});
  listing = await playGates({ limits: LISTS_OFTEN });
});

/**
 * What a Pod said before its machine booted, and what is heard of it only afterwards, looks like
 * something that it said in the new boot.
 */
function isOverBoot({ what }: Violation, call: Call): boolean {
  return / pods /.test(call.what) && /to n-(?:boot|back)|opens n-(?:boot|back)/.test(what);
}

async function broken(call: Call, deed: Deed, plan: GatePlan): Promise<readonly Violation[]> {
  const fate: Fate = ({ kind, ordinal }) =>
    kind === call.kind && ordinal === call.ordinal ? deed : null;
  const { violations } = await playGates({ ...plan, fate });
  return violations.filter((one) => !isOverBoot(one, call));
}

async function playAll(calls: readonly Call[], deeds: readonly Deed[], plan: GatePlan) {
  const all = calls.flatMap((call) => deeds.map((deed) => ({ call, deed })));
  const chosen = shareOf(all, SHARES);
  tellShare(`${calls[0]?.kind}s of gates: ${deeds.join(', ')}`, chosen.length, all.length);
  for (const { call, deed } of chosen)
    assert.deepEqual(
      await broken(call, deed, plan),
      [],
      `${call.kind} ${call.ordinal} ${call.what}: ${deed}`,
    );
  return all.length;
}

test('each event may be late, or come twice', { timeout: LONG_MS }, async () => {
  const events = quiet.calls.filter(({ kind }) => kind === 'event');
  assert.ok((await playAll(events, ['late', 'repeated'], {})) > 600);
});

test('each event may be lost until the next listing', { timeout: LONG_MS }, async () => {
  const events = listing.calls.filter(({ kind }) => kind === 'event');
  assert.ok((await playAll(events, ['skipped'], { limits: LISTS_OFTEN })) > 300);
});

test('each read may be old, or the last of its program', { timeout: LONG_MS }, async () => {
  const reads = quiet.calls.filter(({ kind }) => kind === 'read');
  assert.ok((await playAll(reads, DEEDS_OF.read, {})) > 30);
});
