import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ReportKeeper } from '../../src/controllers/node-reports/keeper.ts';
import { NODE_REPORTS } from '../../src/controllers/node-reports/report.ts';
import type { RollCallRow } from '../../src/diagnosis/roll-call/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { instanceId, row } from '../roll-call/fixtures.ts';

/** Writes that take a second each, and how many are under way at once. */
class SlowWrites extends FakeKubeWrites {
  readonly #clock: VirtualClock;
  #underWay = 0;
  mostAtOnce = 0;

  constructor(api: FakeKubeApi, clock: VirtualClock) {
    super(api);
    this.#clock = clock;
  }

  override async create(...call: Parameters<FakeKubeWrites['create']>): Promise<JsonObject> {
    this.#underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
    await this.#clock.sleep(1000);
    this.#underWay -= 1;
    return super.create(...call);
  }
}

/** Patches that are answered, and that no watch ever shows. */
class UnseenPatches extends FakeKubeWrites {
  override async patch(...[, { name }]: Parameters<FakeKubeWrites['patch']>): Promise<JsonObject> {
    return { metadata: { name, resourceVersion: '99' } };
  }
}

interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly keeper: ReportKeeper;
  /** Seconds since the start, verb and outcome of each write. */
  readonly done: string[];
}

type WritesOf = (api: FakeKubeApi, clock: VirtualClock) => FakeKubeWrites;

function begin(
  context: TestContext,
  writesOf: WritesOf = (api) => new FakeKubeWrites(api),
  isServed = true,
) {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  if (isServed) api.serve(NODE_REPORTS);
  const writes = writesOf(api, clock);
  const done: string[] = [];
  const keeper = new ReportKeeper({
    api,
    writes,
    recorder: createFakeRecorder(),
    clock,
    random: { next: () => 0.5 },
    cluster: 'shop',
    keepMs: () => 600_000,
    isDryRun: () => false,
    onPerformed: ({ write }, { outcome }) =>
      done.push(`${Math.floor(clock.monotonicMs() / 1000)} s: ${write.verb} ${outcome}`),
  });
  const ending = new AbortController();
  const running = keeper.run({ signal: ending.signal, isLeading: () => true });
  const end = async (): Promise<void> => {
    ending.abort();
    await clock.advance(0);
    await running;
  };
  context.after(end);
  return { api, writes, clock, keeper, done, end };
}

/** As many machines, each with a report of its own. */
function machines(count: number, change: Partial<RollCallRow> = {}): readonly RollCallRow[] {
  return Array.from({ length: count }, (_, index) =>
    row({ ...change, instanceId: instanceId(index + 1) }),
  );
}

/** Rings for these machines, and lets so many seconds pass. */
async function keep({ keeper, clock }: Scene, rows: readonly RollCallRow[], seconds: number) {
  keeper.setRows(rows, true);
  await clock.advance(seconds * 1000);
}

describe('a keeper of reports', () => {
  test('writes nothing before the roll call, nor before it has read the reports', async (context) => {
    const early = begin(context);
    await early.clock.advance(130_000);
    assert.deepEqual([early.done, early.keeper.state().isSynced], [[], true]);
    const blind = begin(context, undefined, false);
    await keep(blind, machines(1), 130);
    assert.deepEqual([blind.done, blind.keeper.state().isSynced], [[], false]);
  });

  test('has eight writes under way at most', async (context) => {
    const slow = begin(context, (api, clock) => new SlowWrites(api, clock));
    await slow.clock.advance(1000);
    await keep(slow, machines(20), 3.5);
    assert.equal((slow.writes as SlowWrites).mostAtOnce, 8);
    assert.deepEqual(
      ['2 s', '3 s', '4 s'].map(
        (at) => slow.done.filter((one) => one.startsWith(`${at}: create`)).length,
      ),
      [8, 8, 4],
    );
  });

  test('ends between two batches of writes', async (context) => {
    const slow = begin(context, (api, clock) => new SlowWrites(api, clock));
    await slow.clock.advance(1000);
    await keep(slow, machines(20), 0.5);
    const ended = slow.end();
    await slow.clock.advance(5000);
    await ended;
    assert.equal(slow.done.length, 8);
  });

  test('writes 500 reports in one round at most', async (context) => {
    const many = begin(context);
    await many.clock.advance(1000);
    await keep(many, machines(501), 0.25);
    assert.equal(many.done.length, 500);
  });
});

describe('after a round, a keeper of reports', () => {
  test('tries again five seconds after a write that failed', async (context) => {
    const failing = begin(context);
    await failing.clock.advance(1000);
    failing.api.failNext('create', fault('unavailable', 'create'));
    await keep(failing, machines(1), 4);
    assert.equal(failing.done.length, 1);
    await failing.clock.advance(2000);
    assert.match(failing.done.slice(1).join(', '), /^6 s: create done, \d s: patch done$/);
  });

  test('after a conflict waits for the change that it tells of, and reads it after five seconds', async (context) => {
    const raced = begin(context);
    await raced.clock.advance(1000);
    await keep(raced, machines(1), 3);
    raced.api.failNext('patch', fault('conflict', 'patch'));
    const outcomes = (): readonly (string | undefined)[] =>
      raced.done.slice(2).map((one) => one.split(': ')[1]);
    await keep(raced, machines(1, { verdict: 'not-usable' }), 2);
    assert.deepEqual(outcomes(), ['patch conflict']);
    await raced.clock.advance(10_000);
    assert.deepEqual(outcomes(), ['patch conflict', 'patch done']);
  });

  test('looks each minute, as a report goes when its time is over', async (context) => {
    const gone = begin(context);
    await gone.clock.advance(1000);
    await keep(gone, machines(1), 3);
    await keep(gone, [], 590);
    assert.equal(gone.done.length, 3);
    await gone.clock.advance(90_000);
    assert.match(gone.done.at(-1) ?? '', /delete done$/);
  });
});

describe('a keeper whose watch shows nothing', () => {
  test('does not write again for ten seconds, then does', async (context) => {
    const mute = begin(context, (api) => new UnseenPatches(api));
    await mute.clock.advance(1000);
    await keep(mute, machines(1), 10);
    await keep(mute, machines(1), 0.25);
    assert.deepEqual(mute.done, ['1 s: create done', '1 s: patch done']);
    await keep(mute, machines(1), 1);
    await keep(mute, machines(1), 1);
    assert.deepEqual(mute.done.slice(2), ['11 s: patch done']);
  });

  test('writes another report meanwhile', async (context) => {
    const mute = begin(context);
    await mute.clock.advance(1000);
    mute.api.mute();
    await keep(mute, machines(1), 1);
    await keep(mute, machines(2), 1);
    assert.equal(mute.done.filter((one) => one.endsWith('create done')).length, 2);
  });
});
