import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide, type SlipInDecision, type SlipInView } from './decide.ts';

const EVICTABLE: SlipInView = {
  mode: 'evict',
  isShown: true,
  hasRestarted: false,
  isLeaving: false,
  hasFinished: false,
  isOfDaemonSet: false,
  isMirror: false,
  isTolerating: false,
  hasController: true,
  isProtected: false,
  isWithinHour: true,
  isWithinWorkload: true,
};

const PASS: SlipInDecision = { act: 'pass' };

const ROWS: readonly (readonly [string, Partial<SlipInView>, SlipInDecision])[] = [
  ['it is shown and its gate evicts', {}, { act: 'evict' }],
  ['nothing shows it', { isShown: false }, PASS],
  ['the gate ignores slip-ins', { mode: 'ignore' }, PASS],
  ['the gate only reports', { mode: 'report' }, { act: 'keep', why: 'ReportOnly' }],
  ['I-09: it is of a DaemonSet', { isOfDaemonSet: true }, PASS],
  ['I-09: it is a mirror of a static Pod', { isMirror: true }, PASS],
  ['I-09: it tolerates the taint', { isTolerating: true }, { act: 'keep', why: 'Tolerates' }],
  ['I-14: it is being deleted', { isLeaving: true }, PASS],
  ['it has finished', { hasFinished: true }, PASS],
  ['I-13: it started again after the node was proven', { hasRestarted: true }, PASS],
  [
    'nobody would make another',
    { hasController: false },
    { act: 'keep', why: 'NobodyMakesAnother' },
  ],
  ['its owner asks not to', { isProtected: true }, { act: 'keep', why: 'Protected' }],
  ['I-12: the hour is spent', { isWithinHour: false }, { act: 'keep', why: 'HourlyBudget' }],
  [
    'I-12: its workload is spent',
    { isWithinWorkload: false },
    { act: 'keep', why: 'WorkloadBudget' },
  ],
];

describe('a Pod that came early, when', () => {
  for (const [when, change, decision] of ROWS)
    test(`${when}: ${decision.act}`, () => {
      assert.deepEqual(decide({ ...EVICTABLE, ...change }), decision);
    });
});
