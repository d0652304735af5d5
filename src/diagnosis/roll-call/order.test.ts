import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DiagnosisDocument } from '../document.ts';
import { findingOf, reportOf } from '../testing.ts';
import { isCalled, rowsCalled } from './called.ts';
import { changeLines } from './changes.ts';
import type { RollCallDocument, RollCallRow } from './document.ts';
import { fisherGreater, logFactorials } from './fisher.ts';
import { headlineOf, indexFindings } from './headline.ts';
import { compareNaturally, inRowOrder } from './order.ts';
import { row } from './testing.ts';

function documentOf(...rows: readonly RollCallRow[]): RollCallDocument {
  return { rows, shared: [1], gaps: [1], cluster: [] } as unknown as RollCallDocument;
}

describe('the order of rows', () => {
  test('takes numbers in names as numbers', () => {
    const names = ['node-2', 'node-10', 'node-1', 'node', 'node-1-b', '9', 'a10b2', 'a10b10'];
    assert.deepEqual(names.toSorted(compareNaturally), [
      '9',
      'a10b2',
      'a10b10',
      'node',
      'node-1',
      'node-1-b',
      'node-2',
      'node-10',
    ]);
  });

  test('takes long runs of digits as texts, and tells equal numbers apart', () => {
    const [long, longer] = ['9'.repeat(16), `1${'0'.repeat(16)}`];
    assert.ok(compareNaturally(long, longer) > 0);
    const [most, more] = ['9'.repeat(14), `1${'0'.repeat(14)}`];
    assert.ok(compareNaturally(most, more) < 0);
    assert.ok(compareNaturally('a01', 'a1') < 0 && compareNaturally('a1', 'a01') > 0);
    assert.equal(compareNaturally('a1', 'a1'), 0);
    assert.ok(compareNaturally('1a', 'a1') < 0);
  });

  test('puts the worst first, then the lowest stage, then the name', () => {
    const rows = [
      row('d', { verdict: 'usable' }),
      row('c', { verdict: 'cannot-tell', stage: 'launched' }),
      row('b', { verdict: 'not-usable' }),
      row('e10', { verdict: 'not-usable', stage: 'registered' }),
      row('e2', { verdict: 'not-usable', stage: 'registered' }),
      row('z', { verdict: 'not-usable', stage: 'launched' }),
    ];
    const names = inRowOrder(rows.map((one) => ({ row: one }))).map((one) => one.row.name);
    assert.deepEqual(names, ['z', 'e2', 'e10', 'b', 'c', 'd']);
  });
});

test('reports changes by machine, by instance where it has one', () => {
  const headline = {
    cause: 'c',
    stage: 'registered',
    confidence: 'definite',
    subject: 'x',
  } as const;
  const failed = { verdict: 'not-usable', stage: 'registered', headline } as const;
  const before = documentOf(
    row('a', { instanceId: 'i-1', ...failed }),
    row('b'),
    row('gone', failed),
  );
  const next = documentOf(
    row('renamed', { instanceId: 'i-1' }),
    row('b'),
    row('i-2', { instanceId: 'i-2', verdict: 'cannot-tell' }),
  );
  assert.deepEqual(changeLines(before, next), [
    'renamed i-1: not-usable at registered (c) -> usable',
    'i-2: new, cannot-tell',
    'gone: gone, was not-usable at registered (c)',
  ]);
  assert.deepEqual(changeLines(null, documentOf(row('a', { stage: 'usable' }))), [
    'a: new, usable',
  ]);
});

test('a row is called by any of its names, with or without domain, in any case', () => {
  const one = row('IP-10.x', { instanceId: 'i-1', node: 'node00.corp' });
  for (const name of ['ip-10.X', 'ip-10', 'I-1', 'node00', 'NODE00.corp'])
    assert.equal(isCalled(one, name), true, name);
  for (const name of ['ip', 'node00.other', 'corp', ''])
    assert.equal(isCalled(one, name), false, name);
  const called = rowsCalled(documentOf(one, row('b'), row('c')), ['c', 'i-1']);
  assert.deepEqual(
    called.rows.map(({ name }) => name),
    ['IP-10.x', 'c'],
  );
  assert.deepEqual([called.shared, called.gaps, called.cluster], [[], [], []]);
});

describe('Fisher’s exact test', () => {
  const logs = logFactorials(40);

  for (const [title, table, expected] of [
    // Fisher's own: one who tastes tea tells three cups of four (The Design of Experiments, 1935).
    ['three of four cups', [3, 1, 1, 3], 17 / 70],
    ['all four cups', [4, 0, 0, 4], 1 / 70],
    ['nobody has it', [0, 4, 0, 4], 1],
    ['everybody has it', [4, 0, 4, 0], 1],
    ['only usable ones have it', [0, 4, 4, 0], 1],
    ['one of one', [1, 0, 0, 3], 1 / 4],
  ] as const)
    test(`${title}: ${expected}`, () => {
      const [failingWith, failingWithout, usableWith, usableWithout] = table;
      const one = { failingWith, failingWithout, usableWith, usableWithout };
      assert.ok(
        Math.abs(fisherGreater(one, logs) - expected) < 1e-9,
        `${fisherGreater(one, logs)}`,
      );
    });

  test('factorials are sums of logarithms', () => {
    assert.deepEqual([...logFactorials(1)], [0, 0]);
    assert.ok(Math.abs((logFactorials(5)[5] ?? 0) - Math.log(120)) < 1e-9);
  });
});

describe('the headline of a row', () => {
  const indexOf = (...subjects: readonly ReturnType<typeof reportOf>[]) =>
    indexFindings({ subjects } as unknown as DiagnosisDocument);
  const repeated = findingOf('shared', 'reachable', { role: 'consequence', explainedBy: 'shared' });

  test('names its root, or its cluster’s cause', () => {
    const machine = reportOf('a', { findings: [repeated] });
    const cluster = reportOf('shop', {
      kind: 'Cluster',
      findings: [findingOf('shared', 'reachable')],
    });
    assert.equal(headlineOf(machine, indexOf(machine, cluster))?.subject, 'shop');
    assert.equal(headlineOf(machine, indexOf(machine))?.subject, 'a');
    const other = reportOf('b', { findings: [{ ...repeated, explainedBy: 'else' }] });
    assert.equal(headlineOf(other, indexOf(other)), null);
    const own = reportOf('c', { instanceId: 'i-1', findings: [findingOf('own', 'usable')] });
    assert.equal(headlineOf(own, indexOf(own))?.subject, 'i-1');
    const maybe = findingOf('own', 'usable', { confidence: 'possible' });
    assert.equal(headlineOf(reportOf('d', { findings: [maybe] }), indexOf()), null);
  });

  test('is chosen by stage, machines, certainty, time and id', () => {
    const headed = (...findings: readonly ReturnType<typeof findingOf>[]): string | undefined => {
      const both = [findings, findings.toReversed()].map((one) => {
        const report = reportOf('a', { findings: one });
        const more = reportOf('b', { findings: [findingOf('many', 'reachable')] });
        return headlineOf(report, indexOf(report, more))?.cause;
      });
      assert.equal(both[0], both[1], 'whatever their order');
      return both[0];
    };
    const at = (cause: string, time: string | null) =>
      findingOf(cause, 'reachable', {
        evidence: [{ source: 'kubelet', locator: '', excerpt: '', time }],
      });
    assert.equal(headed(findingOf('a', 'usable'), findingOf('z', 'reachable')), 'z');
    assert.equal(headed(findingOf('a', 'reachable'), findingOf('many', 'reachable')), 'many');
    assert.equal(
      headed(findingOf('a', 'reachable', { confidence: 'likely' }), findingOf('z', 'reachable')),
      'z',
    );
    assert.equal(headed(at('a', '2026-05-02T00:00:00Z'), at('z', '2026-05-01T00:00:00Z')), 'z');
    assert.equal(headed(at('a', null), at('z', '2026-05-01T00:00:00Z')), 'a');
    assert.equal(headed(at('a', '2026-05-01T00:00:00Z'), at('z', null)), 'a');
    assert.equal(headed(findingOf('b', 'reachable'), findingOf('a', 'reachable')), 'a');
  });

  test('causes are owned by the first cluster or group that has them as a root', () => {
    const group = reportOf('g', { kind: 'NodeGroup', findings: [repeated] });
    const [one, two] = ['x', 'y'].map((name) =>
      reportOf(name, { kind: 'Cluster', findings: [findingOf('shared', 'reachable')] }),
    );
    assert.ok(one !== undefined && two !== undefined);
    const machine = reportOf('a', { findings: [findingOf('shared', 'reachable')] });
    const { owners, explained } = indexOf(machine, group, one, two);
    assert.deepEqual([...owners], [['shared', 'x']]);
    assert.deepEqual([...explained], [['shared', 4]]);
  });
});
