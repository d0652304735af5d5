import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeadershipLost } from '../../src/runtime/election/election-options.ts';
import { candidate, scene } from './election-scene.ts';

test('a leader renews long before the others would take over, with one request each', async (context) => {
  const told = scene();
  const { election } = candidate(context, told, 'one');
  const other = candidate(context, told, 'two');
  await told.clock.advance(120_000);
  assert.deepEqual([election.isLeading(), other.election.isLeading()], [true, false]);
  const renewals = told.calls.filter(({ verb }) => verb === 'update').length;
  assert.equal(renewals, 60);
  assert.equal(told.store.spec()['acquireTime'], '2026-01-01T00:00:00.000000Z');
  assert.equal(told.store.spec()['renewTime'], '2026-01-01T00:02:00.000000Z');
});

for (const fault of ['hang', 'lost', 'denied', 'unreachable', 'throttled'] as const)
  test(`a leader that cannot renew gives up 10 s after its last renewal: ${fault}`, async (context) => {
    const told = scene();
    const one = candidate(context, told, 'one');
    await told.clock.advance(5_000);
    told.fault = fault;
    await told.clock.advance(8_999);
    assert.equal(one.leading?.lost.aborted, false);
    assert.equal(one.leading.isLeading(), true);
    await told.clock.advance(1);
    assert.equal(one.leading.isLeading(), false);
    assert.ok(one.leading.lost.reason instanceof LeadershipLost);
    assert.match(one.leading.lost.reason.message, /rollcall\/controller could not be renewed/);
    assert.equal(await one.ended, 'lost');
    assert.equal(one.election.state().phase, 'over');
  });

test('a leader survives failures that pass in time', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one');
  for (const fault of ['hang', 'unavailable', 'lost', 'conflict'] as const) {
    told.fault = fault;
    await told.clock.advance(5_500);
    told.fault = null;
    await told.clock.advance(6_000);
    assert.equal(one.election.isLeading(), true, fault);
  }
  assert.equal(one.leading?.lost.aborted, false);
});

test('a leader stops leading the moment its time is over, before any timer had its turn', async (context) => {
  const told = scene();
  const { clock } = told;
  const late = { ...clock, passedMs: 0 };
  const stalled = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs() + late.passedMs,
    sleep: async (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
  };
  const one = candidate(context, told, 'one', { clock: stalled });
  await clock.advance(0);
  late.passedMs = 9_999;
  assert.equal(one.leading?.isLeading(), true);
  late.passedMs = 10_000;
  assert.equal(one.leading.isLeading(), false);
  assert.equal(one.leading.lost.aborted, false);
});

test('a leader gives up at the next renewal when somebody else took the Lease', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one');
  await told.clock.advance(5_000);
  told.store.change({ holderIdentity: 'thief' });
  await told.clock.advance(1_000);
  assert.equal(await one.ended, 'lost');
  assert.match(String(one.leading?.lost.reason), /is held by another/);
  assert.equal(one.leading?.isLeading(), false);
  assert.equal(told.store.holder(), 'thief');
});

test('a leader continues when the Lease was annotated or deleted', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one');
  await told.clock.advance(5_000);
  told.store.change({ note: 'by a person' });
  await told.clock.advance(10_000);
  told.store.lease = null;
  await told.clock.advance(20_000);
  assert.deepEqual([one.election.isLeading(), told.store.holder()], [true, 'one']);
});

test('a leader does not need its wall clock', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one');
  const other = candidate(context, told, 'two');
  for (const stepMs of [86_400_000, -172_800_000]) {
    told.clock.stepWall(stepMs);
    await told.clock.advance(60_000);
    assert.deepEqual([one.election.isLeading(), other.election.isLeading()], [true, false]);
  }
});
