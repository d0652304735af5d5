/** How long a reflector waits, after what, to the millisecond. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fault } from './fake/kube-fault.ts';
import { type Scene, scene, type SceneOptions } from './fake/kube-reflector-scene.ts';
import { virtualClock } from './fake/clock.ts';

interface Waiting extends Scene {
  /** Every wait that began, in order, ms. */
  readonly waits: number[];
}

/** A reflector for which chance always draws the same. */
async function waiting(
  context: TestContext,
  chance: number,
  options: SceneOptions = {},
): Promise<Waiting> {
  const clock = virtualClock();
  const waits: number[] = [];
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (durationMs, signal) => {
    waits.push(durationMs);
    return sleep(durationMs, signal);
  };
  const random = { next: () => chance };
  const made = await scene(context, { ...options, clock, reflector: { random } });
  return { ...made, waits };
}

for (const [chance, firstMs, mostMs] of [
  [0, 750, 45_000],
  [1, 1_250, 75_000],
] as const)
  test(`a refused identity is tried again after ${firstMs} to ${mostMs} ms where chance draws ${chance}`, async (context) => {
    const { api, clock, waits } = await waiting(context, chance);
    const denied = fault('denied', 'a watch');
    for (let refusal = 0; refusal < 8; refusal++) api.failNext('watch', denied);
    api.cut(denied);
    await clock.advance(0);
    assert.ok(waits.includes(firstMs), waits.join());
    assert.ok(!waits.includes(mostMs), waits.join());
    await clock.advance(200_000);
    assert.ok(waits.includes(mostMs), waits.join());
  });

for (const [chance, waitMs] of [
  [0, 100_000],
  [1, 125_000],
] as const)
  test(`a wait of 100 s that was asked for is ${waitMs} ms where chance draws ${chance}`, async (context) => {
    const { api, clock, waits } = await waiting(context, chance);
    api.cut(fault('throttled', 'a watch', 100_000));
    await clock.advance(0);
    assert.ok(waits.includes(waitMs), waits.join());
  });

for (const [lifeMs, waitMs] of [
  [6_000, 750],
  [1_000, 20_250],
] as const)
  test(`a watch that lived ${lifeMs} ms after failures is replaced after ${waitMs} ms`, async (context) => {
    const { api, clock, waits } = await waiting(context, 1);
    const broken = fault('unreachable', 'a watch');
    api.failNext('watch', broken, broken);
    api.cut(broken);
    await clock.advance(750 + 2250 + 6750);
    assert.deepEqual(
      waits.filter((ms) => [750, 2250, 6750].includes(ms)),
      [750, 2250, 6750],
    );
    await clock.advance(lifeMs);
    waits.splice(0);
    api.cut(broken);
    await clock.advance(0);
    assert.ok(waits.includes(waitMs), waits.join());
  });

test('a silent server is waited for longer each time, up to 30 s', async (context) => {
  const { api, clock, waits } = await waiting(context, 0);
  const patience = (): readonly number[] =>
    waits.splice(0).filter((ms) => [2000, 4000, 8000, 16_000, 30_000].includes(ms));
  api.setDark(true);
  await clock.advance(120_000);
  assert.deepEqual(patience().slice(0, 6), [2000, 4000, 8000, 16_000, 30_000, 30_000]);
  api.setDark(false);
  await clock.advance(60_000);
  assert.equal(patience().at(-1), 2000);
});

test('a probe that was answered is waited for as at first', async (context) => {
  const { api, clock, waits } = await waiting(context, 0);
  const watch = api.watch.bind(api);
  let isSlow = true;
  api.watch = async function* slow(resource, options) {
    if (options.timeoutSeconds === 1 && isSlow) await clock.sleep(3_000, options.signal);
    yield* watch(resource, options);
  };
  await clock.advance(20_000);
  assert.ok(waits.splice(0).includes(4000));
  isSlow = false;
  await clock.advance(20_000);
  assert.equal(
    waits.findLast((ms) => ms === 2000 || ms === 4000),
    2000,
  );
});

for (const [failure, waitMs] of [
  [fault('throttled', 'a probe', 77_000), 77_000],
  [fault('denied', 'a probe'), 60_000],
] as const)
  test(`a probe that ends as ${failure.failure} is made again after ${waitMs} ms`, async (context) => {
    const { api, clock, waits } = await waiting(context, 0);
    api.failNext('watch', failure);
    await clock.advance(5_000);
    assert.ok(waits.includes(waitMs), waits.join());
  });
