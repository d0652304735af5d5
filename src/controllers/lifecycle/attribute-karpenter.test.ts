import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NOW_MS } from '../../evidence/testing.ts';
import { clueBefore, judged, told, toldBy } from './testing.ts';

const HOUR_MS = 3_600_000;
const NOBODY = 'unknown, hand null, none, by nothing';

const claimGoes = (beforeMs: number | null) => clueBefore('claim-deleted', '', beforeMs);
const askedFor = (askedBeforeMs: number | null) => ({
  deletionAskedMs: askedBeforeMs === null ? null : NOW_MS - askedBeforeMs,
});
const reasonless = 'karpenter, hand karpenter, possible, by claim-deleted';

describe('Karpenter deletes a Node by its claim', () => {
  test('for its reason', () => {
    assert.equal(
      toldBy(claimGoes(1000), clueBefore('disruption', 'Empty')),
      'karpenter (Empty), hand karpenter, likely, by claim-deleted + disruption',
    );
  });

  test('for an interruption or a maintenance', () => {
    assert.equal(
      toldBy(claimGoes(1000), clueBefore('spot')),
      'spot-interruption, hand karpenter, likely, by claim-deleted + spot',
    );
    assert.equal(
      toldBy(claimGoes(1000), clueBefore('maintenance', 'system-reboot')),
      'scheduled-maintenance (system-reboot), hand karpenter, likely, by claim-deleted + maintenance',
    );
  });

  test('and not for what other programs do', () => {
    assert.equal(
      told({ clues: [claimGoes(2000), clueBefore('autoscaler')], node: askedFor(1000) }),
      reasonless,
    );
  });

  test('with a request that is surely its own and no reason', () => {
    const user = 'system:serviceaccount:kube-system:karpenter';
    assert.equal(
      toldBy(clueBefore('audit-delete', user)),
      'karpenter, hand karpenter, definite, by audit-delete',
    );
  });

  test('possibly, without a reason, when the claim was deleted first', () => {
    const one = { clues: [claimGoes(2000)], node: askedFor(1000) };
    assert.equal(told(one), reasonless);
    assert.deepEqual(
      judged(one).wouldTell.map(({ command }) => command?.slice(0, 8)),
      ['aws logs'],
    );
  });
});

describe('Karpenter deletes a Node in the second of its claim', () => {
  test('and not when the Node was deleted first, or in the same second without a reason', () => {
    assert.equal(told({ clues: [claimGoes(1000)], node: askedFor(2000) }), NOBODY);
    assert.equal(told({ clues: [claimGoes(1000)], node: askedFor(1000) }), NOBODY);
    assert.equal(told({ clues: [claimGoes(1000)], node: askedFor(null) }), NOBODY);
    assert.equal(told({ clues: [claimGoes(null)], node: askedFor(1000) }), NOBODY);
  });

  for (const [kind, who] of [
    ['disruption', 'karpenter'],
    ['spot', 'spot-interruption'],
    ['maintenance', 'scheduled-maintenance'],
  ] as const)
    test(`in the same second by its reason ${kind}`, () => {
      const found = judged({ clues: [claimGoes(1000), clueBefore(kind)], node: askedFor(1000) });
      assert.deepEqual([found.deleter.kind, found.hand], [who, 'karpenter']);
    });

  test('not by a reason of yesterday', () => {
    const old = clueBefore('disruption', 'Empty', 2 * HOUR_MS);
    assert.equal(told({ clues: [claimGoes(1000), old], node: askedFor(1000) }), NOBODY);
  });

  test('when the claim went between two looks, by its reason alone', () => {
    const clues = [clueBefore('disruption', 'Empty')];
    assert.equal(
      told({ clues, judging: { isClaimGone: true } }),
      'karpenter (Empty), hand karpenter, likely, by disruption + disruption',
    );
    assert.equal(told({ clues }), NOBODY);
    assert.equal(told({ judging: { isClaimGone: true } }), NOBODY);
  });
});
