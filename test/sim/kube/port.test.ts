import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKernel, type Kernel, runUntil } from '../../../src/sim/kernel/kernel.ts';
import type { ApiUser } from '../../../src/sim/kube/contract.ts';
import { createClient } from '../../../src/sim/kube/client.ts';
import { type KubePort, kubePort } from '../../../src/sim/kube/port.ts';
import { createApiServer, type KubeApiServer } from '../../../src/sim/kube/server.ts';
import {
  CONFIG_MAPS,
  type KubeApiHarness,
  kubeApiContract,
} from '../../ports/kube-api.contract.ts';

const ADMIN: ApiUser = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const STRANGER: ApiUser = { name: 'stranger', groups: ['system:authenticated'] };

interface Scene {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly port: KubePort;
}

function scene(more: Partial<Parameters<typeof kubePort>[0]> = {}): Scene {
  const kernel = createKernel({ seed: 1, startMs: 1_750_000_000_000 });
  const server = createApiServer({ kernel });
  const port = kubePort({ server, user: ADMIN, clock: kernel.clock(), ...more });
  return { kernel, server, port };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function inSimulatedWorld(): KubeApiHarness {
  const { kernel, server, port } = scene();
  const client = createClient(server, ADMIN);
  const namespace = 'team';
  client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const pump = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await runUntil(kernel, kernel.nowMs() + 100, settle);
  };
  return {
    api: port,
    stranger: kubePort({ server, user: STRANGER, clock: kernel.clock() }),
    namespace,
    put: async (name, labels = {}) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels } };
      if (client.get('ConfigMap', `${namespace}/${name}`) === null) client.create(object);
      else client.patch('ConfigMap', `${namespace}/${name}`, 'merge', object);
      await runUntil(kernel, kernel.nowMs() + 1, settle);
    },
    remove: async (name) => {
      client.delete('ConfigMap', `${namespace}/${name}`);
    },
    during: async (waited) => {
      let isDone = false;
      const mark = (): void => {
        isDone = true;
      };
      waited.then(mark, mark);
      await pump(() => isDone);
      return await waited;
    },
  };
}

kubeApiContract('the simulated API server', () => Promise.resolve(inSimulatedWorld()));

test('a look at a paused world plans nothing', async () => {
  const { kernel, port } = scene();
  const before = kernel.nextAtMs();
  for await (const page of port.list({ ...CONFIG_MAPS, plural: 'namespaces', isNamespaced: false }))
    assert.equal(page.items.length, 4);
  assert.equal(kernel.nextAtMs(), before);
});

test('a request takes its delay, and a fault is thrown after it', async () => {
  const failure = new Error('refused') as never;
  const { kernel, port } = scene({ delayMs: () => 250, fault: () => failure });
  const startMs = kernel.nowMs();
  const asked = port.version().catch((error: unknown) => error);
  await runUntil(kernel, startMs + 249, settle);
  assert.equal(await Promise.race([asked, Promise.resolve('waiting')]), 'waiting');
  await runUntil(kernel, startMs + 250, settle);
  assert.equal(await asked, failure);
});

test('a watch that is cut ends as unreachable, and a lost event never comes', async () => {
  const { kernel, server, port } = scene({
    arrives: (_, event) => (event.type === 'MODIFIED' ? [] : [event]),
  });
  const client = createClient(server, ADMIN);
  const told: string[] = [];
  const watching = (async () => {
    const options = { namespace: 'default', resourceVersion: String(server.core.store.revision) };
    for await (const { type } of port.watch(CONFIG_MAPS, options)) told.push(type);
  })().catch((error: unknown) => error);
  await settle();
  client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  client.patch('ConfigMap', 'default/a', 'merge', { data: { a: 'b' } });
  client.delete('ConfigMap', 'default/a');
  await runUntil(kernel, kernel.nowMs() + 1, settle);
  assert.deepEqual(told, ['ADDED', 'DELETED']);
  port.cut();
  await runUntil(kernel, kernel.nowMs() + 1, settle);
  assert.match(String(await watching), /was cut off during watch configmaps/);
});

test('a watch dropped by an event of the world continues at the same moment', async () => {
  const { kernel, server, port } = scene();
  const startMs = kernel.nowMs();
  const life = new AbortController();
  const clock = kernel.clock();
  const told: string[] = [];
  const tell = (what: string): void => {
    told.push(`${what} after ${kernel.nowMs() - startMs} ms`);
  };
  kernel.spawn('watcher', async () => {
    const resourceVersion = String(server.core.store.revision);
    const options = { namespace: 'default', resourceVersion, signal: life.signal };
    try {
      for await (const { type } of port.watch(CONFIG_MAPS, options)) tell(type);
    } catch {
      tell('given up');
      await clock.sleep(5);
      tell('again');
    }
  });
  kernel.after(10, () => life.abort());
  for (const atMs of [20, 30, 1000]) kernel.after(atMs, () => undefined);
  await runUntil(kernel, startMs + 1000, settle);
  assert.deepEqual(told, ['given up after 10 ms', 'again after 15 ms']);
});
