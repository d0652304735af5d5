import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decide, type Decision, type GateView } from './decide.ts';

const SHUT: GateView = {
  verdict: 'unproven',
  heldMs: 0,
  dwellMs: 5_000,
  lostMs: 0,
  regressAfterMs: 10_000,
  opened: 'never',
  isDone: false,
  isShut: true,
  isShutAgain: false,
  isInService: false,
  isWithinBudget: true,
};
const OPEN: GateView = { ...SHUT, isShut: false, opened: 'now', verdict: 'proven', heldMs: 60_000 };
const LOST: GateView = { ...OPEN, verdict: 'unproven', heldMs: 0, lostMs: 10_000 };

/** What is seen, and the act, reason and next look that follow. */
const EXAMPLES: readonly (readonly [string, GateView, string])[] = [
  ['keeps shut what is not proven', SHUT, 'keep Unproven'],
  ['keeps shut what cannot be looked at', { ...SHUT, verdict: 'unknown' }, 'keep Unknown'],
  ['keeps shut what a refused policy shut', { ...SHUT, verdict: 'refused' }, 'keep PolicyRefused'],
  [
    'waits for the rest of the dwell',
    { ...SHUT, verdict: 'proven', heldMs: 4_999 },
    'keep Dwelling 1',
  ],
  ['opens after the dwell', { ...SHUT, verdict: 'proven', heldMs: 5_000 }, 'open Opened'],
  ['opens without a dwell', { ...SHUT, verdict: 'proven', dwellMs: 0 }, 'open Opened'],
  ['shuts a new node', { ...SHUT, isShut: false }, 'put-startup NotEnforced'],
  [
    'shuts a new node of which nothing is known',
    { ...SHUT, isShut: false, verdict: 'unknown' },
    'put-startup NotEnforced',
  ],
  [
    'shuts a new node that is proven and has not dwelled',
    { ...SHUT, isShut: false, verdict: 'proven', heldMs: 1_000 },
    'put-startup NotEnforced 4000',
  ],
  [
    'leaves a node in service open while nothing is known of it',
    { ...SHUT, isShut: false, isInService: true, verdict: 'unknown' },
    'keep Unknown',
  ],
  [
    'waits before it shuts a node in service',
    { ...SHUT, isShut: false, isInService: true, lostMs: 9_000 },
    'keep ProofLost 1000',
  ],
  [
    'shuts a node in service that does not get proven',
    { ...SHUT, isShut: false, isInService: true, lostMs: 10_000 },
    'put-regress ProofLost',
  ],
  ['shuts again after a loss', LOST, 'put-regress ProofLost'],
  ['waits before it shuts again', { ...LOST, lostMs: 1 }, 'keep ProofLost 9999'],
  ['suspects a proof that many lose', { ...LOST, isWithinBudget: false }, 'keep ProofSuspected'],
  ['leaves open what it cannot look at', { ...OPEN, verdict: 'unknown' }, 'keep Unknown'],
  ['shuts after a reboot', { ...LOST, opened: 'before', lostMs: 0 }, 'put-regress Rebooted'],
  [
    'shuts after a reboot though everything is proven, for the dwell',
    { ...OPEN, opened: 'before', heldMs: 0 },
    'put-regress Rebooted 5000',
  ],
  [
    'shuts after a restart of the kubelet that counts, for the dwell',
    { ...OPEN, opened: 'before-restart', heldMs: 0 },
    'put-regress KubeletRestarted 5000',
  ],
  [
    'shuts after a restart of the kubelet that nothing is proven by',
    { ...LOST, opened: 'before-restart', lostMs: 0 },
    'put-regress KubeletRestarted',
  ],
  [
    'suspects what restarts the kubelets of many',
    { ...OPEN, opened: 'before-restart', heldMs: 0, isWithinBudget: false },
    'keep ProofSuspected 5000',
  ],
  [
    'takes a node as it is that is proven again since its kubelet restarted',
    { ...OPEN, opened: 'before-restart', isWithinBudget: false },
    'open Opened',
  ],
  ['opens again after a loss', { ...OPEN, isShutAgain: true, heldMs: 5_000 }, 'open Opened'],
  ['dwells again after a loss', { ...OPEN, isShutAgain: true, heldMs: 0 }, 'keep Dwelling 5000'],
  ['is done with a node that it started up', { ...LOST, isDone: true }, 'keep StaysOpen'],
];

function words({ act, reason, againMs }: Decision): string {
  return `${act} ${reason}${againMs === null ? '' : ` ${againMs}`}`;
}

describe('a decision', () => {
  for (const [what, view, expected] of EXAMPLES)
    test(what, () => assert.equal(words(decide(view)), expected));
});

const ms = fc.integer({ min: 0, max: 60_000 });
const anyView: fc.Arbitrary<GateView> = fc.record({
  verdict: fc.constantFrom('proven', 'unproven', 'unknown', 'refused'),
  heldMs: ms,
  dwellMs: ms,
  lostMs: ms,
  regressAfterMs: ms,
  opened: fc.constantFrom('now', 'before-restart', 'before', 'never'),
  isDone: fc.boolean(),
  isShut: fc.boolean(),
  isShutAgain: fc.boolean(),
  isInService: fc.boolean(),
  isWithinBudget: fc.boolean(),
});

function check(holds: (view: GateView) => void): void {
  fc.assert(fc.property(anyView, holds), { numRuns: 2_000 });
}

describe('every decision', () => {
  test('opens only on proofs that held for the whole dwell', () =>
    check((view) => {
      if (decide(view).act !== 'open') return;
      assert.equal(view.verdict, 'proven');
      assert.ok(view.heldMs >= view.dwellMs);
    }));

  test('opens no more with a proof less', () =>
    check((view) => {
      for (const verdict of ['unproven', 'unknown', 'refused'] as const)
        assert.notEqual(decide({ ...view, verdict }).act, 'open');
    }));

  test('shuts no node in service on what is unknown, nor beyond the budget', () =>
    check((view) => {
      const { act } = decide({ ...view, opened: 'now', isDone: false, isWithinBudget: false });
      assert.ok(act === 'keep' || act === 'open');
      const unknown = decide({ ...view, opened: 'now', verdict: 'unknown' });
      assert.equal(unknown.act, 'keep');
    }));

  test('shuts no node for its kubelet beyond the budget', () =>
    check((view) => {
      const many = { ...view, opened: 'before-restart', isWithinBudget: false } as const;
      assert.ok(!decide(many).act.startsWith('put'));
    }));

  test('puts no second taint on a node that has one', () =>
    check((view) => {
      if (view.isShut || view.isShutAgain) assert.ok(!decide(view).act.startsWith('put'));
    }));

  test('leaves no new node open that it has not opened', () =>
    check((view) => {
      const bare = { ...view, isShut: false, isShutAgain: false, isInService: false };
      const { act } = decide({ ...bare, opened: 'never', isDone: false });
      assert.ok(act === 'open' || act === 'put-startup');
    }));

  test('is looked at again while time alone can change it', () =>
    check((view) => {
      const { againMs } = decide(view);
      if (againMs === null) return;
      assert.ok(againMs > 0);
      const later = { ...view, heldMs: view.heldMs + againMs, lostMs: view.lostMs + againMs };
      assert.equal(decide(later).againMs, null);
    }));
});
