/** Nodes as kubelets and cloud controllers would have left them. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import type { Machine } from './cloud.ts';
import { REGION, type Scene } from './scene.ts';

const KUBELET = 'v1.34.2';
const SLOTS: Readonly<Record<string, number>> = { 'm6i.large': 29, 't3.small': 11 };

/** A Node with the machine that it stands for. */
export interface Placed {
  readonly name: string;
  readonly machine: Machine;
  readonly minutes: number;
}

interface NodeOptions {
  /** EC2's private DNS name unless given. */
  readonly name?: string;
  /** A minute after the launch unless given. */
  readonly minutes?: number;
  /** False where its kubelet was heard of so many minutes ago for the last time. */
  readonly silentMinutes?: number;
  readonly taints?: readonly JsonObject[];
  readonly labels?: Readonly<Record<string, string>>;
  /** False where no cloud controller has seen it. */
  readonly isInitialized?: boolean;
  readonly slots?: number;
  readonly machineId?: string;
  readonly managedFields?: readonly JsonObject[];
  readonly drivers?: readonly string[];
}

export const UNINITIALIZED: JsonObject = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

function conditionsOf(scene: Scene, silentMinutes: number | null, minutes: number): JsonObject[] {
  const beat = scene.ago(silentMinutes ?? 0.5);
  const since = scene.ago(silentMinutes === null ? minutes - 1 : silentMinutes - 1);
  const silent = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
  const well = (type: string, status: string, reason: string, message: string): JsonObject => ({
    type,
    lastHeartbeatTime: beat,
    lastTransitionTime: since,
    ...(silentMinutes === null ? { status, reason, message } : { status: 'Unknown', ...silent }),
  });
  return [
    well(
      'MemoryPressure',
      'False',
      'KubeletHasSufficientMemory',
      'kubelet has sufficient memory available',
    ),
    well('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    well('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    well('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

function unreachableSince(scene: Scene, silentMinutes: number | null): readonly JsonObject[] {
  if (silentMinutes === null) return [];
  const key = 'node.kubernetes.io/unreachable';
  const timeAdded = scene.ago(silentMinutes - 1);
  return ['NoSchedule', 'NoExecute'].map((effect) => ({ key, effect, timeAdded }));
}

function metadataOf(name: string, machine: Machine, options: NodeOptions): JsonObject {
  const placed = {
    'node.kubernetes.io/instance-type': machine.type,
    'topology.kubernetes.io/region': REGION,
    'topology.kubernetes.io/zone': machine.zone,
  };
  const { managedFields } = options;
  return {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      ...(options.isInitialized === false ? {} : placed),
      ...options.labels,
    },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}

function statusOf(
  scene: Scene,
  name: string,
  machine: Machine,
  options: NodeOptions & { readonly minutes: number },
): JsonObject {
  const pods = String(options.slots ?? SLOTS[machine.type] ?? 29);
  const resources = { cpu: '2', memory: '7902680Ki', 'ephemeral-storage': '83873772Ki', pods };
  const dns = { type: 'InternalDNS', address: machine.dns };
  return {
    addresses: [
      { type: 'InternalIP', address: machine.address },
      ...(options.isInitialized === false ? [] : [dns]),
      { type: 'Hostname', address: name },
    ],
    conditions: conditionsOf(scene, options.silentMinutes ?? null, options.minutes),
    capacity: resources,
    allocatable: { ...resources, cpu: '1930m', memory: '7211480Ki' },
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: options.machineId ?? machine.id.slice(2).padEnd(32, '0'),
      systemUUID: `ec2${machine.id.slice(2)}`,
      bootID: `b00${machine.id.slice(2)}`,
      kernelVersion: '6.12.40-64.114.amzn2023.x86_64',
      osImage: 'Amazon Linux 2023',
      containerRuntimeVersion: 'containerd://2.1.5',
      kubeletVersion: KUBELET,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}

/** A Node with its Lease and CSINode. */
export function putNode(scene: Scene, machine: Machine, options: NodeOptions = {}): Placed {
  const { name = machine.dns, minutes = Math.max(machine.launchedMinutes - 1, 0.1) } = options;
  const silentMinutes = options.silentMinutes ?? null;
  const taints = [...(options.taints ?? []), ...unreachableSince(scene, silentMinutes)];
  const providerID = `aws:///${machine.zone}/${machine.id}`;
  scene.put(minutes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: metadataOf(name, machine, options),
    spec: {
      ...(options.isInitialized === false ? {} : { providerID }),
      ...(taints.length === 0 ? {} : { taints }),
    },
    status: statusOf(scene, name, machine, { ...options, minutes }),
  });
  putLease(scene, name, minutes, silentMinutes ?? 0.1);
  const drivers = (options.drivers ?? []).map((driver) => ({
    name: driver,
    nodeID: machine.id,
    topologyKeys: ['topology.ebs.csi.aws.com/zone'],
    allocatable: { count: 26 },
  }));
  const csi = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name } };
  scene.put(minutes, { ...csi, spec: { drivers } });
  return { name, machine, minutes };
}

/** @param renewedMinutes when it was renewed last */
export function putLease(
  scene: Scene,
  name: string,
  minutes: number,
  renewedMinutes: number,
): void {
  scene.put(minutes, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: scene.ago(renewedMinutes).replace(/(?:\.\d+)?Z$/, '.000000Z'),
    },
  });
}

/** A Node of which only the name is left. */
export function goneNode(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } };
}
