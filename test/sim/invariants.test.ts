import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../src/diagnosis/document.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import type { FaultScene } from '../../src/sim/faults/contract.ts';
import { PARTS } from '../../src/sim/faults/parts.ts';
import type { Look, Violation, Watching } from '../../src/sim/invariants/contract.ts';
import { CHECKED_RULES, startInvariants } from '../../src/sim/invariants/invariants.ts';
import { secretsOf } from '../../src/sim/invariants/secrets.ts';
import { LIVENESS, SAFETY } from '../../src/sim/invariants/list.ts';
import { createLooking } from '../../src/sim/faults/looking.ts';
import { Marks } from '../../src/sim/marks/marks.ts';
import type { Judged } from '../../src/sim/oracle/judge.ts';
import { PLANTED_BUGS } from '../../src/sim/planted/bugs.ts';
import { PLANTED_KINDS } from '../../src/sim/planted/list.ts';
import { drawWorld } from '../../src/sim/swarm/setting.ts';
import { ADMIN, buildCluster } from '../../src/sim/cluster/simulated-cluster.ts';

const OBSERVATIONS: Observations = {
  documents: [
    {
      locator: 'nodes.json',
      container: null,
      machines: [],
      sources: [],
      linesRead: 1,
      zoneOffsetMs: null,
    },
  ],
  hits: [],
  facts: [],
  links: [],
  listings: [],
  losses: [],
  troubled: [],
  collection: { atMs: 0, cluster: 'simulated', asked: [], refusals: [], shortened: [] },
};

const MACHINE: SubjectReport = {
  kind: 'Machine',
  name: 'n1',
  instanceId: 'i-1',
  node: 'n1',
  verdict: 'usable',
  stage: null,
  ladder: [],
  findings: [],
  notObservable: [],
  timeline: [],
};

const FINDING: Finding = {
  cause: 'x',
  stage: 'retained',
  role: 'root',
  explainedBy: null,
  confidence: 'definite',
  summary: '',
  evidence: [],
  remedy: [],
  decide: null,
};

function documentOf(...subjects: readonly SubjectReport[]): DiagnosisDocument {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '0',
    headline: null,
    subjects,
    recognized: [],
    losses: [],
  };
}

function lookOf(given: Partial<Look>): Look {
  return {
    atMs: 0,
    way: 'live',
    isCalm: false,
    isLast: false,
    isWhole: true,
    observations: OBSERVATIONS,
    document: documentOf(MACHINE),
    judged: [],
    states: [],
    refused: [],
    printed: [],
    ...given,
  };
}

function stageOf(): FaultScene {
  const simulated = buildCluster({ setting: drawWorld(1, 1), seed: 1 });
  return { simulated, people: simulated.world.client(ADMIN), looking: createLooking() };
}

const STAGE = stageOf();

/** What the rule says to looks, one after the other. */
function violations(rule: string, ...looks: readonly Look[]): readonly Violation[] {
  const found: Violation[] = [];
  const invariant = startInvariants().find((one) => one.rule === rule);
  const watching: Watching = {
    stage: STAGE,
    marks: new Marks(),
    evaluated: () => {},
    violated: (subject, what) => found.push({ rule, atMs: 0, subject, what }),
  };
  for (const look of looks) invariant?.look?.(look, watching);
  return found;
}

describe('the lists', () => {
  test('have I-01 to I-40, L-01 to L-10 and P1 to P53 once each', () => {
    const numbers = (prefix: string, count: number, width: number): readonly string[] =>
      Array.from({ length: count }, (_, one) => `${prefix}${String(one + 1).padStart(width, '0')}`);
    assert.deepEqual(
      SAFETY.map(({ id }) => id),
      numbers('I-', 40, 2),
    );
    assert.deepEqual(
      LIVENESS.map(({ id }) => id),
      numbers('L-', 10, 2),
    );
    assert.deepEqual(
      PLANTED_KINDS.map(({ id }) => id),
      numbers('P', 53, 1),
    );
    for (const { of } of [...SAFETY, ...LIVENESS, ...PLANTED_KINDS]) assert.ok(of in PARTS);
  });

  test('have every rule that is checked and every bug that can be planted', () => {
    const rules = new Set([...SAFETY, ...LIVENESS].map(({ id }) => id));
    for (const rule of ['I-25', 'I-28', 'I-29', 'I-30', 'I-31', 'L-02', 'L-04'])
      assert.ok(CHECKED_RULES.includes(rule), rule);
    assert.ok(CHECKED_RULES.every((rule) => rules.has(rule)));
    const kinds = new Set(PLANTED_KINDS.map(({ id }) => id));
    for (const { id, caughtBy } of PLANTED_BUGS) {
      assert.ok(kinds.has(id), id);
      assert.ok(caughtBy.length > 0 && caughtBy.every((rule) => CHECKED_RULES.includes(rule)));
    }
  });
});

const JUDGED: Judged = {
  judgement: 'wrong',
  subject: 'n1',
  instanceId: 'i-1',
  isUsable: false,
  named: [],
  wrong: [],
  effects: [],
  candidates: { count: 0, place: null },
  truths: [],
};

describe('invariants of the diagnosis', () => {
  const wrong = { ...JUDGED, named: ['x'], wrong: ['x'] };

  test('I-29: reports a wrong name with the true one', () => {
    const [found] = violations('I-29', lookOf({ judged: [wrong] }));
    assert.match(found?.what ?? '', /named x; nothing is wrong there/);
    assert.deepEqual(
      violations('I-29', lookOf({ judged: [{ ...wrong, judgement: 'named', wrong: [] }] })),
      [],
    );
  });

  test('I-29: does not accept an effect as a cause, and lists accepted causes with their fault', () => {
    const clock = { causes: ['wrong-node-clock'], machines: null, shows: [], of: 'F45.1' };
    const truths = [{ ...clock, fromMs: 0, untilMs: null }];
    const effect = { ...JUDGED, judgement: 'effect', effects: ['x'], truths } as const;
    const [found] = violations('I-29', lookOf({ judged: [effect] }));
    assert.match(found?.what ?? '', /named x as the cause, which is what shows/);
    assert.match(found?.what ?? '', /accepted: F45 wrong-node-clock$/);
  });
});

describe('invariants of evidence and gaps', () => {
  test('I-29: a line is quoted only from a document that was given', () => {
    const finding = (locator: string): SubjectReport => ({
      ...MACHINE,
      findings: [
        {
          cause: 'x',
          stage: 'launched',
          role: 'root',
          explainedBy: null,
          confidence: 'likely',
          summary: '',
          evidence: [{ source: 'event', locator, excerpt: '', time: null }],
          remedy: [],
          decide: null,
        },
      ],
    });
    assert.equal(
      violations('I-29', lookOf({ document: documentOf(finding('nodes.json:4')) })).length,
      0,
    );
    const [found] = violations('I-29', lookOf({ document: documentOf(finding('other.json')) }));
    assert.match(found?.what ?? '', /quotes other\.json, which nobody gave/);
  });

  test('I-30: a refused call that nothing tells of', () => {
    const refused = [{ call: 'list nodes', failure: 'denied' }];
    assert.match(violations('I-30', lookOf({ refused }))[0]?.what ?? '', /nothing says so/);
    const refusals = [{ call: 'list nodes', failure: 'denied', message: '', permission: null }];
    const observations = {
      ...OBSERVATIONS,
      collection: { atMs: 0, cluster: null, asked: [], refusals, shortened: [] },
    };
    assert.deepEqual(violations('I-30', lookOf({ refused, observations })), []);
  });

  test('I-31: an entry that is earlier than the one before it', () => {
    const entry = (time: string): SubjectReport['timeline'][number] => ({
      time,
      what: time,
      source: '',
      locator: '',
    });
    const times = (...all: readonly string[]): Look =>
      lookOf({ document: documentOf({ ...MACHINE, timeline: all.map(entry) }) });
    assert.deepEqual(violations('I-31', times('2026-03-02T09:00:00Z', '2026-03-02T08:59:50Z')), []);
    const found = violations('I-31', times('2026-03-02T09:00:00Z', '2026-03-02T08:55:00Z'));
    assert.equal(found.length, 1);
  });
});

describe('invariants of the printed output', () => {
  test('I-28: finds a secret of the world in the output', () => {
    const [secret] = secretsOf(STAGE);
    assert.ok(secret !== undefined);
    assert.deepEqual(violations('I-28', lookOf({ printed: ['all is well'] })), []);
    assert.equal(violations('I-28', lookOf({ printed: [`token ${secret} was used`] })).length, 1);
  });
});

describe('invariants of the calm', () => {
  const broken = [{ instanceId: 'i-1', node: 'n1', isUsable: false }];

  test('L-02: a broken machine is called usable', () => {
    const [found] = violations('L-02', lookOf({ isCalm: true, states: broken }));
    assert.match(found?.what ?? '', /called usable/);
    assert.deepEqual(violations('L-02', lookOf({ isCalm: false, states: broken })), []);
  });

  test('L-02: a verdict that changes while nothing happens', () => {
    const before = lookOf({
      isCalm: true,
      states: broken,
      document: documentOf({ ...MACHINE, verdict: 'not-usable' }),
    });
    const after = lookOf({
      isCalm: true,
      states: broken,
      document: documentOf({ ...MACHINE, verdict: 'cannot-tell' }),
    });
    assert.deepEqual(violations('L-02', before, before), []);
    assert.match(violations('L-02', before, after)[0]?.what ?? '', /changes in a calm/);
  });

  test('L-02: an answer may grow but take nothing back', () => {
    const said = (...causes: readonly string[]): Look =>
      lookOf({
        isCalm: true,
        states: broken,
        document: documentOf({
          ...MACHINE,
          verdict: 'not-usable',
          findings: causes.map((cause) => ({ ...FINDING, cause })),
        }),
      });
    assert.deepEqual(violations('L-02', said('x'), said('x', 'y')), []);
    assert.equal(violations('L-02', said('x', 'y'), said('x')).length, 1);
    assert.equal(violations('L-02', said('x'), said('y')).length, 1);
  });

  test('L-02: what events proved may be forgotten with them, and not before', () => {
    const evidence = [
      { source: 'event', locator: 'events', excerpt: 'x', time: '1970-01-01T00:00:00Z' },
    ];
    const finding = { ...FINDING, evidence };
    const verdict = 'not-usable' as const;
    const told = documentOf({ ...MACHINE, verdict, findings: [finding] });
    const look = lookOf({ isCalm: true, states: broken, document: told });
    const document = documentOf({ ...MACHINE, verdict });
    assert.deepEqual(violations('L-02', look, { ...look, document, atMs: 3_600_000 }), []);
    assert.equal(violations('L-02', look, { ...look, document, atMs: 3_599_999 }).length, 1);
    const other = documentOf({ ...MACHINE, verdict, findings: [{ ...finding, cause: 'y' }] });
    assert.equal(violations('L-02', look, { ...look, document: other, atMs: 3_600_000 }).length, 1);
  });
});

describe('an invariant of the end', () => {
  const broken = [{ instanceId: 'i-1', node: 'n1', isUsable: false }];

  test('L-04: fails when nothing is reported of a broken machine at the end', () => {
    const judged = [{ ...JUDGED, judgement: 'open' } as const];
    const look = lookOf({ isLast: true, states: broken, judged });
    assert.equal(violations('L-04', look).length, 1);
    const notObservable = [{ stage: 'launched', why: 'not collected', collect: '' } as const];
    const said = { ...look, document: documentOf({ ...MACHINE, notObservable }) };
    assert.deepEqual(violations('L-04', said), []);
  });
});
