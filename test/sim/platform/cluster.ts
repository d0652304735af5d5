/** A small simulated cluster for tests: an API server, AWS, and kubelets that only say what they must. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import { at, textAt } from '../../../src/evidence/json.ts';
import { createAwsCloud } from '../../../src/sim/aws/cloud.ts';
import { createKernel, type Kernel } from '../../../src/sim/kernel/kernel.ts';
import { createClient } from '../../../src/sim/kube/client.ts';
import type { ApiUser, KubeClient, Watch } from '../../../src/sim/kube/contract.ts';
import type { ApiServerHooks } from '../../../src/sim/kube/hooks.ts';
import { createApiServer, type KubeApiServer } from '../../../src/sim/kube/server.ts';
import type { World } from '../../../src/sim/world.ts';

export const START_MS = Date.parse('2026-11-22T09:00:00Z');
export const REGION = 'us-west-2';
export const CLUSTER = 'lab';

const ADMIN: ApiUser = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface TestCluster {
  readonly world: World & { readonly aws: ReturnType<typeof createAwsCloud> };
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly admin: KubeClient;
  /** Lets so much virtual time pass. */
  pass(durationMs: number): void;
  /** Lets time pass until it is so; throws when it is not within the limit. */
  until(isSo: () => boolean, limitMs: number): number;
}

export interface TestClusterOptions {
  readonly seed?: number;
  /** False lets everybody do everything. */
  readonly isAuthorizing?: boolean;
  readonly authenticateToken?: (token: string) => ApiUser | null;
  readonly admit?: NonNullable<ApiServerHooks['admit']>;
}

export function createCluster({ seed = 1, ...hooks }: TestClusterOptions = {}): TestCluster {
  const kernel = createKernel({ seed, startMs: START_MS });
  const server = createApiServer({ kernel, ...hooks });
  const aws = createAwsCloud({ kernel, region: REGION, accountId: '123456789012' });
  const client = (user: ApiUser): KubeClient => createClient(server, user);
  const pass = (durationMs: number): void => {
    const endMs = kernel.nowMs() + durationMs;
    for (let next = kernel.nextAtMs(); next !== null && next <= endMs; next = kernel.nextAtMs())
      kernel.step();
    kernel.passTo(endMs);
  };
  const until = (isSo: () => boolean, limitMs: number): number => {
    const startMs = kernel.nowMs();
    while (!isSo()) {
      const next = kernel.nextAtMs();
      if (next === null || next > startMs + limitMs)
        throw new Error(`not so within ${limitMs} ms: ${isSo.toString()}`);
      kernel.step();
    }
    return kernel.nowMs() - startMs;
  };
  const admin = client(ADMIN);
  for (const role of ['cloud-controller-manager', 'karpenter-controller', 'eks-service'])
    aws.controls.createRole({ name: role, policies: ['AdministratorAccess'] });
  return { world: { kernel, aws, api: server, client }, kernel, server, admin, pass, until };
}

function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonObject[];
  readonly providerId?: string;
  readonly isReady?: boolean;
  readonly cpu?: string;
  readonly pods?: string;
}

export function readyCondition(isReady: boolean, nowMs: number): JsonObject {
  return {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: '',
    lastHeartbeatTime: stamp(nowMs),
    lastTransitionTime: stamp(nowMs),
  };
}

export function nodeObject(name: string, nowMs: number, options: NodeOptions = {}): JsonObject {
  const { labels = {}, taints = [], providerId, isReady = true, cpu = '4', pods = '110' } = options;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...(providerId === undefined ? {} : { providerID: providerId }), taints },
    status: {
      capacity: { cpu, memory: '16Gi', pods },
      allocatable: { cpu, memory: '16Gi', pods },
      conditions: [readyCondition(isReady, nowMs)],
    },
  };
}

/** A kubelet that registers its Node, renews its Lease and makes its pods run. */
export interface TestKubelet {
  readonly name: string;
  setReady(isReady: boolean): void;
  /** Silent from now on; its containers go on. */
  stop(): void;
}

const LEASE_PERIOD_MS = 10_000;
const POD_START_MS = 2000;

/** Bound pods of every kubelet, told by one watch. */
export class Kubelets {
  readonly #cluster: TestCluster;
  readonly #running = new Set<string>();
  readonly #watch: Watch;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
    this.#watch = cluster.admin.follow('Pod', (type, object, before) => {
      const node = textAt(object, 'spec.nodeName') ?? '';
      if (type === 'DELETED' || !this.#running.has(node)) return;
      if (at(object, 'metadata.deletionTimestamp') !== undefined) this.#remove(object);
      else if (textAt(before ?? undefined, 'spec.nodeName') === null) this.#run(object);
    });
  }

  stop(): void {
    this.#watch.stop();
  }

  join(name: string, options: NodeOptions = {}): TestKubelet {
    const { admin, kernel } = this.#cluster;
    const created = admin.create(nodeObject(name, kernel.nowMs(), options));
    if (!created.ok) throw new Error(created.failure.message);
    this.#running.add(name);
    admin.create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease', ownerReferences: [ownerOf(created.object)] },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: renewTime(kernel) },
    });
    const renewal = kernel.every(LEASE_PERIOD_MS, () => {
      const patch = { spec: { renewTime: renewTime(kernel) } };
      admin.patch('Lease', `kube-node-lease/${name}`, 'merge', patch);
    });
    return {
      name,
      setReady: (isReady) => {
        const conditions = [readyCondition(isReady, kernel.nowMs())];
        admin.patch('Node', name, 'strategic', { status: { conditions } }, 'status');
      },
      stop: () => {
        renewal.cancel();
        this.#running.delete(name);
      },
    };
  }

  #run(pod: JsonObject): void {
    const { admin, kernel } = this.#cluster;
    kernel.after(POD_START_MS, () => {
      const name = `${textAt(pod, 'metadata.namespace')}/${textAt(pod, 'metadata.name')}`;
      const conditions = [
        { type: 'Ready', status: 'True', lastTransitionTime: stamp(kernel.nowMs()) },
      ];
      const state = { running: { startedAt: stamp(kernel.nowMs()) } };
      const containerStatuses = [{ name: 'main', ready: true, restartCount: 0, state }];
      const status = { phase: 'Running', conditions, containerStatuses, podIP: '10.1.0.7' };
      admin.patch('Pod', name, 'strategic', { status }, 'status');
    });
  }

  #remove(pod: JsonObject): void {
    const { admin, kernel } = this.#cluster;
    const name = `${textAt(pod, 'metadata.namespace')}/${textAt(pod, 'metadata.name')}`;
    kernel.after(POD_START_MS, () => admin.delete('Pod', name, { gracePeriodSeconds: 0 }));
  }
}

function renewTime(kernel: Kernel): string {
  return `${new Date(kernel.nowMs()).toISOString().slice(0, 23)}000Z`;
}

function ownerOf(node: JsonObject): JsonObject {
  const metadata = node['metadata'] as JsonObject;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    name: metadata['name'] ?? '',
    uid: metadata['uid'] ?? '',
  };
}

export function template(labels: JsonObject, spec: JsonObject = {}): JsonObject {
  const resources = { requests: { cpu: '100m', memory: '64Mi' } };
  return {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'app', resources }], ...spec },
  };
}

export function workload(
  kind: string,
  name: string,
  spec: JsonObject,
  podSpec: JsonObject = {},
): JsonObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: template(labels, podSpec), ...spec },
  };
}

export function podObject(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: template({}, spec)['spec'] as JsonObject,
  };
}

/** Texts of all events: reason and message. */
export function eventTexts(admin: KubeClient): readonly string[] {
  return admin
    .list('Event')
    .map((event) => `${textAt(event, 'reason')} ${textAt(event, 'message')}`);
}

export function must(outcome: {
  readonly ok: boolean;
  readonly failure?: { readonly message: string };
}): void {
  if (!outcome.ok) throw new Error(outcome.failure?.message);
}
