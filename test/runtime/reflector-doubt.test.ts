/** What is asked of the server besides the watch: whether it brought everything, and one object. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { node, NODES, scene } from '../ports/fake/kube-reflector-scene.ts';

const PROBE_MS = 1_500;

describe('a watch that is doubted', () => {
  test('and brings nothing more is replaced at once, and not when it was silent for long', async (context) => {
    const told = await scene(context);
    told.api.mute();
    told.api.put(NODES, node('late'));
    await told.clock.advance(500);
    assert.equal(told.reflector.get('late'), undefined);
    told.reflector.doubt();
    await told.clock.advance(500);
    assert.equal(told.reflector.get('late')?.name, 'late');
    assert.equal(told.reflector.state().counts.deadWatches, 1);
  });

  test('while it is asked about is asked about again', async (context) => {
    const told = await scene(context);
    told.reflector.doubt();
    await told.clock.advance(200);
    told.reflector.doubt();
    await told.clock.advance(2 * PROBE_MS);
    assert.equal(told.reflector.state().counts.probes, 2);
  });
});

describe('an object that is read live', () => {
  test('takes the place of what the watch missed, and an older event does not undo it', async (context) => {
    const told = await scene(context);
    told.api.put(NODES, node('one', '1'));
    await told.clock.settle();
    told.api.mute();
    told.api.put(NODES, node('one', '2'));
    told.api.put(NODES, node('one', '3'));
    await told.reflector.refresh({ name: 'one' });
    const seen = told.reflector.get('one');
    await told.clock.advance(10_000);
    assert.deepEqual(told.reflector.get('one'), seen);
    const changes = told.told.filter((change) => change.endsWith(' one'));
    assert.deepEqual(changes, ['added one', 'updated one']);
  });

  test('and is not there is forgotten', async (context) => {
    const told = await scene(context);
    told.api.put(NODES, node('gone'));
    await told.clock.settle();
    told.api.mute();
    told.api.remove(NODES, { name: 'gone' });
    await told.reflector.refresh({ name: 'gone' });
    assert.equal(told.reflector.get('gone'), undefined);
  });

  test('and cannot be read stays as it is', async (context) => {
    const told = await scene(context);
    told.api.put(NODES, node('kept'));
    await told.clock.settle();
    told.api.forbid('get nodes');
    await told.reflector.refresh({ name: 'kept' });
    assert.equal(told.reflector.get('kept')?.name, 'kept');
  });
});
