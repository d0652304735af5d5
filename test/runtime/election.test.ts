import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../src/evidence/json.ts';
import { candidate, scene } from './election-scene.ts';
import { leaseApi, leaseWrites } from './lease-server.ts';

test('a candidate takes a Lease that is not there, and writes it as Kubernetes does', async (context) => {
  const told = scene();
  const { election, leading } = candidate(context, told, 'one');
  assert.equal(leading, null);
  await told.clock.advance(0);
  assert.deepEqual(election.state(), { phase: 'leading', holder: 'one', lastError: null });
  assert.equal(election.isLeading(), true);
  assert.deepEqual(told.store.spec(), {
    holderIdentity: 'one',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
  const { spec: _, ...object } = told.store.lease ?? {};
  assert.deepEqual(object, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'rollcall', name: 'controller', uid: 'u', resourceVersion: '1' },
  });
});

test('a candidate takes a Lease without a holder at once, and keeps what else it says', async (context) => {
  const told = scene();
  const spec = { leaseDurationSeconds: 1, leaseTransitions: 6, strategy: 'other' };
  told.store.put({ metadata: { name: 'controller', labels: { a: 'b' } }, spec });
  const { election } = candidate(context, told, 'one');
  await told.clock.advance(0);
  assert.equal(election.isLeading(), true);
  assert.deepEqual(
    [told.store.spec()['leaseTransitions'], told.store.spec()['strategy']],
    [7, 'other'],
  );
  assert.deepEqual(at(told.store.lease ?? undefined, 'metadata.labels'), {
    a: 'b',
  });
});

test('a candidate waits for a silent holder as long as that asked, by the clock here', async (context) => {
  const told = scene();
  // Its own clock is years away from ours, in either direction.
  for (const renewTime of ['2001-01-01T00:00:00.000000Z', '2099-01-01T00:00:00.000000Z']) {
    const spec = { holderIdentity: 'gone', leaseDurationSeconds: 40, renewTime };
    told.store.put({ metadata: { name: 'controller' }, spec });
    const { election, stop, ended } = candidate(context, told, 'one');
    await told.clock.advance(39_999);
    assert.deepEqual(election.state(), { phase: 'candidate', holder: 'gone', lastError: null });
    await told.clock.advance(4_000);
    assert.equal(election.isLeading(), true);
    stop.abort();
    assert.equal(await ended, 'stopped');
  }
});

test('a candidate counts from the last change of any kind', async (context) => {
  const told = scene();
  const spec = { holderIdentity: 'alive', leaseDurationSeconds: 15, n: 0 };
  told.store.put({ metadata: { name: 'controller' }, spec });
  const { election } = candidate(context, told, 'one');
  for (let n = 1; n < 6; n++) {
    await told.clock.advance(12_000);
    told.store.change({ n });
  }
  await told.clock.advance(14_000);
  assert.equal(election.isLeading(), false);
  await told.clock.advance(9_000);
  assert.equal(election.isLeading(), true);
});

test('a candidate does not wait for ever for a Lease that asks for that, or does not say', async (context) => {
  for (const [seconds, leastMs] of [
    [1e9, 600_000],
    [null, 15_000],
    [-5, 15_000],
  ] as const) {
    const told = scene();
    const spec = { holderIdentity: 'odd', leaseDurationSeconds: seconds };
    told.store.put({ metadata: { name: 'controller' }, spec });
    const { election } = candidate(context, told, 'one');
    await told.clock.advance(leastMs - 1);
    assert.equal(election.isLeading(), false, String(seconds));
    await told.clock.advance(4_000);
    assert.equal(election.isLeading(), true, String(seconds));
  }
});

test('a candidate keeps trying over any failure, and says which', async (context) => {
  for (const fault of ['denied', 'unreachable', 'hang', 'lost', 'conflict'] as const) {
    const told = scene();
    told.fault = fault;
    const { election } = candidate(context, told, 'one');
    await told.clock.advance(30_000);
    const { phase, lastError } = election.state();
    const failure = fault === 'hang' || fault === 'lost' ? 'timeout' : fault;
    assert.deepEqual([phase, lastError?.failure], ['candidate', failure], fault);
    told.fault = null;
    await told.clock.advance(8_000);
    assert.deepEqual([election.isLeading(), election.state().lastError], [true, null], fault);
  }
});

test('a candidate asks every two seconds and some, by chance', async (context) => {
  const told = scene();
  told.store.put({ metadata: { name: 'controller' }, spec: { holderIdentity: 'other' } });
  candidate(context, told, 'one');
  await told.clock.advance(10_000);
  assert.deepEqual(
    told.calls.map(({ verb, atMs }) => `${verb} ${atMs}`),
    ['get 0', 'get 3200', 'get 6400', 'get 9600'],
  );
});

test('a candidate lets another one be quicker', async (context) => {
  const told = scene();
  const { store, clock } = told;
  const door = { store, clock, delayMs: () => 200 };
  const api = leaseApi(door);
  const { election } = candidate(context, told, 'one', { api, writes: leaseWrites(door) });
  await clock.advance(150);
  store.put({ metadata: { name: 'controller' }, spec: { holderIdentity: 'quick' } });
  await clock.advance(3_500);
  assert.deepEqual(election.state(), { phase: 'candidate', holder: 'quick', lastError: null });
});

test('a candidate that is stopped while it waits for an answer ends at once', async (context) => {
  const told = scene();
  told.fault = 'hang';
  const { stop, ended } = candidate(context, told, 'one');
  await told.clock.advance(500);
  stop.abort();
  assert.equal(await ended, 'stopped');
  assert.equal(told.clock.sleeping(), 0);
});

test('a candidate that is stopped has nothing to release', async (context) => {
  const told = scene();
  told.store.put({ metadata: { name: 'controller' }, spec: { holderIdentity: 'other' } });
  const { stop, ended, leading } = candidate(context, told, 'one');
  await told.clock.advance(5_000);
  stop.abort();
  assert.equal(await ended, 'stopped');
  assert.deepEqual([leading, told.store.holder()], [null, 'other']);
});
