/** The janitor of network interfaces in simulated accounts: rules hold whatever goes wrong. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { type Call, DEEDS_OF, type Deed, type Fate } from '../../../src/sim/programs/call.ts';
import { shareOf, tellShare } from '../../share.ts';
import { JANITOR_BUGS } from './bugs.ts';
import { JANITOR_FAULTS } from './faults.ts';
import type { JanitorResult } from './plan.ts';
import { JANITOR_RULES } from './rules.ts';
import { planOfSeed, quietPlan } from './seed.ts';
import { playJanitor } from './world.ts';

const SEEDS = 48;
const OF_A_TEST = 8;
const SHARES = 8;
/** Hours of virtual time, beside other tests. */
const LIMIT = { timeout: 600_000 };
const TOOL = join(import.meta.dirname, '../../../tools/simulation-janitor.ts');
/** As many of one of each kind are leaked, and can be proven to be. */
const LEAKED = 4;

let quiet: JanitorResult;
before(async () => {
  quiet = await playJanitor(quietPlan());
}, LIMIT);

test('in a quiet account each rule is looked at, and what is leaked goes', () => {
  assert.deepEqual(quiet.violations, []);
  const looked = new Set([...quiet.evaluations.keys(), 'I-40']);
  assert.deepEqual([...looked].toSorted(), [...JANITOR_RULES]);
  assert.equal(quiet.deletions, LEAKED);
  const known = new Set([...SAFETY, ...LIVENESS].map(({ id }) => id));
  for (const rule of JANITOR_RULES) assert.ok(known.has(rule), rule);
});

for (const plan of [{ mode: 'report' }, { isDryRun: true }] as const)
  test(`I-35: nothing is deleted with ${JSON.stringify(plan)}`, async () => {
    const { violations, deletions } = await playJanitor(quietPlan(plan));
    assert.deepEqual([violations, deletions], [[], 0]);
  });

test('the clock of a program that is two days ahead makes nothing old', async () => {
  const { violations, deletions } = await playJanitor(quietPlan({ skewMs: 48 * 3_600_000 }));
  assert.deepEqual([violations, deletions], [[], LEAKED]);
});

interface Case {
  readonly call: Call;
  readonly deed: Deed;
}

/** Each way in which one call around the first deletion can go wrong. */
function casesOf({ calls }: JanitorResult): readonly Case[] {
  const first = calls.findIndex(({ what }) => what === 'ec2:DeleteNetworkInterface');
  const around = calls.slice(first - 6, first + 4);
  return around.flatMap((call) => DEEDS_OF[call.kind].map((deed) => ({ call, deed })));
}

test('each call around a deletion may go wrong in every way', LIMIT, async () => {
  const all = casesOf(quiet);
  const chosen = shareOf(all, SHARES);
  tellShare('calls of the janitor that go wrong', chosen.length, all.length);
  assert.ok(all.length > 20, `${all.length}`);
  for (const { call, deed } of chosen) {
    const fate: Fate = ({ kind, ordinal }) =>
      kind === call.kind && ordinal === call.ordinal ? deed : null;
    const { violations } = await playJanitor(quietPlan({ fate }));
    assert.deepEqual(violations, [], `${call.kind} ${call.ordinal} ${call.what}: ${deed}`);
  }
});

/** In a program of its own: the test runner follows each promise, which takes three times as long. */
async function playSeeds(from: number): Promise<string> {
  const words = [TOOL, '--from', String(from), '--seeds', String(OF_A_TEST)];
  return new Promise((resolve) => {
    execFile(process.execPath, words, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

describe('the rules hold under the faults of a seed', () => {
  const all = Array.from({ length: SEEDS / OF_A_TEST }, (_, at) => 1 + at * OF_A_TEST);
  const chosen = shareOf(all, all.length);
  tellShare('sets of seeds of the janitor', chosen.length, all.length);
  for (const from of chosen)
    test(`seeds ${from} to ${from + OF_A_TEST - 1}`, LIMIT, async () => {
      const text = await playSeeds(from);
      assert.match(text, new RegExp(`^${OF_A_TEST} seeds, \\d+ deletions, 0 fail$`, 'm'), text);
    });
});

test('a seed happens in the same way again', LIMIT, async () => {
  const lines = async (): Promise<readonly string[]> => {
    const said: string[] = [];
    await playJanitor(planOfSeed(9, { onLine: ({ atMs, what }) => said.push(`${atMs} ${what}`) }));
    return said;
  };
  assert.deepEqual(await lines(), await lines());
});

test('F57, F58 and F59 strike, and each has its mistakes', () => {
  for (const id of ['F57', 'F58', 'F59']) {
    assert.ok(JANITOR_FAULTS.some((fault) => fault.id === id));
    assert.ok(JANITOR_BUGS.some(({ fault }) => fault === id));
  }
});

describe('a planted mistake is caught:', () => {
  const chosen = shareOf(JANITOR_BUGS, 3);
  tellShare('planted mistakes of the janitor', chosen.length, JANITOR_BUGS.length);
  for (const { id, caughtBy, bug, plan } of chosen)
    test(id, LIMIT, async () => {
      const sound = await playJanitor(quietPlan(plan?.()));
      assert.deepEqual(sound.violations, []);
      const { violations } = await playJanitor(quietPlan({ ...plan?.(), bug }));
      const rules = new Set(violations.map(({ rule }) => rule));
      assert.ok(
        caughtBy.every((rule) => rules.has(rule)),
        [...rules].join() || 'nothing noticed it',
      );
    });
});
