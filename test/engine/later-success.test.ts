/** Which later success takes a failure of which stage back, and how often a failure then stands. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Cause } from '../../src/diagnosis/cause.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { readSigns } from '../../src/diagnosis/view.ts';
import type { Hit } from '../../src/evidence/observations.ts';
import { QUOTES_MAX } from '../../src/evidence/sighting.ts';
import { type Stage, STAGES } from '../../src/evidence/stage.ts';
import { hitAt, machineWith, NOTHING_OBSERVED, plainCause, quoteAt } from './fixtures.ts';

function isNamed(hits: readonly Hit[], cause: Cause): boolean {
  const subjects = [machineWith(hits)];
  const causes = [cause];
  const observations = NOTHING_OBSERVED;
  return diagnose({ observations, subjects, causes, catalogueVersion: 'test' }).headline !== null;
}

const REGISTERS: readonly Stage[] = [
  'launched',
  'bootstrapped',
  'reachable',
  'authenticated',
  'identified',
  'registered',
];
const READIES: readonly Stage[] = [...REGISTERS, 'retained', 'networked'];
const MILESTONES = ['node-registered', 'node-ready', 'pod-started'];

/** What takes a failure of this stage back when it is seen after it. */
function successesOf(stage: Stage): readonly string[] {
  const cause = plainCause('a', { stage });
  return MILESTONES.filter(
    (id) => !isNamed([hitAt('a', 'deciding', 3), hitAt(`milestone:${id}`, '0', 9)], cause),
  );
}

describe('a later success', () => {
  for (const stage of STAGES)
    test(`takes a failure at ${stage} back only where it cannot come about without that stage`, () => {
      assert.deepEqual(successesOf(stage), [
        ...(REGISTERS.includes(stage) ? ['node-registered'] : []),
        ...(READIES.includes(stage) ? ['node-ready'] : []),
      ]);
    });

  test('is only the one that the cause names, where it names one', () => {
    const cause = plainCause('a', { withdrawnBy: ['pod-started'] });
    const after = (id: string): boolean =>
      isNamed([hitAt('a', 'deciding', 3), hitAt(`milestone:${id}`, '0', 9)], cause);
    assert.ok(!after('pod-started'));
    assert.ok(after('node-registered'));
    assert.ok(after('node-ready'));
  });

  test('takes back the stage below it, and leaves a failure above it alone', () => {
    const low = plainCause('low', { stage: 'authenticated' });
    const high = plainCause('high', { stage: 'networked' });
    const { headline, subjects } = diagnose({
      observations: NOTHING_OBSERVED,
      subjects: [
        machineWith([
          hitAt('low', 'deciding', 1),
          hitAt('high', 'deciding', 2),
          hitAt('milestone:node-registered', '0', 9),
        ]),
      ],
      causes: [low, high],
      catalogueVersion: 'test',
    });
    assert.equal(headline?.cause, 'high');
    assert.deepEqual(
      subjects[0]?.findings.map(({ cause, role }) => [cause, role]),
      [['high', 'root']],
    );
  });
});

/** A failure seen in each of these lines; more of them than are quoted are only counted. */
function seenIn(lines: readonly number[]): Hit {
  const quotes = lines.map((line) => quoteAt(line));
  const [first = quoteAt(0)] = quotes;
  const last = quotes.at(-1) ?? first;
  const count = lines.length;
  return hitAt('a', 'deciding', 0, { count, first, last, quotes: quotes.slice(0, QUOTES_MAX) });
}

describe('a failure that counts from the third time on', () => {
  const deciding = { in: ['kubelet'], anchors: ['x'], pattern: /x/, weight: 'definite' } as const;
  const cause = plainCause('a', { signs: { deciding: { ...deciding, atLeast: 3 } } });
  const ready = hitAt('milestone:node-ready', '0', 10);

  test('holds with three times after the last success, not with two', () => {
    assert.ok(isNamed([seenIn([5, 11, 12, 13]), ready], cause));
    assert.ok(!isNamed([seenIn([5, 6, 11, 12]), ready], cause));
  });

  test('holds without a success whenever the times are', () => {
    assert.ok(isNamed([seenIn([5, 6, 7])], cause));
    assert.ok(!isNamed([seenIn([5, 6])], cause));
  });

  test('is counted over all files in which it is seen', () => {
    const elsewhere = { ...seenIn([7, 8]), document: 1 };
    assert.ok(isNamed([seenIn([5]), elsewhere], cause));
  });
});

test('of many times a failure is seen, the earliest four are quoted, over all files', () => {
  const cause = plainCause('a');
  const hits = [seenIn([1, 2, 3, 4, 5, 6]), { ...seenIn([7, 8]), document: 1 }];
  const sighting = readSigns(cause, machineWith(hits)).standing.get('deciding');
  assert.equal(sighting?.count, 8);
  assert.deepEqual(
    sighting.quotes.map(({ excerpt }) => excerpt),
    ['line 1', 'line 2', 'line 3', 'line 4'],
  );
  const two = [seenIn([1]), { ...seenIn([7, 8]), document: 1 }];
  assert.equal(readSigns(cause, machineWith(two)).standing.get('deciding')?.quotes.length, 3);
});
