/** Actions performed on the API server in memory, and lost answers on the simulated one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { Action, ActionWrite } from '../../src/ports/action.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError } from '../../src/ports/port-error.ts';
import type { RecordedEvent } from '../../src/ports/recorder.ts';
import { type Performed, perform, type PerformTools } from '../../src/runtime/perform.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { CONFIG_MAPS } from '../ports/kube-api.contract.ts';
import { BUDGETS, PODS } from '../ports/kube-writes-pods.contract.ts';

const NAME = { namespace: 'team', name: 'a' };

interface Scene {
  readonly api: FakeKubeApi;
  readonly writes: FakeKubeWrites;
  readonly clock: VirtualClock;
  readonly tools: PerformTools;
  readonly recorder: ReturnType<typeof createFakeRecorder>;
  readonly records: () => Promise<readonly RecordedEvent[]>;
}

function scene(): Scene {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  for (const resource of [CONFIG_MAPS, PODS, BUDGETS]) api.serve(resource);
  const writes = new FakeKubeWrites(api);
  const recorder = createFakeRecorder();
  return {
    api,
    writes,
    clock,
    tools: { api, writes, recorder, clock, cluster: 'one' },
    recorder,
    records: () => recorder.read({ cluster: 'one', limit: 10 }),
  };
}

function put({ api }: Scene, data: JsonObject = { k: 'v' }): JsonObject {
  return api.put(CONFIG_MAPS, { metadata: NAME, data });
}

function seen(object: JsonObject): NonNullable<Action['object']['seen']> {
  return {
    uid: textAt(object, 'metadata.uid') ?? '',
    resourceVersion: textAt(object, 'metadata.resourceVersion') ?? '',
  };
}

function action(write: ActionWrite, about: JsonObject | null, resource = CONFIG_MAPS): Action {
  return {
    id: 'a1',
    object: { resource, ...NAME, seen: about === null ? null : seen(about) },
    write,
    why: { kind: 'rule', name: 'test', text: 'The test wants it.' },
    askedBy: 'rollcall controller',
    undo: null,
  };
}

const SET = { type: 'merge', change: { data: { k: 'w' } } } as const;
const CHANGE: ActionWrite = { verb: 'patch', patch: SET, requires: 'same-version' };
const LOOSE: ActionWrite = { verb: 'patch', patch: SET, requires: 'same-object' };
const REMOVE: ActionWrite = { verb: 'delete', requires: 'same-object' };
const NEW = { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME, data: { k: 'v' } };
const CREATE: ActionWrite = { verb: 'create', object: NEW };
const LOST = fault('unclear', 'a write');

async function run(
  { tools, clock }: Pick<Scene, 'tools' | 'clock'>,
  one: Action,
  options = { isDryRun: false },
): Promise<Performed> {
  const performed = perform(one, tools, options);
  await clock.advance(60_000);
  return await performed;
}

function entriesOf({ api }: Scene): unknown {
  return api.objects(CONFIG_MAPS)[0]?.['data'];
}

test('an action is recorded before it is sent and after it was answered', async () => {
  const here = scene();
  const before = put(here);
  const { outcome, object, unrecorded } = await run(here, action(CHANGE, before));
  assert.equal(outcome, 'done');
  assert.deepEqual(entriesOf(here), { k: 'w' });
  assert.equal(unrecorded, null);
  const [intended, ended] = await here.records();
  assert.equal(intended?.kind, 'action-intended');
  assert.equal(textAt(intended.body, 'object.seen.resourceVersion'), seen(before).resourceVersion);
  assert.equal(ended?.kind, 'action-ended');
  assert.equal(textAt(ended.body, 'outcome'), 'done');
  assert.equal(
    textAt(ended.body, 'resourceVersion'),
    textAt(object ?? undefined, 'metadata.resourceVersion'),
  );
});

test('a dry run changes nothing and says so', async () => {
  const here = scene();
  const one = action(REMOVE, put(here));
  const { outcome, why } = await run(here, one, { isDryRun: true });
  assert.equal(outcome, 'done');
  assert.match(why, /accepts the delete of ConfigMap team\/a; nothing was changed/);
  assert.deepEqual(entriesOf(here), { k: 'v' });
  assert.equal(at((await here.records())[0]?.body, 'isDryRun'), true);
});

test('an object that changed after it was seen is a conflict', async () => {
  const here = scene();
  const one = action(CHANGE, put(here));
  put(here, { k: 'theirs' });
  assert.equal((await run(here, one)).outcome, 'conflict');
  assert.deepEqual(entriesOf(here), { k: 'theirs' });
});

test('an object that was made again is another', async () => {
  const here = scene();
  const before = put(here);
  here.api.remove(CONFIG_MAPS, NAME);
  put(here, { k: 'new' });
  for (const write of [REMOVE, CHANGE, LOOSE])
    assert.equal((await run(here, action(write, before))).outcome, 'conflict');
  assert.deepEqual(entriesOf(here), { k: 'new' });
});

test('an object that somebody else deleted is a conflict, and not a deletion of ours', async () => {
  const here = scene();
  const before = put(here);
  here.api.remove(CONFIG_MAPS, NAME);
  assert.equal((await run(here, action(REMOVE, before))).outcome, 'conflict');
});

test('a change for any version of the object takes the present one', async () => {
  const here = scene();
  const before = put(here);
  put(here, { k: 'v', theirs: 'x' });
  assert.equal((await run(here, action(LOOSE, before))).outcome, 'done');
  assert.deepEqual(entriesOf(here), { k: 'w', theirs: 'x' });
});

test('a JSON patch and an applied object carry what was seen', async () => {
  for (const patch of [
    { type: 'json', operations: [{ op: 'replace', path: '/data/k', value: 'w' }] },
    { type: 'apply', object: { ...NEW, data: { k: 'w' } }, isForced: true },
  ] as const) {
    const here = scene();
    const one = action({ verb: 'patch', patch, requires: 'same-version' }, put(here));
    put(here, { k: 'theirs' });
    assert.equal((await run(here, one)).outcome, 'conflict', patch.type);
    const fresh = action(one.write, here.api.objects(CONFIG_MAPS)[0] ?? null);
    assert.equal((await run(here, fresh)).outcome, 'done', patch.type);
    assert.deepEqual(entriesOf(here), { k: 'w' });
  }
});

test('a budget that forbids an eviction is an outcome of its own', async () => {
  const here = scene();
  const pod = here.api.put(PODS, { metadata: { ...NAME, labels: { app: 'web' } } });
  here.api.put(BUDGETS, {
    metadata: { namespace: 'team', name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: 0 },
  });
  const evict: ActionWrite = { verb: 'evict', requires: 'same-object' };
  assert.equal((await run(here, action(evict, pod, PODS))).outcome, 'forbidden-by-budget');
  assert.equal(here.api.objects(PODS).length, 1);
});

test('a denied write is refused in the words of the server', async () => {
  const here = scene();
  here.api.forbid('patch configmaps');
  const { outcome, failure, why } = await run(here, action(CHANGE, put(here)));
  assert.deepEqual([outcome, failure], ['refused', 'denied']);
  assert.match(why, /denied patch configmaps/);
});

test('a name that somebody else took is a conflict', async () => {
  const here = scene();
  put(here, { k: 'theirs' });
  assert.equal((await run(here, action(CREATE, null))).outcome, 'conflict');
});

test('a write whose answer is lost took effect when the object shows it', async () => {
  for (const write of [CHANGE, REMOVE, CREATE]) {
    const here = scene();
    const about = write === CREATE ? null : put(here);
    here.writes.loseNext(LOST);
    const { outcome, why } = await run(here, action(write, about));
    assert.equal(outcome, 'done', write.verb);
    assert.match(why, /as reading it shows/);
    assert.equal(here.api.requests().get(`${write.verb} configmaps`), 1);
  }
});

test('a write that got lost itself is unclear, and is not sent again', async () => {
  for (const write of [CHANGE, REMOVE, CREATE]) {
    const here = scene();
    const about = write === CREATE ? null : put(here);
    here.api.failNext(write.verb, LOST);
    const { outcome, why } = await run(here, action(write, about));
    assert.equal(outcome, 'unclear', write.verb);
    assert.match(why, /does not show it/);
    assert.equal(here.api.requests().get(`${write.verb} configmaps`), 1);
    assert.equal(textAt((await here.records())[1]?.body, 'outcome'), 'unclear');
  }
});

test('a write that takes effect a little after its answer was lost is seen', async () => {
  const here = scene();
  const before = put(here);
  here.api.failNext('patch', LOST);
  const performed = perform(action(CHANGE, before), here.tools, { isDryRun: false });
  await here.clock.advance(2500);
  put(here, { k: 'w' });
  await here.clock.advance(60_000);
  assert.equal((await performed).outcome, 'done');
});

test('a lost answer after which somebody else changed the object is a conflict', async () => {
  const here = scene();
  const before = put(here);
  here.api.failNext('patch', LOST);
  const performed = perform(action(CHANGE, before), here.tools, { isDryRun: false });
  await here.clock.advance(500);
  put(here, { k: 'theirs' });
  await here.clock.advance(60_000);
  assert.equal((await performed).outcome, 'conflict');
});

test('a server that is away after a lost answer is read again', async () => {
  const here = scene();
  const before = put(here);
  here.writes.loseNext(LOST);
  here.api.failNext('get', fault('unreachable', 'get'), fault('throttled', 'get'));
  assert.equal((await run(here, action(CHANGE, before))).outcome, 'done');
});

test('a program that stops leaves a lost answer unclear, and records it', async () => {
  const here = scene();
  const before = put(here);
  here.api.failNext('patch', LOST);
  const stop = new AbortController();
  const options = { isDryRun: false, signal: stop.signal };
  const performed = perform(action(CHANGE, before), here.tools, options);
  await here.clock.advance(500);
  stop.abort();
  assert.equal((await performed).outcome, 'unclear');
  assert.equal((await here.records()).length, 2);
});

test('a program that stops while it records an intention sends nothing', async () => {
  const here = scene();
  const before = put(here);
  const stop = new AbortController();
  const recorder: NonNullable<PerformTools['recorder']> = {
    append: async (events) => {
      stop.abort();
      return here.recorder.append(events);
    },
  };
  const options = { isDryRun: false, signal: stop.signal };
  const { outcome } = await perform(action(CHANGE, before), { ...here.tools, recorder }, options);
  assert.equal(outcome, 'refused');
  assert.deepEqual(entriesOf(here), { k: 'v' });
  assert.equal((await here.records()).length, 2);
  await assert.rejects(perform(action(CHANGE, before), here.tools, options), /abort/i);
});

test('what cannot be recorded beforehand is not sent', async () => {
  const here = scene();
  const full = new PortError({ failure: 'unavailable', message: 'The disk is full.' });
  const recorder = { append: () => Promise.reject(full) };
  const one = action(CHANGE, put(here));
  const { outcome, unrecorded, why } = await perform(
    one,
    { ...here.tools, recorder },
    { isDryRun: false },
  );
  assert.deepEqual([outcome, unrecorded], ['refused', full]);
  assert.match(why, /was not sent, as it cannot be recorded: The disk is full/);
  assert.deepEqual(entriesOf(here), { k: 'v' });
});

test('an outcome that cannot be recorded stays the outcome, with the reason', async () => {
  const here = scene();
  const full = new PortError({ failure: 'unavailable', message: 'The disk is full.' });
  let calls = 0;
  const recorder = { append: () => (++calls === 2 ? Promise.reject(full) : Promise.resolve(1)) };
  const { outcome, unrecorded } = await perform(
    action(CHANGE, put(here)),
    { ...here.tools, recorder },
    { isDryRun: false },
  );
  assert.deepEqual([outcome, unrecorded], ['done', full]);
});

test('a bug in a port is thrown', async () => {
  const here = scene();
  const bug = new TypeError('a bug');
  const writes: KubeWrites = Object.create(here.writes, {
    patch: { value: () => Promise.reject(bug) },
  });
  const performed = perform(
    action(CHANGE, put(here)),
    { ...here.tools, writes },
    { isDryRun: false },
  );
  await assert.rejects(performed, bug);
});

test('an action that contradicts itself is a bug', async () => {
  const here = scene();
  const before = put(here);
  const wrong: readonly Action[] = [
    action(CREATE, before),
    action(REMOVE, null),
    action({ verb: 'create', object: { ...NEW, metadata: { ...NAME, name: 'b' } } }, null),
    action({ verb: 'create', object: { ...NEW, metadata: { generateName: 'b' } } }, null),
  ];
  for (const one of wrong)
    await assert.rejects(perform(one, here.tools, { isDryRun: false }), RangeError);
  assert.deepEqual(await here.records(), []);
});
