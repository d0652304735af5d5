import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../../src/evidence/json.ts';
import { whenAborted } from '../../src/runtime/abort.ts';
import type { Leading } from '../../src/runtime/election/election-options.ts';
import { candidate, scene } from './election-scene.ts';
import { leaseApi, leaseWrites } from './lease-server.ts';

test('the end of a leadership renews while the work ends, then lets the next one begin at once', async (context) => {
  const told = scene();
  const lead = async ({ stop }: Leading): Promise<void> => {
    await whenAborted(stop);
    await told.clock.sleep(30_000);
  };
  const one = candidate(context, told, 'one', { lead });
  const other = candidate(context, told, 'two');
  await told.clock.advance(1_000);
  one.stop.abort();
  await told.clock.advance(29_999);
  assert.deepEqual([one.election.isLeading(), other.election.isLeading()], [true, false]);
  await told.clock.advance(1);
  assert.equal(await one.ended, 'stopped');
  assert.equal(told.store.holder(), null);
  assert.equal(told.store.spec()['leaseDurationSeconds'], 1);
  await told.clock.advance(4_400);
  assert.equal(other.election.isLeading(), true);
  assert.equal(told.store.spec()['leaseTransitions'], 1);
});

test('the end of a leadership comes when the work ends by itself', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one', { lead: async () => told.clock.sleep(3_000) });
  await told.clock.advance(3_000);
  assert.equal(await one.ended, 'stopped');
  assert.equal(told.store.holder(), null);
});

test('the end of a leadership by work that throws what took its leadership counts as lost', async (context) => {
  const told = scene();
  const lead = async ({ lost }: Leading): Promise<void> => told.clock.sleep(1e9, lost);
  const one = candidate(context, told, 'one', { lead });
  await told.clock.advance(1_000);
  told.fault = 'unreachable';
  await told.clock.advance(10_000);
  assert.equal(await one.ended, 'lost');
});

test('the end of a leadership that comes too late releases nothing', async (context) => {
  const told = scene();
  const { clock } = told;
  const late = { byMs: 0 };
  const stalled = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs() + late.byMs,
    sleep: async (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
  };
  const one = candidate(context, told, 'one', { clock: stalled });
  await clock.advance(100);
  late.byMs = 10_000;
  one.stop.abort();
  await one.ended;
  assert.equal(told.store.holder(), 'one');
});

test('the end of a leadership by a bug of the work is that bug, with the Lease released', async (context) => {
  const told = scene();
  const lead = async (): Promise<void> => Promise.reject(new TypeError('x is null'));
  const one = candidate(context, told, 'one', { lead });
  assert.equal(await one.ended, 'TypeError: x is null');
  assert.equal(told.store.holder(), null);
});

test('the end of a leadership by a bug of a port ends the work and is that bug', async (context) => {
  const told = scene();
  const { clock, store } = told;
  const writes = {
    ...leaseWrites({ store, clock }),
    update: () => Promise.reject(new TypeError('y is null')),
  };
  const one = candidate(context, told, 'one', { writes });
  await clock.advance(2_000);
  assert.equal(await one.ended, 'TypeError: y is null');
  assert.equal(one.leading?.lost.aborted, true);
});

test('the end of a leadership waits for a renewal under way, so that it can release', async (context) => {
  const told = scene();
  const { clock, store } = told;
  const slow = { store, clock, delayMs: () => 1_400 };
  const one = candidate(context, told, 'one', { api: leaseApi(slow), writes: leaseWrites(slow) });
  // get and create take 2.8 s, and the first renewal begins 2 s later.
  await clock.advance(5_000);
  one.stop.abort();
  await clock.advance(10_000);
  assert.equal(await one.ended, 'stopped');
  assert.equal(store.holder(), null);
});

test('the end of a leadership is released over a failure that passes, and a lost answer', async (context) => {
  for (const fault of ['unavailable', 'lost', 'conflict'] as const) {
    const told = scene();
    const one = candidate(context, told, 'one', { limits: { tryMs: 1_000 } });
    await told.clock.advance(2_500);
    told.fault = fault;
    one.stop.abort();
    await told.clock.advance(100);
    told.fault = null;
    await told.clock.advance(1_000);
    assert.equal(await one.ended, 'stopped', fault);
    assert.equal(told.store.holder(), null, fault);
  }
});

test('the end of a leadership leaves the Lease of another one alone', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one');
  await told.clock.advance(100);
  told.store.change({ holderIdentity: 'thief' });
  one.stop.abort();
  await told.clock.advance(1_000);
  assert.equal(await one.ended, 'stopped');
  assert.equal(told.store.holder(), 'thief');
});

test('the end of a leadership that cannot be released still ends', async (context) => {
  const told = scene();
  const one = candidate(context, told, 'one');
  await told.clock.advance(100);
  told.fault = 'hang';
  one.stop.abort();
  await told.clock.advance(3_000);
  assert.equal(await one.ended, 'stopped');
  assert.equal(told.store.holder(), 'one');
});

test('limits that would allow two leaders are a bug', (context) => {
  for (const limits of [{ renewMs: 15_000 }, { tryMs: 8_000 }, { retryMs: 0 }])
    assert.throws(() => candidate(context, scene(), 'one', { limits }), RangeError);
});

test('each change of phase, holder and failure is reported once', async (context) => {
  const told = scene();
  const seen: string[] = [];
  const one = candidate(context, told, 'one', {
    onChange: ({ phase, holder, lastError }) =>
      seen.push(`${phase} ${holder} ${lastError?.failure}`),
  });
  await told.clock.advance(20_000);
  one.stop.abort();
  await one.ended;
  assert.deepEqual(seen, [
    'candidate one undefined',
    'leading one undefined',
    'leading null undefined',
    'over null undefined',
  ]);
});

test('the end of a leadership that meets a bug of a port ends with it', async (context) => {
  const told = scene();
  const door = { store: told.store, clock: told.clock };
  const writes = leaseWrites(door);
  const update: typeof writes.update = (resource, object, options) =>
    textAt(object, 'spec.holderIdentity') === null
      ? Promise.reject(new TypeError('a bug'))
      : writes.update(resource, object, options);
  const api = leaseApi(door);
  const one = candidate(context, told, 'one', { api, writes: { ...writes, update } });
  await told.clock.advance(1_000);
  one.stop.abort();
  await told.clock.advance(60_000);
  assert.equal(await one.ended, 'TypeError: a bug');
});
