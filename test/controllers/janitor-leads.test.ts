/** The controller runs its janitor on the replica that holds the Lease, and on no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { loadCauses } from '../../src/apps/sim/controllers/seed-run.ts';
import { Controller } from '../../src/apps/controller/program.ts';
import { whenAborted } from '../../src/runtime/abort.ts';
import { Logger } from '../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../src/runtime/metrics/registry.ts';
import { createKernel, type Kernel, runUntil } from '../../src/sim/kernel/kernel.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { kubeWritesPort } from '../../src/sim/kube/port-writes.ts';
import { createApiServer, type KubeApiServer } from '../../src/sim/kube/server.ts';

const USER = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
const MINUTE_MS = 60_000;

function controllerOf(
  kernel: Kernel,
  server: KubeApiServer,
  identity: string,
  running: Set<string>,
): Controller {
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
      live: () => ({ keepReportsMs: MINUTE_MS, isDryRun: false }),
    },
    {
      clients: { kube, aws: null, described: null, refusals: [], clock },
      writes: kubeWritesPort({ server, user: USER, clock }),
      recorder: { append: async () => 0, notes: async () => new Map() },
      random: kernel.random(identity),
      log: new Logger({ clock, level: () => 'error', write: () => undefined }),
      registry: new MetricsRegistry(),
      recording: null,
      webhook: null,
      awsEvents: null,
      janitor: {
        run: async ({ signal, isLeading }) => {
          assert.ok(isLeading());
          running.add(identity);
          await whenAborted(signal);
          running.delete(identity);
        },
      },
    },
  );
}

test('the janitor runs on the leader alone, and on the next one after it', async () => {
  await loadCauses();
  await overTripwires(async () => {
    const kernel = createKernel({ seed: 1, startMs: 1_772_442_000_000 });
    const server = createApiServer({ kernel });
    const running = new Set<string>();
    const stops = new Map<string, AbortController>();
    for (const name of ['one', 'two']) {
      const stop = new AbortController();
      stops.set(name, stop);
      const controller = controllerOf(kernel, server, name, running);
      kernel.spawn(name, async () => controller.run(stop.signal));
    }
    const play = async (minutes: number): Promise<readonly string[]> => {
      await runUntil(kernel, kernel.nowMs() + minutes * MINUTE_MS, settle);
      return [...running];
    };
    const [first = '', ...more] = await play(1);
    assert.deepEqual([stops.has(first), more], [true, []]);
    stops.get(first)?.abort();
    const [second = '', ...others] = await play(1);
    assert.deepEqual([stops.has(second) && second !== first, others], [true, []]);
    stops.get(second)?.abort();
    assert.deepEqual(await play(1), []);
  });
});
