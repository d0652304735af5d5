import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { ask, configMap, done, names, pod, type Scene, scene, seen, versionOf } from './scene.ts';

const PLURAL = { plural: 'configmaps' } as const;

function withMaps(...all: readonly string[]): Scene {
  const world = scene();
  for (const name of all) done(world.admin.create(configMap(name)));
  return world;
}

function list(world: Scene, query: Readonly<Record<string, string>>): ReturnType<typeof ask> {
  return ask(world, { verb: 'list', ...PLURAL, query });
}

test('a list continues in the state in which it began', () => {
  const world = withMaps('a', 'b', 'c', 'd');
  const first = list(world, { limit: '2' });
  assert.deepEqual(names(first), ['a', 'b']);
  assert.equal(at(first.object, 'metadata.remainingItemCount'), 2);
  done(world.admin.delete('ConfigMap', 'default/c'));
  done(world.admin.create(configMap('e')));
  const token = textAt(first.object, 'metadata.continue') ?? '';
  const second = list(world, { limit: '2', continue: token });
  assert.deepEqual(names(second), ['c', 'd']);
  assert.equal(textAt(second.object, 'metadata.continue'), null);
  assert.equal(versionOf(second.object), versionOf(first.object));
});

test('a list whose state is forgotten is 410, with a token for the rest as it is now', () => {
  const world = withMaps('a', 'b', 'c');
  const first = list(world, { limit: '1' });
  done(world.admin.delete('ConfigMap', 'default/b'));
  world.server.compact();
  const token = textAt(first.object, 'metadata.continue') ?? '';
  const refused = list(world, { limit: '5', continue: token });
  assert.equal(refused.code, 410);
  const fresh = textAt(refused.object, 'metadata.continue') ?? '';
  assert.deepEqual(names(list(world, { limit: '5', continue: fresh })), ['c']);
});

test('an exact version is the state of that time; one to come is refused', () => {
  const world = withMaps('a');
  const then = versionOf(list(world, {}).object);
  done(world.admin.create(configMap('b')));
  const exact = { resourceVersion: then, resourceVersionMatch: 'Exact' };
  assert.deepEqual(names(list(world, exact)), ['a']);
  const notOlder = { resourceVersion: then, resourceVersionMatch: 'NotOlderThan' };
  assert.deepEqual(names(list(world, notOlder)), ['a', 'b']);
  const later = list(world, { resourceVersion: '999999' });
  assert.equal(later.code, 504);
  assert.equal(at(later.object, 'details.retryAfterSeconds'), 1);
});

test('rejects invalid tokens and versions', () => {
  const world = withMaps('a');
  for (const query of [{ continue: 'xx' }, { resourceVersion: 'x' }, { labelSelector: 'a b' }])
    assert.equal(list(world, query).code, 400, JSON.stringify(query));
  assert.equal(list(world, { continue: 'x'.repeat(100_000) }).code, 400);
});

test('a watch replays the events since its version and continues', () => {
  const world = withMaps('a');
  const since = versionOf(list(world, {}).object);
  done(world.admin.create(configMap('b')));
  done(world.admin.delete('ConfigMap', 'default/a'));
  const { told } = seen(world, { ...PLURAL, query: { resourceVersion: since } });
  assert.deepEqual(told(), ['ADDED b', 'DELETED a']);
  done(world.admin.patch('ConfigMap', 'default/b', 'merge', { data: { k: 'v' } }));
  assert.deepEqual(told(), ['ADDED b', 'DELETED a', 'MODIFIED b']);
});

test('a watch from a compacted version ends with an error event', () => {
  const world = withMaps('a');
  world.server.compact();
  const watch = seen(world, { ...PLURAL, query: { resourceVersion: '5' } });
  const [event] = watch.events;
  assert.equal(event?.type, 'ERROR');
  assert.equal(textAt(event.object, 'reason'), 'Expired');
  assert.ok(watch.isEnded());
});

test('history is kept for five minutes, and longer where little happens', () => {
  const world = withMaps('a');
  const since = versionOf(list(world, {}).object);
  const touch = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const patch = { data: { k: `${world.kernel.nowMs()} ${index}` } };
      done(world.admin.patch('ConfigMap', 'default/a', 'merge', patch));
    }
  };
  const first = (): string | undefined =>
    seen(world, { ...PLURAL, query: { resourceVersion: since } }).events[0]?.type;
  touch(90);
  world.pass(600_000);
  touch(5);
  assert.equal(first(), 'MODIFIED');
  touch(20);
  assert.equal(first(), 'ERROR');
});

test('bookmarks come each minute and before the end, which comes when it was asked for', () => {
  const world = withMaps('a');
  const query = { allowWatchBookmarks: 'true', timeoutSeconds: '150' };
  const watch = seen(world, { ...PLURAL, query });
  world.pass(149_000);
  assert.deepEqual(watch.told(), ['ADDED a', 'BOOKMARK ', 'BOOKMARK ', 'BOOKMARK ']);
  assert.ok(!watch.isEnded());
  world.pass(1_000);
  assert.ok(watch.isEnded());
});

test('a watch without a timeout lives for 30 to 60 min', () => {
  const world = withMaps();
  const watch = seen(world, PLURAL);
  world.pass(1_799_000);
  assert.ok(!watch.isEnded());
  world.pass(1_801_000);
  assert.ok(watch.isEnded());
});

test('a WatchList ends its beginning with an annotated bookmark', () => {
  const world = withMaps('a', 'b');
  const { events } = seen(world, {
    ...PLURAL,
    query: {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    },
  });
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ADDED', 'ADDED', 'BOOKMARK'],
  );
  const annotations = at(events[2]?.object, 'metadata.annotations') as JsonObject;
  assert.equal(annotations['k8s.io/initial-events-end'], 'true');
});

test('reports an object that leaves a selection as deleted, in its last selected state', () => {
  const world = scene();
  done(world.admin.create(pod('p')));
  const query = { fieldSelector: 'spec.nodeName=n1' };
  const watch = seen(world, { plural: 'pods', namespace: null, query });
  done(world.admin.bind('default/p', 'n1'));
  done(world.admin.delete('Pod', 'default/p', { gracePeriodSeconds: 0 }));
  assert.deepEqual(watch.told(), ['ADDED p', 'MODIFIED p', 'DELETED p']);
});

test('notifies a writing listener after everybody heard the previous event', () => {
  const world = withMaps('a');
  const order: string[] = [];
  const watcher = (name: string, react: () => void) => ({
    onEvent: ({ type }: { readonly type: string }) => {
      order.push(`${name} ${type}`);
      if (type === 'ADDED') react();
    },
    onEnd: () => undefined,
  });
  const request = { ...PLURAL, query: { resourceVersion: versionOf(list(world, {}).object) } };
  const open = (name: string, react: () => void): void => {
    const path = { group: '', version: 'v1', namespace: 'default', name: null, subresource: null };
    const user = { name: 'admin', groups: ['system:masters'] };
    const whole = {
      path: { ...path, ...PLURAL },
      query: request.query,
      body: null,
      patchType: null,
    };
    world.server.watch({ ...whole, user, verb: 'watch' }, watcher(name, react));
  };
  open('one', () => done(world.admin.delete('ConfigMap', 'default/b')));
  open('other', () => undefined);
  done(world.admin.create(configMap('b')));
  assert.deepEqual(order, ['one ADDED', 'other ADDED', 'one DELETED', 'other DELETED']);
});

test('a follower hears changes in order, however the delays fall', () => {
  const { admin, pass } = scene();
  const delays = [500, 10, 0];
  const told: string[] = [];
  const listener = (type: string, object: JsonObject): void => {
    told.push(`${type} ${textAt(object, 'metadata.name') ?? ''}`);
  };
  const following = admin.follow('ConfigMap', listener, () => delays.shift() ?? 0);
  for (const name of ['a', 'b', 'c']) done(admin.create(configMap(name)));
  pass(499);
  assert.deepEqual(told, []);
  pass(1);
  assert.deepEqual(told, ['ADDED a', 'ADDED b', 'ADDED c']);
  following.stop();
  done(admin.delete('ConfigMap', 'default/a'));
  pass(1_000);
  assert.equal(told.length, 3);
});

test('a restart of the server ends every watch', () => {
  const world = withMaps('a');
  const [one, other] = [seen(world, PLURAL), seen(world, { plural: 'pods' })];
  world.server.endWatches();
  assert.ok(one.isEnded() && other.isEnded());
  done(world.admin.create(configMap('b')));
  assert.deepEqual(one.told(), ['ADDED a']);
});
