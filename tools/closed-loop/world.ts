/** The objects of an example behind a real server, for the real kubectl. */
import { dropFolder, makeFolder, writeFolder } from '../../src/apps/lab/folder.ts';
import { openKubernetesDoor } from '../../src/doors/kubernetes/door.ts';
import { isObject, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { ADMIN } from '../../src/sim/cluster/simulated-cluster.ts';
import { createKernel } from '../../src/sim/kernel/kernel.ts';
import type { ApiUser } from '../../src/sim/kube/contract.ts';
import { tableName } from '../../src/sim/kube/kinds.ts';
import { createApiServer, type KubeApiServer } from '../../src/sim/kube/server.ts';
import { keyOf } from '../../src/sim/kube/store.ts';
import { definitionOf } from '../../src/sim/platform/running/custom-kinds.ts';
import { environmentIn } from '../dialogue/operator.ts';

const TOKEN = 'closed-loop';
const NOBODY: ApiUser = { name: 'dana', groups: ['system:authenticated'] };

export interface Cluster {
  readonly objects: readonly JsonObject[];
  /** What every container has logged. */
  readonly log: string;
  readonly isForbidden?: boolean;
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower === 'felixconfiguration') return 'felixconfigurations';
  return /(?:s|x)$/.test(lower) ? `${lower}es` : lower.replace(/y$/, 'ie').concat('s');
}

/** Serves a kind that the example has and Kubernetes itself has not. */
function define(server: KubeApiServer, object: JsonObject): void {
  const kind = textAt(object, 'kind') ?? '';
  const [group = '', version = ''] = (textAt(object, 'apiVersion') ?? '').split('/');
  if (version === '') return;
  const custom = definitionOf({ group, version, plural: pluralOf(kind), kind });
  const isNamespaced = textAt(object, 'metadata.namespace') !== null;
  const spec = {
    ...(custom['spec'] as JsonObject),
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
  };
  const table = server.core.store.table('apiextensions.k8s.io/customresourcedefinitions');
  server.core.store.write(table, `${pluralOf(kind)}.${group}`, { ...custom, spec });
}

function put(server: KubeApiServer, object: JsonObject, index: number): void {
  const kind = textAt(object, 'kind') ?? '';
  const { core } = server;
  if (core.kinds.named(kind) === null) define(server, object);
  const served = core.kinds.named(kind);
  if (served === null) return;
  const own = isObject(object['metadata']) ? object['metadata'] : {};
  const namespace = textAt(object, 'metadata.namespace') ?? 'default';
  const metadata = {
    uid: `5c0e0000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    creationTimestamp: '2026-03-17T12:00:00Z',
    ...(served.isNamespaced ? { namespace } : {}),
    ...own,
  };
  const key = keyOf(served.isNamespaced ? namespace : null, textAt(object, 'metadata.name') ?? '');
  core.store.write(core.store.table(tableName(served)), key, {
    ...object,
    apiVersion: served.apiVersion,
    metadata,
  });
}

interface Standing {
  readonly api: KubeApiServer;
  readonly nowMs: () => number;
}

/** One server for all clusters of a run, whose certificate takes long to make. */
interface Door {
  readonly environment: Readonly<Record<string, string>>;
  turnTo(now: Standing, isForbidden: boolean): void;
  close(): Promise<void>;
}

let door: Door | null = null;

async function openDoor(first: Standing): Promise<Door> {
  let now = first;
  const tokens = new Map([[TOKEN, ADMIN]]);
  const api = new Proxy(first.api, {
    get: (_target, name: keyof KubeApiServer) => now.api[name],
  });
  const kubernetes = await openKubernetesDoor({
    enter: (task) => task(),
    nowMs: () => now.nowMs(),
    onBug: (bug) => {
      throw bug instanceof Error ? bug : new Error(String(bug));
    },
    api,
    port: 0,
    tokens,
  });
  const path = makeFolder(null);
  const folder = writeFolder(path, {
    kubernetesUrl: kubernetes.url,
    caPem: kubernetes.caPem,
    token: TOKEN,
    awsUrl: 'http://127.0.0.1:9',
    region: 'eu-central-1',
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'x',
    context: 'harbor',
  });
  return {
    environment: environmentIn(folder.environment),
    turnTo(next, isForbidden) {
      now = next;
      tokens.set(TOKEN, isForbidden ? NOBODY : ADMIN);
    },
    async close() {
      await kubernetes.close();
      dropFolder(path);
    },
  };
}

/** Closes the server, if one was needed. */
export async function closeDoor(): Promise<void> {
  await door?.close();
  door = null;
}

const MINUTE_MS = 60_000;

/** A quarter of an hour after the last time that an object tells of. */
function afterAll(objects: readonly JsonObject[]): number {
  const times = JSON.stringify(objects).match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g) ?? [];
  const known = times.map((time) => Date.parse(time)).filter((ms) => ms < Date.now());
  return Math.max(Date.parse('2020-01-01T00:00:00Z'), ...known) + 15 * MINUTE_MS;
}

/** Runs kubectl against the cluster. */
export async function withCluster<T>(
  { objects, log, isForbidden = false }: Cluster,
  ask: (environment: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const kernel = createKernel({ seed: 7, startMs: afterAll(objects) });
  const api = createApiServer({
    kernel,
    makesServiceAccounts: false,
    kubelet: () => ({ code: 200, type: 'text/plain', text: 'ok' }),
    podLog: () => ({ ok: true, text: log }),
  });
  for (const [index, object] of objects.entries()) put(api, object, index);
  const now: Standing = { api, nowMs: () => kernel.nowMs() };
  door ??= await openDoor(now);
  door.turnTo(now, isForbidden);
  return ask(door.environment);
}
