import type { JsonObject } from '../../../evidence/json.ts';
import { knownType } from '../../../capacity/known-type.ts';
import type { TrueInstance } from '../../aws/contract.ts';
import { secondStamp } from '../logs/stamps.ts';
import type { KubeletConfig, Taint } from './config.ts';

/** What a Node object is made from. */
export interface NodeFacts {
  readonly name: string;
  readonly hostname: string;
  readonly config: KubeletConfig;
  readonly instance: TrueInstance;
  readonly version: string;
  readonly image: 'ubuntu' | 'al2' | 'al2023';
}

/** Message of the Ready condition without a network plugin (kubelet 1.36, captured). */
export const NETWORK_NOT_READY =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

export interface NodeHealth {
  readonly isReady: boolean;
  /** Of the Ready condition when it is not True. */
  readonly message: string;
  readonly hasDiskPressure: boolean;
}

/** Taint of a kubelet with `--cloud-provider=external` (kubelet_node_status.go). */
const UNINITIALIZED: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

/** The Node as a kubelet creates it. */
export function nodeObject(facts: NodeFacts, status: JsonObject): JsonObject {
  const { config, name } = facts;
  const taints = [
    ...config.registerWithTaints,
    ...(config.cloudProvider === 'external' ? [UNINITIALIZED] : []),
  ];
  const annotations = {
    ...(config.cloudProvider === 'external' && config.nodeIp !== null
      ? { 'alpha.kubernetes.io/provided-node-ip': config.nodeIp }
      : {}),
    'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
  };
  const providerId = providerIdOf(facts);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: labelsOfNode(facts), annotations },
    spec: {
      ...(providerId === null ? {} : { providerID: providerId }),
      ...(taints.length === 0 ? {} : { taints: taints.map((taint) => ({ ...taint })) }),
    },
    status,
  };
}

function providerIdOf({ config, instance }: NodeFacts): string | null {
  if (config.cloudProvider === 'aws') return `aws:///${instance.zone}/${instance.instanceId}`;
  return config.providerId;
}

function labelsOfNode({ config, hostname, instance }: NodeFacts): JsonObject {
  const architecture = architectureOf(instance.instanceType);
  const inTree =
    config.cloudProvider === 'aws'
      ? {
          'node.kubernetes.io/instance-type': instance.instanceType,
          'topology.kubernetes.io/zone': instance.zone,
          'topology.kubernetes.io/region': instance.zone.slice(0, -1),
        }
      : {};
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': config.hostnameOverride ?? hostname,
    'kubernetes.io/os': 'linux',
    ...inTree,
    ...config.nodeLabels,
  };
}

function architectureOf(instanceType: string): 'amd64' | 'arm64' {
  return knownType(instanceType, [])?.arch === 'arm64' ? 'arm64' : 'amd64';
}

/** The status as the kubelet computes it; conditions of others are kept by the patch. */
export function nodeStatus(
  facts: NodeFacts,
  nowMs: number,
  conditions: readonly JsonObject[],
): JsonObject {
  const type = knownType(facts.instance.instanceType, []);
  const cpus = type?.vcpus ?? 2;
  const memoryKi = Math.round((type?.memoryMiB ?? 8192) * 1024 * 0.96);
  const capacity = {
    cpu: String(cpus),
    'ephemeral-storage': '83873772Ki',
    memory: `${memoryKi}Ki`,
    pods: String(facts.config.maxPods),
  };
  const allocatable = {
    cpu: `${cpus * 1000 - 70}m`,
    'ephemeral-storage': '76224326324',
    memory: `${memoryKi - reservedKi(facts.config.maxPods)}Ki`,
    pods: String(facts.config.maxPods),
  };
  return {
    capacity,
    allocatable,
    conditions: [...conditions],
    addresses: addressesOf(facts),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: nodeInfo(facts, nowMs),
  };
}

/** `11 MiB x maxPods + 255 MiB` and the eviction threshold of 100 MiB (amazon-eks-ami, nodeadm). */
function reservedKi(maxPods: number): number {
  return (11 * Math.min(maxPods, 110) + 255 + 100) * 1024;
}

function addressesOf({ instance, config, hostname, name }: NodeFacts): JsonObject[] {
  if (config.cloudProvider === 'aws')
    return [
      { type: 'InternalIP', address: instance.privateIp },
      { type: 'InternalDNS', address: name },
      { type: 'Hostname', address: name },
    ];
  return [
    { type: 'InternalIP', address: config.nodeIp ?? instance.privateIp },
    { type: 'Hostname', address: config.hostnameOverride ?? hostname },
  ];
}

const SYSTEMS = {
  ubuntu: { osImage: 'Ubuntu 24.04.3 LTS', kernelVersion: '6.14.0-1016-aws' },
  al2: { osImage: 'Amazon Linux 2', kernelVersion: '5.10.245-243.979.amzn2.x86_64' },
  al2023: {
    osImage: 'Amazon Linux 2023.9.20251110',
    kernelVersion: '6.12.55-74.119.amzn2023.x86_64',
  },
} as const;

function nodeInfo({ instance, image, version }: NodeFacts, bootMs: number): JsonObject {
  const id = instance.instanceId.slice(2).padStart(17, '0');
  return {
    machineID: `ec2${id}`.padEnd(32, '0').slice(0, 32),
    systemUUID: systemUuidOf(instance.instanceId),
    bootID: bootIdOf(id, bootMs),
    ...SYSTEMS[image],
    containerRuntimeVersion: 'containerd://2.1.5',
    kubeletVersion: version,
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: architectureOf(instance.instanceType),
  };
}

/** As the firmware of the instance has it. */
export function systemUuidOf(instanceId: string): string {
  const id = instanceId.slice(2).padStart(17, '0');
  return `ec2${id.slice(0, 5)}-${id.slice(5, 9)}-${id.slice(9, 13)}-${id.slice(13, 17)}-${id.slice(0, 12)}`;
}

/** Another one after every boot, as the kernel draws it. */
function bootIdOf(id: string, bootMs: number): string {
  const hex = Math.floor(bootMs).toString(16).padStart(12, '0').slice(-12);
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(12, 15)}-9${id.slice(2, 5)}-${hex}`;
}

interface ConditionText {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function conditionTexts({
  isReady,
  message,
  hasDiskPressure,
}: NodeHealth): readonly ConditionText[] {
  return [
    {
      type: 'MemoryPressure',
      status: 'False',
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
    },
    hasDiskPressure
      ? {
          type: 'DiskPressure',
          status: 'True',
          reason: 'KubeletHasDiskPressure',
          message: 'kubelet has disk pressure',
        }
      : {
          type: 'DiskPressure',
          status: 'False',
          reason: 'KubeletHasNoDiskPressure',
          message: 'kubelet has no disk pressure',
        },
    {
      type: 'PIDPressure',
      status: 'False',
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
    },
    isReady
      ? {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
        }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message },
  ];
}

/** The conditions of the kubelet; a status that stays keeps its transition time. */
export function nodeConditions(
  health: NodeHealth,
  nowMs: number,
  before: readonly JsonObject[],
): readonly JsonObject[] {
  const now = secondStamp(nowMs);
  return conditionTexts(health).map((text) => {
    const old = before.find((one) => one['type'] === text.type);
    const since = old?.['status'] === text.status ? old['lastTransitionTime'] : undefined;
    return { ...text, lastHeartbeatTime: now, lastTransitionTime: since ?? now };
  });
}
