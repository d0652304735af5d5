import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STAGES } from '../evidence/stage.ts';
import { climbed, isOver, statesOf } from './climb.ts';
import type { DiagnosisDocument, Rung, RungState } from './document.ts';
import { buildLadder, stageOf, verdictOf } from './ladder.ts';
import {
  hitOf,
  quoteOf,
  reportOf,
  subjectOf,
  causeOf,
  foundOf,
  standingOf,
  symptomOf,
} from './testing.ts';
import { timelineOf } from './timeline.ts';

const READY = 'milestone:node-ready';

function states(ladder: readonly Rung[], ...wanted: readonly string[]): readonly RungState[] {
  return ladder.filter(({ stage }) => wanted.includes(stage)).map(({ state }) => state);
}

function rungs(...given: readonly RungState[]): readonly Rung[] {
  return given.map((state, index) => ({
    stage: STAGES[index] ?? 'usable',
    state,
    since: null,
    evidence: [],
  }));
}

describe('rungs of a machine', () => {
  test('are unknown without evidence, and the registration of a young one is pending', () => {
    const nothing = buildLadder(subjectOf(), [], false);
    assert.deepEqual([...new Set(nothing.map(({ state }) => state))], ['unknown']);
    assert.equal(nothing.length, 11);
    const young = buildLadder(subjectOf(), [], true);
    const pending = young.filter(({ state }) => state === 'pending').map(({ stage }) => stage);
    assert.deepEqual(pending, ['registered']);
  });

  test('are passed by the first line that proves it', () => {
    const hits = [hitOf(READY, quoteOf(9, 90_000)), hitOf(READY, quoteOf(2, 20_000))];
    for (const order of [hits, hits.toReversed()]) {
      const ladder = buildLadder(subjectOf({ hits: order }), [], true);
      const registered = ladder.find(({ stage }) => stage === 'registered');
      assert.equal(registered?.state, 'passed');
      assert.equal(registered.since, '1970-01-01T00:00:20Z');
      assert.deepEqual(
        registered.evidence.map(({ excerpt }) => excerpt),
        ['line 2'],
      );
    }
  });

  test('fail whatever was passed before, with three lines and the first known time', () => {
    const hits = [hitOf(READY, quoteOf(1))];
    const proof = [quoteOf(3), quoteOf(4, 40_000), quoteOf(5), quoteOf(6)];
    const failures = [
      { stage: 'registered', proof },
      { stage: 'registered', proof: [quoteOf(8, 80_000)] },
    ] as const;
    const ladder = buildLadder(subjectOf({ hits }), failures, false);
    const failed = ladder.find(({ stage }) => stage === 'registered');
    assert.deepEqual([failed?.state, failed?.since], ['failed', '1970-01-01T00:00:40Z']);
    assert.deepEqual(
      failed?.evidence.map(({ locator }) => locator),
      ['kubelet.log:3', 'kubelet.log:4', 'kubelet.log:5'],
    );
    const later = buildLadder(
      subjectOf(),
      [{ stage: 'registered', proof: [quoteOf(1)] }, failures[1]],
      false,
    );
    assert.equal(later[STAGES.indexOf('registered')]?.since, '1970-01-01T00:01:20Z');
    assert.deepEqual(states(ladder, 'usable'), ['unknown']);
  });
});

test('a machine is at the first failed rung, else the first pending, else the first unknown', () => {
  assert.equal(stageOf(rungs('unknown', 'pending', 'failed', 'failed')), 'reachable');
  assert.equal(stageOf(rungs('unknown', 'pending', 'passed')), 'bootstrapped');
  assert.equal(stageOf(rungs('passed', 'unknown')), 'bootstrapped');
  assert.equal(stageOf(rungs('passed')), null);
});

test('a machine is usable when every rung is passed, and not when one failed', () => {
  assert.equal(verdictOf(rungs('passed', 'passed')), 'usable');
  assert.equal(verdictOf(rungs('passed', 'unknown')), 'cannot-tell');
  assert.equal(verdictOf(rungs('unknown', 'failed', 'passed')), 'not-usable');
});

describe('from one look to the next', () => {
  const before = statesOf([reportOf('a', { ladder: rungs('passed', 'unknown', 'failed') })]);

  test('rungs that changed are news; of new machines only what failed or is pending', () => {
    const now = [
      reportOf('a', { ladder: rungs('passed', 'passed', 'failed') }),
      reportOf('b', { ladder: rungs('passed', 'failed', 'pending', 'unknown') }),
      reportOf('c', { kind: 'Cluster', ladder: rungs('failed') }),
    ];
    assert.deepEqual(climbed(before, now), [
      'a bootstrapped passed',
      'b bootstrapped failed',
      'b reachable pending',
    ]);
    assert.equal(statesOf([reportOf('c', { kind: 'Cluster', ladder: rungs('failed') })]).size, 0);
  });

  test('the wait is over when all machines are usable, or another cause is named', () => {
    const document = (cause: string | null, ...verdicts: readonly string[]): DiagnosisDocument =>
      ({
        subjects: [
          ...verdicts.map((verdict) => ({ ...reportOf('a'), verdict })),
          { ...reportOf('c', { kind: 'Cluster' }), verdict: 'cannot-tell' },
        ],
        headline: cause === null ? null : { cause },
      }) as unknown as DiagnosisDocument;
    assert.equal(isOver(document(null, 'usable', 'usable'), 'a'), true);
    assert.equal(isOver(document(null, 'usable', 'not-usable'), 'a'), false);
    assert.equal(isOver(document(null), 'a'), false);
    assert.equal(isOver(document('a', 'not-usable'), 'a'), false);
    assert.equal(isOver(document('b', 'not-usable'), 'a'), true);
    assert.equal(isOver(document('a', 'not-usable'), null), true);
  });
});

describe('the timeline', () => {
  const symptom = {
    symptom: symptomOf('s', 'registered'),
    proof: [quoteOf(3, 30_000), quoteOf(9)],
  };
  const found = {
    ...foundOf(causeOf('c', 'registered'), { proof: [quoteOf(1, 10_000, 1), quoteOf(2)] }),
    role: 'root' as const,
    explainedBy: null,
  };

  function told(hits: readonly ReturnType<typeof hitOf>[]): readonly string[] {
    return timelineOf(standingOf([], [symptom], subjectOf({ hits })), [found]).map(
      ({ time, what, locator }) => `${time?.slice(17, 19) ?? '-'} ${what} ${locator}`,
    );
  }

  test('is in the order of stamps, with the first line of each happening', () => {
    const hits = [hitOf(READY, quoteOf(5, 50_000)), hitOf(READY, quoteOf(7, 70_000))];
    const [one, two, three, ...more] = told(hits);
    assert.equal(one, '10 c: title of c kubelet.log:1');
    assert.equal(two, '30 title of s kubelet.log:3');
    assert.match(three ?? '', /^50 .* kubelet\.log:5$/);
    assert.deepEqual(more, []);
  });

  test('without stamps is in the order of reading', () => {
    const [one, ...more] = told([hitOf(READY, quoteOf(2)), hitOf('milestone:other', quoteOf(1))]);
    assert.match(one ?? '', /^- .* kubelet\.log:2$/);
    assert.equal(more.length, 2);
  });
});
