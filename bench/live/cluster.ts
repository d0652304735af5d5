/** A healthy EKS cluster of any size, object by object, as both APIs would show it. */

export interface ClusterSize {
  readonly machines: number;
  readonly pods: number;
}

export const CLUSTER = 'bench';
export const REGION = 'us-west-2';
const ZONES = ['a', 'b', 'c'];
const DAY_MS = 86_400_000;
/** Machines that have no Node, one in so many: they are what a roll call is for. */
const LONELY_EVERY = 50;

const STARTED_MS = Date.now();

/** Before this program began: a time that an object has stays its time. */
function stamp(agoMs: number): string {
  return new Date(STARTED_MS - agoMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

export interface Machine {
  readonly id: string;
  readonly address: string;
  readonly name: string;
  readonly zone: string;
  readonly hasNode: boolean;
}

export function machineAt(index: number): Machine {
  const address = `10.${64 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  return {
    id: `i-0${hex(index + 1, 16)}`,
    address,
    name: `ip-${address.replaceAll('.', '-')}.${REGION}.compute.internal`,
    zone: `${REGION}${ZONES[index % ZONES.length] ?? 'a'}`,
    hasNode: index % LONELY_EVERY !== LONELY_EVERY - 1,
  };
}

export function machinesOf({ machines }: ClusterSize): readonly Machine[] {
  return Array.from({ length: machines }, (_, index) => machineAt(index));
}

function metadata(name: string, namespace: string | null, uid: number): object {
  return {
    name,
    ...(namespace === null ? {} : { namespace }),
    uid: `00000000-0000-4000-8000-${hex(uid, 12)}`,
    resourceVersion: String(uid + 1),
    creationTimestamp: stamp(DAY_MS),
    managedFields: [
      {
        manager: 'kubelet',
        operation: 'Update',
        apiVersion: 'v1',
        time: stamp(DAY_MS),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { 'f:status': {} } } } },
      },
    ],
  };
}

function condition(type: string, status: string, reason: string): object {
  const times = { lastHeartbeatTime: stamp(60_000), lastTransitionTime: stamp(DAY_MS) };
  return { type, status, reason, message: `${reason} as usual`, ...times };
}

export function nodeOf(machine: Machine, index: number): object {
  const { name, address, zone, id } = machine;
  const resources = {
    cpu: '2',
    memory: '7902680Ki',
    pods: '29',
    'ephemeral-storage': '83873772Ki',
  };
  return {
    metadata: {
      ...metadata(name, null, index),
      labels: {
        'kubernetes.io/hostname': name,
        'node.kubernetes.io/instance-type': 'm6i.large',
        'topology.kubernetes.io/zone': zone,
        'topology.kubernetes.io/region': REGION,
        'eks.amazonaws.com/nodegroup': 'workers',
      },
      annotations: { 'alpha.kubernetes.io/provided-node-ip': address },
    },
    spec: { providerID: `aws:///${zone}/${id}` },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'InternalDNS', address: name },
        { type: 'Hostname', address: name },
      ],
      capacity: resources,
      allocatable: resources,
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
        condition('Ready', 'True', 'KubeletReady'),
      ],
      nodeInfo: {
        kubeletVersion: 'v1.34.2-eks-3abd1f4',
        osImage: 'Amazon Linux 2023',
        systemUUID: hex(index, 32),
        machineID: hex(index, 32),
      },
      images: Array.from({ length: 20 }, (_, image) => ({
        names: [`example.org/image-${image}@sha256:${hex(image, 64)}`],
        sizeBytes: 100_000_000 + image,
      })),
    },
  };
}

export function leaseOf({ name }: Machine, index: number): object {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  return {
    metadata: metadata(name, 'kube-node-lease', index),
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  };
}

export function podOf(index: number, { name, address }: Machine): object {
  const image = `602401143452.dkr.ecr.${REGION}.amazonaws.com/shop:v${index % 40}`;
  const isSystem = index % 10 === 0;
  return {
    metadata: {
      ...metadata(`${isSystem ? 'aws-node' : 'shop'}-${hex(index, 6)}`, namespaceOf(index), index),
      labels: { app: isSystem ? 'aws-node' : 'shop', 'pod-template-hash': '6c9f7d' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: isSystem ? 'DaemonSet' : 'ReplicaSet',
          name: isSystem ? 'aws-node' : 'shop-6c9f7d',
          uid: '00000000-0000-4000-8000-0000000000aa',
        },
      ],
    },
    spec: {
      nodeName: name,
      hostNetwork: isSystem,
      serviceAccountName: 'default',
      containers: [
        {
          name: 'app',
          image,
          env: Array.from({ length: 12 }, (_, at) => ({ name: `SETTING_${at}`, value: `v${at}` })),
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
          volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets', readOnly: true }],
          readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 10 },
        },
      ],
      volumes: [
        {
          name: 'token',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              {
                configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
              },
            ],
          },
        },
      ],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
      ],
    },
    status: {
      phase: 'Running',
      hostIP: address,
      podIP: isSystem ? address : `10.128.${(index >> 8) & 255}.${index & 255}`,
      startTime: stamp(DAY_MS),
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) =>
        condition(type, 'True', 'Yes'),
      ),
      containerStatuses: [
        {
          name: 'app',
          image,
          imageID: `${image}@sha256:${hex(index % 40, 64)}`,
          containerID: `containerd://${hex(index, 64)}`,
          ready: true,
          restartCount: 0,
          started: true,
          state: { running: { startedAt: stamp(DAY_MS) } },
        },
      ],
    },
  };
}

function namespaceOf(index: number): string {
  return index % 10 === 0 ? 'kube-system' : `team-${index % 7}`;
}

export function eventOf(index: number, { name }: Machine): object {
  const pod = `shop-${hex(index, 6)}`;
  return {
    metadata: metadata(`${pod}.${hex(index, 16)}`, 'team-1', index),
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: pod, namespace: 'team-1' },
    reason: index % 3 === 0 ? 'Pulled' : 'Unhealthy',
    message: `Readiness probe failed: Get "http://10.128.0.${index & 255}:8080/ready": EOF`,
    type: 'Warning',
    count: 3,
    firstTimestamp: stamp(3_600_000),
    lastTimestamp: stamp(600_000),
    source: { component: 'kubelet', host: name },
  };
}
