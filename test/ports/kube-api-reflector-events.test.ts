/** What a reflector makes of each event of a watch. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import type { KubeWatchEvent } from '../../src/ports/kube-api.ts';
import { virtualClock } from './fake/clock.ts';
import { FakeKubeApi } from './fake/kube-api.ts';
import { fault } from './fake/kube-fault.ts';
import { names, NODES, node, project, type Row, scene } from './fake/kube-reflector-scene.ts';

function event(
  type: KubeWatchEvent['type'],
  resourceVersion: string,
  object = {},
  endsInitialEvents = false,
): KubeWatchEvent {
  return { type, object, resourceVersion, endsInitialEvents };
}

const END = event('BOOKMARK', '9', {}, true);

interface Followed {
  readonly reflector: Reflector<Row>;
  readonly told: readonly string[];
  readonly isSynced: () => boolean;
}

/** A reflector that has seen these events, and whose watch then stays silent. */
async function followed(
  context: TestContext,
  events: readonly KubeWatchEvent[],
): Promise<Followed> {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  api.watch = async function* scripted(_resource, { signal }) {
    yield* events;
    await clock.sleep(600_000, signal);
  };
  const told: string[] = [];
  const reflector = new Reflector<Row>({
    api,
    clock,
    random: { next: () => 0.5 },
    resource: NODES,
    project: (object) => (project(object).zone === 'none' ? null : project(object)),
    onChange: ({ type, key }) => told.push(`${type} ${key}`),
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  context.after(async () => {
    stop.abort();
    await running;
  });
  let isSynced = false;
  const note = async (): Promise<void> => {
    await reflector.whenSynced();
    isSynced = true;
  };
  void note();
  await clock.advance(0);
  return { reflector, told, isSynced: () => isSynced };
}

const INITIAL = [
  event('ADDED', '1', node('n1')),
  event('ADDED', '2', node('n2')),
  event('ADDED', '3', node('n3')),
  event('ADDED', '4', { metadata: {} }),
  event('BOOKMARK', '5', node('n4')),
  event('DELETED', '6', node('n1')),
  event('DELETED', '6', { metadata: {} }),
  event('MODIFIED', '7', node('n2', 'none')),
];

test('initial events count as one listing, of what is there at their end', async (context) => {
  const { reflector, told, isSynced } = await followed(context, [...INITIAL, END]);
  assert.deepEqual(names(reflector), ['n3']);
  assert.deepEqual(told, ['added n3']);
  assert.deepEqual([isSynced(), reflector.state().counts.listings], [true, 1]);
});

test('before the end of the initial events nothing is known', async (context) => {
  const { reflector, told, isSynced } = await followed(context, INITIAL);
  assert.deepEqual([names(reflector), told, isSynced()], [[], [], false]);
  assert.equal(reflector.state().phase, 'listing');
});

test('later events change what was listed, those without a name nothing', async (context) => {
  const { reflector, told } = await followed(context, [
    ...INITIAL,
    END,
    event('ADDED', '10', node('n5')),
    event('DELETED', '11', { metadata: {} }),
    event('BOOKMARK', '12', node('n6')),
    event('MODIFIED', '13', node('n3', 'none')),
    event('DELETED', '14', node('n7')),
    event('ADDED', '14', node('n8')),
  ]);
  assert.deepEqual(names(reflector), ['n5']);
  assert.deepEqual(told, ['added n3', 'added n5', 'deleted n3']);
  assert.equal(reflector.state().counts.ignoredEvents, 1);
  assert.equal(reflector.state().phase, 'watching');
});

for (const failure of ['invalid', 'unsupported', 'not-found'] as const)
  test(`a server that refuses WatchList as ${failure} is listed at once`, async (context) => {
    const { api, clock, reflector } = await scene(context);
    api.cut(fault('expired', 'an ERROR event'));
    api.failNext('watch', fault(failure, 'WatchList'));
    await clock.advance(5_000);
    assert.equal(api.requests().get('list nodes'), 1);
    assert.deepEqual(names(reflector), ['n1', 'n2']);
  });

test('a server that is only unavailable is asked for WatchList again', async (context) => {
  const { api, clock } = await scene(context);
  api.cut(fault('expired', 'an ERROR event'));
  api.failNext('watch', fault('unavailable', 'WatchList'));
  await clock.advance(5_000);
  assert.equal(api.requests().get('list nodes'), undefined);
});
