import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import type { ReflectorChange } from '../../src/runtime/reflector/reflector-store.ts';
import { textAt } from '../../src/evidence/json.ts';
import type { PortFailure } from '../../src/ports/port-error.ts';
import { type VirtualClock, virtualClock } from './fake/clock.ts';
import { FakeKubeApi } from './fake/kube-api.ts';
import { fault } from './fake/kube-fault.ts';
import { NODES, node, project, type Row } from './fake/kube-reflector-scene.ts';

type SimpleStep = 'compact' | 'mute' | 'dark' | 'light' | 'bookmark' | 'replay' | 'skip';

type Step =
  | { readonly do: 'put'; readonly name: string; readonly zone: string }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'cut'; readonly failure: PortFailure | null }
  | { readonly do: 'fail'; readonly verb: 'list' | 'watch'; readonly failure: PortFailure }
  | { readonly do: SimpleStep };

const NAME = fc.constantFrom('n1', 'n2', 'n3', 'n4');
const ZONE = fc.constantFrom('a', 'b', 'c');
const FAILURE = fc.constantFrom<PortFailure>(
  'unreachable',
  'unavailable',
  'throttled',
  'timeout',
  'malformed',
  'expired',
  'denied',
  'unauthenticated',
  'conflict',
);

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('put'), name: NAME, zone: ZONE }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove'), name: NAME }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat(20_000) }) },
  fc.record({ do: fc.constant('cut'), failure: fc.option(FAILURE) }),
  fc.record({
    do: fc.constant('fail'),
    verb: fc.constantFrom('list', 'watch'),
    failure: FAILURE,
  }),
  fc.record({
    do: fc.constantFrom('compact', 'mute', 'dark', 'light', 'bookmark', 'replay', 'skip'),
  }),
) as fc.Arbitrary<Step>;

async function take(step: Step, api: FakeKubeApi, clock: VirtualClock): Promise<void> {
  switch (step.do) {
    case 'put':
      api.put(NODES, node(step.name, step.zone));
      break;
    case 'remove':
      api.remove(NODES, { name: step.name });
      break;
    case 'wait':
      await clock.advance(step.ms);
      break;
    case 'cut':
      api.cut(step.failure === null ? null : fault(step.failure, 'a watch'));
      break;
    case 'fail':
      api.failNext(step.verb, fault(step.failure, 'a call', 1_000));
      break;
    default:
      SIMPLE[step.do](api);
  }
}

const SIMPLE: Readonly<Record<SimpleStep, (api: FakeKubeApi) => void>> = {
  compact: (api) => api.compact(),
  mute: (api) => api.mute(),
  dark: (api) => api.setDark(true),
  light: (api) => api.setDark(false),
  bookmark: (api) => api.bookmark(),
  replay: (api) => api.replay(3),
  skip: (api) => api.skipVersions(7),
};

/** What a listener believes who only heard of changes. */
function follow(believed: Map<string, string>, change: ReflectorChange<Row>): void {
  const { type, key, value } = change;
  assert.equal(believed.has(key), type !== 'added', `${type} ${key}`);
  if (type === 'deleted') believed.delete(key);
  else believed.set(key, value.zone);
}

function held(api: FakeKubeApi): Readonly<Record<string, string>> {
  const pairs = api
    .objects(NODES)
    .map((object) => [textAt(object, 'metadata.name'), textAt(object, 'metadata.labels.zone')]);
  return Object.fromEntries(pairs);
}

/** Longer than any wait between tries, and than the slow ones after a refusal. */
const HEALED_MS = 180_000;

for (const watchList of ['supported', 'refused', 'ignored'] as const)
  test(`after any changes and faults the store is the server's state (WatchList ${watchList})`, async () => {
    const numbers = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1 });
    const property = fc.asyncProperty(
      fc.array(STEP, { maxLength: 40 }),
      numbers,
      async (steps, chances) => {
        const clock = virtualClock();
        const api = new FakeKubeApi({ clock, watchList });
        api.serve(NODES);
        const believed = new Map<string, string>();
        let drawn = 0;
        const reflector = new Reflector<Row>({
          api,
          clock,
          random: { next: () => chances[drawn++ % chances.length] ?? 0 },
          resource: NODES,
          project,
          onChange: (change) => follow(believed, change),
        });
        const stop = new AbortController();
        const running = reflector.run(stop.signal);
        for (const step of steps) await take(step, api, clock);
        api.heal();
        await clock.advance(HEALED_MS);
        const stored = [...reflector.entries()].map(([key, { zone }]) => [key, zone]);
        assert.deepEqual(Object.fromEntries(stored), held(api));
        assert.deepEqual(Object.fromEntries(believed), held(api));
        assert.equal(reflector.state().counts.callbackErrors, 0);
        stop.abort();
        await running;
        assert.equal(api.openWatches(), 0);
      },
    );
    await fc.assert(property, { numRuns: 40, endOnFailure: true });
  });
