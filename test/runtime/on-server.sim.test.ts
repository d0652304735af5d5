/** Queue, reflector, election and Events together, on the simulator's API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { LeaderElection } from '../../src/runtime/election/election.ts';
import type { Leading } from '../../src/runtime/election/election-options.ts';
import { LEASES } from '../../src/runtime/election/lease-record.ts';
import { EVENTS } from '../../src/runtime/events/event-object.ts';
import { EventPublisher } from '../../src/runtime/events/event-publisher.ts';
import { WorkQueue } from '../../src/runtime/queue/work-queue.ts';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import { createKernel, type Kernel, runUntil } from '../../src/sim/kernel/kernel.ts';
import { createClient } from '../../src/sim/kube/client.ts';
import type { ApiUser } from '../../src/sim/kube/contract.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { kubeWritesPort } from '../../src/sim/kube/port-writes.ts';
import { createApiServer, type KubeApiServer } from '../../src/sim/kube/server.ts';
import { CONFIG_MAPS } from '../ports/kube-api.contract.ts';

const ADMIN: ApiUser = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const NAMESPACE = 'team';
const OBJECTS = 8;
const MINUTE_MS = 60_000;

interface World {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly trouble: string[];
  /** By object, how often a program of the leader wrote it. */
  readonly writes: Map<string, number>;
}

interface Program {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  readonly name: string;
}

/** Ports of one program; one request in ten fails, and one write in ten has its answer lost. */
function ports({ kernel, server }: World, name: string): Program {
  const random = kernel.random(`${name}/wire`);
  const shared = { server, user: ADMIN, clock: kernel.clock(), delayMs: () => random.below(60) };
  const failure = new PortError({ failure: 'unavailable', message: 'm' });
  const unclear = new PortError({ failure: 'unclear', message: 'm' });
  return {
    api: kubePort(shared),
    writes: kubeWritesPort({
      ...shared,
      fault: () => (random.chance(0.1) ? failure : null),
      loses: () => (random.chance(0.1) ? unclear : null),
    }),
    name,
  };
}

function seenOf(object: JsonObject): string {
  return textAt(object, 'data.seen') ?? 'none';
}

/** Marks every object with `data.seen`, each once, and waits to see its mark before it looks again. */
async function lead(world: World, program: Program, leading: Leading): Promise<void> {
  const { kernel } = world;
  const { api, name, writes } = program;
  const clock = kernel.clock();
  const end = AbortSignal.any([leading.stop, leading.lost]);
  const source = { component: 'rollcall-test', instance: name };
  const events = new EventPublisher({ writes, clock, random: kernel.random(name), source });
  const reflector: Reflector<JsonObject> = new Reflector({
    api,
    clock,
    random: kernel.random(`${name}/reflector`),
    resource: CONFIG_MAPS,
    selection: { namespace: NAMESPACE },
    project: (object) => object,
    onChange: ({ key }) => queue.add(key),
  });
  const queue: WorkQueue = new WorkQueue({
    clock,
    random: kernel.random(`${name}/queue`),
    onBug: (error) => world.trouble.push(String(error)),
    limits: { backoffMostMs: 2_000 },
    reconcile: async (key, signal) => {
      const object = reflector.get(key);
      if (object === undefined || seenOf(object) === 'yes') return null;
      const place = { namespace: NAMESPACE, name: textAt(object, 'metadata.name') ?? '' };
      const change = {
        metadata: { resourceVersion: textAt(object, 'metadata.resourceVersion') },
        data: { seen: 'yes' },
      };
      const patched = await writes.patch(CONFIG_MAPS, place, { type: 'merge', change }, { signal });
      world.writes.set(key, (world.writes.get(key) ?? 0) + 1);
      const uid = textAt(patched, 'metadata.uid') ?? '';
      const resourceVersion = textAt(patched, 'metadata.resourceVersion') ?? '';
      const isReached = await reflector.whenReached({ key, uid, resourceVersion }, 30_000, signal);
      if (!isReached) world.trouble.push(`${key}: version ${resourceVersion} was never seen`);
      if (seenOf(reflector.get(key) ?? {}) !== 'yes')
        world.trouble.push(`${key}: the cache is older`);
      events.publish({
        about: { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: place.name, uid },
        type: 'Normal',
        reason: 'Seen',
        message: `${place.name} was seen`,
      });
      return null;
    },
  });
  await Promise.all([
    reflector.run(end),
    events.run(end),
    queue.run({ stop: leading.stop, cut: leading.lost }),
  ]);
}

async function live(world: World, name: string, stop: AbortSignal): Promise<void> {
  const program = ports(world, name);
  const { kernel } = world;
  const election = new LeaderElection({
    ...program,
    clock: kernel.clock(),
    random: kernel.random(`${name}/election`),
    lease: { namespace: NAMESPACE, name: 'controller' },
    identity: name,
    lead: async (leading) => lead(world, program, leading),
  });
  await election.run(stop);
}

function begin(seed: number): World {
  const kernel = createKernel({ seed, startMs: 1_767_225_600_000 });
  const server = createApiServer({ kernel });
  const client = createClient(server, ADMIN);
  client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (let n = 0; n < OBJECTS; n++)
    client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: NAMESPACE, name: `c${n}` },
      data: { seen: 'no' },
    });
  return { kernel, server, trouble: [], writes: new Map() };
}

async function listed(world: World, resource: typeof EVENTS): Promise<readonly JsonObject[]> {
  const api = kubePort({ server: world.server, user: ADMIN, clock: world.kernel.clock() });
  const found: JsonObject[] = [];
  for await (const page of api.list(resource, { namespace: NAMESPACE })) found.push(...page.items);
  return found;
}

async function marks(world: World): Promise<readonly string[]> {
  const objects = await listed(world, CONFIG_MAPS);
  const ours = objects.filter((object) => /^c\d$/.test(textAt(object, 'metadata.name') ?? ''));
  return ours.map(seenOf);
}

async function pass(world: World, durationMs: number): Promise<void> {
  await runUntil(world.kernel, world.kernel.nowMs() + durationMs, settle);
}

for (let seed = 1; seed <= 5; seed++)
  test(`a leader does its work once, and the next one takes over, seed ${seed}`, async () => {
    const world = begin(seed);
    const { kernel } = world;
    const [one, two] = [new AbortController(), new AbortController()];
    await overTripwires(async () => {
      kernel.spawn('one', async () => live(world, 'one', one.signal));
      await pass(world, 1_000);
      kernel.spawn('two', async () => live(world, 'two', two.signal));
      await pass(world, 2 * MINUTE_MS);
      assert.deepEqual(await marks(world), Array(OBJECTS).fill('yes'));
      one.abort();
      await pass(world, 12_000);
      const [lease] = await listed(world, LEASES);
      assert.equal(textAt(lease, 'spec.holderIdentity'), 'two');
      two.abort();
      await pass(world, MINUTE_MS);
    });
    assert.deepEqual(world.trouble, []);
    assert.ok([...world.writes.values()].every((count) => count === 1));
    assert.equal((await listed(world, EVENTS)).length, world.writes.size);
  });
