import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import type { Action } from '../../ports/action.ts';
import { decide, type ReportsInput } from './decide.ts';
import { type KnownReport, readReport } from './report.ts';

const NOW_MS = Date.UTC(2026, 2, 1, 12);
const NOW = '2026-03-01T12:00:00Z';
const EARLIER = '2026-03-01T11:00:00Z';
const ID = 'i-0123456789abcdef0';

const USABLE: RollCallRow = {
  name: 'web-1',
  instanceId: ID,
  node: 'web-1',
  group: { kind: 'none', name: null },
  instanceType: null,
  zone: null,
  image: null,
  launchedAt: null,
  stage: null,
  verdict: 'usable',
  headline: null,
  risks: [],
  note: null,
};

const BROKEN: RollCallRow = {
  ...USABLE,
  verdict: 'not-usable',
  stage: 'networked',
  headline: { cause: 'cni-not-ready', stage: 'networked', confidence: 'likely', subject: ID },
};

const STATUS = {
  verdict: 'usable',
  stage: null,
  cause: null,
  confidence: null,
  node: 'web-1',
  instanceId: ID,
  note: null,
  since: EARLIER,
  goneSince: null,
} as const;

function report(status: KnownReport['status']): KnownReport {
  return { name: ID, uid: 'u-1', resourceVersion: '7', status };
}

function decided(
  known: readonly KnownReport[],
  change: Partial<ReportsInput> = {},
): readonly Action[] {
  const reports = new Map(known.map((one) => [one.name, one]));
  const given = {
    reports,
    rows: [USABLE],
    areWhole: true,
    nowMs: NOW_MS,
    goneForMs: (_: string, goneMs: number) => NOW_MS - goneMs,
    keepMs: 3_600_000,
    actionsMax: 100,
  };
  return decide({ ...given, ...change });
}

function written(actions: readonly Action[]): readonly unknown[] {
  return actions.map(({ write, object }) => [
    write.verb,
    object.seen?.resourceVersion ?? null,
    write.verb === 'patch' && write.patch.type === 'merge' ? write.patch.change['status'] : null,
  ]);
}

describe('reports of machines', () => {
  test('are made for each machine without one', () => {
    assert.deepEqual(written(decided([])), [['create', null, null]]);
  });

  test('are left alone while nothing changes', () => {
    assert.deepEqual(decided([report(STATUS)]), []);
  });

  test('get their first status', () => {
    const [action] = decided([report(null)]);
    assert.deepEqual(written(action === undefined ? [] : [action]), [
      ['patch', '7', { ...STATUS, since: NOW }],
    ]);
  });

  test('say since when a verdict holds', () => {
    const next = { verdict: 'not-usable', stage: 'networked', cause: 'cni-not-ready' };
    assert.deepEqual(written(decided([report(STATUS)], { rows: [BROKEN] })), [
      ['patch', '7', { ...STATUS, ...next, confidence: 'likely', since: NOW }],
    ]);
    const noted = { ...USABLE, note: 'two Nodes' };
    assert.deepEqual(written(decided([report(STATUS)], { rows: [noted] })), [
      ['patch', '7', { ...STATUS, note: 'two Nodes' }],
    ]);
  });

  test('stay a while after their machine, and go by the version that was seen', () => {
    assert.deepEqual(written(decided([report(STATUS)], { rows: [] })), [
      ['patch', '7', { ...STATUS, goneSince: NOW }],
    ]);
    const gone = report({ ...STATUS, goneSince: EARLIER });
    assert.deepEqual(decided([gone], { rows: [], keepMs: 3_600_001 }), []);
    assert.deepEqual(written(decided([gone], { rows: [] })), [['delete', '7', null]]);
  });

  test('stay as they are where a machine may only be unread', () => {
    assert.deepEqual(decided([report(STATUS)], { rows: [], areWhole: false }), []);
    const gone = report({ ...STATUS, goneSince: EARLIER });
    assert.deepEqual(decided([gone], { rows: [], areWhole: false }), []);
  });

  test('come back with a machine that comes back', () => {
    const gone = report({ ...STATUS, goneSince: EARLIER });
    assert.deepEqual(written(decided([gone])), [['patch', '7', STATUS]]);
  });

  test('are one for rows of one name, of the worst', () => {
    assert.deepEqual(written(decided([report(null)], { rows: [BROKEN, USABLE] })).length, 1);
  });

  test('are bounded in one round', () => {
    const rows = Array.from({ length: 5 }, (_, index) => ({
      ...USABLE,
      instanceId: `i-0123456789abcde${index}0`,
    }));
    assert.equal(decided([], { rows, actionsMax: 3 }).length, 3);
  });

  test('are not made for a machine after which no object can be named', () => {
    const row = { ...USABLE, instanceId: null, node: null, name: 'a b' };
    assert.deepEqual(decided([], { rows: [row] }), []);
  });
});

describe('writes of reports', () => {
  const changes: readonly (readonly [string, Partial<RollCallRow>])[] = [
    ['verdict', { verdict: 'cannot-tell' }],
    ['stage', { stage: 'networked' }],
    ['cause', { headline: { cause: 'x', stage: 'networked', confidence: 'likely', subject: ID } }],
  ];
  for (const [what, change] of changes)
    test(`have a new time when only the ${what} changes`, () => {
      const [action] = decided([report(STATUS)], { rows: [{ ...USABLE, ...change }] });
      const { write } = action ?? {};
      const patch = write?.verb === 'patch' && write.patch.type === 'merge' ? write.patch : null;
      const { since } = (patch?.change['status'] ?? {}) as { readonly since?: string };
      assert.equal(since, NOW);
    });

  test('are written by the rule node-reports, under an id for each version', () => {
    const [made] = decided([]);
    assert.equal(made?.id, `node-reports/${ID}/create/new`);
    assert.deepEqual(
      [made.why.kind, made.why.name, made.askedBy],
      ['rule', 'node-reports', 'node-reports'],
    );
    const gone = report({ ...STATUS, goneSince: EARLIER });
    const [deleted] = decided([gone], { rows: [] });
    assert.equal(deleted?.id, `node-reports/${ID}/delete/7`);
    assert.equal(deleted.why.text, `${ID} is gone for 60 min`);
  });

  test('go at once where they have no status yet and their machine is gone', () => {
    assert.deepEqual(written(decided([report(null)], { rows: [] })), [['delete', '7', null]]);
  });
});

test('a report of the cluster is read with the status it has', () => {
  const metadata = { name: ID, uid: 'u-1', resourceVersion: '7' };
  assert.deepEqual(readReport({ metadata, status: { ...STATUS } }), report(STATUS));
  assert.deepEqual(readReport({ metadata }), report(null));
  assert.equal(readReport({ metadata: { name: ID } }), null);
});
