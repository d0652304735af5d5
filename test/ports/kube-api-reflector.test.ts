import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import { fault } from './fake/kube-fault.ts';
import { NODES, names, node, project, type Row, scene } from './fake/kube-reflector-scene.ts';

test('WatchList fills the store with projections and the watch keeps it equal', async (context) => {
  const { api, clock, reflector, told } = await scene(context);
  await reflector.whenSynced();
  assert.deepEqual(reflector.get('n1'), { name: 'n1', zone: 'a' });
  api.put(NODES, node('n3'));
  api.put(NODES, node('n1', 'b'));
  api.remove(NODES, { name: 'n2' });
  await clock.advance(1);
  assert.deepEqual(
    [...reflector.entries()],
    [
      ['n1', { name: 'n1', zone: 'b' }],
      ['n3', { name: 'n3', zone: 'a' }],
    ],
  );
  assert.deepEqual(told, ['added n1', 'added n2', 'added n3', 'updated n1', 'deleted n2']);
  assert.equal(api.requests().get('list nodes'), undefined);
});

test('an object that the projection leaves out is not stored, and leaves when it is left out', async (context) => {
  const only = (object: JsonObject): Row | null =>
    project(object).zone === 'a' ? project(object) : null;
  const { api, clock, reflector, told } = await scene(context, { reflector: { project: only } });
  api.put(NODES, node('n2', 'b'));
  api.put(NODES, node('n3', 'b'));
  await clock.advance(1);
  assert.deepEqual(names(reflector), ['n1']);
  assert.deepEqual(told, ['added n1', 'added n2', 'deleted n2']);
});

test('a server that refuses WatchList is listed in pages', async (context) => {
  const { api, reflector } = await scene(context, { watchList: 'refused' });
  assert.deepEqual(names(reflector), ['n1', 'n2']);
  assert.equal(api.requests().get('list nodes'), 1);
  assert.equal(reflector.state().counts.failures, 0);
});

test('a server that never marks the end of the initial events is listed in pages', async (context) => {
  const { api, clock, reflector } = await scene(context, { watchList: 'ignored' });
  assert.equal(reflector.state().isSynced, false);
  await clock.advance(11_000);
  assert.deepEqual(names(reflector), ['n1', 'n2']);
  assert.equal(api.requests().get('list nodes'), 1);
  api.put(NODES, node('n3'));
  await clock.advance(1);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
});

test('a busy server that ignores WatchList is listed in pages all the same', async (context) => {
  const { api, clock, reflector } = await scene(context, { watchList: 'ignored' });
  for (let second = 0; second < 62; second++) {
    api.put(NODES, node('n1', `zone-${second}`));
    await clock.advance(1_000);
  }
  assert.equal(reflector.state().isSynced, true);
  assert.equal(reflector.get('n1')?.zone, 'zone-61');
});

test('does not take a silent start for a lack of WatchList', async (context) => {
  const { api, clock, reflector } = await scene(context, { watchList: 'ignored' });
  api.setDark(true);
  await clock.advance(20_000);
  assert.equal(api.requests().get('list nodes'), undefined);
  assert.equal(reflector.state().lastError?.failure, 'timeout');
});

test('F17 a half-open watch is noticed and replaced once the server has something new', async (context) => {
  const { api, clock, reflector } = await scene(context);
  api.mute();
  await clock.advance(60_000);
  assert.equal(reflector.state().counts.deadWatches, 0, 'silence alone is no fault');
  api.put(NODES, node('n3'));
  await clock.advance(5_000);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().counts.deadWatches, 1);
  assert.equal(reflector.state().counts.listings, 1, 'a dead watch costs no listing');
});

test('F17 a black hole shows within 5 s, and the store is equal again after it', async (context) => {
  const { api, clock, reflector } = await scene(context);
  await clock.advance(100);
  api.setDark(true);
  await clock.advance(5_000);
  const { phase, lastError, staleMs } = reflector.state();
  assert.equal(phase, 'silent');
  assert.equal(lastError?.failure, 'timeout');
  assert.ok(staleMs >= 5_000, `${staleMs} ms`);
  api.put(NODES, node('n3'));
  await clock.advance(600_000);
  api.setDark(false);
  await clock.advance(10_000);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().lastError, null);
  assert.ok(reflector.state().staleMs < 5_000);
});

test('F17 a dead watch is found also where every watch begins late', async (context) => {
  const { api, clock, reflector } = await scene(context);
  const watch = api.watch.bind(api);
  api.watch = async function* late(resource, options) {
    await clock.sleep(5_000, options.signal);
    yield* watch(resource, options);
  };
  api.mute();
  api.put(NODES, node('n3'));
  await clock.advance(40_000);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().counts.deadWatches, 1);
});

test('a watch that brings news a moment after the probe is not dead', async (context) => {
  const { api, clock, reflector } = await scene(context);
  const watch = api.watch.bind(api);
  const hasProbed = { isSo: false };
  api.watch = async function* behind(resource, options) {
    const isProbe = options.timeoutSeconds === 1;
    if (isProbe) hasProbed.isSo = true;
    for await (const event of watch(resource, options)) {
      if (!isProbe) await clock.sleep(150, options.signal);
      yield event;
    }
  };
  api.cut(fault('unreachable', 'a reset'));
  for (let tenths = 0; !hasProbed.isSo && tenths < 300; tenths++) await clock.advance(100);
  api.put(NODES, node('n3'));
  await clock.advance(1_000);
  assert.ok(hasProbed.isSo);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().counts.deadWatches, 0);
});

test('a quiet cluster stays fresh without events or bookmarks', async (context) => {
  const { clock, reflector } = await scene(context, { bookmarkMs: null });
  await clock.advance(240_000);
  const { phase, staleMs, counts } = reflector.state();
  assert.equal(phase, 'watching');
  assert.ok(staleMs <= 5_000, `${staleMs} ms`);
  assert.equal(counts.watches, 1);
});

test('a watch that still brings events is kept while nothing else can connect', async (context) => {
  const { api, clock, reflector } = await scene(context);
  for (let round = 0; round < 10; round++)
    api.failNext('watch', fault('unreachable', 'a connection'));
  await clock.advance(20_000);
  assert.equal(reflector.state().phase, 'silent');
  api.put(NODES, node('n3'));
  await clock.advance(1);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().phase, 'watching');
  assert.equal(reflector.state().counts.watches, 1);
});

test('F18 an event that was lost is made good by the next listing', async (context) => {
  const { api, clock, reflector, told } = await scene(context, {
    reflector: { limits: { resyncMs: 600_000 } },
  });
  api.loseEvents(1);
  api.remove(NODES, { name: 'n1' });
  api.put(NODES, node('n3'));
  await clock.advance(1);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3'], 'nothing tells of it at first');
  await clock.advance(1_200_000);
  assert.deepEqual(names(reflector), ['n2', 'n3']);
  assert.ok(told.includes('deleted n1'));
});

test('a listing reads no object again that is as it was', async (context) => {
  const read: string[] = [];
  const told = await scene(context, {
    reflector: {
      limits: { resyncMs: 60_000 },
      project: (object) => {
        const row = project(object);
        read.push(row.name);
        return row;
      },
    },
  });
  const before = told.reflector.get('n1');
  told.api.put(NODES, node('n2', 'b'));
  await told.clock.advance(1_000);
  read.length = 0;
  const { listings } = told.reflector.state().counts;
  await told.clock.advance(20 * 60_000);
  assert.ok(told.reflector.state().counts.listings > listings);
  assert.deepEqual(read, []);
  assert.equal(told.reflector.get('n1'), before);
});

test('F19 events that are sent again change nothing and are counted', async (context) => {
  const { api, clock, reflector, told } = await scene(context);
  api.put(NODES, node('n1', 'b'));
  api.remove(NODES, { name: 'n2' });
  await clock.advance(1);
  const before = [...told];
  api.replay(4);
  await clock.advance(1);
  assert.deepEqual(told, before);
  assert.deepEqual(names(reflector), ['n1']);
  assert.equal(reflector.state().counts.ignoredEvents, 4);
});

test('F20 F24 reflectors of two resources lag independently of each other', async (context) => {
  const { api, clock, reflector } = await scene(context);
  const pods: KubeResource = { ...NODES, plural: 'pods', kind: 'Pod', isNamespaced: true };
  api.serve(pods);
  const late = new Reflector<Row>({
    api,
    clock,
    random: { next: () => 0.5 },
    resource: pods,
    project,
  });
  api.failNext('watch', fault('unavailable', 'pods'), fault('unavailable', 'pods'));
  const stop = new AbortController();
  const running = late.run(stop.signal);
  api.put(pods, { metadata: { namespace: 'x', name: 'p1' } });
  await clock.advance(1);
  assert.equal(late.state().isSynced, false);
  assert.equal(reflector.state().phase, 'watching');
  await clock.advance(10_000);
  assert.deepEqual(late.get('x/p1')?.name, 'p1');
  stop.abort();
  await running;
});

test('F21 the next watch continues at a bookmark that jumps', async (context) => {
  const { api, clock, reflector } = await scene(context);
  api.skipVersions(5_000);
  api.bookmark();
  await clock.advance(1);
  api.compact();
  api.cut();
  await clock.advance(2_000);
  assert.equal(reflector.state().counts.listings, 1, 'the bookmark spared a listing');
  api.put(NODES, node('n3'));
  await clock.advance(1);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
});

test('F22 a 410 as an event and as a status leads to a listing that reports the difference', async (context) => {
  const { api, clock, reflector, told } = await scene(context);
  api.cut(fault('expired', 'an ERROR event'));
  api.remove(NODES, { name: 'n1' });
  api.put(NODES, node('n3'));
  await clock.advance(2_000);
  assert.deepEqual(names(reflector), ['n2', 'n3']);
  api.cut(fault('unreachable', 'a reset'));
  api.remove(NODES, { name: 'n2' });
  api.compact();
  await clock.advance(5_000);
  assert.deepEqual(names(reflector), ['n3']);
  assert.deepEqual(told.slice(2), ['deleted n1', 'added n3', 'deleted n2']);
  assert.equal(reflector.state().counts.listings, 3);
});

test('F23 reports an object recreated under its name as deleted and added', async (context) => {
  const { api, clock, told } = await scene(context);
  api.cut(fault('unreachable', 'a reset'));
  api.remove(NODES, { name: 'n1' });
  api.put(NODES, node('n1', 'b'));
  api.compact();
  await clock.advance(5_000);
  assert.deepEqual(told.slice(2), ['deleted n1', 'added n1']);
});

test('F25 half an event is a failure that the next watch survives', async (context) => {
  const { api, clock, reflector } = await scene(context);
  api.cut(fault('malformed', 'half an event'));
  api.put(NODES, node('n3'));
  await clock.advance(5_000);
  assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
  assert.equal(reflector.state().counts.listings, 1);
});
