import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Finding, SubjectReport } from '../../src/diagnosis/document.ts';
import type { Effect } from '../../src/sim/faults/contract.ts';
import { Confusion } from '../../src/sim/oracle/confusion.ts';
import type { Ailment } from '../../src/sim/oracle/effects.ts';
import { type Judged, judge, type TrueState } from '../../src/sim/oracle/judge.ts';
import { Truths } from '../../src/sim/oracle/truths.ts';

function finding(cause: string, given: Partial<Finding> = {}): Finding {
  return {
    cause,
    stage: 'retained',
    role: 'root',
    explainedBy: null,
    confidence: 'likely',
    summary: '',
    evidence: [],
    remedy: [],
    decide: null,
    ...given,
  };
}

function reportOf(given: Partial<SubjectReport>): SubjectReport {
  return {
    kind: 'Machine',
    name: 'n1',
    instanceId: 'i-1',
    node: 'n1',
    verdict: 'not-usable',
    stage: null,
    ladder: [],
    findings: [],
    notObservable: [],
    timeline: [],
    ...given,
  };
}

interface World {
  readonly causes?: readonly string[];
  readonly machines?: readonly string[] | null;
  readonly shows?: readonly Effect[];
  readonly isUsable?: boolean;
  /** When the fault was taken back, ms; null while it lasts. */
  readonly untilMs?: number | null;
  /** What the machine shows, each since when, ms. */
  readonly shown?: ReadonlyMap<Effect, number>;
  readonly brokenSinceMs?: number | null;
}

const FROM_MS = 10;
const NOW_MS = 500_000;

function judgeOne(report: Partial<SubjectReport>, given: World = {}): Judged {
  const { causes = ['right'], machines = ['i-1'], shows = ['silent'], untilMs = null } = given;
  const { isUsable = false, shown = new Map(), brokenSinceMs = null } = given;
  const ailment = (): Ailment => ({ shown, sinceMs: brokenSinceMs });
  const truths = new Truths({ nowMs: () => NOW_MS, ailment });
  if (causes.length > 0)
    truths.add({ causes, machines, shows, of: 'F51.1', fromMs: FROM_MS, untilMs });
  const states: readonly TrueState[] = [{ instanceId: 'i-1', node: 'n1', isUsable }];
  const document = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '0',
    headline: null,
    subjects: [reportOf(report)],
    recognized: [],
    losses: [],
  } as const;
  const [judged] = judge(document, { truths, ailment }, states);
  assert.ok(judged !== undefined);
  return judged;
}

describe('compares the report of a machine with the truth', () => {
  const right = { findings: [finding('right')] };

  test('a true cause is named', () => {
    assert.equal(judgeOne(right).judgement, 'named');
  });

  test('another cause is wrong, also beside a true one, and also as a contribution', () => {
    assert.equal(judgeOne({ findings: [finding('other')] }).judgement, 'wrong');
    const both = judgeOne({ findings: [finding('right'), finding('other')] });
    assert.deepEqual([both.judgement, both.wrong], ['wrong', ['other']]);
    const contributing = [finding('other', { role: 'contributing' })];
    assert.equal(judgeOne({ findings: contributing }).judgement, 'wrong');
  });

  test('the truth of another machine, or of none, does not count', () => {
    assert.equal(judgeOne(right, { machines: ['i-2'] }).judgement, 'wrong');
    assert.equal(judgeOne(right, { causes: [] }).judgement, 'wrong');
  });

  test('a question does not count as a name', () => {
    const possible = [finding('other', { confidence: 'possible' })];
    assert.equal(judgeOne({ findings: possible }).judgement, 'open');
  });
});

describe('what a fault has done is true', () => {
  const right = { findings: [finding('right')] };

  test('no more once it has ended, whatever else the machine shows', () => {
    const ended = { untilMs: 49 };
    assert.equal(judgeOne(right, ended).judgement, 'wrong');
    const cordoned: World = { ...ended, shown: new Map([['cordoned', 40]]), brokenSinceMs: 40 };
    assert.equal(judgeOne(right, cordoned).judgement, 'wrong');
  });

  test('of a machine until the machine has recovered', () => {
    const silentSince = (ms: number, brokenSinceMs: number): World => ({
      untilMs: 100_000,
      shown: new Map([['silent', ms]]),
      brokenSinceMs,
    });
    assert.equal(judgeOne(right, silentSince(60_000, 50_000)).judgement, 'named');
    assert.equal(judgeOne(right, silentSince(170_000, 170_000)).judgement, 'wrong', 'it is anew');
    assert.equal(judgeOne(right, silentSince(5, 5)).judgement, 'wrong', 'it was before');
  });

  test('of those machines on which it shows, where it was done to all', () => {
    const all: World = { machines: null };
    assert.equal(judgeOne(right, all).judgement, 'wrong');
    assert.equal(judgeOne(right, { ...all, shown: new Map([['stuck', 60]]) }).judgement, 'wrong');
    assert.equal(judgeOne(right, { ...all, shown: new Map([['silent', 60]]) }).judgement, 'named');
    assert.equal(judgeOne(right, { ...all, shown: new Map([['silent', 6]]) }).judgement, 'wrong');
  });
});

describe('roots, consequences and questions', () => {
  test('a root that is swapped with what shows of it is refused, and no root beside it helps', () => {
    const silent: World = { shown: new Map([['silent', 60]]) };
    const shows = finding('node-heartbeat-lost');
    const swapped = judgeOne({ findings: [shows] }, silent);
    assert.deepEqual([swapped.judgement, swapped.effects], ['effect', ['node-heartbeat-lost']]);
    assert.equal(judgeOne({ findings: [finding('right'), shows] }, silent).judgement, 'effect');
    const told: Finding = { ...shows, role: 'consequence', explainedBy: 'right' };
    assert.equal(judgeOne({ findings: [finding('right'), told] }, silent).judgement, 'named');
    const part: Finding = { ...shows, role: 'contributing' };
    assert.equal(judgeOne({ findings: [finding('right'), part] }, silent).judgement, 'named');
  });

  test('a consequence follows from a true root, or shows; another one is wrong', () => {
    const follows = (explainedBy: string | null): Partial<SubjectReport> => ({
      findings: [finding('right'), finding('x', { role: 'consequence', explainedBy })],
    });
    assert.equal(judgeOne(follows('right')).judgement, 'named');
    assert.deepEqual(judgeOne(follows('other')).wrong, ['x']);
    assert.deepEqual(judgeOne(follows(null)).wrong, ['x']);
  });

  test('a candidate list is scored by the place of the first true one', () => {
    const asked = (...causes: readonly string[]): Partial<SubjectReport> => ({
      findings: causes.map((cause) => finding(cause, { confidence: 'possible' })),
    });
    assert.deepEqual(judgeOne(asked('a', 'b', 'right')).candidates, { count: 3, place: 2 });
    assert.deepEqual(judgeOne(asked('a', 'b')).candidates, { count: 2, place: null });
    assert.deepEqual(judgeOne({}).candidates, { count: 0, place: null });
  });

  test('outcomes without a cause: open, missed, alarm, well', () => {
    assert.equal(judgeOne({}).judgement, 'open');
    assert.equal(judgeOne({ verdict: 'usable' }).judgement, 'missed');
    assert.equal(judgeOne({}, { isUsable: true }).judgement, 'alarm');
    assert.equal(judgeOne({ verdict: 'usable' }, { isUsable: true }).judgement, 'well');
    assert.equal(judgeOne({ verdict: 'cannot-tell' }, { isUsable: true }).judgement, 'well');
  });
});

test('the confusion table counts by the cause that was named', () => {
  const confusion = new Confusion();
  confusion.add(judgeOne({ findings: [finding('right')] }, { causes: ['right', 'silent'] }));
  confusion.add(judgeOne({ findings: [finding('right')] }));
  confusion.add(judgeOne({ findings: [finding('other')] }));
  confusion.add(judgeOne({ findings: [finding('other')] }, { causes: [] }));
  assert.deepEqual(confusion.causes(), [
    {
      cause: 'other',
      right: 0,
      wrong: 2,
      behind: new Map(),
      instead: new Map([
        ['F51', 1],
        ['no fault', 1],
      ]),
    },
    { cause: 'right', right: 2, wrong: 0, behind: new Map([['F51', 2]]), instead: new Map() },
  ]);
  assert.deepEqual(confusion.neverNamed(), ['silent']);
});

test('the confusion table counts by the fault that was there', () => {
  const confusion = new Confusion();
  confusion.add(judgeOne({ findings: [finding('right')] }));
  confusion.add(judgeOne({ findings: [finding('other')] }));
  confusion.add(judgeOne({}));
  confusion.add(judgeOne({ verdict: 'usable' }, { causes: [], isUsable: true }));
  const rows = new Map(confusion.rows().map((row) => [row.truth, row]));
  assert.deepEqual([...rows.keys()], ['F51', 'no fault']);
  const { counts, named, wrong } = rows.get('F51') ?? assert.fail('F51 is not there');
  assert.deepEqual([counts.named, counts.wrong, counts.open], [1, 1, 1]);
  assert.deepEqual([...named], [['right', 1]]);
  assert.deepEqual([...wrong], [['other', 1]]);
  assert.equal(rows.get('no fault')?.counts.well, 1);
});
