/** The controller hears of machines from a queue: it asks AWS at once, and forgets nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { loadCauses } from '../../src/apps/sim/controllers/seed-run.ts';
import { Controller, type StandingRecorder } from '../../src/apps/controller/program.ts';
import type { AwsApi } from '../../src/ports/aws-api.ts';
import type { AwsEventMessage, AwsEvents } from '../../src/ports/aws-events.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { SeenCluster } from '../../src/collection/recording/seen.ts';
import { pause } from '../../src/runtime/abort.ts';
import { Logger } from '../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../src/runtime/metrics/registry.ts';
import { createKernel, type Kernel, runUntil } from '../../src/sim/kernel/kernel.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { kubeWritesPort } from '../../src/sim/kube/port-writes.ts';
import { createApiServer, type KubeApiServer } from '../../src/sim/kube/server.ts';

const USER = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
const START_MS = 1_772_442_000_000;
const BODY = JSON.stringify({
  id: 'e-1',
  'detail-type': 'EC2 Spot Instance Interruption Warning',
  source: 'aws.ec2',
  time: new Date(START_MS).toISOString(),
  detail: { 'instance-id': 'i-0123456789abcdef0', 'instance-action': 'terminate' },
});

/** A queue that gives again what nobody removed, as SQS does. */
class Queue {
  readonly messages = new Map<string, string>();
  readonly receivers = new Set<string>();

  port(clock: Clock, identity: string): AwsEvents {
    return {
      receive: async (signal): Promise<readonly AwsEventMessage[]> => {
        this.receivers.add(identity);
        await pause(clock, 1000, signal);
        signal.throwIfAborted();
        return [...this.messages].map(([receipt, body]) => ({ receipt, body }));
      },
      remove: async (all) => all.forEach(({ receipt }) => this.messages.delete(receipt)),
    };
  }
}

interface World {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly queue: Queue;
  /** When DescribeInstances was called, s since the start. */
  readonly asked: number[];
  /** Texts of news that were recorded. */
  readonly recorded: string[];
  /** Ends each recording; one that does not end keeps messages. */
  record: () => Promise<void>;
}

function awsOf({ kernel, asked }: World): AwsApi {
  return {
    region: 'eu-west-1',
    partition: 'aws',
    async *pages({ operation }) {
      if (operation === 'DescribeInstances') asked.push((kernel.nowMs() - START_MS) / 1000);
      yield operation === 'DescribeInstances' ? { Reservations: [] } : {};
    },
    requests: () => new Map(),
  };
}

function recordingOf(world: World): StandingRecorder {
  const listener = new SeenCluster();
  return {
    listener,
    async take() {
      const { news } = listener.take();
      await world.record();
      world.recorded.push(...news.map(({ text }) => text));
    },
  };
}

function controllerOf(
  world: World,
  identity: string,
  registry = new MetricsRegistry(),
): Controller {
  const { kernel, server, queue } = world;
  const clock = kernel.clock();
  const kube = kubePort({ server, user: USER, clock });
  return new Controller(
    {
      cluster: 'shop',
      namespace: 'kube-system',
      identity,
      writesReports: false,
      writesEvents: false,
      auth: 'off',
      live: () => ({ keepReportsMs: 60_000, isDryRun: false }),
    },
    {
      clients: { kube, aws: awsOf(world), described: null, refusals: [], clock },
      writes: kubeWritesPort({ server, user: USER, clock }),
      recorder: { append: async () => 0, notes: async () => new Map() },
      random: kernel.random(identity),
      log: new Logger({ clock, level: () => 'error', write: () => undefined }),
      registry,
      recording: recordingOf(world),
      webhook: null,
      janitor: null,
      awsEvents: queue.port(clock, identity),
    },
  );
}

/** Plays a world to its end. */
async function played(use: (world: World) => Promise<void>): Promise<void> {
  await loadCauses();
  await overTripwires(async () => {
    const kernel = createKernel({ seed: 1, startMs: START_MS });
    const record = async (): Promise<void> => undefined;
    const server = createApiServer({ kernel });
    await use({ kernel, server, queue: new Queue(), asked: [], recorded: [], record });
  });
}

async function play({ kernel }: World, seconds: number): Promise<void> {
  await runUntil(kernel, kernel.nowMs() + seconds * 1000, settle);
}

test('AWS is asked within seconds of news, which are recorded once and removed', async () => {
  await played(async (world) => {
    const stop = new AbortController();
    const registry = new MetricsRegistry();
    const controller = controllerOf(world, 'one', registry);
    world.kernel.spawn('one', async () => controller.run(stop.signal));
    await play(world, 70);
    const before = world.asked.length;
    world.queue.messages.set('r1', BODY);
    await play(world, 10);
    assert.equal(world.asked.length, before + 1, `asked at ${world.asked.join(', ')} s`);
    const text = 'EC2 takes this spot instance back in two minutes: terminate';
    assert.deepEqual(world.recorded, [text]);
    assert.equal(world.queue.messages.size, 0);
    assert.match(registry.text(), /rollcall_aws_events_total\{kind="spot"\} 1\n/);
    stop.abort();
    await play(world, 5);
  });
});

test('what is not recorded yet stays in the queue', async () => {
  await played(async (world) => {
    const stop = new AbortController();
    const controller = controllerOf(world, 'one');
    world.kernel.spawn('one', async () => controller.run(stop.signal));
    await play(world, 30);
    const held = Promise.withResolvers<void>();
    world.record = () => held.promise;
    world.queue.messages.set('r1', BODY);
    await play(world, 60);
    assert.deepEqual([world.recorded, world.queue.messages.size], [[], 1]);
    held.resolve();
    await play(world, 5);
    assert.deepEqual([world.recorded.length, world.queue.messages.size], [1, 0]);
    stop.abort();
    await play(world, 5);
  });
});

test('of two replicas the one that leads receives', async () => {
  await played(async (world) => {
    const stop = new AbortController();
    for (const name of ['one', 'two']) {
      const controller = controllerOf(world, name);
      world.kernel.spawn(name, async () => controller.run(stop.signal));
    }
    await play(world, 60);
    assert.equal(world.queue.receivers.size, 1);
    stop.abort();
    await play(world, 5);
  });
});
