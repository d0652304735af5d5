import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES, node, scene } from '../ports/fake/kube-reflector-scene.ts';

test('what a callback throws is reported, and the reflector continues', async (context) => {
  const bugs: string[] = [];
  const told = await scene(context, {
    reflector: {
      onChange: ({ key }) => {
        if (key === 'n3') throw new TypeError('x is null');
      },
      onBug: (error) => bugs.push(String(error)),
    },
  });
  told.api.put(NODES, node('n3'));
  told.api.put(NODES, node('n4'));
  await told.clock.settle();
  assert.deepEqual(bugs, ['TypeError: x is null']);
  assert.equal(told.reflector.state().counts.callbackErrors, 1);
  assert.equal(told.reflector.get('n4')?.name, 'n4');
});
