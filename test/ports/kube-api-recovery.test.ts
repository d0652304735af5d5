import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import { virtualClock } from './fake/clock.ts';
import { FakeKubeApi } from './fake/kube-api.ts';
import { fault } from './fake/kube-fault.ts';
import { NODES, names, node, project, type Row, scene } from './fake/kube-reflector-scene.ts';

for (const failure of ['unreachable', 'unavailable', 'throttled', 'timeout', 'malformed'] as const)
  test(`no ${failure} on connecting is an end: tries go on and the last one works`, async (context) => {
    const { api, clock, reflector } = await scene(context);
    for (let round = 0; round < 20; round++) api.failNext('watch', fault(failure, 'a watch'));
    api.cut(fault(failure, 'a watch'));
    api.put(NODES, node('n3'));
    await clock.advance(700_000);
    assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
    assert.equal(reflector.state().lastError, null);
  });

test('500 on the first listing is survived', async (context) => {
  const { api, clock, reflector } = await scene(context, { watchList: 'refused' });
  api.cut(fault('expired', 'a watch'));
  api.failNext('list', fault('unavailable', 'a list'), fault('unavailable', 'a list'));
  api.put(NODES, node('n3'));
  await clock.advance(30_000);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
});

const MANY = Array.from({ length: 1200 }, (_, index) => `n${index}`);

for (const [failure, pages] of [
  ['expired', 1],
  ['unavailable', 3],
] as const)
  test(`a listing that ends as ${failure} is made again in ${pages} page(s)`, async (context) => {
    const { api, clock, reflector } = await scene(context, { nodes: MANY, watchList: 'refused' });
    const listed = (): number => api.requests().get('list nodes') ?? 0;
    assert.equal(listed(), 3);
    api.failNext('list', fault(failure, 'the next page'));
    api.cut(fault('expired', 'a watch'));
    await clock.advance(30_000);
    assert.equal(reflector.state().counts.listings, 2);
    assert.equal(listed(), 3 + 1 + pages);
    assert.equal(reflector.size, MANY.length);
  });

test('a wait that the server asks for is kept', async (context) => {
  const { api, clock, reflector } = await scene(context);
  api.failNext('watch', fault('throttled', 'a watch', 120_000));
  api.cut(fault('unreachable', 'a reset'));
  const before = api.requests().get('watch nodes');
  await clock.advance(1_000);
  const asked = api.requests().get('watch nodes') ?? 0;
  assert.equal(asked, (before ?? 0) + 1);
  await clock.advance(118_000);
  assert.equal(api.requests().get('watch nodes'), asked);
  await clock.advance(40_000);
  assert.equal(reflector.state().phase, 'watching');
});

test('waits grow up to their limit and draw from chance', async (context) => {
  const { api, clock } = await scene(context);
  for (let round = 0; round < 100; round++) api.failNext('watch', fault('unreachable', 'a watch'));
  api.cut(fault('unreachable', 'a reset'));
  await clock.advance(600_000);
  const early = api.requests().get('watch nodes') ?? 0;
  await clock.advance(600_000);
  const late = (api.requests().get('watch nodes') ?? 0) - early;
  assert.ok(late >= 18 && late <= 22, `${late} tries in ten minutes`);
});

for (const failure of ['denied', 'unauthenticated'] as const)
  test(`${failure} is a state of its own, tried again ever more slowly`, async (context) => {
    const { api, clock, reflector } = await scene(context);
    for (let refusal = 0; refusal < 15; refusal++) api.failNext('watch', fault(failure, 'a watch'));
    api.cut(fault(failure, 'a watch'));
    await clock.advance(500);
    assert.equal(reflector.state().phase, failure);
    const asked = (): number => api.requests().get('watch nodes') ?? 0;
    const before = asked();
    await clock.advance(60_000);
    const first = asked() - before;
    assert.ok(first >= 5 && first <= 7, `${first} tries in the first minute`);
    await clock.advance(300_000);
    const later = asked() - before - first;
    assert.ok(later >= 4 && later <= 7, `${later} tries in five minutes`);
    assert.equal(reflector.state().phase, failure);
    await clock.advance(400_000);
    assert.equal(reflector.state().phase, 'watching');
  });

test('a server that refuses while it starts is asked again within seconds', async (context) => {
  const { api, clock, reflector } = await scene(context);
  const starting = fault('denied', 'a watch');
  api.failNext('watch', starting, starting);
  api.cut(starting);
  await clock.advance(20_000);
  assert.equal(reflector.state().phase, 'watching');
});

test('a server that ends every watch at once is not asked in a tight loop', async (context) => {
  const { api, clock } = await scene(context);
  for (let second = 0; second < 60; second++) {
    api.cut();
    await clock.advance(1_000);
  }
  const asked = api.requests().get('watch nodes') ?? 0;
  assert.ok(asked < 40, `${asked} watches in a minute`);
});

test('a handler that throws is counted and the next handler call comes', async (context) => {
  const seen: string[] = [];
  const { api, clock, reflector } = await scene(context, {
    reflector: {
      onChange: ({ key }) => {
        seen.push(key);
        if (key === 'n1') throw new Error('a bug of the handler');
      },
    },
  });
  api.put(NODES, node('n3'));
  await clock.advance(1);
  assert.deepEqual(seen, ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().counts.callbackErrors, 1);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
});

test('F13 a history that went back leads to a listing within the time of the comparison', async (context) => {
  const { api, clock, reflector } = await scene(context, { bookmarkMs: null });
  api.rewind(50);
  api.remove(NODES, { name: 'n1' });
  await clock.advance(70_000);
  assert.deepEqual(names(reflector), ['n2']);
});

test('F13 a bookmark behind the known version leads to a listing', async (context) => {
  const { api, clock, reflector } = await scene(context, { bookmarkMs: null });
  api.mute();
  api.rewind(50);
  api.remove(NODES, { name: 'n1' });
  api.cut();
  await clock.advance(1_000);
  api.bookmark();
  await clock.advance(3_000);
  assert.deepEqual(names(reflector), ['n2']);
});

test('a watch lives 5 to 10 min and continues without a listing', async (context) => {
  const { clock, reflector } = await scene(context);
  await clock.advance(1_500_000);
  const { counts } = reflector.state();
  assert.equal(counts.listings, 1);
  assert.ok(counts.watches >= 3 && counts.watches <= 5, `${counts.watches} watches`);
});

test('any error but a PortError ends the reflector', async () => {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  api.serve(NODES);
  const options = { api, clock, random: { next: () => 0.5 }, resource: NODES, project };
  const reflector = new Reflector<Row>(options);
  api.failNext('watch', new TypeError('a bug') as never);
  await assert.rejects(reflector.run(new AbortController().signal), /a bug/);
});
