import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeClient, KubeRefusal } from '../../test/real/kube-client.ts';
import { leaseOf, type Machine, machineAt, nodeOf, podOf } from '../live/cluster.ts';

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** Requests of the driver that are under way at once. */
const PARALLEL = 16;
const AGAIN_MS = 500;

interface Shaped {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status?: object;
}

/** What a client may say of a new object: the server gives the rest. */
function created(object: object): { readonly metadata: object } {
  const { metadata, ...rest } = object as Shaped;
  const { name, namespace, labels, annotations } = metadata;
  return { ...rest, metadata: { name, namespace, labels, annotations } };
}

/** Nobody who keeps a cluster gives up because its API server is away for a while. */
async function untilDone<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof KubeRefusal && error.status < 500 && error.status !== 429) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

/** What was asked may have been done although its answer was lost. */
async function ensured(ask: () => Promise<unknown>, settled: number): Promise<void> {
  await untilDone(async () => {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof KubeRefusal) || error.status !== settled) throw error;
    }
  });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Nodes as kubelets keep them, without the kubelets. */
export class Fleet {
  readonly #client: KubeClient;
  readonly #size: number;
  /** UIDs of the Nodes that are there, by index. */
  readonly #there = new Map<number, string>();
  /** UIDs of the Nodes that were deleted, in order. */
  readonly deleted: string[] = [];

  constructor(client: KubeClient, size: number) {
    this.#client = client;
    this.#size = size;
  }

  async lay(podsOfNode: number): Promise<void> {
    for (const name of ['kube-node-lease', ...Array.from({ length: 7 }, (_, at) => `team-${at}`)]) {
      const path = '/api/v1/namespaces';
      await ensured(() => this.#client.create(path, { metadata: { name } }), 409);
      const account = { metadata: { name: 'default' } };
      await ensured(() => this.#client.create(`${path}/${name}/serviceaccounts`, account), 409);
    }
    const system = '/api/v1/namespaces/kube-system/serviceaccounts';
    await ensured(() => this.#client.create(system, { metadata: { name: 'default' } }), 409);
    const all = Array.from({ length: this.#size }, (_, index) => index);
    await inParallel(all, async (index) => this.register(index));
    const pods = Array.from({ length: this.#size * podsOfNode }, (_, index) => index);
    await inParallel(pods, async (index) => this.#pod(index));
  }

  async register(index: number): Promise<void> {
    const machine = machineAt(index);
    const node = created(nodeOf(machine, index));
    await ensured(() => this.#client.create(NODES, node), 409);
    const status = (nodeOf(machine, index) as Shaped).status ?? {};
    const path = `${NODES}/${machine.name}`;
    await untilDone(() => this.#client.patch(`${path}/status`, { status }));
    await ensured(() => this.#client.create(LEASES, created(leaseOf(machine, index))), 409);
    const { metadata } = await untilDone(() => this.#client.get(path));
    this.#there.set(index, metadata.uid);
  }

  /** Deletes a Node that is there, and its Lease as the garbage collector does. */
  async remove(index: number): Promise<void> {
    const uid = this.#there.get(index);
    if (uid === undefined) return;
    this.#there.delete(index);
    const { name } = machineAt(index);
    await ensured(() => this.#client.remove(`${NODES}/${name}`), 404);
    await ensured(() => this.#client.remove(`${LEASES}/${name}`), 404);
    this.deleted.push(uid);
  }

  /** Renews the Leases of all Nodes once, spread over a time. */
  async renew(overMs: number, signal: AbortSignal): Promise<void> {
    const machines = [...this.#there.keys()].map((index) => machineAt(index));
    const restMs = overMs / Math.max(1, machines.length);
    const endsMs = performance.now();
    for (const [at, machine] of machines.entries()) {
      if (signal.aborted) return;
      const dueMs = endsMs + at * restMs - performance.now();
      if (dueMs > 0) await sleep(dueMs);
      await this.#renewOne(machine);
    }
  }

  async #renewOne({ name }: Machine): Promise<void> {
    const spec = { renewTime: new Date().toISOString().replace('Z', '000Z') };
    await this.#client.patch(`${LEASES}/${name}`, { spec }).catch(() => undefined);
  }

  async #pod(index: number): Promise<void> {
    const machine = machineAt(index % this.#size);
    const pod = podOf(index, machine) as Shaped;
    const { namespace, name } = pod.metadata as { namespace: string; name: string };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { metadata } = created(pod);
    const { spec, status } = pod as unknown as { spec: object; status: object };
    const plain = { metadata, spec: { ...spec, volumes: [], containers: plainContainers(spec) } };
    await ensured(() => this.#client.create(path, plain), 409);
    await untilDone(() => this.#client.patch(`${path}/${name}/status`, { status }));
  }
}

/** A volume of a token is the API server's to add. */
function plainContainers(spec: object): readonly object[] {
  const { containers } = spec as { containers: readonly Readonly<Record<string, unknown>>[] };
  return containers.map(({ name, image, resources }) => ({ name, image, resources }));
}
