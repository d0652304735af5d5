/** Objects that scenarios lay into a real API server in place of what a kubelet would write. */
import type { KubeClient } from '../kube-client.ts';

export interface NodeShape {
  readonly name: string;
  readonly address?: string;
  readonly ready?: 'True' | 'False';
  readonly message?: string;
  readonly taints?: readonly {
    readonly key: string;
    readonly effect: string;
    readonly value?: string;
  }[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly pods?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly version?: string;
  readonly providerId?: string | null;
  readonly unschedulable?: boolean;
  readonly more?: Readonly<Record<string, string>>;
}

const PROVIDER_ID = 'aws:///eu-west-1a/i-0a1b2c3d4e5f60718';

/** A Node whose kubelet reported once. */
export async function layNode(client: KubeClient, shape: NodeShape): Promise<void> {
  const { name, taints, labels, providerId = PROVIDER_ID, unschedulable } = shape;
  await client.create('/api/v1/nodes', {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels },
    },
    spec: {
      ...(providerId === null ? {} : { providerID: providerId }),
      ...(taints === undefined ? {} : { taints }),
      ...(unschedulable === undefined ? {} : { unschedulable }),
    },
  });
  await client.patch(`/api/v1/nodes/${name}/status`, { status: statusOf(shape) });
  // Controllers add the taint for a Node that has not reported yet and take it away a moment later.
  await client.patch(`/api/v1/nodes/${name}`, { spec: { taints: taints ?? null } });
}

function statusOf(shape: NodeShape): object {
  const { name, address = '10.0.31.7', pods = '29', cpu = '2', memory = '7934492Ki', more } = shape;
  const amounts = { pods, cpu, memory, 'ephemeral-storage': '20959212Ki', ...more };
  return {
    capacity: amounts,
    allocatable: amounts,
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: nodeSystem(shape.version ?? 'v1.36.3'),
    conditions: conditionsOf(shape),
  };
}

function nodeSystem(kubeletVersion: string): object {
  return {
    kubeletVersion,
    kubeProxyVersion: '',
    osImage: 'Amazon Linux 2023.9.20261101',
    kernelVersion: '6.1.155-176.282.amzn2023.x86_64',
    containerRuntimeVersion: 'containerd://2.1.4',
    architecture: 'amd64',
    operatingSystem: 'linux',
    machineID: 'ec2a3b4c5d6e7f8091a2b3c4d5e6f708',
    systemUUID: 'ec2a3b4c-5d6e-7f80-91a2-b3c4d5e6f708',
    bootID: '5b1f0c9e-2f7a-4c7d-9d0a-1c2b3a4d5e6f',
  };
}

const CALM = {
  MemoryPressure: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  DiskPressure: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  PIDPressure: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
} as const;

function conditionsOf({ ready = 'True', message }: NodeShape): readonly object[] {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const calm = Object.entries(CALM).map(([type, [reason, text]]) => ({
    type,
    status: 'False',
    reason,
    message: text,
    ...times,
  }));
  const isReady = ready === 'True';
  const own = {
    type: 'Ready',
    status: ready,
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: message ?? (isReady ? 'kubelet is posting ready status' : 'node is shutting down'),
  };
  return [...calm, { ...own, ...times }];
}

/** A pod as people apply it; `more` is merged into its spec. */
export async function layPod(
  client: KubeClient,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
  resources: Readonly<Record<string, unknown>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await client.create('/api/v1/namespaces/default/pods', {
    metadata: {
      name,
      labels: { app: name },
      ...metadata,
    },
    spec: {
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: 'registry.example/app:1', resources }],
      ...more,
    },
  });
}

/** A DaemonSet of kube-system, as a CNI plugin comes. */
export async function layDaemonSet(
  client: KubeClient,
  name: string,
  podSpec: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const labels = { 'k8s-app': name };
  await client.create('/apis/apps/v1/namespaces/kube-system/daemonsets', {
    metadata: { name, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          hostNetwork: true,
          containers: [{ name, image: 'registry.example/cni:1' }],
          ...podSpec,
        },
      },
    },
  });
}
