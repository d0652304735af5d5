/** A door before a small cluster, and kubectl as a person runs it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubernetesDoor, openKubernetesDoor } from '../../../src/doors/kubernetes/door.ts';
import type { DoorLimits } from '../../../src/doors/kubernetes/limits.ts';
import type { DoorApi } from '../../../src/doors/kubernetes/site.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { createKernel, type Kernel } from '../../../src/sim/kernel/kernel.ts';
import { createClient } from '../../../src/sim/kube/client.ts';
import type { ApiUser, KubeClient } from '../../../src/sim/kube/contract.ts';
import type { ApiServerHooks } from '../../../src/sim/kube/hooks.ts';
import { createApiServer, type KubeApiServer } from '../../../src/sim/kube/server.ts';

export const ADMIN: ApiUser = {
  name: 'admin',
  groups: ['system:masters', 'system:authenticated'],
};
export const TOKEN = 'a-token-of-the-test';

export interface Cluster {
  readonly kernel: Kernel;
  readonly api: KubeApiServer;
  readonly admin: KubeClient;
  readonly door: KubernetesDoor;
  readonly folder: string;
  readonly kubeconfig: string;
  /** Lets the world go on, ms. */
  advance(ms: number): void;
  /** What the world threw and the door was to tell; a test takes what it expects. */
  readonly bugs: unknown[];
  /** Resolves as soon as this many watches are open behind the door. */
  untilWatches(count: number): Promise<void>;
  /** Rejects when there are bugs that no test took. */
  close(): Promise<void>;
}

export interface ClusterOptions extends ApiServerHooks {
  readonly tokens?: ReadonlyMap<string, ApiUser>;
  readonly startMs?: number;
  readonly limits?: Partial<DoorLimits>;
  /** Stands between the door and the API server. */
  readonly wrap?: (api: DoorApi) => DoorApi;
}

/** Every request takes place at the moment to which the real clock has come. */
export async function openCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const {
    tokens = new Map([[TOKEN, ADMIN]]),
    startMs = Date.now(),
    limits = {},
    wrap = (one) => one,
    ...hooks
  } = options;
  const kernel = createKernel({ seed: 1, startMs });
  const api = createApiServer({ kernel, ...hooks });
  const realStartMs = performance.now();
  let addedMs = 0;
  const happen = (): void => {
    const dueMs = startMs + addedMs + performance.now() - realStartMs;
    for (;;) {
      const nextMs = kernel.nextAtMs();
      if (nextMs === null || nextMs > dueMs) break;
      kernel.step();
    }
    kernel.passTo(dueMs);
  };
  const bugs: unknown[] = [];
  const watches = watchCounter();
  const door = await openKubernetesDoor({
    api: wrap(watches.counted(api)),
    limits,
    port: 0,
    tokens,
    onBug: (bug) => bugs.push(bug),
    nowMs: () => kernel.nowMs(),
    enter: (task) => {
      happen();
      return task();
    },
  });
  const clock = setInterval(happen, 20);
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-door-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, door, { token: TOKEN });
  return {
    kernel,
    api,
    admin: createClient(api, ADMIN),
    door,
    folder,
    kubeconfig,
    bugs,
    untilWatches: watches.until,
    advance: (ms) => {
      addedMs += ms;
      happen();
    },
    close: async () => {
      clearInterval(clock);
      await door.close();
      rmSync(folder, { recursive: true, force: true });
      assert.deepEqual(bugs, []);
    },
  };
}

interface WatchCounter {
  /** The API server with its watches counted. */
  readonly counted: (api: DoorApi) => DoorApi;
  readonly until: (count: number) => Promise<void>;
}

function watchCounter(): WatchCounter {
  const open = new Set<object>();
  const changed = new EventEmitter();
  const change = (): boolean => changed.emit('change');
  const watch = (api: DoorApi, ...[request, watcher]: Parameters<DoorApi['watch']>) => {
    const one = {};
    const close = (): void => {
      if (open.delete(one)) change();
    };
    const onEnd = (): void => {
      close();
      watcher.onEnd();
    };
    open.add(one);
    const opened = api.watch(request, { ...watcher, onEnd });
    if ('code' in opened) {
      close();
      return opened;
    }
    change();
    return {
      ...opened,
      stop: () => {
        opened.stop();
        close();
      },
    };
  };
  return {
    counted: (api) => ({ ...api, watch: (request, watcher) => watch(api, request, watcher) }),
    until: async (count) => {
      while (open.size !== count) await once(changed, 'change');
    },
  };
}

export function writeKubeconfig(
  path: string,
  { url, caPem }: Pick<KubernetesDoor, 'url' | 'caPem'>,
  user: Readonly<Record<string, string>>,
): void {
  const cluster = {
    server: url,
    'certificate-authority-data': Buffer.from(caPem).toString('base64'),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [{ name: 'lab', cluster }],
    users: [{ name: 'admin', user }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'admin' } }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Kubectl {
  (command: string, input?: string): Promise<Said>;
}

const COMMAND_TIMEOUT_MS = 60_000;

/** Splits on blanks, except within single quotes. */
function words(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
}

/** kubectl with a kubeconfig and a home of its own. */
export function kubectlOf(
  program: string,
  { kubeconfig, folder }: { readonly kubeconfig: string; readonly folder: string },
): Kubectl {
  return (command, input) =>
    new Promise((resolve) => {
      const child = execFile(
        program,
        words(command),
        {
          env: { KUBECONFIG: kubeconfig, HOME: folder, PATH: process.env['PATH'], TZ: 'UTC' },
          timeout: COMMAND_TIMEOUT_MS,
          maxBuffer: 64 * 1024 * 1024,
        },
        (error, out, err) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
          resolve({ code, out, err });
        },
      );
      child.stdin?.end(input ?? '');
    });
}

const READY_CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  message: 'kubelet is posting ready status',
  lastHeartbeatTime: '2026-01-01T00:00:00Z',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

export function node(name: string, address: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: { providerID: `aws:///us-west-2a/i-${name}` },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      capacity: { cpu: '4', memory: '16Gi', pods: '58' },
      allocatable: { cpu: '3920m', memory: '15Gi', pods: '58' },
      conditions: [READY_CONDITION],
      nodeInfo: {
        architecture: 'amd64',
        bootID: 'b',
        containerRuntimeVersion: 'containerd://2.1.4',
        kernelVersion: '6.1.0',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.3',
        machineID: 'm',
        operatingSystem: 'linux',
        osImage: 'Amazon Linux 2023',
        systemUUID: 's',
      },
    },
  };
}

export function pod(name: string, nodeName: string | null, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: {
      ...(nodeName === null ? {} : { nodeName }),
      containers: [{ name: 'main', image: 'example/app:1' }],
      ...more,
    },
  };
}

/** A kubeconfig of a user whom no binding names; its path. */
export async function strangersConfig({ door, folder }: Cluster): Promise<string> {
  const subject = { commonName: 'stranger', organizations: [] };
  const { certificatePem, keyPem } = await door.clientCertificate(subject);
  const path = join(folder, 'stranger');
  const encode = (pem: string): string => Buffer.from(pem).toString('base64');
  writeKubeconfig(path, door, {
    'client-certificate-data': encode(certificatePem),
    'client-key-data': encode(keyPem),
  });
  return path;
}
