/** Whole clusters as they should be, of which a state then bends one thing. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import { type Grounds, launch, layEks, layGrounds, type Machine, NODE_ROLE } from './cloud.ts';
import { type Placed, putNode, UNINITIALIZED } from './nodes.ts';
import { putConfigMap, putNamespace } from './objects.ts';
import { putDaemonPod, putDaemonSet, putPod } from './pods.ts';
import { CLUSTER, DAY, REGION, type Scene } from './scene.ts';

const REGISTRY = `602401143452.dkr.ecr.${REGION}.amazonaws.com`;

export interface Cluster {
  readonly scene: Scene;
  readonly grounds: Grounds;
  /** DaemonSets that have a pod on every node, by name. */
  readonly sets: Readonly<Record<string, KubeObject>>;
  /** Machines whose addresses pods have taken, and how many of them. */
  readonly taken: Map<string, number>;
}

export function nodeMapping(roleArn = NODE_ROLE): string {
  return [
    `- rolearn: ${roleArn}`,
    '  username: system:node:{{EC2PrivateDNSName}}',
    '  groups:',
    '  - system:bootstrappers',
    '  - system:nodes',
    '',
  ].join('\n');
}

/** What the API server itself keeps in kube-system. */
function putOwnObjects(scene: Scene): void {
  putNamespace(scene, 'kube-system');
  putConfigMap(scene, 'extension-apiserver-authentication', { 'client-ca-file': '' });
}

interface EksClusterOptions {
  readonly grounds?: Parameters<typeof layGrounds>[1];
  readonly eks?: Parameters<typeof layEks>[2];
  /** `mapRoles` of aws-auth; null for a cluster without the ConfigMap. */
  readonly mapRoles?: string | null;
  /** True with the EBS CSI driver. */
  readonly hasDisks?: boolean;
}

/** An EKS cluster without machines. */
export function eksCluster(scene: Scene, options: EksClusterOptions = {}): Cluster {
  const grounds = layEks(scene, layGrounds(scene, options.grounds), options.eks);
  const { mapRoles = nodeMapping() } = options;
  if (mapRoles !== null) putConfigMap(scene, 'aws-auth', { mapRoles });
  putNamespace(scene, 'shop');
  putOwnObjects(scene);
  const cni = { image: `${REGISTRY}/amazon-k8s-cni:v1.20.4` };
  const env = [
    { name: 'WARM_ENI_TARGET', value: '1' },
    { name: 'ENABLE_PREFIX_DELEGATION', value: 'false' },
    { name: 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG', value: 'false' },
  ];
  const disks = { image: `${REGISTRY}/eks/aws-ebs-csi-driver:v1.51.0`, container: 'ebs-plugin' };
  const sets = {
    'aws-node': putDaemonSet(scene, 'aws-node', { ...cni, more: { env } }),
    'kube-proxy': putDaemonSet(scene, 'kube-proxy', {
      image: `${REGISTRY}/eks/kube-proxy:v1.34.1`,
    }),
    ...(options.hasDisks === true
      ? { 'ebs-csi-node': putDaemonSet(scene, 'ebs-csi-node', disks) }
      : {}),
  };
  return { scene, grounds, sets, taken: new Map() };
}

/** User data of machines that kubeadm joins. */
const JOIN = `#cloud-config
runcmd:
- kubeadm join --config /etc/kubernetes/join.yaml
`;

/** How machines of kubeadm differ from those of EKS. */
export const JOINED = { userData: JOIN, addresses: 0 } as const;

interface KubeadmOptions {
  readonly domainName?: string;
  /** False where nobody initializes Nodes. */
  readonly hasCloudController?: boolean;
  readonly cloudControllerLog?: string;
}

const CONTROL_PLANE = { 'node-role.kubernetes.io/control-plane': '' };

/** A kubeadm cluster with its control plane on one machine. */
export function kubeadmCluster(
  scene: Scene,
  options: KubeadmOptions = {},
): Cluster & { readonly control: Placed } {
  const { domainName, hasCloudController = true } = options;
  const image = 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260115';
  const grounds = layGrounds(scene, { image, ...(domainName === undefined ? {} : { domainName }) });
  putNamespace(scene, 'shop', { 'iam.amazonaws.com/permitted': '.*' });
  putOwnObjects(scene);
  putConfigMap(scene, 'kubeadm-config', { ClusterConfiguration: CONFIGURATION });
  const sets = {
    'calico-node': putDaemonSet(scene, 'calico-node', { image: 'docker.io/calico/node:v3.31.2' }),
    'kube-proxy': putDaemonSet(scene, 'kube-proxy', {
      image: 'registry.k8s.io/kube-proxy:v1.34.2',
    }),
  };
  const address = '10.40.1.10';
  const machine = launch(scene, grounds, 59 * DAY, { ...JOINED, address });
  const cluster: Cluster = { scene, grounds, sets, taken: new Map() };
  const control = join(cluster, machine, {
    isInitialized: hasCloudController,
    labels: CONTROL_PLANE,
    taints: [
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
      ...(hasCloudController ? [] : [UNINITIALIZED]),
    ],
    slots: 110,
  });
  putControlPlane(scene, control);
  if (hasCloudController) putCloudController(scene, control, options.cloudControllerLog);
  return { ...cluster, control };
}

const CONFIGURATION = `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
clusterName: ${CLUSTER}
kubernetesVersion: v1.34.2
networking:
  podSubnet: 192.168.0.0/16
  serviceSubnet: 10.96.0.0/12
`;

function putControlPlane(scene: Scene, node: Placed): void {
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'])
    putPod(scene, {
      name: `${name}-${node.name}`,
      namespace: 'kube-system',
      node,
      minutes: node.minutes - 1,
      isHostNetwork: true,
      container: name,
      image: `registry.k8s.io/${name}:v1.34.2`,
      labels: { component: name, tier: 'control-plane' },
    });
}

function putCloudController(scene: Scene, node: Placed, log: string | undefined): void {
  const set = putDaemonSet(scene, 'aws-cloud-controller-manager', {
    image: 'registry.k8s.io/provider-aws/cloud-controller-manager:v1.34.0',
    nodeSelector: CONTROL_PLANE,
  });
  putDaemonPod(scene, set, node, log === undefined ? {} : { log });
}

type NodeOptions = NonNullable<Parameters<typeof putNode>[2]>;

/** A Node with the pods that every node has. */
export function join(
  { scene, sets }: Cluster,
  machine: Machine,
  options: NodeOptions & { readonly without?: readonly string[] } = {},
): Placed {
  const node = putNode(scene, machine, options);
  const isReady = options.silentMinutes === undefined;
  for (const [name, set] of Object.entries(sets))
    if (options.without?.includes(name) !== true) putDaemonPod(scene, set, node, { isReady });
  return node;
}

/** The next address for a pod of a machine: its own of EC2's, or one of calico's. */
export function nextAddress({ taken }: Cluster, { machine }: Placed): string {
  const count = taken.get(machine.id) ?? 0;
  taken.set(machine.id, count + 1);
  const [, , , last = ''] = machine.address.split('.');
  return machine.podAddresses[count] ?? `192.168.${last}.${count + 2}`;
}

const OWNER: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'cart-7d9c6',
  uid: '5c0e0000-0000-4000-8000-0000000cca27',
};

/** Pods of a workload that run on a node. */
export function work(cluster: Cluster, node: Placed, count: number): void {
  const [, , third = '', fourth = ''] = node.machine.address.split('.');
  for (let index = 0; index < count; index++)
    putPod(cluster.scene, {
      name: `cart-7d9c6-${third}${fourth}${index}`,
      node,
      minutes: Math.max(node.minutes - 2, 0.2),
      owner: OWNER,
      address: nextAddress(cluster, node),
    });
}

/** Machines that joined six hours ago, one subnet after the other, and run a workload. */
export function healthyNodes(cluster: Cluster, count: number, pods = 3): readonly Placed[] {
  return Array.from({ length: count }, (_, index) => {
    const subnet = index % 2 === 0 ? 0 : 1;
    const address = `10.40.${subnet + 1}.${20 + index}`;
    const machine = launch(cluster.scene, cluster.grounds, 360, { subnet, address });
    const node = join(cluster, machine);
    work(cluster, node, pods);
    return node;
  });
}
