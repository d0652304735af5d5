import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Judged } from '../../../src/sim/oracle/judge.ts';
import { Mistakes } from '../../../src/sim/oracle/mistakes.ts';
import { type Answer, Answers, scoreOf } from '../../../src/sim/oracle/score.ts';

const NOTHING_ASKED = { count: 0, place: null };

function answer(
  seed: number,
  accepted: readonly string[],
  named: readonly string[],
  candidates: Answer['candidates'] = NOTHING_ASKED,
): Answer {
  return { seed, accepted, named, candidates };
}

/** A machine for each of so many causes, each of another seed, with the right answer. */
const DISTINCT = ['a', 'b', 'c', 'd', 'e'].map((cause, index) => answer(index, [cause], [cause]));

describe('a score', () => {
  test('of an oracle that can say no: the constant and the shuffled answers fail', () => {
    const { width, rightOfNamed, constant, shuffled } = scoreOf(DISTINCT);
    assert.deepEqual(width, { median: 1, p90: 1, max: 1 });
    assert.deepEqual([rightOfNamed, constant.right, shuffled], [1, 0.2, 0]);
  });

  test('of an oracle that accepts everything: they are as good as ours', () => {
    const all = DISTINCT.flatMap(({ accepted }) => accepted);
    const { width, rightOfNamed, constant, shuffled } = scoreOf(
      DISTINCT.map((one) => ({ ...one, accepted: all })),
    );
    assert.equal(width.median, 5);
    assert.deepEqual([rightOfNamed, constant.right, shuffled], [1, 1, 1]);
  });

  test('counts an answer as right where each of its causes is', () => {
    const { right, wrong, silent } = scoreOf([
      answer(1, ['a', 'b'], ['a', 'b']),
      answer(2, ['a'], ['a', 'b']),
      answer(3, ['a'], []),
      answer(4, [], ['a']),
    ]);
    assert.deepEqual([right, wrong, silent], [0.25, 0.5, 0.25]);
  });

  test('never takes an answer of the same seed for one of another', () => {
    assert.equal(scoreOf([answer(1, ['a'], ['a']), answer(1, ['a'], ['a'])]).shuffled, 0);
    assert.equal(scoreOf([answer(1, ['a'], ['a']), answer(2, ['a'], ['a'])]).shuffled, 1);
  });

  test('counts questions among whose first three no true cause is, and those without any', () => {
    const asked = [0, 2, 3, null].map((place, seed) =>
      answer(seed, ['a'], [], { count: 4, place }),
    );
    const named = answer(9, ['a'], ['a'], { count: 4, place: null });
    const { candidates } = scoreOf([...asked, named, answer(8, ['a'], [])]);
    assert.deepEqual(candidates, { machines: 4, amongFirst: 2, omitted: 1 });
  });
});

function judged(given: Partial<Judged>): Judged {
  return {
    judgement: 'wrong',
    subject: 'n1',
    instanceId: 'i-1',
    isUsable: false,
    named: [],
    wrong: [],
    effects: [],
    candidates: NOTHING_ASKED,
    truths: [],
    ...given,
  };
}

test('answers are those of machines that do not work', () => {
  const answers = new Answers();
  for (const isUsable of [false, true, null]) answers.add(1, judged({ isUsable, named: ['a'] }));
  assert.deepEqual(answers.all(), [answer(1, [], ['a'])]);
});

test('classifies wrong answers by the named and the true cause', () => {
  const mistakes = new Mistakes();
  const shared = { machines: null, shows: [], fromMs: 0, untilMs: null };
  const clock = { ...shared, causes: ['wrong-node-clock'], of: 'F45.2' };
  mistakes.add(7, judged({ wrong: ['x'], truths: [clock] }), 'live');
  mistakes.add(8, judged({ wrong: ['x'], truths: [{ ...clock, of: 'F45.1' }] }), 'pile');
  mistakes.add(9, judged({ effects: ['x'] }), 'pile');
  const found = mistakes.all().map(({ ways, ...one }) => ({ ...one, ways: [...ways] }));
  assert.deepEqual(found, [
    {
      said: 'x',
      as: 'wrong',
      there: 'F45 wrong-node-clock',
      times: 2,
      seed: 7,
      ways: ['live', 'pile'],
    },
    { said: 'x', as: 'effect', there: 'nothing', times: 1, seed: 9, ways: ['pile'] },
  ]);
});
