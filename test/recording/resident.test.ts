/** What a resident hears from an API server, as it is recorded. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { lookOf } from '../../src/collection/recording/look.ts';
import { SeenCluster } from '../../src/collection/recording/seen.ts';
import { Resident } from '../../src/collection/resident/resident.ts';
import { EVENTS, KUBE_LISTS, NODES } from '../../src/collection/resources.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { createFakeRecorder, type FakeRecorder } from '../ports/fake/recorder.ts';
import { linesIn, node, recordingInto, START_MS, warning } from './looks.ts';

interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly recorder: FakeRecorder;
  /** What was recorded, without what judges of it. */
  readonly lines: () => Promise<readonly string[]>;
}

async function scene(context: TestContext): Promise<Scene> {
  const clock = virtualClock(START_MS);
  const api = new FakeKubeApi({ clock });
  for (const { resource } of KUBE_LISTS) api.serve(resource);
  api.put(NODES, node());
  const recorder = createFakeRecorder();
  const { recording } = recordingInto(recorder);
  const seen = new SeenCluster();
  const resident = new Resident({
    clients: { kube: api, aws: null, described: null, refusals: [], clock },
    random: { next: () => 0.5 },
    cluster: null,
    listener: seen,
    onStanding: async (standing) => recording.take(lookOf(standing, seen.take(), 'shop')),
  });
  const ending = new AbortController();
  const running = resident.run(ending.signal);
  context.after(async () => {
    ending.abort();
    await clock.advance(60_000);
    await running;
  });
  await clock.advance(2000);
  const lines = async (): Promise<readonly string[]> =>
    (await linesIn(recorder)).filter((line) => !/ (?:verdict|finding|gap):/.test(line));
  return { api, clock, recorder, lines };
}

test('each version of a Node is recorded, however soon the next one comes', async (context) => {
  const { api, clock, lines } = await scene(context);
  assert.deepEqual(await lines(), [
    '0 node-created: Node node00 is created',
    '1 condition: Ready is True (KubeletReady): fine',
  ]);
  for (const [ready, changed] of [
    ['False', 2],
    ['True', 3],
    ['Unknown', 4],
  ] as const)
    api.put(NODES, node({ ready, changed }));
  await clock.advance(2000);
  assert.deepEqual(
    (await lines()).filter((line) => line.includes('condition')).map((line) => line.slice(0, 26)),
    [
      '1 condition: Ready is True',
      '2 condition: Ready is Fals',
      '3 condition: Ready is True',
      '4 condition: Ready is Unkn',
    ],
  );
});

test('a Node that is replaced under its name is gone and created again', async (context) => {
  const { api, clock, lines } = await scene(context);
  api.remove(NODES, { namespace: null, name: 'node00' });
  api.put(NODES, node({ created: 2, changed: 3 }));
  await clock.advance(2000);
  const told = await lines();
  assert.ok(told.includes('0 node-deleted: Node node00 is gone'), told.join('\n'));
  assert.match(
    told.join('\n'),
    /^2 node-created: Node node00 is created again; its UID was uid-\d+$/m,
  );
  api.remove(NODES, { namespace: null, name: 'node00' });
  await clock.advance(2000);
  assert.equal((await lines()).filter((line) => line.includes('is gone')).length, 2);
});

test('an Event is recorded as it comes, and none of it is lost with its object', async (context) => {
  const { api, clock, lines } = await scene(context);
  api.put(EVENTS, warning({ uid: 'e1', at: 1 }));
  api.remove(EVENTS, { namespace: 'default', name: 'node00.e1' });
  await clock.advance(2000);
  assert.ok((await lines()).includes('1 event: NodeNotReady: Node node00 is not ready'));
});
