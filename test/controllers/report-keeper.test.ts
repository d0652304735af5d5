import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ReportKeeper } from '../../src/controllers/node-reports/keeper.ts';
import { NODE_REPORTS } from '../../src/controllers/node-reports/report.ts';
import type { RollCallRow } from '../../src/diagnosis/roll-call/document.ts';
import { textAt } from '../../src/evidence/json.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeRecorder, type FakeRecorder } from '../ports/fake/recorder.ts';
import { row } from '../roll-call/fixtures.ts';

const KEEP_MS = 600_000;
const STEP_MS = 1_000;
const BROKEN: Partial<RollCallRow> = { verdict: 'not-usable', stage: 'networked' };

interface Scene {
  readonly api: FakeKubeApi;
  readonly writes: FakeKubeWrites;
  readonly clock: VirtualClock;
  readonly keeper: ReportKeeper;
  readonly recorder: FakeRecorder;
  /** Verbs of what was performed, with its outcome. */
  readonly done: string[];
  readonly lead: { isLeading: boolean };
}

async function scene(context: TestContext, isDryRun = false): Promise<Scene> {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  api.serve(NODE_REPORTS);
  const writes = new FakeKubeWrites(api);
  const recorder = createFakeRecorder();
  const done: string[] = [];
  const keeper = new ReportKeeper({
    api,
    writes,
    recorder,
    clock,
    random: { next: () => 0.5 },
    cluster: 'shop',
    keepMs: () => KEEP_MS,
    isDryRun: () => isDryRun,
    onPerformed: ({ write }, { outcome }) => done.push(`${write.verb} ${outcome}`),
  });
  const ending = new AbortController();
  const lead = { isLeading: true };
  const running = keeper.run({ signal: ending.signal, isLeading: () => lead.isLeading });
  context.after(async () => {
    ending.abort();
    await clock.advance(0);
    await running;
  });
  await clock.advance(STEP_MS);
  return { api, writes, clock, keeper, recorder, done, lead };
}

async function verdictOf({ api }: Scene, name: string): Promise<string | null> {
  return textAt(await api.get(NODE_REPORTS, { name }), 'status.verdict');
}

const ROW = row();
const NAME = ROW.instanceId ?? '';

test('makes a report and gives it its status, then writes nothing at rest', async (context) => {
  const kept = await scene(context);
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(10 * STEP_MS);
  assert.deepEqual(kept.done, ['create done', 'patch done']);
  assert.equal(await verdictOf(kept, NAME), 'usable');
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(120 * STEP_MS);
  assert.equal(kept.done.length, 2);
});

test('writes once for each change of verdict, and records it before and after', async (context) => {
  const kept = await scene(context);
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(10 * STEP_MS);
  kept.keeper.setRows([row(BROKEN)], true);
  await kept.clock.advance(10 * STEP_MS);
  assert.deepEqual(kept.done.slice(2), ['patch done']);
  assert.equal(await verdictOf(kept, NAME), 'not-usable');
  const rows = await kept.recorder.read({ cluster: 'shop', limit: 100 });
  const kinds = rows.map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === 'action-intended').length, 3);
  assert.equal(kinds.filter((kind) => kind === 'action-ended').length, 3);
});

test('deletes the report of a machine that is gone for long', async (context) => {
  const kept = await scene(context);
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(10 * STEP_MS);
  kept.keeper.setRows([], true);
  await kept.clock.advance(KEEP_MS / 2);
  assert.equal(await verdictOf(kept, NAME), 'usable');
  await kept.clock.advance(KEEP_MS);
  assert.deepEqual(kept.done.slice(2), ['patch done', 'delete done']);
});

test('does not write a second time when an answer is lost', async (context) => {
  const kept = await scene(context);
  kept.writes.loseNext(fault('unclear', 'create'));
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(20 * STEP_MS);
  assert.deepEqual(kept.done, ['create done', 'patch done']);
});

test('leaves everything as it is in a dry run', async (context) => {
  const kept = await scene(context, true);
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(10 * STEP_MS);
  assert.ok(kept.done.every((done) => done === 'create done'));
  await assert.rejects(kept.api.get(NODE_REPORTS, { name: NAME }));
});

test('reports nothing as gone while a list could not be read', async (context) => {
  const kept = await scene(context);
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(10 * STEP_MS);
  kept.keeper.setRows([], false);
  await kept.clock.advance(2 * KEEP_MS);
  assert.deepEqual(kept.done, ['create done', 'patch done']);
});

test('writes nothing after its time as leader, also with a record of the intention', async (context) => {
  const kept = await scene(context);
  kept.lead.isLeading = false;
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(2 * STEP_MS);
  assert.deepEqual(kept.done, ['create refused']);
  await assert.rejects(kept.api.get(NODE_REPORTS, { name: NAME }));
});

test('tries again soon after a failure, not with the next round', async (context) => {
  const kept = await scene(context);
  kept.recorder.failWith(fault('unavailable', 'append'));
  kept.keeper.setRows([ROW], true);
  await kept.clock.advance(2 * STEP_MS);
  assert.deepEqual(kept.done, ['create refused']);
  kept.recorder.failWith(null);
  await kept.clock.advance(6 * STEP_MS);
  assert.equal(kept.done[1], 'create done');
});
