import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EXIT } from '../../src/apps/cli/exit-code.ts';
import type { DiagnosisDocument, Finding } from '../../src/diagnosis/document.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { betterThan, figuresOf, type Floors, groupsOf, isBelow, worseThan } from './figures.ts';
import { judgeLive } from './live/judge.ts';
import type { LiveState } from './live/state.ts';
import { type Asked, judge, type Judged, type Outcome, saidOf } from './judge.ts';

const EMPTY = await diagnoseTexts([]);
const BROKEN: Asked = {
  id: '001',
  stage: 'networked',
  accept: ['subnet-out-of-pod-addresses'],
  reject: ['eni-limit-reached'],
  healthy: false,
};
const UNDECIDED: Asked = { ...BROKEN, accept: ['undetermined'] };
const HEALTHY: Asked = { ...UNDECIDED, stage: null, healthy: true };

function root(cause: string, confidence: Finding['confidence']): Finding {
  return {
    cause,
    stage: 'networked',
    role: 'root',
    explainedBy: null,
    confidence,
    summary: '',
    evidence: [],
    remedy: [],
    decide: null,
  };
}

/** A document with a headline, or none, and candidates. */
function document(headline: string | null, ...candidates: readonly Finding[]): DiagnosisDocument {
  const named = headline === null ? [] : [root(headline, 'likely')];
  return {
    ...EMPTY,
    headline:
      headline === null
        ? null
        : { cause: headline, stage: 'networked', confidence: 'likely', subject: 'cluster' },
    subjects: [
      {
        kind: 'Cluster',
        name: 'cluster',
        instanceId: null,
        node: null,
        verdict: 'not-usable',
        stage: 'networked',
        ladder: [],
        findings: [...named, ...candidates],
        timeline: [],
        notObservable: [],
      },
    ],
  };
}

function outcome(asked: Asked, said: DiagnosisDocument, code: number = EXIT.notUsable): Outcome {
  return judge(asked, saidOf(said, code)).outcome;
}

describe('what Rollcall reports of a broken machine', () => {
  test('is right when the headline is accepted', () => {
    assert.equal(outcome(BROKEN, document('subnet-out-of-pod-addresses')), 'right');
  });

  test('is wrong when another cause is named', () => {
    assert.equal(outcome(BROKEN, document('cni-role-not-assumable')), 'wrong');
    assert.equal(outcome(UNDECIDED, document('cni-role-not-assumable')), 'wrong');
  });

  test('is wrong when a rejected cause is a root besides, and not when it is a candidate', () => {
    const named = document('subnet-out-of-pod-addresses', root('eni-limit-reached', 'likely'));
    const offered = document('subnet-out-of-pod-addresses', root('eni-limit-reached', 'possible'));
    assert.equal(outcome(BROKEN, named), 'wrong');
    assert.equal(outcome(BROKEN, offered), 'right');
  });

  test('is wrong when it is called usable', () => {
    assert.equal(outcome(BROKEN, document(null), EXIT.usable), 'wrong');
    assert.equal(outcome(UNDECIDED, document(null), EXIT.usable), 'wrong');
  });

  test('is near when the cause is among the first three candidates, silent when it is the fourth', () => {
    const [a, b, c] = ['one', 'two', 'three'].map((cause) => root(cause, 'possible'));
    const right = root('subnet-out-of-pod-addresses', 'possible');
    assert.ok(a && b && c);
    assert.equal(outcome(BROKEN, document(null, a, b, right)), 'near');
    assert.equal(outcome(BROKEN, document(null, a, b, c, right)), 'silent');
    assert.equal(outcome(BROKEN, document(null)), 'silent');
  });

  test('is right when nothing decides and nothing is named', () => {
    assert.equal(outcome(UNDECIDED, document(null)), 'right');
  });
});

describe('what Rollcall reports of a healthy machine', () => {
  test('is right when it is usable or unknown', () => {
    assert.equal(outcome(HEALTHY, EMPTY, EXIT.usable), 'right');
    assert.equal(outcome(HEALTHY, EMPTY, EXIT.cannotTell), 'right');
  });

  test('is wrong when it is called not usable, with a cause or without', () => {
    assert.equal(outcome(HEALTHY, document(null)), 'wrong');
    assert.equal(outcome(HEALTHY, document('eni-limit-reached'), EXIT.cannotTell), 'wrong');
  });
});

const WELL: LiveState = {
  id: 'l01',
  title: '',
  end: 'well',
  accept: [],
  stage: null,
  shows: [],
  lay: () => null,
};

describe('what Rollcall reports of a live state', () => {
  const ofLive = (end: LiveState['end'], code: number, cause: string | null = null): Outcome =>
    judgeLive({ ...WELL, end, accept: ['aws-auth-missing'] }, saidOf(document(cause), code))
      .outcome;

  test('is silent where a healthy machine is not reported usable, wrong where it is broken', () => {
    assert.equal(ofLive('well', EXIT.usable), 'right');
    assert.equal(ofLive('well', EXIT.cannotTell), 'silent');
    assert.equal(ofLive('well', EXIT.notUsable), 'wrong');
  });

  test('is wrong where a machine that still joins is called usable or not usable', () => {
    assert.equal(ofLive('joining', EXIT.cannotTell), 'right');
    assert.equal(ofLive('joining', EXIT.usable), 'wrong');
    assert.equal(ofLive('joining', EXIT.notUsable), 'wrong');
  });

  test('is wrong where a cause is named that nothing shows', () => {
    assert.equal(ofLive('open', EXIT.notUsable), 'right');
    assert.equal(ofLive('open', EXIT.notUsable, 'aws-auth-missing'), 'wrong');
    assert.equal(ofLive('open', EXIT.usable), 'wrong');
    assert.equal(ofLive('broken', EXIT.notUsable, 'aws-auth-missing'), 'right');
  });
});

test('a run that ends with a bug of Rollcall gives no verdict', () => {
  assert.throws(() => outcome(BROKEN, EMPTY, EXIT.bug), /001 ended with 70/);
});

describe('figures', () => {
  const floors: Floors = {
    date: '2026-11-23',
    commit: 'c2873f2',
    outcomes: { '001': 'right', '002': 'silent' },
    stagesRight: 1,
  };
  const all = { name: 'all', ids: ['001', '002'] };
  const judged = (...outcomes: readonly Outcome[]): readonly Judged[] =>
    outcomes.map((one, index) => ({
      id: `00${index + 1}`,
      outcome: one,
      isStageRight: null,
      said: 'something',
    }));

  test('name the case that got worse, and the one that got better', () => {
    const now = judged('silent', 'right');
    assert.deepEqual(
      worseThan(floors, now).map(({ text }) => text),
      ['001 was right and is silent: something'],
    );
    assert.deepEqual(
      betterThan(floors, now).map(({ text }) => text),
      ['002 was silent and is right: something'],
    );
  });

  test('are below the floor when one is less right, or less often among the first three', () => {
    const floor = figuresOf(all, floors.outcomes);
    assert.equal(isBelow(figuresOf(all, { '001': 'near', '002': 'near' }), floor), true);
    assert.equal(isBelow(figuresOf(all, { '001': 'right', '002': 'near' }), floor), false);
    assert.equal(
      isBelow(figuresOf(all, { '001': 'right', '002': 'silent' }), { ...floor, firstThree: 2 }),
      true,
    );
  });

  test('are kept by group, and every case is in one of three', () => {
    const one = { ...BROKEN, title: '', after: null, name: '001-one', evidence: '', files: [] };
    const [whole, ...parts] = groupsOf(
      [
        { ...one, decidable: 'yes' },
        { ...one, id: '002', decidable: 'no' },
      ],
      [{ id: 'p001', after: null, line: '', accept: [] }],
      [WELL],
    );
    assert.deepEqual(whole?.ids, ['001', '002']);
    assert.deepEqual(
      parts.map(({ name, ids }) => `${name} ${ids.join()}`),
      ['decidable 001', 'partly ', 'undecidable 002', 'pastes p001', 'live l01'],
    );
  });
});
