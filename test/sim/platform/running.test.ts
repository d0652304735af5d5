import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { startEndpointSlices } from '../../../src/sim/platform/network/endpoint-slices.ts';
import { quantityOf } from '../../../src/sim/platform/objects/quantity.ts';
import { createActor } from '../../../src/sim/platform/running/actor.ts';
import { createEventRecorder } from '../../../src/sim/platform/running/event-recorder.ts';
import { createSyncQueue } from '../../../src/sim/platform/running/work-queue.ts';
import { createCluster, must, podObject, type TestCluster } from './cluster.ts';

const NODE = { kind: 'Node', name: 'n1', uid: 'u1', apiVersion: 'v1' };

function recorderIn(cluster: TestCluster) {
  const recorder = createEventRecorder(createActor(cluster.world, 'node-controller'), 'tester');
  const events = () =>
    cluster.admin
      .list('Event')
      .map((event) => `${textAt(event, 'count')} ${textAt(event, 'message')}`);
  const record = (message: string) =>
    recorder.record(NODE, { type: 'Normal', reason: 'Told', message });
  return { record, events };
}

it('events: counts the same text up and records another one separately', () => {
  const { record, events } = recorderIn(createCluster());
  record('one');
  record('one');
  record('two');
  assert.deepEqual(
    events().toSorted((a, b) => a.localeCompare(b)),
    ['1 two', '2 one'],
  );
});

it('events: many texts of one reason are combined, and a flood about one object is dropped', () => {
  const { record, events } = recorderIn(createCluster());
  for (let index = 0; index < 100; index++) record(`text ${index}`);
  const combined = events().filter((text) => text.includes('(combined from similar events)'));
  assert.equal(events().length, 11);
  assert.deepEqual(combined, ['15 (combined from similar events): text 24']);
});

it('work queue: a key waits once, comes again if it changed, and backs off twice as long each time', () => {
  const cluster = createCluster();
  const actor = createActor(cluster.world, 'tester');
  const seen: number[] = [];
  const startMs = cluster.kernel.nowMs();
  const queue = createSyncQueue(actor, (key) => {
    seen.push(Math.round(cluster.kernel.nowMs() - startMs));
    if (key === 'again' && seen.length < 5) queue.addRateLimited(key);
  });
  for (let index = 0; index < 3; index++) queue.add('again');
  cluster.pass(1000);
  // Twice at once, as it was added while the first sync ran; each then waits 5, 10, 20 and 40 ms.
  assert.deepEqual(seen, [1, 2, 7, 13, 28, 54]);
});

it('actors: a stopped one hears nothing and does nothing that it had planned', () => {
  const cluster = createCluster();
  const actor = createActor(cluster.world, 'tester');
  const heard: string[] = [];
  actor.follow('Namespace', (_type, object) => heard.push(textAt(object, 'metadata.name') ?? ''));
  actor.after(500, () => heard.push('planned'));
  cluster.pass(100);
  const before = heard.length;
  assert.ok(before >= 4);
  actor.stop();
  must(cluster.admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } }));
  cluster.pass(1000);
  assert.equal(heard.length, before);
});

it('endpoint slices: hold the ready pods of a service', () => {
  const cluster = createCluster({ isAuthorizing: false });
  startEndpointSlices(cluster.world);
  const metadata = { name: 'web', namespace: 'default' };
  const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
  must(cluster.admin.create({ apiVersion: 'v1', kind: 'Service', metadata, spec }));
  cluster.admin.create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'default' },
  });
  const pod = podObject('a', { nodeName: 'n1' });
  must(
    cluster.admin.create({
      ...pod,
      metadata: { name: 'a', namespace: 'default', labels: { app: 'web' } },
    }),
  );
  const setReady = (status: string): void => {
    const conditions = [{ type: 'Ready', status }];
    must(
      cluster.admin.patch(
        'Pod',
        'default/a',
        'strategic',
        { status: { podIP: '10.1.0.7', conditions } },
        'status',
      ),
    );
  };
  const endpoints = (): string =>
    cluster.admin
      .list('EndpointSlice')
      .flatMap((slice) => listAt(slice, 'endpoints') as readonly JsonObject[])
      .map((one) => `${JSON.stringify(one['addresses'])} ${textAt(one, 'conditions.ready')}`)
      .join();
  setReady('True');
  cluster.until(() => endpoints() === '["10.1.0.7"] true', 1000);
  setReady('False');
  cluster.until(() => endpoints() === '["10.1.0.7"] false', 1000);
});

it('quantities: are numbers in every notation', () => {
  const known = {
    '100m': 0.1,
    '2': 2,
    '1Ki': 1024,
    '1.5Gi': 1_610_612_736,
    '1e3': 1000,
    '3k': 3000,
    '': 0,
    x: 0,
  };
  for (const [text, value] of Object.entries(known)) assert.equal(quantityOf(text), value, text);
});
