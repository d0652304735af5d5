/** Gates in simulated worlds: the rules hold whatever goes wrong, and notice mistakes. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ADMISSION_FAULTS } from '../../../src/sim/faults/admission.ts';
import { CONFIGURATION_FAULTS } from '../../../src/sim/faults/configuration.ts';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { PLANTED_KINDS } from '../../../src/sim/planted/list.ts';
import { DEEDS_OF, type Call, type Deed, type Fate } from '../../../src/sim/programs/call.ts';
import { shareOf, tellShare } from '../../share.ts';
import { shippedPolicies } from '../platform/shipped-admission.ts';
import { GATE_MISTAKES } from './mistakes.ts';
import { MISTAKES_UNDER_FAULTS } from './mistakes-under-faults.ts';
import type { GateResult } from './plan.ts';
import { GATE_RULES } from './rules.ts';
import { playGates } from './world.ts';

const SEEDS = 12;
const SEED_SHARES = 12;
const CALL_SHARES = 24;
const LONG_MS = 10 * 60_000;

/** What a gate asks and sends, and the Lease by which it leads. */
const CONCERNED =
  /^(?:append|patch nodes|patch nodegates|create events|patch leases|update leases)/;

const MISTAKES = [...GATE_MISTAKES, ...MISTAKES_UNDER_FAULTS];

let quiet: GateResult;
before(async () => {
  quiet = await playGates({});
});

test('in a quiet world each rule is looked at, and each gate opens when it may', () => {
  assert.deepEqual(quiet.violations, []);
  assert.deepEqual([...quiet.evaluations.keys()].toSorted(), [...GATE_RULES].toSorted());
  const counts = Map.groupBy(quiet.opened, (one) => one);
  for (const node of ['n-slow', 'n-flap', 'n-boot', 'n-back', 'n-moved', 'n-gone', 'n-clock'])
    assert.equal(counts.get(`agents ${node}`)?.length, 1, node);
  for (const node of ['n-calm', 'n-late', 'n-again'])
    assert.equal(counts.get(`agents ${node}`)?.length, 2, node);
  const rest = quiet.opened.filter((one) => !one.startsWith('agents '));
  assert.deepEqual(rest.toSorted(), ['once n-once', 'renewed n-net']);
});

test('I-01: a node whose kubelet restarts is shut, where that counts, until all is proven again', async () => {
  const { violations, opened } = await playGates({ kubelets: true });
  assert.deepEqual(violations, []);
  const own = opened.filter((one) => one.startsWith('kubelet '));
  assert.deepEqual(own, ['kubelet n-kubelet', 'kubelet n-kubelet']);
});

test('I-36: while nothing of ours runs and no policy of ours can be evaluated, others continue', async () => {
  const policies = shippedPolicies();
  assert.equal(policies.length, 2);
  const { violations, evaluations, opened } = await playGates({ outage: policies, replicas: 2 });
  assert.deepEqual(violations, []);
  assert.ok((evaluations.get('I-36') ?? 0) > 40, `${evaluations.get('I-36')}`);
  assert.ok(opened.includes('agents n-back'), opened.join());
});

test('I-04: a gate that cannot be read says so', () => {
  assert.ok(quiet.lines.some((line) => /NodeGate broken: spec\.expiry is/.test(line)));
});

interface Case {
  readonly call: Call;
  readonly deed: Deed;
}

/** Each way in which one write of these Nodes can go wrong. */
function casesOf({ calls }: GateResult): readonly Case[] {
  const own = calls.filter(({ what }) => /^patch nodes n-(?:once|late|left|back)$/.test(what));
  return own.flatMap((call) => DEEDS_OF[call.kind].map((deed) => ({ call, deed })));
}

test('each write of a Node may go wrong in every way', { timeout: LONG_MS }, async () => {
  const all = casesOf(quiet);
  const chosen = shareOf(all, CALL_SHARES);
  tellShare('writes of gates that go wrong', chosen.length, all.length);
  assert.ok(all.length > 30, `${all.length}`);
  for (const { call, deed } of chosen) {
    const fate: Fate = ({ kind, ordinal }) =>
      kind === call.kind && ordinal === call.ordinal ? deed : null;
    const { violations } = await playGates({ fate });
    assert.deepEqual(violations, [], `${call.kind} ${call.ordinal} ${call.what}: ${deed}`);
  }
});

test('two replicas keep the rules under faults that are drawn', { timeout: LONG_MS }, async () => {
  const seeds = shareOf(
    Array.from({ length: SEEDS }, (_, index) => index + 1),
    SEED_SHARES,
  );
  tellShare('seeds of gates', seeds.length, SEEDS);
  for (const seed of seeds) {
    let drawn = seed * 7919;
    const fate: Fate = ({ kind, what }) => {
      drawn = (drawn * 1_103_515_245 + 12_345) % 2_147_483_648;
      if (!CONCERNED.test(what) || drawn % 100 >= 6) return null;
      const deeds = DEEDS_OF[kind];
      return deeds[drawn % deeds.length] ?? null;
    };
    const { violations } = await playGates({ seed, replicas: 2, fate });
    assert.deepEqual(violations, [], `seed ${seed}`);
  }
});

describe('while others decide about writes of Nodes, the rules hold:', () => {
  for (const fault of ADMISSION_FAULTS)
    test(`${fault.id}, ${fault.title}`, async () => {
      const { violations, struck, opened } = await playGates({ admission: fault, replicas: 2 });
      assert.deepEqual(violations, []);
      assert.ok(struck > 0 && opened.length > 0, `${struck} struck, ${opened.length} opened`);
    });
});

describe('while the configuration changes, the rules hold:', () => {
  for (const fault of CONFIGURATION_FAULTS)
    test(`${fault.id}, ${fault.title}`, async () => {
      const { violations, struck, opened } = await playGates({ configuration: fault, replicas: 2 });
      assert.deepEqual(violations, []);
      assert.ok(struck > 0, 'nothing changed');
      assert.ok(
        opened.some((one) => /^config(?:-next)? n-unproven$/.test(one)),
        opened.join(),
      );
    });
});

test('mistakes and what catches them are in the lists', () => {
  const kinds = new Set(PLANTED_KINDS.map(({ id }) => id));
  const rules = new Set([...SAFETY, ...LIVENESS].map(({ id }) => id));
  for (const { id, caughtBy } of MISTAKES) {
    assert.ok(kinds.has(id) || !/^P\d+$/.test(id), id);
    for (const rule of caughtBy) assert.ok(rules.has(rule), rule);
  }
});

describe('a planted mistake is caught:', () => {
  for (const { id, caughtBy, plant } of MISTAKES)
    test(`${id} by ${caughtBy.join(' and ')}`, async () => {
      const { violations } = await playGates(plant());
      const rules = new Set(violations.map(({ rule }) => rule));
      for (const rule of caughtBy)
        assert.ok(rules.has(rule), `${rule} holds; of the others: ${[...rules].join()}`);
    });
});
