import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Finding, SubjectReport } from '../../src/diagnosis/document.ts';
import { Confusion } from '../../src/sim/oracle/confusion.ts';
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

function judgeOne(
  report: Partial<SubjectReport>,
  { causes = ['right'], machines = ['i-1'], isUsable = false, untilMs = 100 } = {},
): Judged {
  const truths = new Truths();
  if (causes.length > 0) truths.add({ causes, machines, of: 'F51.1', fromMs: 0, untilMs });
  const states: readonly TrueState[] = [{ instanceId: 'i-1', node: 'n1', isUsable }];
  const document = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '0',
    headline: null,
    subjects: [reportOf(report)],
    losses: [],
  } as const;
  const [judged] = judge(document, { truths, atMs: 50 }, states);
  assert.ok(judged !== undefined);
  return judged;
}

describe('what is said of a machine against what is true of it', () => {
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

  test('the truth of another machine, of nobody or of an earlier time is none here', () => {
    assert.equal(judgeOne(right, { machines: ['i-2'] }).judgement, 'wrong');
    assert.equal(judgeOne(right, { causes: [] }).judgement, 'wrong');
    assert.equal(judgeOne(right, { untilMs: 49 }).judgement, 'wrong');
  });

  test('a question is no name', () => {
    const possible = [finding('other', { confidence: 'possible' })];
    assert.equal(judgeOne({ findings: possible }).judgement, 'open');
  });

  test('what is said without a cause: open, missed, alarm, well', () => {
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
