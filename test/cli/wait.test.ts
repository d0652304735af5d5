import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Alarm } from '../../src/runtime/alarm.ts';
import { lookingAgain, type Repeat } from '../../src/apps/cli/live/look-again.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { startLimit, startTimeLimit } from '../../src/collection/time-limit.ts';
import { timed, waitUntilOver } from '../../src/apps/cli/live/wait.ts';
import { climbed, isOver } from '../../src/diagnosis/climb.ts';
import { lateSentence } from '../../src/apps/cli/live/wait-live.ts';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import { virtualClock } from '../ports/fake/clock.ts';

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
    recognized: [],
    losses: [],
  };
}

/** Looks again at once. */
const atOnce: Repeat = async (look, isLast) => {
  for (;;) {
    const seen = await look();
    if (isLast(seen)) return seen;
  }
};

test('reports rungs once, as they change', () => {
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
  const { document: last, isLate } = await waitUntilOver(
    async () => looks.shift() ?? assert.fail('looked on after the end'),
    atOnce,
    (line) => said.push(line),
  );
  assert.equal(last.subjects[0]?.verdict, 'usable');
  assert.equal(isLate, false);
  assert.deepEqual(said, [
    'node-a registered failed',
    'node-a registered passed',
    'node-a networked pending',
    'node-a networked passed',
  ]);
});

test('prints a line with its time', async () => {
  const clock = virtualClock(HOUR);
  const said: string[] = [];
  const say = timed(clock, (line) => said.push(line));
  say('node-a registered failed');
  await clock.advance(10_000);
  say('node-a registered passed');
  assert.deepEqual(said, [
    '2026-11-22T10:00:00Z node-a registered failed',
    '2026-11-22T10:00:10Z node-a registered passed',
  ]);
});

test('at the limit the waiting ends with what was seen last', async () => {
  const clock = virtualClock(HOUR);
  const options = { clock, alarm: new Alarm(clock), notices: () => [], tell: () => {} };
  const limit = new AbortController();
  let looks = 0;
  const waiting = waitUntilOver(
    async () => {
      looks += 1;
      return document(machine('not-usable', 'pfu'), 'aws-auth-missing');
    },
    lookingAgain({ ...options, pauseMs: 5000 }),
    () => {},
    limit.signal,
  );
  await clock.advance(6000);
  const before = looks;
  assert.ok(before >= 2);
  limit.abort();
  const { document: last, isLate } = await waiting;
  assert.deepEqual(
    [last.headline?.cause, isLate, looks, clock.sleeping()],
    ['aws-auth-missing', true, before, 0],
  );
});

test('a limit that comes during the first look lets it answer', async () => {
  const clock = virtualClock(HOUR);
  const options = { clock, alarm: new Alarm(clock), notices: () => [], tell: () => {} };
  const seen = async (verdict: 'usable' | 'not-usable'): Promise<boolean> => {
    const waited = await waitUntilOver(
      async () => document(machine(verdict, 'ppp'), verdict === 'usable' ? null : 'a'),
      lookingAgain({ ...options, pauseMs: 5000 }),
      () => {},
      AbortSignal.abort(),
    );
    return waited.isLate;
  };
  assert.deepEqual([await seen('usable'), await seen('not-usable')], [false, true]);
});

test('a look that is under way at the limit is cut short, and the one before it counts', async () => {
  const clock = virtualClock(HOUR);
  const options = { clock, alarm: new Alarm(clock), notices: () => [], tell: () => {} };
  const limit = new AbortController();
  const looks = { begun: 0, cut: 0 };
  const waiting = waitUntilOver(
    async () => {
      looks.begun += 1;
      if (looks.begun > 1) {
        await new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
        looks.cut += 1;
        // What it did not see any more would be news.
        return document(machine('cannot-tell', 'uuu'), 'another-cause');
      }
      return document(machine('not-usable', 'pfu'), 'aws-auth-missing');
    },
    lookingAgain({ ...options, pauseMs: 5000 }),
    () => {},
    limit.signal,
  );
  await clock.advance(6000);
  limit.abort();
  const { document: last, isLate } = await waiting;
  assert.deepEqual([looks.begun, looks.cut, isLate], [2, 1, true]);
  assert.equal(last.headline?.cause, 'aws-auth-missing');
});

test('a limit on several looks ends each wait with its reason', () => {
  const { signal, clear } = startLimit(systemClock, 60_000);
  const outer = new AbortController();
  const time = startTimeLimit(systemClock, 60_000, AbortSignal.any([signal, outer.signal]));
  const parts = [time.waiting, time.listing, time.details];
  assert.ok(parts.every(({ aborted }) => !aborted));
  const reason = new Error('the time is over');
  outer.abort(reason);
  assert.ok(parts.every((part) => part.aborted && part.reason === reason));
  time.clear();
  clear();
});

test('suggests a longer limit', () => {
  assert.match(lateSentence(15_000), /Timed out after 15 s: .*: --timeout 45s$/);
});
