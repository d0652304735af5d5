import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '../../src/collection/resources.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';

const PATIENCE_MS = 2000;
const STANDSTILL_MS = 700;

/** A second watch, which ends a second later than it was asked to. */
function slowToEnd(api: FakeKubeApi, clock: Clock): KubeApi {
  return new Proxy(api, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'watch') return typeof value === 'function' ? value.bind(target) : value;
      return async function* watch(...[resource, options]: Parameters<KubeApi['watch']>) {
        if (options.timeoutSeconds === 1) await clock.sleep(PATIENCE_MS + 300, options.signal);
        else yield* target.watch(resource, options);
      };
    },
  });
}

for (const standstillMs of [0, STANDSTILL_MS])
  test(`an answer 300 ms late is ${standstillMs === 0 ? '' : 'not '}missed where the program stood still for ${standstillMs} ms`, async () => {
    const clock = virtualClock();
    const fake = new FakeKubeApi({ clock });
    fake.serve(NODES);
    fake.put(NODES, { metadata: { name: 'a' } });
    let stoodMs = 0;
    const reflector = new Reflector({
      api: slowToEnd(fake, clock),
      clock: {
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs() + stoodMs,
        sleep: async (durationMs, signal) => {
          await clock.sleep(durationMs, signal);
          if (durationMs === PATIENCE_MS) stoodMs += standstillMs;
        },
      },
      random: { next: () => 0.5 },
      resource: NODES,
      project: () => 'kept',
      limits: { probeMs: PATIENCE_MS },
    });
    const ending = new AbortController();
    const running = reflector.run(ending.signal);
    await clock.advance(5500);
    assert.equal(reflector.state().lastError?.failure, standstillMs === 0 ? 'timeout' : undefined);
    ending.abort();
    await clock.advance(0);
    await running;
  });
