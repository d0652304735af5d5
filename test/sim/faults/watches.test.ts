import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { follow } from '../../../src/apps/sim/follow.ts';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';
import type { Injected, FaultScene } from '../../../src/sim/faults/contract.ts';
import { faultOf } from '../../../src/sim/faults/faults.ts';
import { createLooking } from '../../../src/sim/faults/looking.ts';
import type { Heard } from '../../../src/sim/faults/wire.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { settle } from '../../../src/adapters/system/settle.ts';
import { drawWorld } from '../../../src/sim/swarm/setting.ts';
import { ADMIN, buildCluster } from '../../../src/sim/cluster/simulated-cluster.ts';

interface Scene {
  readonly stage: FaultScene;
  readonly heard: Heard[];
  readonly asked: string[];
  readonly pass: (seconds: number) => Promise<void>;
  /** Writes to the Node, and forgets what was heard and asked before. */
  readonly write: () => void;
  /** Ends the watchers. */
  readonly end: () => void;
  readonly node: string;
}

async function sceneOf(): Promise<Scene> {
  const simulated = buildCluster({ setting: { ...drawWorld(5, 1), isAwsLate: false }, seed: 5 });
  const { kernel } = simulated;
  const stage = { simulated, people: simulated.world.client(ADMIN), looking: createLooking() };
  const heard: Heard[] = [];
  const asked: string[] = [];
  stage.looking.wire.listen({
    onHeard: (one) => heard.push(one),
    onAsked: ({ verb, plural }) => asked.push(`${verb} ${plural}`),
  });
  const life = new AbortController();
  follow(stage, null, life.signal);
  const pass = async (seconds: number): Promise<void> =>
    runUntil(kernel, kernel.nowMs() + seconds * 1000, settle);
  await pass(300);
  const node = heard.find(({ plural }) => plural === 'nodes')?.key ?? '';
  let count = 0;
  const write = (): void => {
    const annotations = { 'example.com/count': String(++count) };
    stage.people.patch('Node', node, 'merge', { metadata: { annotations } });
    heard.length = 0;
    asked.length = 0;
  };
  return { stage, heard, asked, pass, write, end: () => life.abort(), node };
}

function inject({ looking, ...stage }: FaultScene, id: string, isWanted: RegExp): Injected {
  for (let seed = 1; seed < 40; seed++) {
    const injected = faultOf(id)?.inject({ ...stage, looking }, randomStream(seed, id)) ?? null;
    if (injected !== null && isWanted.test(injected.what)) return injected;
    injected?.undo();
  }
  return assert.fail(`${id} strikes nothing here`);
}

/** Whether the last write to the Node is in memory. */
function isKnown({ stage, heard, node }: Scene): boolean {
  const metadata = stage.people.get('Node', node)?.['metadata'];
  const version = (metadata as Record<string, unknown> | undefined)?.['resourceVersion'];
  return heard.some(({ key, version: known }) => key === node && known >= Number(version));
}

const scene = await sceneOf();
const { stage, heard, asked, pass, write, end } = scene;

/** A change is not known after so long and is after so much longer; when all is undone, at once. */
async function assertLate({ undo }: Injected, seconds: number, more: number): Promise<void> {
  write();
  await pass(seconds);
  assert.ok(!isKnown(scene));
  await pass(more);
  assert.ok(isKnown(scene));
  undo();
  await pass(30);
  write();
  await pass(1);
  assert.ok(isKnown(scene));
}

describe('faults of the watches of Rollcall', () => {
  test('without one a change is in memory at once', async () => {
    write();
    await pass(1);
    assert.ok(isKnown(scene));
  });

  test('F17 kills a watch silently, which is detected and repaired', async () => {
    inject(stage, 'F17', /nodes/);
    write();
    await pass(1);
    assert.ok(!isKnown(scene));
    await pass(60);
    assert.ok(isKnown(scene));
  });

  test('F22 and F25 end a watch at its next event, and the change is there nevertheless', async () => {
    for (const id of ['F22', 'F25']) {
      inject(stage, id, /nodes/);
      write();
      await pass(40);
      assert.ok(isKnown(scene), id);
    }
  });

  test('F10 breaks a watch off, and the next one is behind until it ends', async () => {
    await assertLate(inject(stage, 'F10', /nodes is at .* 15 s behind/), 10, 40);
  });

  test('F19 brings old events again, and nothing goes back', async () => {
    const { undo } = inject(stage, 'F19', /nodes/);
    for (let count = 0; count < 5; count++) {
      write();
      await pass(2);
      assert.ok(isKnown(scene));
      for (const { before, version } of heard) assert.ok(before === null || version > before);
    }
    undo();
  });

  test('F20 and F24 let events come late, until they end', async () => {
    await assertLate(inject(stage, 'F24', /nodes come 20 s/), 15, 20);
  });
});

describe('faults of the objects that are watched', () => {
  test('F23 hides that a Node was deleted before it was made again, which its uid tells', async () => {
    heard.length = 0;
    const { undo, what } = inject(stage, 'F23', /made again/);
    const key = what.slice(0, what.indexOf(':'));
    await pass(20);
    const types = heard.flatMap((one) => (one.key === key ? [one.type] : []));
    assert.deepEqual(types.slice(0, 2), ['deleted', 'added']);
    assert.ok(!stage.looking.wire.hasLost('nodes', key));
    undo();
    write();
    await pass(1);
    assert.ok(isKnown(scene));
  });

  test('F11 and F13 are behind what was read, which a new listing makes good', async () => {
    for (const id of ['F11', 'F13']) {
      write();
      await pass(5);
      const { undo } = inject(stage, id, /cache|backup/);
      await pass(30);
      undo();
      await pass(30);
      write();
      await pass(5);
      assert.ok(isKnown(scene), id);
      assert.ok(!stage.looking.wire.hasLost('nodes', scene.node), id);
    }
  });
});

describe('faults of the watchers of Rollcall', () => {
  test('F16 refuses every request, and F09 cuts all watches besides', async () => {
    for (const [id, words] of [
      ['F16', /429/],
      ['F09', /restarts/],
    ] as const) {
      const { undo } = inject(stage, id, words);
      await pass(30);
      write();
      await pass(60);
      assert.ok(!isKnown(scene), id);
      assert.ok(asked.length > 0 && asked.length < 60, `${asked.length} requests`);
      undo();
      await pass(60);
      assert.ok(isKnown(scene), id);
    }
  });

  test('F29 begins with empty memory', async () => {
    write();
    inject(stage, 'F29', /restart/);
    await pass(10);
    assert.ok(heard.some(({ key, type }) => key === scene.node && type === 'added'));
  });

  test('F73 lets timers come late, and F21 takes bookmarks away, without harm', async () => {
    const undoings = [inject(stage, 'F73', /late/), inject(stage, 'F21', /nodes/)];
    await pass(120);
    write();
    await pass(10);
    assert.ok(isKnown(scene));
    for (const { undo } of undoings) undo();
    assert.equal(stage.looking.wire.timersLateMs(), 0);
  });

  test('F18 loses events, which a later one of the same object makes good', async () => {
    const { undo } = inject(stage, 'F18', /nodes/);
    write();
    await pass(5);
    undo();
    write();
    await pass(5);
    assert.ok(isKnown(scene));
  });
});

test('a run of such faults holds, and says what it went through', async () => {
  const faults = ['F09', 'F16', 'F17', 'F18', 'F22', 'F25', 'F29'];
  const wishes = { nodes: 1, hours: 0.7, faults };
  const { result } = await runSeed({ seed: 4, wishes, bug: null });
  assert.deepEqual(result.violations, []);
  for (const rule of ['I-24', 'I-32', 'I-33', 'L-08'])
    assert.ok((result.counts.evaluations.get(rule) ?? 0) > 50, rule);
  assert.ok((result.marks.get('listed-again') ?? 0) > 0);
});

test('the watchers end with the world, and wait for nothing more', async () => {
  end();
  await pass(60);
  write();
  await pass(60);
  assert.deepEqual([heard, asked], [[], []]);
});
