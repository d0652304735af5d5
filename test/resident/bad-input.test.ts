/** What a resident does with input that nobody wishes for, in simulated time. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FollowedLists } from '../../src/apps/controller/followed-lists.ts';
import { Resident, type Standing } from '../../src/collection/resident/resident.ts';
import { EVENTS, KUBE_LISTS, NODES } from '../../src/collection/resources.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { node, START_MS } from '../recording/looks.ts';

const MINUTE_MS = 60_000;
/** Events that are kept of a cluster. */
const KEPT = 10_000;

async function scene(context: TestContext) {
  const clock = virtualClock(START_MS);
  const api = new FakeKubeApi({ clock });
  for (const { resource } of KUBE_LISTS) api.serve(resource);
  api.put(NODES, node());
  let latest: Standing | null = null;
  let heard = 0;
  const resident = new Resident({
    clients: { kube: api, aws: null, described: null, refusals: [], clock },
    random: { next: () => 0.5 },
    cluster: 'shop',
    onStanding: (standing) => {
      latest = standing;
    },
    listener: {
      keep: (_, object) => object,
      came: () => void (heard += 1),
      went: () => undefined,
      round: () => undefined,
      reported: () => undefined,
    },
  });
  const ending = new AbortController();
  const running = resident.run(ending.signal);
  context.after(async () => {
    ending.abort();
    await clock.advance(MINUTE_MS);
    await running;
  });
  await clock.advance(2_000);
  const standing = (): Standing => {
    assert.ok(latest !== null);
    return latest;
  };
  const verdict = (): string | undefined =>
    standing().document.subjects.find(({ kind }) => kind === 'Machine')?.verdict;
  return { api, clock, resident, standing, verdict, heard: () => heard };
}

function killing(index: number): JsonObject {
  return {
    metadata: { name: `job-${index}`, namespace: 'jobs' },
    involvedObject: { kind: 'Pod', name: `job-${index}`, namespace: 'jobs' },
    reason: 'Killing',
    message: 'Stopping container job',
    type: 'Normal',
    lastTimestamp: '2026-05-28T20:26:00Z',
    count: 1,
  };
}

const DELETING: JsonObject = {
  metadata: { name: 'node00.deleting', namespace: 'default' },
  involvedObject: { kind: 'Node', name: 'node00' },
  reason: 'DeletingNode',
  message: 'Deleting node node00 because it does not exist in the cloud provider',
  type: 'Normal',
  lastTimestamp: '2026-05-28T20:26:00Z',
  count: 1,
};

test('of 10,000 Events a second the newest are kept, each is heard, and a Node is judged meanwhile', async (context) => {
  const { api, clock, resident, standing, verdict, heard } = await scene(context);
  const before = { objects: resident.health().objects, heard: heard() };
  for (let step = 0; step < 15; step++) {
    for (let index = 0; index < 1_000; index++) api.put(EVENTS, killing(step * 1_000 + index));
    if (step === 10) api.put(NODES, node({ ready: 'False', created: -60, changed: -30 }));
    await clock.advance(100);
  }
  api.put(EVENTS, DELETING);
  await clock.advance(2_000);
  assert.equal(resident.health().objects, before.objects + KEPT);
  assert.equal(heard() - before.heard, 15_000 + 2);
  const { hits, collection } = standing().observations;
  assert.ok(hits.some(({ first }) => first.excerpt.includes('does not exist in the cloud')));
  assert.deepEqual(collection?.shortened, [
    { what: 'objects beyond those kept', count: 15_001 - KEPT },
  ]);
  assert.equal(verdict(), 'not-usable');
});

test('a listing of more Events than are kept brings the newest', async (context) => {
  const { api, clock, resident, standing } = await scene(context);
  const before = resident.health().objects;
  api.loseEvents(12_001);
  for (let index = 0; index < 12_000; index++) api.put(EVENTS, killing(index));
  api.put(EVENTS, DELETING);
  api.compact();
  api.cut(fault('expired', 'too old resource version'));
  await clock.advance(MINUTE_MS);
  assert.equal(resident.health().objects, before + KEPT);
  const { hits } = standing().observations;
  assert.ok(hits.some(({ first }) => first.excerpt.includes('does not exist in the cloud')));
});

test('of an object of 1 MB little is kept', async (context) => {
  const { api, clock, standing, verdict } = await scene(context);
  const size = (): number => JSON.stringify(standing().observations).length;
  const before = { verdict: verdict(), size: size() };
  const { metadata, ...rest } = node();
  const long = 'x'.repeat(1024 * 1024);
  const large = { ...(metadata as JsonObject), annotations: { 'example.org/state': long } };
  api.put(NODES, { ...rest, metadata: large });
  api.put(EVENTS, { ...DELETING, message: `Deleting node node00 ${long}` });
  await clock.advance(2_000);
  assert.equal(verdict(), before.verdict);
  assert.ok(size() < before.size + 64 * 1024, `${size()} after ${before.size}`);
});

test('a token that expires is reported within a minute, and nothing is lost once there is another', async (context) => {
  const { api, clock, resident, standing, verdict } = await scene(context);
  const lists = new FollowedLists();
  lists.take(resident.health().lists);
  const refused = Array.from({ length: 10_000 }, () => fault('unauthenticated', 'it expired'));
  api.failNext('list', ...refused);
  api.failNext('watch', ...refused);
  api.cut();
  api.put(NODES, node({ ready: 'False', created: -60, changed: -30 }));
  await clock.advance(MINUTE_MS);
  const told = lists.take(resident.health().lists);
  assert.ok(told.some(({ isWarning, text }) => isWarning && text.includes('expired')));
  const refusal = standing().observations.collection?.refusals.find(
    ({ call }) => call === 'list nodes',
  );
  assert.equal(refusal?.failure, 'unauthenticated');
  assert.notEqual(verdict(), 'usable');
  api.heal();
  await clock.advance(2 * MINUTE_MS);
  assert.deepEqual(standing().observations.collection?.refusals, []);
  assert.equal(verdict(), 'not-usable');
  assert.ok(lists.take(resident.health().lists).every(({ isWarning }) => !isWarning));
});
