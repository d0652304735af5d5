import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Resemblance, possibleFindings } from './candidates.ts';
import type { Cause } from './cause.ts';
import type { Standing } from './standing.ts';
import {
  causeOf,
  fileOf,
  foundOf,
  hitOf,
  quoteOf,
  standingOf,
  subjectOf,
  symptomOf,
} from './testing.ts';

const SYMPTOM = symptomOf('boot-verdict', 'networked');
const OPEN = { symptom: SYMPTOM, proof: [quoteOf(7), quoteOf(8), quoteOf(9)] };
const behind = (id: string, change: Partial<Cause> = {}) =>
  causeOf(id, 'networked', { symptoms: ['boot-verdict'], ...change });
const signed = (weight: Cause['signs'][string]['weight'], isBackground = false) => ({
  signs: { s: { in: [], anchors: [], pattern: /x/, weight, isBackground } },
});

interface Given {
  readonly causes: readonly Cause[];
  readonly hits?: readonly ReturnType<typeof hitOf>[];
  readonly roots?: readonly Cause[];
  readonly alike?: Resemblance['alike'];
  readonly reported?: Resemblance['reported'];
  readonly symptoms?: Standing['symptoms'];
}

function findings({
  causes,
  hits = [],
  roots = [],
  alike = [],
  reported = new Map(),
  symptoms = [OPEN],
}: Given) {
  const standing = standingOf([], symptoms, subjectOf({ hits }));
  const roled = roots.map(
    (cause) => ({ ...foundOf(cause), role: 'root', explainedBy: null }) as const,
  );
  const line = { document: 0, line: 3, source: 'kubelet', about: null, text: 'a line' } as const;
  const documents = [fileOf({ locator: 'kubelet.log' })];
  return possibleFindings(
    standing,
    roled,
    causes,
    { alike, lines: [line], reported },
    { documents },
  );
}

const idsOf = (given: Given): readonly string[] => findings(given).map(({ cause }) => cause);
const hit = (owner: string, line = 1) => hitOf(owner, quoteOf(line), { sign: 's' });

describe('a cause is possible', () => {
  test('behind an open symptom, with the symptom’s first lines', () => {
    const [one] = findings({ causes: [behind('a'), causeOf('b', 'networked')] });
    assert.equal(one?.cause, 'a');
    assert.deepEqual(
      one.evidence.map(({ excerpt }) => excerpt),
      ['line 7', 'line 8'],
    );
    assert.match(one.summary, /^The evidence shows title of boot-verdict; title of a would/);
  });

  test('unless the symptom is explained, by its cause or from below', () => {
    const causes = [behind('a')];
    const explained = (root: Cause) => idsOf({ causes, roots: [root] }).length === 0;
    assert.equal(explained(behind('r')), true);
    assert.equal(explained(causeOf('r', 'networked')), true);
    assert.equal(explained(causeOf('r', 'launched')), true);
    assert.equal(explained(causeOf('r', 'launched', { blocksAbove: false })), false);
    assert.equal(explained(causeOf('r', 'usable')), false);
  });

  test('unless it is found already', () => {
    const root = behind('a', { stage: 'usable', symptoms: [] });
    assert.deepEqual(idsOf({ causes: [behind('a'), behind('b')], roots: [root] }), ['b']);
  });

  test('by lines that resemble it, where nothing was found', () => {
    const alike = [{ cause: 'a', likeness: 0.9, line: 0 }];
    const given = { causes: [causeOf('a', 'networked')], symptoms: [], alike };
    const [one] = findings(given);
    assert.deepEqual(
      one?.evidence.map(({ locator, excerpt }) => [locator, excerpt]),
      [['kubelet.log:3', 'a line']],
    );
    assert.match(one.summary, /^Lines like these belong to this cause: title of a/);
    assert.deepEqual(idsOf({ ...given, roots: [causeOf('r', 'usable')] }), []);
    const succeeded = [hitOf('milestone:node-ready', quoteOf(1))];
    assert.deepEqual(idsOf({ ...given, hits: succeeded }), []);
    assert.deepEqual(idsOf({ ...given, alike: [{ cause: 'b', likeness: 1, line: 0 }] }), []);
    assert.deepEqual(
      findings({ ...given, alike: [{ cause: 'a', likeness: 1, line: 4 }] })[0]?.evidence,
      [],
    );
  });
});

describe('of two possible causes comes first', () => {
  test('the one with a supporting line, which is quoted, with the two first', () => {
    for (const weight of ['definite', 'likely', 'context'] as const) {
      const causes = [behind('a'), behind('b', signed(weight))];
      assert.deepEqual(idsOf({ causes, hits: [hit('b')] }), ['b', 'a'], weight);
    }
    const causes = [behind('b', signed('context'))];
    const [one] = findings({ causes, hits: [hit('b', 1), hit('b', 2), hit('b', 3)] });
    assert.deepEqual(
      one?.evidence.map(({ excerpt }) => excerpt),
      ['line 1', 'line 2'],
    );
  });

  test('not one with a line that takes it back, clears it or is background', () => {
    for (const change of [
      signed('withdraws'),
      signed('clears'),
      signed('context', true),
      { signs: {} },
    ]) {
      const causes = [behind('a'), behind('b', change)];
      assert.deepEqual(idsOf({ causes, hits: [hit('b')] }), ['a', 'b']);
      assert.equal(findings({ causes, hits: [hit('b')] })[1]?.evidence[0]?.excerpt, 'line 7');
    }
  });

  test('the one that was reported more often', () => {
    const causes = [behind('a'), behind('b')];
    assert.deepEqual(idsOf({ causes, reported: new Map([['b', 3]]) }), ['b', 'a']);
    const both = new Map(Object.entries({ a: 1, b: 3 }));
    assert.deepEqual(idsOf({ causes, reported: both }), ['b', 'a']);
  });

  test('the one behind a symptom before one that lines hardly resemble', () => {
    const causes = [causeOf('a', 'networked'), behind('b')];
    assert.deepEqual(idsOf({ causes, alike: [{ cause: 'a', likeness: 0.4, line: 0 }] }), [
      'b',
      'a',
    ]);
    assert.deepEqual(idsOf({ causes, alike: [{ cause: 'a', likeness: 0.6, line: 0 }] }), [
      'a',
      'b',
    ]);
  });
});
