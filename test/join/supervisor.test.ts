import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JoinEvent } from '../../src/controllers/join/event.ts';
import { JOIN_RULES, type JoinRules } from '../../src/controllers/join/rules.ts';
import { joinStateOf, newJoin } from '../../src/controllers/join/state.ts';
import {
  type JoinEnd,
  JoinSupervisor,
  type JoinTools,
} from '../../src/controllers/join/supervisor.ts';
import type { JoinNodeLook, JoinSeen } from '../../src/domain/nodes/join.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { ABSENT, LISTED, present, unseen } from '../../src/controllers/join/testing.ts';
import { createVirtualClock } from '../host/virtual-clock.ts';

interface World {
  node: JoinNodeLook;
  readonly deeds: string[];
  readonly events: JoinEvent[];
  kept: string | null;
  readonly looksMs: number[];
}

interface Play {
  readonly run?: (world: World) => Promise<number>;
  readonly restart?: (world: World) => Promise<void>;
  readonly keep?: () => Promise<void>;
  readonly cloud?: JoinSeen['cloud'];
  readonly rules?: Partial<JoinRules>;
  readonly from?: string;
  readonly stop?: AbortController;
  readonly random?: () => number;
}

async function play(plan: Play): Promise<World & { readonly end: JoinEnd }> {
  const clock = createVirtualClock();
  const world: World = {
    node: unseen('no-credentials'),
    deeds: [],
    events: [],
    kept: null,
    looksMs: [],
  };
  const stop = plan.stop ?? new AbortController();
  const tools: JoinTools = {
    clock,
    random: { next: plan.random ?? (() => 0.5) },
    look: async () => (
      world.looksMs.push(clock.monotonicMs()),
      {
        atMs: clock.monotonicMs(),
        node: world.node,
        cloud: plan.cloud ?? LISTED,
        kubelet: 'running',
        checks: [],
        isCommandRunning: false,
        leftovers: { paths: [], foreign: null },
      }
    ),
    run: async () => {
      world.deeds.push('run');
      return (await plan.run?.(world)) ?? 0;
    },
    restartKubelet: async () => {
      world.deeds.push('restart');
      await plan.restart?.(world);
    },
    reset: async () => {
      world.deeds.push('reset');
      return 0;
    },
    keep: async (text) => {
      await plan.keep?.();
      world.kept = text;
    },
    say: (event) => void world.events.push(event),
  };
  const rules = { ...JOIN_RULES, canReset: true, ...plan.rules };
  const known = plan.from === undefined ? null : joinStateOf(plan.from, 'i-1', 0);
  const supervisor = new JoinSupervisor(tools, rules, known ?? newJoin('i-1', 0));
  const end = await supervisor.run(stop.signal);
  return { ...world, end };
}

function refused(failure: 'denied' | 'not-found' | 'unavailable', message: string): never {
  throw new PortError({ failure, message });
}

function said({ events }: World, what: JoinEvent['event']): readonly string[] {
  return events.filter(({ event }) => event === what).map(({ message }) => message);
}

describe('a join', () => {
  test('ends well when the Node stays', async () => {
    const world = await play({ run: async (now) => ((now.node = present()), 0) });
    assert.equal(world.end.step?.do, 'joined');
    assert.deepEqual(world.deeds, ['run']);
  });

  test('restarts the kubelet for a Node that was deleted', async () => {
    const world = await play({
      run: async (now) => ((now.node = ABSENT), 0),
      restart: async (now) => void (now.node = present()),
    });
    assert.equal(world.end.step?.do, 'joined');
    assert.deepEqual(world.deeds, ['run', 'restart']);
  });

  test('of a COMMAND that is missing or may not be run ends with that', async () => {
    for (const [failure, exitCode] of [
      ['not-found', 127],
      ['denied', 126],
    ] as const) {
      const world = await play({
        run: async () => refused(failure, 'kubeadm is gone.'),
        rules: { triesMax: 2 },
      });
      assert.equal(world.end.step?.do === 'failed' && world.end.step.failure, 'command-failed');
      assert.equal(world.end.state.exitCode, exitCode);
      assert.deepEqual(world.deeds, ['run', 'run']);
      assert.deepEqual(said(world, 'trouble'), ['kubeadm is gone.', 'kubeadm is gone.']);
    }
  });

  test('says once that the disk is full, and continues', async () => {
    const world = await play({
      run: async (now) => ((now.node = present()), 0),
      keep: async () =>
        refused('unavailable', 'join.json cannot be written, because its file system is full.'),
    });
    assert.equal(world.end.step?.do, 'joined');
    assert.equal(said(world, 'trouble').length, 1);
    assert.match(
      said(world, 'trouble')[0] ?? '',
      /file system is full\. The join continues, but the next start/,
    );
  });
});

describe('a join that is hard', () => {
  test('without systemd says so, and ends when no restart could be had', async () => {
    const world = await play({
      run: async (now) => ((now.node = ABSENT), 0),
      restart: async () => refused('not-found', 'systemctl is not installed.'),
      rules: { canReset: false, restartsMax: 3 },
    });
    assert.equal(world.end.step?.do === 'failed' && world.end.step.failure, 'deleted-again');
    assert.deepEqual(world.deeds, ['run', 'restart', 'restart', 'restart']);
    const trouble = 'systemctl is not installed. The kubelet was not restarted.';
    assert.deepEqual(said(world, 'trouble'), [trouble, trouble, trouble]);
  });

  test('does not look at the same moments as another that started with it', async () => {
    const looksOf = async (share: number): Promise<readonly number[]> => {
      const run = async (now: World): Promise<number> => ((now.node = present()), 0);
      const { looksMs } = await play({ run, random: () => share });
      return looksMs.slice(1);
    };
    const one = await looksOf(0.1);
    const other = new Set(await looksOf(0.7));
    assert.ok(one.filter((ms) => other.has(ms)).length <= one.length / 5);
    assert.deepEqual(await looksOf(0.1), one);
  });

  test('says each thing that it waits for once', async () => {
    const world = await play({ run: async (now) => ((now.node = present()), 0) });
    assert.equal(new Set(said(world, 'waiting')).size, said(world, 'waiting').length);
  });
});

describe('a join that ends and starts', () => {
  test('ends without a verdict when it is asked to', async () => {
    const stop = new AbortController();
    const world = await play({ stop, run: async () => (stop.abort(), 0) });
    assert.equal(world.end.step, null);
    assert.deepEqual(world.deeds, ['run']);
  });

  test('continues from what the disk says, without a second run of COMMAND', async () => {
    const stop = new AbortController();
    const first = await play({ stop, run: async () => (stop.abort(), 0) });
    assert.notEqual(first.kept, null);
    const second = await play({
      from: first.kept ?? '',
      run: async () => assert.fail('COMMAND ran twice'),
      cloud: { state: 'unknown', message: 'Denied.' },
      rules: { limitMs: 10_000 },
    });
    assert.equal(second.end.state.tries, 1);
  });

  test('notes that COMMAND starts before it does', async () => {
    let atStart: string | null = null;
    await play({ run: async ({ kept }) => ((atStart = kept), 0), rules: { limitMs: 5000 } });
    assert.match(String(atStart), /"phase":"running".*"tries":1/);
  });

  test('passes on what is a bug', async () => {
    await assert.rejects(
      play({
        run: async () => {
          throw new TypeError('bug');
        },
      }),
      TypeError,
    );
  });
});
