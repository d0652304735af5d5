/** When a reflector has what was written, by the versions of the object alone. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import { Arrivals, type WrittenObject } from '../../src/runtime/reflector/arrivals.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { NODES, node, type Scene, scene } from '../ports/fake/kube-reflector-scene.ts';

function written(object: JsonObject): WrittenObject {
  return {
    key: textAt(object, 'metadata.name') ?? '',
    uid: textAt(object, 'metadata.uid') ?? '',
    resourceVersion: textAt(object, 'metadata.resourceVersion') ?? '',
  };
}

interface Wait {
  readonly stop: AbortController;
  /** `waiting` until there is an answer. */
  readonly answer: () => string;
}

function wait(context: TestContext, told: Scene, object: WrittenObject, limitMs = 60_000): Wait {
  const stop = new AbortController();
  let answer = 'waiting';
  const note = async (): Promise<void> => {
    answer = String(await told.reflector.whenReached(object, limitMs, stop.signal));
  };
  const noted = note();
  context.after(async () => {
    stop.abort();
    await noted;
  });
  return { stop, answer: () => answer };
}

/** A write whose event does not come, for as long as the watch is mute. */
function mutely(told: Scene, zone: string): WrittenObject {
  told.api.loseEvents(1);
  return written(told.api.put(NODES, node('n1', zone)));
}

test('a version that is in the store is reached at once', async (context) => {
  const told = await scene(context);
  const [object] = told.api.objects(NODES);
  assert.ok(object);
  const { answer } = wait(context, told, written(object));
  await told.clock.settle();
  assert.equal(answer(), 'true');
});

test('a version that came before the question, and was overtaken, is reached', async (context) => {
  const told = await scene(context);
  const first = written(told.api.put(NODES, node('n1', 'b')));
  told.api.put(NODES, node('n1', 'c'));
  await told.clock.settle();
  assert.equal(told.reflector.get('n1')?.zone, 'c');
  const { answer } = wait(context, told, first);
  await told.clock.settle();
  assert.equal(answer(), 'true');
});

test('a version is waited for, and events of others or of earlier versions do not count', async (context) => {
  const told = await scene(context);
  const before = told.api.objects(NODES)[0];
  assert.ok(before);
  const expected = { ...written(before), resourceVersion: '105' };
  const { answer } = wait(context, told, expected);
  told.api.put(NODES, node('n2', 'x'));
  told.api.put(NODES, node('n1', 'x'));
  await told.clock.settle();
  assert.equal(answer(), 'waiting');
  const put = written(told.api.put(NODES, node('n1', 'y')));
  assert.deepEqual(put, expected);
  await told.clock.settle();
  assert.deepEqual([answer(), told.reflector.get('n1')?.zone], ['true', 'y']);
});

test('a version that never comes is late after the limit', async (context) => {
  const told = await scene(context);
  const { answer } = wait(context, told, mutely(told, 'b'), 2_000);
  await told.clock.advance(1_999);
  assert.equal(answer(), 'waiting');
  await told.clock.advance(1);
  assert.equal(answer(), 'false');
});

test('a wait ends with its signal', async (context) => {
  const told = await scene(context);
  const { answer, stop } = wait(context, told, mutely(told, 'b'));
  stop.abort();
  await told.clock.settle();
  assert.equal(answer(), 'false');
  const before = new AbortController();
  before.abort();
  const object = { key: 'n1', uid: 'u', resourceVersion: '7' };
  assert.equal(await told.reflector.whenReached(object, 1e9, before.signal), false);
});

test('the deletion of the object is later than any version of it', async (context) => {
  const told = await scene(context);
  const put = mutely(told, 'b');
  const { answer } = wait(context, told, put);
  const other = wait(context, told, { ...put, uid: 'of another Node of this name' });
  told.api.remove(NODES, { name: 'n1' });
  await told.clock.settle();
  assert.deepEqual([answer(), other.answer()], ['true', 'waiting']);
  other.stop.abort();
  const again = wait(context, told, put);
  await told.clock.settle();
  assert.equal(again.answer(), 'true');
});

for (const watchList of ['supported', 'refused'] as const)
  test(`a listing that began later has it, whatever its version: WatchList ${watchList}`, async (context) => {
    const told = await scene(context, { watchList });
    const { answer } = wait(context, told, mutely(told, 'b'));
    told.api.loseEvents(1);
    told.api.put(NODES, node('n1', 'c'));
    await told.clock.advance(1);
    told.api.cut(fault('expired', 'the watch'));
    await told.clock.advance(5_000);
    assert.deepEqual([answer(), told.reflector.get('n1')?.zone], ['true', 'c']);
  });

test('exactly this version in a listing that began earlier counts too', async () => {
  const clock = virtualClock();
  const arrivals = new Arrivals(clock);
  const { signal } = new AbortController();
  const one = { key: 'n1', uid: 'u1', resourceVersion: '7' };
  const reached = arrivals.when(one, 1_000, signal);
  const late = arrivals.when({ ...one, resourceVersion: '8' }, 1_000, signal);
  arrivals.listed(0, ({ resourceVersion }) => resourceVersion === '7');
  assert.equal(await reached, true);
  await clock.advance(1_000);
  assert.equal(await late, false);
});
