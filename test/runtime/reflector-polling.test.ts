import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { NODES } from '../../src/collection/resources.ts';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';

const POLL_MS = 10_000;
const RETRY_MS = 60_000;

interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly reflector: Reflector<string>;
}

async function followed(
  context: TestContext,
  pollMs: number | null,
  mayWatch = false,
): Promise<Scene> {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  api.serve(NODES);
  api.put(NODES, { metadata: { name: 'a' } });
  if (!mayWatch) api.forbid('watch nodes');
  const reflector = new Reflector({
    api,
    clock,
    random: { next: () => 0.5 },
    resource: NODES,
    project: () => 'kept',
    limits: { pollMs, refusedRetryMs: RETRY_MS },
  });
  const ending = new AbortController();
  const running = reflector.run(ending.signal);
  context.after(async () => {
    ending.abort();
    await clock.advance(0);
    await running;
  });
  await clock.advance(100);
  return { api, clock, reflector };
}

test('lists take the place of a watch that is denied', async (context) => {
  const { api, clock, reflector } = await followed(context, POLL_MS);
  const { phase, isSynced, lastError } = reflector.state();
  assert.deepEqual([phase, isSynced, lastError?.permission], ['polling', true, 'watch nodes']);
  assert.deepEqual([...reflector.entries()], [['a', 'kept']]);
  api.put(NODES, { metadata: { name: 'b' } });
  await clock.advance(POLL_MS);
  assert.equal(reflector.size, 2);
  assert.ok(reflector.state().staleMs < POLL_MS);
});

test('a watch that is allowed later is used', async (context) => {
  const { api, clock, reflector } = await followed(context, POLL_MS);
  api.allow('watch nodes');
  await clock.advance(RETRY_MS + 2 * POLL_MS);
  assert.equal(reflector.state().phase, 'watching');
  assert.equal(reflector.state().lastError, null);
});

test('without a pace for lists it waits until the watch is allowed', async (context) => {
  const { clock, reflector } = await followed(context, null);
  await clock.advance(POLL_MS);
  assert.deepEqual([reflector.state().phase, reflector.size], ['denied', 0]);
});

test('lists take the place of watches that never bring anything', async (context) => {
  const { api, clock, reflector } = await followed(context, POLL_MS, true);
  assert.equal(reflector.state().phase, 'watching');
  for (let second = 0; second < 80; second++) {
    api.mute();
    if (second === 1) api.put(NODES, { metadata: { name: 'b' } });
    if (second === 60) api.put(NODES, { metadata: { name: 'c' } });
    await clock.advance(1000);
  }
  assert.equal(reflector.state().phase, 'polling');
  assert.equal(reflector.state().lastError?.failure, 'timeout');
  assert.equal(reflector.size, 3);
});

test('a kind that is not served is asked for every half minute', async (context) => {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  const reflector = new Reflector({
    api,
    clock,
    random: { next: () => 0 },
    resource: NODES,
    project: () => 'kept',
  });
  const ending = new AbortController();
  const running = reflector.run(ending.signal);
  context.after(async () => {
    ending.abort();
    await clock.advance(0);
    await running;
  });
  await clock.advance(120_000);
  assert.ok(reflector.state().counts.failures <= 8, `${reflector.state().counts.failures}`);
  api.serve(NODES);
  await clock.advance(40_000);
  assert.ok(reflector.state().isSynced);
});
