import assert from 'node:assert/strict';
import { test } from 'node:test';
import { climbed, isOver, waitUntilOver } from '../../src/apps/cli/live/wait.ts';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import type { Clock } from '../../src/ports/clock.ts';

const HOUR = Date.parse('2026-11-22T10:00:00Z');

function machine(verdict: SubjectReport['verdict'], states: string): SubjectReport {
  const stages = ['launched', 'registered', 'networked'] as const;
  const words = { p: 'passed', f: 'failed', u: 'unknown', w: 'pending' } as const;
  const ladder = stages.map((stage, index) => ({
    stage,
    state: words[(states[index] ?? 'u') as keyof typeof words],
    since: null,
    evidence: [],
  }));
  const empty = { findings: [], notObservable: [], timeline: [] };
  return {
    kind: 'Machine',
    name: 'node-a',
    instanceId: null,
    node: 'node-a',
    verdict,
    stage: null,
    ladder,
    ...empty,
  };
}

function document(subject: SubjectReport, cause: string | null): DiagnosisDocument {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '1',
    headline:
      cause === null
        ? null
        : { cause, stage: 'authenticated', confidence: 'definite', subject: 'node-a' },
    subjects: [subject],
    losses: [],
  };
}

/** A clock on which sleeping takes no time. */
function sleepless(): Clock {
  let now = HOUR;
  return {
    nowMs: () => now,
    monotonicMs: () => now,
    async sleep(durationMs) {
      now += durationMs;
    },
  };
}

test('rungs are told once, as they change', () => {
  const before = new Map([['node-a registered', 'failed' as const]]);
  const told = climbed(before, [machine('cannot-tell', 'upw')]);
  assert.deepEqual(told, ['node-a registered passed', 'node-a networked pending']);
});

test('the waiting is over when usable, or when another cause is known', () => {
  assert.equal(isOver(document(machine('usable', 'ppp'), null), 'a'), true);
  assert.equal(isOver(document(machine('not-usable', 'pff'), 'a'), 'a'), false);
  assert.equal(isOver(document(machine('not-usable', 'pff'), 'b'), 'a'), true);
  assert.equal(isOver(document(machine('cannot-tell', 'puu'), null), 'a'), false);
  assert.equal(isOver({ ...document(machine('usable', 'ppp'), null), subjects: [] }, 'a'), false);
});

test('a machine that comes up is followed to its last rung', async () => {
  const looks = [
    document(machine('not-usable', 'pfu'), 'aws-auth-missing'),
    document(machine('not-usable', 'pfu'), 'aws-auth-missing'),
    document(machine('cannot-tell', 'ppw'), null),
    document(machine('usable', 'ppp'), null),
  ];
  const said: string[] = [];
  const last = await waitUntilOver(
    async () => looks.shift() ?? assert.fail('looked on after the end'),
    sleepless(),
    (line) => said.push(line),
  );
  assert.equal(last.subjects[0]?.verdict, 'usable');
  assert.deepEqual(said, [
    '2026-11-22T10:00:00Z node-a registered failed',
    '2026-11-22T10:00:10Z node-a registered passed',
    '2026-11-22T10:00:10Z node-a networked pending',
    '2026-11-22T10:00:15Z node-a networked passed',
  ]);
});
