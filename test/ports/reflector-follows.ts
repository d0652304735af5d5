import assert from 'node:assert/strict';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemRandom } from '../../src/adapters/system/random.ts';
import { textAt } from '../../src/evidence/json.ts';
import { CONFIG_MAPS, type KubeApiHarness } from './kube-api.contract.ts';

/** A reflector sees a server over a socket change in real time, and lists it once. */
export async function assertReflectorFollows(harness: KubeApiHarness): Promise<void> {
  const { api, namespace, put, remove } = harness;
  await put('a');
  const changes: string[] = [];
  const seen = Promise.withResolvers<void>();
  const reflector = new Reflector<string>({
    api,
    clock: systemClock,
    random: systemRandom,
    resource: CONFIG_MAPS,
    selection: { namespace },
    project: (object) => textAt(object, 'metadata.name'),
    onChange: ({ type, key }) => {
      changes.push(`${type} ${key}`);
      if (type === 'deleted') seen.resolve();
    },
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await reflector.whenSynced();
  await put('b');
  await remove('a');
  await seen.promise;
  stop.abort();
  await running;
  assert.deepEqual(changes, [
    `added ${namespace}/a`,
    `added ${namespace}/b`,
    `deleted ${namespace}/a`,
  ]);
  const { listings, failures } = reflector.state().counts;
  assert.deepEqual([listings, failures], [1, 0]);
}
