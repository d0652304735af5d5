import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import { runSeed } from '../../src/apps/sim/one-seed.ts';
import { type Ending, twinDifferences } from '../../src/apps/sim/twin.ts';
import type { Look } from '../../src/sim/invariants/contract.ts';

function endingOf(
  verdict: SubjectReport['verdict'],
  { isUsable = true, requests = 100, isSaid = false } = {},
): Ending {
  const notObservable = isSaid ? [{ stage: 'networked', why: '', collect: '' } as const] : [];
  const subject: SubjectReport = {
    kind: 'Machine',
    name: 'n1',
    instanceId: 'i-1',
    node: 'n1',
    verdict,
    stage: null,
    ladder: [],
    findings: [],
    notObservable,
    timeline: [],
  };
  const last = {
    atMs: 7,
    document: { subjects: [subject] },
    states: [{ instanceId: 'i-1', node: 'n1', isUsable }],
  } as unknown as Look;
  const counts = {
    events: 0,
    joins: 0,
    looks: 1,
    evaluations: new Map([['I-33', requests]]),
    faults: new Map(),
  };
  return { result: { violations: [], happened: [], counts, marks: new Map() }, last };
}

describe('a run against its twin without faults', () => {
  test('reports the same for an equally healthy machine', () => {
    assert.deepEqual(twinDifferences(endingOf('usable'), endingOf('usable')), []);
    const found = twinDifferences(endingOf('not-usable'), endingOf('usable'));
    assert.deepEqual(
      found.map(({ rule, what }) => [rule, what]),
      [['twin', 'twin: reported not-usable, but usable without the faults']],
    );
  });

  test('may say another thing of a machine that is not, or where something is missing', () => {
    const broken = endingOf('not-usable', { isUsable: false });
    assert.deepEqual(twinDifferences(broken, endingOf('usable')), []);
    const open = endingOf('cannot-tell', { isSaid: true });
    assert.deepEqual(twinDifferences(open, endingOf('usable')), []);
  });

  test('does not ask much more', () => {
    const much = endingOf('usable', { requests: 1000 });
    const found = twinDifferences(much, endingOf('usable'));
    assert.ok(found.some(({ what }) => what.includes('asked 1000 times')));
    assert.deepEqual(
      twinDifferences(endingOf('usable', { requests: 300 }), endingOf('usable')),
      [],
    );
  });

  test('is not compared when it ended before its last look', () => {
    const cut = { ...endingOf('not-usable'), last: null };
    assert.deepEqual(twinDifferences(cut, endingOf('usable')), []);
  });

  test('holds in a world', async () => {
    const wishes = { nodes: 1, hours: 0.2, faults: ['F35', 'F47', 'F17'] };
    const { result } = await runSeed({ seed: 3, wishes, bug: null, isTwinned: true });
    assert.deepEqual(result.violations, []);
  });
});
